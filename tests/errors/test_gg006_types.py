"""GG006: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

REASON = "An instruction multiplies and accumulates certain types; converting to others would change results unasked."
CASES = [
    (
        {"a": "f64", "b": "f64", "c": "f64", "acc": "f64"},
        {},
        [
            (
                f"GG006: mma=ffma with a=f64, b=f64, c=f64, acc=f64. {REASON} "
                "Use mma='dfma' or a='f32' and b='f32' and c='f32' and acc='f32'."
            )
        ],
        [{"schedule.mma": "dfma"}],
    ),
    (
        {"a": "f64", "acc": "f64"},
        {},
        [f"GG006: mma=ffma with a=f64, b=f32, c=f32, acc=f64. {REASON} Use a='f32' and acc='f32'."],
        [{"problem.a": "f32", "problem.acc": "f32"}],
    ),
    (
        {},
        {"mma": "dfma"},
        [f"GG006: mma=dfma with a=f32, b=f32, c=f32, acc=f32. {REASON} Use mma='ffma' or acc='f64'."],
        [{"schedule.mma": "ffma"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "messages", "fixes"), CASES)
def test_message(problem, schedule, messages, fixes):
    found = gg.check_legal(problem, schedule, "sm_90")
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        assert gg.check_legal(*apply_fix(problem, schedule, "sm_90", diagnostic)) == ()
