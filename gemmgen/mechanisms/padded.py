"""Shared tiles whose lines are some elements longer, so that a column of them spreads over the banks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.domain import Ints
from gemmgen.ir.record import param, record
from gemmgen.ir.registry import Mechanism, register
from gemmgen.ir.slots import MAJOR, MAJOR_WHY, SmemRecord
from gemmgen.mechanisms.faults import for_both_operands
from gemmgen.mechanisms.pitched import pitched_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.geometry import OperandGeometry
    from gemmgen.plan import Part


@record
class Padded(SmemRecord):
    """`n` elements are left free at the end of each line. Widths of shared accesses narrow to what stays aligned."""

    n: int = param(
        Ints(0, 64, typical=(1, 2, 4, 8)),
        why="64 elements are two rounds of all 32 banks: more padding moves no access to another bank",
    )
    major: str | None = param(MAJOR, why=MAJOR_WHY, default=None)

    def pitch(self, extent: int) -> int:
        """See `SmemRecord.pitch`."""
        return extent + self.n


def lower(record: Padded, side: OperandGeometry, values: Mapping[str, object]) -> Part:
    """The part of the file that says where an element of the tile lies."""
    return pitched_part(side, values, record.n)


MUTANTS = (
    *for_both_operands(
        "padding_on_one_side",
        "the store knows of the padding, the fragment does not",
        "tile + shared_offset_<x>(tile_",
        "tile - k * (kPitch<X> - B<F>) + shared_offset_<x>(tile_",
    ),
)

MECHANISM = register(
    Mechanism(
        slot="smem",
        name="padded",
        record=Padded,
        lower=lower,
        mutants=MUTANTS,
        doc="n elements free at the end of each line",
    )
)
