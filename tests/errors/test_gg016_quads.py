"""GG016: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"thread_layout": "quads", "thread_tile": (8, 2)},
        "sm_90",
        [
            (
                "GG016: TN=2 is no multiple of 4, as thread_layout=quads needs. A quad is the 16 bytes that one "
                "access to shared memory reads. Use TN=4 or thread_layout='contiguous'."
            ),
        ],
        [{"schedule.thread_tile": [8, 4]}],
    ),
    (
        {},
        {"thread_layout": "quads", "thread_tile": (2, 2), "cta_tile": (32, 32, 8)},
        "sm_90",
        [
            (
                "GG016: TM=2 and TN=2 are no multiple of 4, as thread_layout=quads needs. A quad is the 16 bytes "
                "that one access to shared memory reads. Use thread_layout='contiguous' or thread_tile=(4, 4)."
            ),
        ],
        [{"schedule.thread_layout": "contiguous"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG016"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
