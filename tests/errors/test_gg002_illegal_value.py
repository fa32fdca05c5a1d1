"""GG002: the whole message, and what it suggests."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix

CASES = [
    (
        {},
        {"cta_tile": (128, 0, 8)},
        "sm_90",
        [
            (
                "GG002: cta_tile=(128, 0, 8) has BN=0, which is not an integer from 1 to 1024. A CTA has at most "
                "1024 threads, each of which owns at least one row and column, and the K step is unrolled. Use "
                "cta_tile=(128, 128, 8)."
            ),
        ],
        [{"schedule.cta_tile": [128, 128, 8]}],
    ),
    (
        {},
        {"stages": "2"},
        "sm_90",
        [
            (
                "GG002: stages='2' is not 1 or 2. The main loop is written for one buffer, or for two of which "
                "one is filled while the other is read. Use stages=2."
            ),
        ],
        [{"schedule.stages": 2}],
    ),
    (
        {"m": -1},
        {},
        "sm_90",
        [
            (
                "GG002: m=-1 is not an integer from 0 to 2147475455. The kernel counts in 32-bit integers, with "
                "room for the tile that reaches over the end. Use m=0."
            ),
        ],
        [{"problem.m": 0}],
    ),
    (
        {"b": "f16"},
        {},
        "sm_90",
        [
            ("GG002: b='f16' is not 'f32' or 'f64'. A kernel is written for one element type. Use b='f32'."),
        ],
        [{"problem.b": "f32"}],
    ),
    (
        {},
        {"vector_a": True},
        "sm_90",
        [
            (
                "GG002: vector_a=True is not 1, 2 or 4. A thread moves 4, 8 or 16 bytes in one global access. "
                "Use vector_a=1."
            ),
        ],
        [{"schedule.vector_a": 1}],
    ),
]


@pytest.mark.parametrize(("problem", "schedule", "target", "messages", "fixes"), CASES)
def test_message(problem, schedule, target, messages, fixes):
    found = [d for d in gg.check_legal(problem, schedule, target) if d.rule == "GG002"]
    assert [str(d) for d in found] == messages
    assert [dict(d.fix) for d in found] == fixes
    for diagnostic in found:
        mended = gg.check_legal(*apply_fix(problem, schedule, target, diagnostic))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}
