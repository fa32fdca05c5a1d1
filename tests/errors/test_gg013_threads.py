"""GG013: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"cta_tile": (1024, 1024, 256), "thread_tile": (1, 1)},
        "sm_80",
        [
            (
                "GG013: cta_tile=1024x1024x256 with thread_tile=1x1 needs 1024 * 1024 = 1,048,576 threads; sm_80 "
                "allows 1,024 a block. The hardware launches no larger block. Use cta_tile=(32, 32, 256) or BN=1."
            ),
        ],
        [{"schedule.cta_tile": [32, 32, 256]}],
    ),
    (
        {},
        {"thread_tile": (2, 4)},
        "sm_90",
        [
            (
                "GG013: cta_tile=128x128x8 with thread_tile=2x4 needs 64 * 32 = 2,048 threads; sm_90 allows "
                "1,024 a block. The hardware launches no larger block. Use TM=4 or TN=8."
            ),
        ],
        [{"schedule.thread_tile": [4, 4]}],
    ),
    (
        {},
        {"cta_tile": (512, 512, 8), "warp_tile": (64, 32)},
        "sm_90",
        [
            (
                "GG013: cta_tile=512x512x8 with thread_tile=8x8 needs 64 * 64 = 4,096 threads; sm_90 allows "
                "1,024 a block. The hardware launches no larger block. Use BN=128 or BM=128."
            ),
        ],
        [{"schedule.cta_tile": [512, 128, 8]}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG013"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
