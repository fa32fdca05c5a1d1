"""GG004: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {},
        "sm_91",
        [
            (
                "GG004: target='sm_91' is not one of sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, "
                "sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a. "
                "The limits that a schedule is checked against are known for these alone. Use target='sm_90'."
            ),
        ],
        [{"target": "sm_90"}],
    ),
    (
        {},
        {},
        None,
        [
            (
                "GG004: target=None is not one of sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, "
                "sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a. "
                "The limits that a schedule is checked against are known for these alone. Use target='sm_80'."
            ),
        ],
        [{"target": "sm_80"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG004"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
