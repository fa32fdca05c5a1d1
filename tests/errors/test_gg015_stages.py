"""GG015: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"copy": "direct", "stages": 2},
        "sm_90",
        [
            (
                "GG015: stages=2, but neither copy_a=direct nor copy_b=direct uses shared memory. A stage is a "
                "buffer in shared memory. Use stages=1 or copy_a='sync' and copy_b='direct' instead of copy."
            ),
        ],
        [{"schedule.stages": 1}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG015"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
