"""The cache folder may change, or vanish, while a process runs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np

import gemmgen as gg

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SMALL = {"cta_tile": (8, 8, 4), "thread_tile": (2, 2)}


def product_of_ones(kernel: gg.Kernel) -> np.ndarray:
    return kernel.run(np.ones((9, 5), np.float32), np.ones((5, 7), np.float32))


def test_kernels_run_from_one_folder_and_then_from_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn, raster in enumerate(("row", "column")):
        folder = tmp_path / str(turn)
        monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(folder))
        kernel = gg.generate(gg.Gemm(), gg.Schedule(**SMALL, raster=raster))
        assert (product_of_ones(kernel) == 5).all()
        shutil.rmtree(folder)
        assert (product_of_ones(kernel) == 5).all()
        fresh = gg.generate(gg.Gemm(), gg.Schedule(**SMALL, raster=raster, stages=2))
        assert (product_of_ones(fresh) == 5).all()
