"""GG010: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"warp_tile": (48, 64), "thread_tile": (6, 16)},
        "sm_90",
        [
            (
                "GG010: BM=128 is no multiple of WM=48. Warps share the CTA tile out among them, so a whole "
                "number of warp tiles must fill it. Use BM=144."
            ),
        ],
        [{"schedule.cta_tile": [144, 128, 8]}],
    ),
    (
        {},
        {"cta_tile": (100, 100, 8), "warp_tile": (64, 32)},
        "sm_90",
        [
            (
                "GG010: BM=100 is no multiple of WM=64 and BN=100 is no multiple of WN=32. Warps share the CTA "
                "tile out among them, so a whole number of warp tiles must fill it. Use cta_tile=(128, 96, 8)."
            ),
        ],
        [{"schedule.cta_tile": [128, 96, 8]}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG010"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
