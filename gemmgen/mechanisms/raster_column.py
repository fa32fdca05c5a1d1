"""Raster by columns of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import RasterRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry


@record
class Column(RasterRecord):
    """Consecutive CTAs walk M, so that they share columns of B in L2."""


def lower(record: Column, geometry: Geometry) -> Part:
    """The part of the file that orders the tiles."""
    del record, geometry
    return Part("raster_column.cu.jinja")


MUTANTS = (
    Mutant(
        "exchanged_tiles",
        "rows and columns of tiles are exchanged",
        "{cta % tiles_m, cta / tiles_m}",
        "{cta / tiles_m, cta % tiles_m}",
    ),
)

MECHANISM = register(
    Mechanism(
        slot="raster",
        name="column",
        record=Column,
        lower=lower,
        mutants=MUTANTS,
        doc="consecutive CTAs walk M",
    )
)
