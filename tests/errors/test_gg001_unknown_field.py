"""GG001: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"stage": 2},
        "sm_90",
        [
            (
                "GG001: schedule has no field 'stage'. A field that is not read would silently change nothing. "
                "Did you mean 'stages'? Otherwise leave 'stage' out."
            ),
        ],
        [{"schedule.stage": None}],
    ),
    (
        {"colour": 1, "b": {"dtype": "f32", "pitch": 4}},
        {},
        "sm_90",
        [
            (
                "GG001: problem has no field 'colour'. A field that is not read would silently change nothing. "
                "Leave 'colour' out."
            ),
            (
                "GG001: problem.b has no field 'pitch'. A field that is not read would silently change nothing. "
                "Leave 'pitch' out."
            ),
        ],
        [{"problem.colour": None}, {"problem.b.pitch": None}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG001"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
