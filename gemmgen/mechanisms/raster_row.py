"""Raster by rows of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import RasterRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry


@record
class Row(RasterRecord):
    """Consecutive CTAs walk N, so that they share rows of A in L2."""


def lower(record: Row, geometry: Geometry) -> Part:
    """The part of the file that orders the tiles."""
    del record, geometry
    return Part("raster_row.cu.jinja")


MUTANTS = (
    Mutant(
        "exchanged_tiles",
        "rows and columns of tiles are exchanged",
        "{cta / tiles_n, cta % tiles_n}",
        "{cta % tiles_n, cta / tiles_n}",
    ),
    Mutant(
        "repeated_tile",
        "one column of tiles is computed twice, another never",
        "cta % tiles_n}",
        "(cta % tiles_n == 1 ? 0 : cta % tiles_n)}",
    ),
)

MECHANISM = register(
    Mechanism(
        slot="raster",
        name="row",
        record=Row,
        lower=lower,
        mutants=MUTANTS,
        doc="consecutive CTAs walk N",
    )
)
