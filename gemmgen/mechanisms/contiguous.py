"""Thread tiles in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import LayoutRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry


@record
class Contiguous(LayoutRecord):
    """Row i of a lane is lane_m * TM + i; columns alike."""

    def run(self, extent: int, quad: int) -> int:
        """See `LayoutRecord.run`."""
        del quad
        return extent


def lower(record: Contiguous, geometry: Geometry) -> Part:
    """The part of the file that maps a thread's elements to the tile's."""
    del record, geometry
    return Part("thread_contiguous.cu.jinja")


MUTANTS = (
    Mutant("lane_rows", "lanes lie one row apart, not TM", "thread.lane_m * TM + i", "thread.lane_m + i"),
    Mutant("lane_columns", "lanes lie one column apart, not TN", "thread.lane_n * TN + j", "thread.lane_n + j"),
    Mutant("warp_rows", "every warp starts at the first row", "return thread.warp_m + ", "return "),
)

MECHANISM = register(
    Mechanism(
        slot="thread_layout",
        name="contiguous",
        record=Contiguous,
        lower=lower,
        mutants=MUTANTS,
        doc="a thread's rows and columns in one piece",
    )
)
