"""GG006: the whole message. A second element type has to be lent for it: f32 is the only one so far."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.ir import DTYPES, DType
from gemmgen.rules import apply_fix


@pytest.fixture
def f64(monkeypatch):
    monkeypatch.setitem(DTYPES, "f64", DType("f64", "double", 8, "float64", ("f64",)))


@pytest.mark.usefixtures("f64")
def test_message():
    problem = {"a": "f64", "acc": "f64"}
    (diagnostic,) = gg.check_legal(problem, {}, "sm_90")
    assert str(diagnostic) == (
        "GG006: mma=ffma with a=f64, b=f32, c=f32, acc=f64. FFMA takes and gives 32-bit floats; converting to another "
        "type would change the result unasked. Use a='f32' and acc='f32'."
    )
    assert dict(diagnostic.fix) == {"problem.a": "f32", "problem.acc": "f32"}
    assert gg.check_legal(*apply_fix(problem, {}, "sm_90", diagnostic)) == ()
