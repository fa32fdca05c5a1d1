"""GG008: the whole message, and what it suggests."""

from __future__ import annotations

import gemmgen as gg
from gemmgen.rules import apply_fix

DOUBLE = {"a": "f64", "b": "f64", "c": "f64", "acc": "f64"}
REASON = "The widest load or store of a thread moves 16 bytes."


def test_message():
    schedule = {"mma": "dfma", "vector_a": 4, "vector_c": 4}
    found = gg.check_legal(DOUBLE, schedule, "sm_90")
    assert [str(d) for d in found] == [
        f"GG008: vector_a=4 of f64 is an access of 4 * 8 = 32 bytes. {REASON} Use vector_a=2.",
        f"GG008: vector_c=4 of f64 is an access of 4 * 8 = 32 bytes. {REASON} Use vector_c=2.",
    ]
    assert dict(found[0].fix) == {"schedule.vector_a": 2}
    problem, mended, target = apply_fix(DOUBLE, schedule, "sm_90", found[0])
    assert [d.field for d in gg.check_legal(problem, mended, target)] == ["schedule.vector_c"]
