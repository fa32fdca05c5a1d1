"""GG024: the whole message, and what it suggests."""

from __future__ import annotations

import gemmgen as gg
from gemmgen.rules import apply_fix


def test_message():
    problem, schedule = {"m": 100, "n": 256}, {"edges": "aligned"}
    (found,) = gg.check_legal(problem, schedule, "sm_90")
    assert str(found) == (
        "GG024: edges=aligned takes multiples of BM=128, and m=100 is fixed. A kernel without masks would read and "
        "write outside its matrices, so that its launcher refuses every call. Use edges='predicate' or m=128."
    )
    assert dict(found.fix) == {"schedule.edges": "predicate"}
    assert gg.check_legal(*apply_fix(problem, schedule, "sm_90", found)) == ()
