"""GG022: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"smem_b": "swizzled(3, 2, 1)"},
        "sm_90",
        [
            (
                "GG022: smem_b=swizzled(3, 2, 1): shift=1 is less than bits=3. An XOR of bits with themselves maps two "
                "elements to one place. Use smem_b='swizzled(3, 2, 3)'."
            )
        ],
        [{"schedule.smem_b": "swizzled(3, 2, 3)"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG022"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
