"""Raster in bands of rows of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.domain import Ints
from gemmgen.ir.record import param, record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import RasterRecord
from gemmgen.plan import Constant, Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry


@record
class Grouped(RasterRecord):
    """Bands of `width` rows of tiles, each walked column by column: a wave of CTAs covers a compact rectangle."""

    width: int = param(
        Ints(1, 1024, typical=(2, 4, 8, 16)),
        why="A band wider than a wave of CTAs, a few hundred, is no different from raster=column",
    )


def lower(record: Grouped, geometry: Geometry) -> Part:
    """The part of the file that orders the tiles."""
    del geometry
    width = Constant("kRasterGroup", str(record.width), record.width, "tile rows that consecutive CTAs walk down")
    return Part("raster_grouped.cu.jinja", constants=(width,))


MUTANTS = (
    Mutant(
        "last_group",
        "the last group is taken for a full one",
        "tiles_m - first_m < full_rows ? tiles_m - first_m : full_rows;",
        "full_rows;",
    ),
    Mutant(
        "group_start", "every group starts at the first row of tiles", "{first_m + in_group % rows", "{in_group % rows"
    ),
)

MECHANISM = register(
    Mechanism(
        slot="raster",
        name="grouped",
        record=Grouped,
        lower=lower,
        mutants=MUTANTS,
        doc="bands of rows of tiles, each walked column by column",
    )
)
