"""GG011: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"cta_tile": (64, 64, 8), "thread_tile": (5, 4)},
        "sm_90",
        [
            (
                "GG011: BM=64 is no multiple of TM=5. Every lane owns the same number of rows and columns. Use TM=4 or "
                "BM=80."
            ),
        ],
        [{"schedule.thread_tile": [4, 4]}],
    ),
    (
        {},
        {"cta_tile": (100, 100, 7), "thread_tile": (30, 30)},
        "sm_90",
        [
            (
                "GG011: BM=100 is no multiple of TM=30 and BN=100 is no multiple of TN=30. Every lane owns the same "
                "number of rows and columns. Use cta_tile=(90, 90, 7)."
            ),
        ],
        [{"schedule.cta_tile": [90, 90, 7]}],
    ),
    (
        {},
        {"thread_tile": (7, 8)},
        "sm_90",
        [
            (
                "GG011: BM=128 is no multiple of TM=7. Every lane owns the same number of rows and columns. Use "
                "TM=8 or BM=112."
            ),
        ],
        [{"schedule.thread_tile": [8, 8]}],
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
