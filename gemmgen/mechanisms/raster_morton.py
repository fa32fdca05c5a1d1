"""Raster in Z order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import RasterRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry


@record
class Morton(RasterRecord):
    """Z order, on grids of any shape: the longer side of what is left is halved until one tile remains."""


def lower(record: Morton, geometry: Geometry) -> Part:
    """The part of the file that orders the tiles."""
    del record, geometry
    return Part("raster_morton.cu.jinja")


MUTANTS = (
    Mutant(
        "late_half",
        "the first tile of the second half is taken for one of the first",
        "cta >= half * columns",
        "cta > half * columns",
    ),
    Mutant("same_start", "the second half starts where the first does", "first.n += beyond ? half : 0;", " "),
)

MECHANISM = register(
    Mechanism(
        slot="raster",
        name="morton",
        record=Morton,
        lower=lower,
        mutants=MUTANTS,
        doc="Z order on any grid",
    )
)
