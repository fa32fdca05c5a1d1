"""Which kernel of the file a call gets, its grid and its arguments: the launcher's decisions, made from the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.errors import ArgumentError

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
    """The kernel as scheduled if its whole table holds, else the one whose widths are all 1.

    Raises ``ArgumentError`` if the file has no such other.
    """
    broken = broken_conditions(launch, call)
    if broken and launch.refuses and call.m and call.n:
        raise ArgumentError(refusal(broken, call))
    return launch.fallback if broken else launch.scheduled


def broken_conditions(launch: Launch, call: Call) -> tuple[Condition, ...]:
    """The lines of the table that do not hold for a call."""
    return tuple(condition for condition in launch.conditions if not condition_holds(condition, call))


def refusal(broken: tuple[Condition, ...], call: Call) -> str:
    """What a kernel that takes whole tiles only says to a call, every broken condition with its value."""
    terms = []
    for condition in broken:
        matrix = _matrix(call, condition.matrix)
        shown = {
            "address": f"the address of {condition.matrix} ({matrix.address:#x})",
            "ld": f"ld{condition.matrix.lower()}={matrix.ld}",
        }.get(condition.subject, f"{condition.extent}={call.sizes.get(condition.extent)}")
        terms.append(f"{shown} is no multiple of {condition.divisor}")
    return f"{'; '.join(terms)}: this kernel masks nothing (edges=aligned); edges=predicate takes any call"


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
