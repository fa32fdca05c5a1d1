"""A mechanism from outside the package: five files' worth, and nothing of the core is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gemmgen as gg
from gemmgen.ir.domain import Ints
from gemmgen.ir.record import param, record
from gemmgen.ir.registry import Mechanism, Mutant, register, unregister
from gemmgen.ir.slots import RasterRecord
from gemmgen.plan import Constant, Part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gemmgen.geometry import Geometry

TEMPLATE = """\
// Which tile of D a CTA computes, in units of tiles.
struct TileIndex {
  int m;
  int n;
};

// Rows of tiles, every kPeriod-th of which is walked backwards.
__device__ __forceinline__ TileIndex rasterize(int cta, int /* tiles_m */, int tiles_n) {
  const int m = cta / tiles_n;
  const int n = cta % tiles_n;
  return {m, m % kPeriod == kPeriod - 1 ? tiles_n - 1 - n : n};
}

"""


@record
class Serpentine(RasterRecord):
    """Rows of tiles, every `period`-th walked backwards."""

    period: int = param(Ints(1, 64, typical=(2, 3)), why="rows between two that are walked backwards", default=2)


def lower(record: Serpentine, geometry: Geometry) -> Part:
    del geometry
    period = Constant("kPeriod", str(record.period), record.period)
    return Part("raster_serpentine.cu.jinja", constants=(period,))


MUTANT = Mutant("mirrored", "rows walked backwards lose their last tile", "tiles_n - 1 - n", "tiles_n - n")


@pytest.fixture
def serpentine(tmp_path: Path) -> Iterator[Mechanism]:
    (tmp_path / "raster_serpentine.cu.jinja").write_text(TEMPLATE, encoding="utf-8")
    mechanism = Mechanism("raster", "serpentine", Serpentine, lower=lower, mutants=(MUTANT,), template_dir=tmp_path)
    yield register(mechanism)
    unregister(mechanism)


SMALL = {"cta_tile": (16, 16, 4), "thread_tile": (2, 2)}


def test_a_foreign_mechanism_is_legal_generated_and_right(serpentine: Mechanism) -> None:
    schedule = gg.Schedule(raster="serpentine(3)", **SMALL)
    assert gg.Schedule.from_dict(schedule.to_dict()) == schedule
    kernel = gg.generate(gg.Gemm(), schedule)
    assert "constexpr int kPeriod = 3;" in kernel.source
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (50, 9)).astype(np.float32)
    b = rng.integers(-4, 5, (9, 70)).astype(np.float32)
    assert np.array_equal(kernel.run(a, b), a @ b)


def test_its_planted_fault_is_caught(serpentine: Mechanism) -> None:
    from gemmgen.testing.mutation import caught

    emitted = gg.generate(gg.Gemm(), gg.Schedule(raster="serpentine", **SMALL)).emitted
    assert caught(emitted, MUTANT)


def test_its_domain_is_enforced(serpentine: Mechanism) -> None:
    with pytest.raises(gg.ScheduleError, match="period"):
        gg.Schedule(raster="serpentine(65)", **SMALL)


def test_the_name_is_unknown_again_afterwards() -> None:
    with pytest.raises(gg.ScheduleError, match="serpentine"):
        gg.Schedule(raster="serpentine")
