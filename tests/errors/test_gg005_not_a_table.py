"""GG005: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        [1],
        {},
        "sm_90",
        [
            (
                "GG005: problem=[1] is not a table of fields. A problem is given by the names of its fields. Use "
                "problem={} for all defaults, or give a, b, c, acc, a_layout, b_layout, c_layout, m, n, k."
            ),
        ],
        [{"problem": {}}],
    ),
    (
        {},
        "fast",
        "sm_90",
        [
            (
                "GG005: schedule='fast' is not a table of fields. A schedule is given by the names of its "
                "fields. Use schedule={} for all defaults, or give cta_tile, thread_tile, mma and the like."
            ),
        ],
        [{"schedule": {}}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG005"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
