"""GG012: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"warp_tile": (64, 64)},
        "sm_90",
        [
            (
                "GG012: warp_tile=64x64 with thread_tile=8x8 needs 8 * 8 = 64 lanes. A warp has 32 lanes, each "
                "of which computes one thread tile. Use WM=32 or WN=32."
            ),
        ],
        [{"schedule.warp_tile": [32, 64]}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG012"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
