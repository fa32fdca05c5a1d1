"""Schedules that people really use are never refused: hand-tuned SGEMMs, teaching ladders, tiles that have a name."""

from __future__ import annotations

from typing import Any

import pytest

from gemmgen import Gemm, Schedule, check_legal
from gemmgen.testing.assertions import assert_correct

VECTORS = {"vector_a": 4, "vector_b": 4, "vector_c": 4}
QUADS = {"thread_layout": "quads", "smem_a": "padded(4)", **VECTORS, "stages": 2, "raster": "grouped(8)"}

# What wins, or nearly, on an H200 in FP32, as far as the axes exist: stages and copies that do not are left out.
TUNED: dict[str, dict[str, Any]] = {
    "128x256x8, 16x8 in quads": {"cta_tile": (128, 256, 8), "warp_tile": (64, 64), "thread_tile": (16, 8), **QUADS},
    "128x256x16": {"cta_tile": (128, 256, 16), "warp_tile": (64, 64), "thread_tile": (16, 8), **QUADS},
    "128x256x32": {"cta_tile": (128, 256, 32), "warp_tile": (64, 64), "thread_tile": (16, 8), **QUADS},
    "256x128x8": {"cta_tile": (256, 128, 8), "warp_tile": (64, 64), "thread_tile": (16, 8), **QUADS},
    "128x128x8, 128 threads": {"cta_tile": (128, 128, 8), "warp_tile": (64, 64), "thread_tile": (16, 8), **QUADS},
    "64x256x8": {"cta_tile": (64, 256, 8), "warp_tile": (64, 64), "thread_tile": (16, 8), **QUADS},
    "128x128x16, 8x8": {"cta_tile": (128, 128, 16), "warp_tile": (32, 64), "thread_tile": (8, 8), **QUADS},
    "128x128x16, 8x16": {"cta_tile": (128, 128, 16), "warp_tile": (64, 64), "thread_tile": (8, 16), **QUADS},
    "64x128x16, 8x8": {"cta_tile": (64, 128, 16), "warp_tile": (32, 64), "thread_tile": (8, 8), **QUADS},
    "32x64x64, 8x4": {"cta_tile": (32, 64, 64), "warp_tile": (32, 32), "thread_tile": (8, 4), **QUADS},
    "64x64x32, 8x8": {"cta_tile": (64, 64, 32), "warp_tile": (32, 64), "thread_tile": (8, 8), **QUADS},
    "256x128x8, 8x8, 512 threads": {"cta_tile": (256, 128, 8), "warp_tile": (64, 32), "thread_tile": (8, 8), **QUADS},
}

# What teaching ladders climb.
TAUGHT: dict[str, dict[str, Any]] = {
    "naive": {"cta_tile": (32, 8, 1), "warp_tile": (32, 1), "thread_tile": (1, 1), "copy": "direct"},
    "naive, 32x32 CTA": {"cta_tile": (32, 32, 1), "warp_tile": (32, 1), "thread_tile": (1, 1), "copy": "direct"},
    "coalesced": {"cta_tile": (32, 32, 1), "warp_tile": (1, 32), "thread_tile": (1, 1), "copy": "direct"},
    "shared tile": {"cta_tile": (32, 32, 32), "thread_tile": (1, 1)},
    "shared tile 16": {"cta_tile": (16, 16, 16), "thread_tile": (1, 1)},
    "column of 8": {"cta_tile": (64, 64, 8), "thread_tile": (8, 1)},
    "4x4": {"cta_tile": (64, 64, 16), "thread_tile": (4, 4)},
    "8x8": {"cta_tile": (128, 128, 8), "thread_tile": (8, 8)},
    "8x8, float4": {"cta_tile": (128, 128, 8), "thread_tile": (8, 8), **VECTORS},
    "8x4": {"cta_tile": (128, 64, 32), "thread_tile": (8, 4), **VECTORS},
    "padded": {"cta_tile": (128, 128, 8), "thread_tile": (8, 8), **VECTORS, "smem_a": "padded(4)"},
    "lanes 4x8": {"cta_tile": (128, 128, 8), "warp_tile": (32, 64), "thread_tile": (8, 8), **VECTORS},
    "lanes 8x4": {"cta_tile": (128, 128, 8), "warp_tile": (64, 32), "thread_tile": (8, 8), **VECTORS},
    "lanes 2x16": {"cta_tile": (128, 128, 8), "warp_tile": (16, 128), "thread_tile": (8, 8), **VECTORS},
    "double buffer": {"cta_tile": (128, 128, 8), "warp_tile": (32, 64), "thread_tile": (8, 8), **VECTORS, "stages": 2},
    "both buffers": {
        "cta_tile": (128, 128, 8), "warp_tile": (32, 64), "thread_tile": (8, 8), **VECTORS, "stages": 2,
        "fragment_buffers": 2,
    },
    "untransposed A": {"cta_tile": (128, 128, 8), "thread_tile": (8, 8), "smem_a": "linear(major=k)"},
    "a row of D a thread": {"cta_tile": (32, 32, 8), "thread_tile": (1, 32), "vector_c": 4},
    "odd tiles": {"cta_tile": (20, 12, 3), "thread_tile": (5, 3)},
    "one thread": {"cta_tile": (4, 4, 2), "thread_tile": (4, 4)},
}  # fmt: skip

NAMED = {**TUNED, **TAUGHT}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_it_is_accepted(name: str, target: str) -> None:
    assert check_legal(Gemm(), Schedule(**NAMED[name]), target) == ()


@pytest.mark.parametrize("name", TAUGHT)
def test_it_is_accepted_on_the_oldest_target(name: str) -> None:
    assert check_legal(Gemm(), Schedule(**NAMED[name]), "sm_70") == ()


@pytest.mark.parametrize("name", NAMED)
def test_it_is_right(name: str) -> None:
    from gemmgen.emit import emit

    emitted = emit(Gemm(), Schedule(**NAMED[name]))
    assert_correct(emitted, m=67, n=71, k=37, alpha=1.5, beta=0.5)
    assert_correct(emitted, m=132, n=136, k=40)
