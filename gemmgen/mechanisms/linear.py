"""Shared tiles without padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
class Linear(SmemRecord):
    """Lines follow one another without a gap."""

    major: str | None = param(MAJOR, why=MAJOR_WHY, default=None)


def lower(record: Linear, side: OperandGeometry, values: Mapping[str, object]) -> Part:
    """The part of the file that says where an element of the tile lies."""
    del record
    return pitched_part(side, values, 0)


MUTANTS = (
    *for_both_operands(
        "transposed_offset",
        "an element's place has its axes exchanged",
        "return k * kPitch<X> + <f>;",
        "return <f> * kPitch<X> + k;",
    ),
    *for_both_operands(
        "late_fragment",
        "the fragment starts one element late",
        "tile + shared_offset_<x>(tile_",
        "tile + 1 + shared_offset_<x>(tile_",
    ),
)

MECHANISM = register(
    Mechanism(
        slot="smem",
        name="linear",
        record=Linear,
        lower=lower,
        mutants=MUTANTS,
        doc="lines without a gap",
    )
)
