"""GG021: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {"m": 1073741824, "n": 1073741824},
        {"cta_tile": (16, 16, 16), "thread_tile": (1, 1)},
        "sm_90",
        [
            (
                "GG021: m=1073741824 and n=1073741824 make 67,108,864 * 67,108,864 = 4,503,599,627,370,496 tiles "
                "of 16x16; a grid has 2,147,483,647 blocks at most. The kernel could never be launched. Use "
                "m=None."
            ),
        ],
        [{"problem.m": None}],
    ),
    (
        {"m": 1048576, "n": 1048576},
        {"cta_tile": (16, 16, 16), "thread_tile": (1, 1)},
        "sm_90",
        [
            (
                "GG021: m=1048576 and n=1048576 make 65,536 * 65,536 = 4,294,967,296 tiles of 16x16; a grid has "
                "2,147,483,647 blocks at most. The kernel could never be launched. Use BM=64 or m=None."
            ),
        ],
        [{"schedule.cta_tile": [64, 16, 16]}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG021"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
