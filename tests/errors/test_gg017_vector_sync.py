"""GG017: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"cta_tile": (128, 128, 6), "vector_a": 4},
        "sm_90",
        [
            (
                "GG017: vector_a=4 does not divide BK=6, along which A is contiguous. One access must not reach "
                "over the end of a line of the tile. Use BK=8 or vector_a=2."
            ),
        ],
        [{"schedule.cta_tile": [128, 128, 8]}],
    ),
    (
        {"a_layout": "col"},
        {"cta_tile": (126, 128, 8), "thread_tile": (6, 8), "vector_a": 4},
        "sm_90",
        [
            (
                "GG017: vector_a=4 does not divide BM=126, along which A is contiguous. One access must not "
                "reach over the end of a line of the tile. Use vector_a=2."
            ),
        ],
        [{"schedule.vector_a": 2}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG017"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
