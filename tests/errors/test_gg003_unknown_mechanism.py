"""GG003: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"smem_a": "paded(4)"},
        "sm_90",
        [
            (
                "GG003: smem_a='paded(4)' is not one of linear(major=...), padded(n, major=...) "
                "or swizzled(bits, base, shift, major=...). Only "
                "registered mechanisms know how to emit their part. Use smem_a='padded(4)'."
            ),
        ],
        [{"schedule.smem_a": "padded(4)"}],
    ),
    (
        {},
        {"raster": "grouped"},
        "sm_90",
        [
            (
                "GG003: raster='grouped' is not grouped(width): width is missing; legal is an integer from 1 to "
                "1024. Only registered mechanisms know how to emit their part. Use raster='grouped(2)'."
            ),
        ],
        [{"schedule.raster": "grouped(2)"}],
    ),
    (
        {},
        {"smem_b": "padded(4, width=2)"},
        "sm_90",
        [
            (
                "GG003: smem_b='padded(4, width=2)' is not padded(n, major=...): padded has no field 'width'. "
                "Only registered mechanisms know how to emit their part. Use smem_b='padded(4)'."
            ),
        ],
        [{"schedule.smem_b": "padded(4)"}],
    ),
    (
        {},
        {"copy": "tma"},
        "sm_90",
        [
            (
                "GG003: copy='tma' is not one of direct or sync. Only registered mechanisms know how to emit "
                "their part. Use copy='sync'."
            ),
        ],
        [{"schedule.copy": "sync"}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG003"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
