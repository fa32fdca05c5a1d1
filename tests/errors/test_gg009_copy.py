"""GG009: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

REASON = "Of two values for one field neither is taken silently."
CASES = [
    (
        {},
        {"copy": "direct", "copy_a": "sync"},
        "sm_90",
        [
            (
                "GG009: copy=direct stands for copy_a=direct and copy_b=direct, but copy_a=sync is given too. "
                f"{REASON} Use copy_b='direct' instead of copy."
            ),
        ],
        [{"schedule.copy": None, "schedule.copy_b": "direct"}],
    ),
    (
        {},
        {"copy": "direct", "copy_a": "sync", "copy_b": "sync"},
        "sm_90",
        [
            (
                "GG009: copy=direct stands for copy_a=direct and copy_b=direct, but copy_a=sync and copy_b=sync are "
                f"given too. {REASON} Leave copy out."
            ),
        ],
        [{"schedule.copy": None}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = gg.check_legal(problem, schedule, target)
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        assert gg.check_legal(*apply_fix(problem, schedule, target, diagnostic)) == ()


def test_other_rules_see_what_names_one_operand():
    schedule = {"copy": "direct", "copy_a": "sync", "stages": 2, "vector_a": 4, "vector_b": 4}
    assert [d.rule for d in gg.check_legal({}, schedule, "sm_90")] == ["GG009"]
    assert [d.rule for d in gg.check_legal({"b_layout": "col"}, schedule, "sm_90")] == ["GG009", "GG018"]


def test_a_fix_of_one_side_goes_without_copy():
    schedule = {"copy": "direct", "vector_a": 4, "stages": 2}
    found = gg.check_legal({}, schedule, "sm_90")
    assert [d.rule for d in found] == ["GG015", "GG018"]
    for diagnostic in found:
        assert diagnostic.fix == {"schedule.copy": None, "schedule.copy_a": "sync", "schedule.copy_b": "direct"}
        assert "Use copy_a='sync' and copy_b='direct' instead of copy or " in diagnostic.suggestion
        assert gg.check_legal(*apply_fix({}, schedule, "sm_90", diagnostic)) == ()
