"""No masks: whole tiles only, which the launcher checks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import EdgesRecord
from gemmgen.rules.base import Changes, Context, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@record
class Aligned(EdgesRecord):
    """M, N and K are multiples of the CTA tile, addresses and pitches of the vector widths; other calls are refused."""

    masked: ClassVar[bool] = False


def _check_fixed_sizes(context: Context) -> Iterator[Finding]:
    for name, tile in zip("mnk", context.schedule.cta_tile, strict=True):
        size = getattr(context.problem, name)
        if size is not None and size % tile:
            message = f"edges=aligned takes multiples of B{name.upper()}={tile}, and {name}={size} is fixed"
            yield Finding(f"problem.{name}", message, partial(_repair, name, size, tile))


def _repair(name: str, size: int, tile: int) -> Iterable[Changes]:
    yield {"schedule.edges": "predicate"}
    yield {f"problem.{name}": -(-size // tile) * tile}


FIXED_SIZES = Rule(
    id="GG024",
    title="edges=aligned and fixed sizes make whole tiles",
    reason="A kernel without masks would read and write outside its matrices, so that its launcher refuses every call",
    needs=("problem.m", "problem.n", "problem.k", "schedule.edges", "schedule.cta_tile"),
    check=_check_fixed_sizes,
)

MUTANTS = (
    Mutant("partial_tile", "a size that is no multiple is let through", "  if (call.M % ", "  if (false && call.M % "),
    Mutant("partial_depth", "a K that is no multiple is let through", "  if (call.K % ", "  if (false && call.K % "),
)

MECHANISM = register(
    Mechanism(
        slot="edges",
        name="aligned",
        record=Aligned,
        rules=(FIXED_SIZES,),
        mutants=MUTANTS,
        doc="no masks: whole tiles only, checked at launch",
    )
)
