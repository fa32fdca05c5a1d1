"""Thread tiles in pieces of 16 bytes, dealt round the lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.geometry import Geometry, quad_elements
from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import LayoutRecord
from gemmgen.plan import Constant, Part
from gemmgen.rules.base import Changes, Context, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@record
class Quads(LayoutRecord):
    """Row i of a lane is (i / q) * LM * q + lane_m * q + i % q, with q elements in 16 bytes; columns alike.

    Neighbouring lanes read neighbouring 16-byte words, which costs the fewest passes over the banks.
    """

    def run(self, extent: int, quad: int) -> int:
        """See `LayoutRecord.run`."""
        del extent
        return quad


def lower(record: Quads, geometry: Geometry) -> Part:
    """The part of the file that maps a thread's elements to the tile's."""
    del record
    quad = Constant("kQuad", str(geometry.quad), geometry.quad, "elements in 16 bytes")
    return Part("thread_quads.cu.jinja", constants=(quad,))


def _check_whole_quads(context: Context) -> Iterator[Finding]:
    quad = quad_elements(context.problem)
    tile = context.schedule.thread_tile
    odd = [f"{name}={extent}" for name, extent in zip(("TM", "TN"), tile, strict=True) if extent % quad]
    if odd:
        verb = "is" if len(odd) == 1 else "are"
        message = f"{' and '.join(odd)} {verb} no multiple of {quad}, as thread_layout=quads needs"
        yield Finding("schedule.thread_tile", message, lambda: _repair(tile, quad))


def _repair(tile: tuple[int, int], quad: int) -> Iterable[Changes]:
    up, down = (tuple(max(quad, (extent + more) // quad * quad) for extent in tile) for more in (quad - 1, 0))
    yield {"schedule.thread_tile": up}
    yield {"schedule.thread_tile": down}
    yield {"schedule.thread_layout": "contiguous"}


WHOLE_QUADS = Rule(
    id="GG016",
    title="thread_layout=quads deals whole quads",
    reason="A quad is the 16 bytes that one access to shared memory reads",
    needs=("problem.a", "schedule.thread_tile", "schedule.thread_layout"),
    check=_check_whole_quads,
)

MUTANTS = (
    Mutant("quad_rows", "a lane's groups of rows are neighbours", "(i / kQuad) * (LM * kQuad)", "(i / kQuad) * kQuad"),
    Mutant(
        "quad_columns", "a lane's groups of columns are neighbours", "(j / kQuad) * (LN * kQuad)", "(j / kQuad) * kQuad"
    ),
    Mutant("quad_lanes", "lanes' groups overlap", "thread.lane_n * kQuad + j % kQuad", "thread.lane_n + j % kQuad"),
)

MECHANISM = register(
    Mechanism(
        slot="thread_layout",
        name="quads",
        record=Quads,
        rules=(WHOLE_QUADS,),
        lower=lower,
        mutants=MUTANTS,
        doc="pieces of 16 bytes, dealt round the lanes",
    )
)
