"""No shared memory: every thread reads what it multiplies straight from global memory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from gemmgen.geometry import FREE_AXIS, OperandGeometry, global_contiguous, runs
from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import CopyRecord
from gemmgen.mechanisms.faults import for_both_operands
from gemmgen.plan import Part
from gemmgen.rules.base import Changes, Context, Finding, Rule, times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@record
class Direct(CopyRecord):
    """Fragments come from global memory; BK is only the unrolling of the K loop."""

    through_shared: ClassVar[bool] = False


def lower(record: Direct, side: OperandGeometry, values: Mapping[str, object]) -> tuple[Part, ...]:
    """The part of the file that reads this operand's fragments."""
    del record
    return (Part("fragment_direct.cu.jinja", values, accesses=frozenset({(side.c_type, side.vector)})),)


def _check_vectors(context: Context) -> Iterator[Finding]:
    schedule = context.schedule
    for side, operand in enumerate(FREE_AXIS):
        name, copy = f"vector_{operand}", getattr(schedule, f"copy_{operand}")
        vector = getattr(schedule, name)
        if not isinstance(copy, Direct) or vector == 1:
            continue
        along_k = global_contiguous(context.problem, operand) == "k"
        run = 1 if along_k else runs(context.problem, schedule)[side]
        if run % vector == 0:
            continue
        why = (
            f"{operand.upper()} is contiguous along K, of which a thread reads one element at a time"
            if along_k
            else f"of {operand.upper()} a thread owns {run} side by side (thread_tile="
            f"{times(*schedule.thread_tile)}, thread_layout={schedule.thread_layout})"
        )
        message = f"{name}={vector} with copy_{operand}=direct, but {why}"
        yield Finding(f"schedule.{name}", message, partial(_repair, name, vector, run, operand))


def _repair(name: str, vector: int, run: int, operand: str) -> Iterable[Changes]:
    narrower = [width for width in (4, 2, 1) if width < vector and run % width == 0]
    yield from ({f"schedule.{name}": width} for width in narrower[:1])
    yield {f"schedule.copy_{operand}": "sync"}


VECTORS = Rule(
    id="GG018",
    title="the vector width of a direct copy divides what a thread owns in one piece",
    reason="Without shared memory one access can only fetch what the same thread multiplies",
    needs=(
        *(f"schedule.{name}" for name in ("thread_tile", "thread_layout", "vector_a", "vector_b", "copy_a", "copy_b")),
        "problem.a",
        "problem.a_layout",
        "problem.b_layout",
    ),
    check=_check_vectors,
    after=("GG016",),
)

MUTANTS = (
    *for_both_operands(
        "fragment_edge",
        "the mask of the free axis is one too wide",
        "if (<f> < <F> && k < K) Access<float, kWidth>::load(fragment",
        "if (<f> <= <F> && k < K) Access<float, kWidth>::load(fragment",
    ),
    *for_both_operands(
        "fragment_residue",
        "the mask of K is one too wide",
        "if (<f> < <F> && k < K) Access<float, kWidth>::load(fragment",
        "if (<f> < <F> && k <= K) Access<float, kWidth>::load(fragment",
    ),
    Mutant("fragment_fill", "elements outside the matrix are not zero", "fragment[i + v] = 0;", "fragment[i + v] = 1;"),
    Mutant("same_step", "every step reads the tile's first k", "k0 + k, ", "k0, "),
)

MECHANISM = register(
    Mechanism(
        slot="copy",
        name="direct",
        record=Direct,
        rules=(VECTORS,),
        lower=lower,
        mutants=MUTANTS,
        doc="straight from global memory into fragments",
    )
)
