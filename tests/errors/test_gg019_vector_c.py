"""GG019: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"thread_tile": (8, 2), "vector_c": 4},
        "sm_90",
        [
            (
                "GG019: vector_c=4 does not divide 2, the columns that a thread owns side by side "
                "(thread_tile=8x2, thread_layout=contiguous, C and D row-major). One access stores elements that "
                "lie next to each other in D, all of them in one thread's registers. Use vector_c=2 or TN=4."
            ),
        ],
        [{"schedule.vector_c": 2}],
    ),
    (
        {"c_layout": "col"},
        {"thread_tile": (1, 8), "cta_tile": (16, 128, 8), "vector_c": 4},
        "sm_90",
        [
            (
                "GG019: vector_c=4 does not divide 1, the rows that a thread owns side by side (thread_tile=1x8, "
                "thread_layout=contiguous, C and D col-major). One access stores elements that lie next to each "
                "other in D, all of them in one thread's registers. Use vector_c=1 or TM=4."
            ),
        ],
        [{"schedule.vector_c": 1}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG019"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
