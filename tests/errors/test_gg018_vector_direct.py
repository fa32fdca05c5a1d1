"""GG018: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"copy_a": "direct", "vector_a": 2},
        "sm_90",
        [
            (
                "GG018: vector_a=2 with copy_a=direct, but A is contiguous along K, of which a thread reads one "
                "element at a time. Without shared memory one access can only fetch what the same thread "
                "multiplies. Use vector_a=1 or copy_a='sync'."
            ),
        ],
        [{"schedule.vector_a": 1}],
    ),
    (
        {},
        {"copy_b": "direct", "vector_b": 4, "thread_tile": (8, 2)},
        "sm_90",
        [
            (
                "GG018: vector_b=4 with copy_b=direct, but of B a thread owns 2 side by side (thread_tile=8x2, "
                "thread_layout=contiguous). Without shared memory one access can only fetch what the same thread "
                "multiplies. Use vector_b=2 or copy_b='sync'."
            ),
        ],
        [{"schedule.vector_b": 2}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG018"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
