"""CTAs an SM against figures worked out by hand with NVIDIA's occupancy rules."""

from __future__ import annotations

import pytest

from gemmgen import model
from gemmgen.errors import ArgumentError
from gemmgen.target import resolve


@pytest.mark.parametrize(
    ("target", "threads", "registers", "shared_bytes", "ctas", "limiter"),
    [
        ("sm_90", 256, 32, 0, 8, "threads"),
        ("sm_90", 256, 128, 33_792, 2, "registers"),
        ("sm_90", 256, 202, 36_864, 1, "registers"),
        ("sm_90", 32, 24, 0, 32, "blocks"),
        ("sm_90", 128, 40, 232_448, 1, "shared_memory"),
        ("sm_90", 128, 40, 115_712, 2, "shared_memory"),
        ("sm_90", 128, 40, 115_713, 1, "shared_memory"),
        ("sm_75", 256, 64, 32_768, 2, "shared_memory"),
        ("sm_86", 1024, 32, 0, 1, "threads"),
    ],
)
def test_known_figures(target: str, threads: int, registers: int, shared_bytes: int, ctas: int, limiter: str) -> None:
    """The count and what limits it."""
    result = model.occupancy(threads, registers, shared_bytes, resolve(target))
    assert (result.ctas, result.limiter) == (ctas, limiter)
    assert result.warps == ctas * -(-threads // 32)
    assert result.fraction == result.warps / resolve(target).warps_per_sm


def test_registers_belong_to_a_partition() -> None:
    """A warp of 202 registers takes 6,656 of its partition's 16,384: 2 there, 8 on the SM, not 65,536 / 6,656 = 9."""
    assert model.occupancy(32, 202, 0, resolve("sm_90")).limits["registers"] == 8


def test_a_kernel_that_cannot_be_launched_has_no_cta() -> None:
    """1024 threads of 128 registers do not fit into the register file."""
    assert model.occupancy(1024, 128, 0, resolve("sm_80")).ctas == 0


def test_impossible_ctas_are_refused_with_every_reason() -> None:
    """Both numbers are named."""
    with pytest.raises(ArgumentError) as caught:
        model.occupancy(2048, 256, 200_000, resolve("sm_80"))
    assert str(caught.value) == (
        "threads=2048 is outside 1..1024 of sm_80; registers=256 is outside 0..255 of sm_80; "
        "shared_bytes=200000 is outside 0..166912 of sm_80."
    )
