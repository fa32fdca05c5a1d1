"""GG014: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"cta_tile": (256, 256, 64), "stages": 2, "warp_tile": (64, 32), "smem_a": "padded(4)"},
        "sm_90",
        [
            (
                "GG014: cta_tile=256x256x64 f32 with stages=2, smem_a=padded(4) needs 264,192 B of shared "
                "memory; sm_90 allows 232,448 B a block. A block can not be launched with more shared memory "
                "than its SM gives to one block. Use BK=56 or stages=1."
            ),
        ],
        [{"schedule.cta_tile": [256, 256, 56]}],
    ),
    (
        {},
        {"cta_tile": (128, 128, 64), "stages": 2},
        "sm_75",
        [
            (
                "GG014: cta_tile=128x128x64 f32 with stages=2 needs 131,072 B of shared memory; sm_75 allows "
                "65,536 B a block. A block can not be launched with more shared memory than its SM gives to one "
                "block. Use stages=1 or BK=32."
            ),
        ],
        [{"schedule.stages": 1}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG014"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
