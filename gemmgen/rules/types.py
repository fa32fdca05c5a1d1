"""Rules about element types: which a multiply takes, and how many elements 16 bytes hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gemmgen.geometry import VECTOR_BYTES
from gemmgen.ir import registry
from gemmgen.ir.problem import DTYPES
from gemmgen.ir.slots import MmaRecord
from gemmgen.rules.base import Changes, Context, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemmgen.ir.problem import Gemm

_NAMES = ("a", "b", "c", "acc")


def _types(problem: Gemm) -> tuple[str, str, str, str]:
    return problem.a.dtype, problem.b.dtype, problem.c.dtype, problem.acc


def _check_types(context: Context) -> Iterator[Finding]:
    given, mma = _types(context.problem), context.schedule.mma
    if given not in mma.types:
        shown = ", ".join(f"{name}={dtype}" for name, dtype in zip(_NAMES, given, strict=True))
        yield Finding("schedule.mma", f"mma={mma} with {shown}", partial(_repair_types, given, mma.types))


def _repair_types(given: tuple[str, ...], types: tuple[tuple[str, ...], ...]) -> Iterable[Changes]:
    """Another multiply that takes these types, or else the fewest changes of type."""
    for name in registry.names("mma"):
        mechanism = registry.lookup("mma", name)
        if mechanism is not None and issubclass(mechanism.record, MmaRecord) and given in mechanism.record.types:
            yield {"schedule.mma": name}
    changes = [
        {f"problem.{name}": new for name, new, old in zip(_NAMES, legal, given, strict=True) if new != old}
        for legal in types
    ]
    yield from sorted(changes, key=len)


TYPES = Rule(
    id="GG006",
    title="the multiply takes the problem's element types",
    reason="An instruction multiplies and accumulates certain types; converting to others would change results unasked",
    needs=("problem.a", "problem.b", "problem.c", "problem.acc", "schedule.mma"),
    check=_check_types,
)


def _check_width(context: Context) -> Iterator[Finding]:
    problem, schedule = context.problem, context.schedule
    for name in ("a", "b", "c"):
        dtype = getattr(problem, name).dtype
        width, size = getattr(schedule, f"vector_{name}"), DTYPES[dtype].bytes
        if width * size > VECTOR_BYTES:
            message = f"vector_{name}={width} of {dtype} is an access of {width} * {size} = {width * size} bytes"
            repair: Changes = {f"schedule.vector_{name}": VECTOR_BYTES // size}
            yield Finding(f"schedule.vector_{name}", message, partial(list, [repair]))


WIDTH = Rule(
    id="GG008",
    title="a global access is at most 16 bytes wide",
    reason="The widest load or store of a thread moves 16 bytes",
    needs=("problem.a", "problem.b", "problem.c", *(f"schedule.vector_{name}" for name in ("a", "b", "c"))),
    check=_check_width,
)

RULES = (TYPES, WIDTH)
