"""Every order of tiles is a bijection on every grid, whatever its shape."""

from __future__ import annotations

import numpy as np
import pytest

import gemmgen as gg
from gemmgen.ir import registry

GRIDS = [(1, 1), (1, 9), (7, 1), (2, 2), (2, 3), (3, 2), (4, 4), (5, 7), (8, 8), (13, 6), (6, 13), (16, 3), (17, 19)]
RASTERS = {name: name if name != "grouped" else "grouped(3)" for name in registry.names("raster")}


@pytest.mark.parametrize("raster", RASTERS.values(), ids=RASTERS)
def test_it_visits_every_tile_once(raster: str) -> None:
    """One thread a tile: the emulator reports a tile computed twice as a race, and one left out as never written."""
    kernel = gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(2, 1, 1), thread_tile=(2, 1), copy="direct", raster=raster))
    for rows, columns in GRIDS:
        a = np.arange(1, 2 * rows + 1, dtype=np.float32).reshape(-1, 1)
        b = np.arange(1, columns + 1, dtype=np.float32).reshape(1, -1)
        assert np.array_equal(kernel.run(a, b), a @ b), (rows, columns)


@pytest.mark.parametrize("raster", ["row", "column", "grouped(3)", "hilbert"])
def test_large_grids(raster: str) -> None:
    kernel = gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(1, 1, 1), thread_tile=(1, 1), copy="direct", raster=raster))
    a = np.arange(1, 210, dtype=np.float32).reshape(-1, 1)
    b = np.arange(1, 100, dtype=np.float32).reshape(1, -1)
    assert np.array_equal(kernel.run(a, b), a @ b)
