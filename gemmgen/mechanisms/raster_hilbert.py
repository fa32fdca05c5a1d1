"""Raster along a Hilbert curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import RasterRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry


@record
class Hilbert(RasterRecord):
    """A Hilbert curve generalised to rectangles of any shape: consecutive CTAs compute neighbouring tiles.

    Where a side cannot be halved evenly a step may be diagonal.
    """


def lower(record: Hilbert, geometry: Geometry) -> Part:
    """The part of the file that orders the tiles."""
    del record, geometry
    return Part("raster_hilbert.cu.jinja")


MUTANTS = (
    Mutant("short_way_over", "the middle part starts a step too low", "corner = add(corner, step);", " "),
    Mutant("no_way_back", "the last part goes the wrong way", "along = {-step.m, -step.n};", "along = step;"),
)

MECHANISM = register(
    Mechanism(
        slot="raster",
        name="hilbert",
        record=Hilbert,
        lower=lower,
        mutants=MUTANTS,
        doc="a Hilbert curve on any grid",
    )
)
