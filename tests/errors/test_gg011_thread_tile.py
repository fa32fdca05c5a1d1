"""GG011: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"thread_tile": (7, 8)},
        "sm_90",
        [
            (
                "GG011: BM=128 is no multiple of TM=7. Every lane owns the same number of rows and columns. Use "
                "BM=126 or TM=8."
            ),
        ],
        [{"schedule.cta_tile": [126, 128, 8]}],
    ),
    (
        {},
        {"warp_tile": (64, 32), "thread_tile": (8, 12)},
        "sm_90",
        [
            ("GG011: WN=32 is no multiple of TN=12. Every lane owns the same number of rows and columns. Use TN=8."),
        ],
        [{"schedule.thread_tile": [8, 8]}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG011"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
