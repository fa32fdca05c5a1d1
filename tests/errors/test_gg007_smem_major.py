"""GG007: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"smem_b": "padded(4, major=m)"},
        "sm_90",
        [
            (
                "GG007: smem_b=padded(4, major=m) makes m contiguous, but B has the axes n and k. A is tiled "
                "along M and K, B along N and K. Use smem_b='padded(4)'."
            ),
        ],
        [{"schedule.smem_b": "padded(4)"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG007"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
