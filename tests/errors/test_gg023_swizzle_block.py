"""GG023: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"smem_a": "swizzled(4, 2, 5)", "cta_tile": (24, 32, 4), "thread_tile": (4, 4)},
        "sm_90",
        [
            (
                "GG023: smem_a=swizzled(4, 2, 5) exchanges within blocks of 64 elements, and a stage has 96. "
                "The XOR moves an element anywhere within an aligned block of 2^(base + bits). "
                "Use smem_a='swizzled(3, 2, 5)'."
            )
        ],
        [{"schedule.smem_a": "swizzled(3, 2, 5)"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG023"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
