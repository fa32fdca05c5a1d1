"""Which kernel of the file a call gets, its grid and its arguments: the launcher's decisions, made from the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmgen.call.bind import Call, Matrix
    from gemmgen.plan import Condition, Kernel, Launch

__all__ = ["choose_kernel", "condition_holds", "grid_size", "kernel_arguments"]


def _matrix(call: Call, name: str) -> Matrix:
    return {"A": call.a, "B": call.b, "C": call.c, "D": call.d}[name]


def condition_holds(condition: Condition, call: Call) -> bool:
    """Whether one line of the table holds; a condition on C does when C is not read."""
    if condition.matrix == "C" and not call.reads_c:
        return True
    matrix = _matrix(call, condition.matrix)
    value = {"address": matrix.address, "ld": matrix.ld}.get(condition.subject)
    if value is None:
        value = call.sizes[condition.extent]
    return value % condition.divisor == 0


def choose_kernel(launch: Launch, call: Call) -> Kernel:
    """The kernel as scheduled if its whole table holds, else the one whose widths are all 1."""
    holds = all(condition_holds(condition, call) for condition in launch.conditions)
    return launch.scheduled if holds else launch.fallback


def grid_size(launch: Launch, call: Call) -> int:
    """CTAs of the launch: one for each tile of D."""
    return -(-call.m // launch.tile_m) * -(-call.n // launch.tile_n)


def kernel_arguments(launch: Launch, call: Call) -> tuple[tuple[str, int | float], ...]:
    """The kernel's arguments in order, each with its type code; null pointers for the device scalars."""
    values: dict[str, int | float] = {
        **call.sizes,
        "alpha": call.alpha,
        "alpha_device": 0,
        "beta": call.beta,
        "beta_device": 0,
    }
    for matrix in (call.a, call.b, call.c, call.d):
        values[matrix.name.upper()] = matrix.address
        values[f"ld{matrix.name}"] = matrix.ld
    # C is D when the caller gave none; the kernel's parameter is C all the same.
    values["C"], values["ldc"] = call.c.address, call.c.ld
    return tuple((parameter.code, values[parameter.name]) for parameter in launch.parameters)
