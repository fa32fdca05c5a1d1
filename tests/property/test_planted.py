"""Faults that only rare calls show: `examine` over the standard cases, or over what the strategies draw, finds each."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from gemmgen.emit import Emitted, emit
from gemmgen.ir import Gemm, Schedule
from gemmgen.testing.assertions import assert_correct
from gemmgen.testing.backends import Emulator
from gemmgen.testing.check import check

TILES = {"cta_tile": (16, 16, 4), "thread_tile": (4, 4), "vector_a": 4, "vector_b": 4, "vector_c": 4}
FMA = "acc[i][j] = fmaf(a[i], b[j], acc[i][j])"


def flushed(name: str) -> str:
    return f"({name} > -1.17549435e-38f && {name} < 1.17549435e-38f ? 0.0f : {name})"


# What stands in the emitted text, and what is planted there.
TABLE = {
    **{f"address of {name}": (f"divides(call.{name}, 16)", f"divides(call.{name}, 8)") for name in "ABCD"},
    **{f"pitch of {name}": (f"call.ld{name} % 4", f"call.ld{name} % 2") for name in "abcd"},
    **{f"extent {name}": (f"call.{name} % 4", f"call.{name} % 2") for name in "KN"},
}
RARE = {
    "many steps of K": ("k0 < depth; ", "k0 < depth && k0 < 19 * BK; "),
    "K beyond 160": ("k0 < depth; ", "k0 < depth && k0 < 160; "),
    "M beyond 250": ("if (m < M &&", "if (m < M && m < 250 &&"),
    "N beyond 250": ("if (n < N &&", "if (n < N && n < 250 &&"),
    "zero of A times NaN": (FMA, f"if (a[i] != 0) {FMA}"),
    "zero of B times NaN": (FMA, f"if (b[j] != 0) {FMA}"),
    "subnormal A": (FMA, FMA.replace("a[i],", f"{flushed('a[i]')},")),
    "subnormal B": (FMA, FMA.replace("b[j],", f"{flushed('b[j]')},")),
    "subnormal sum": (FMA, f"{FMA}, acc[i][j] = {flushed('acc[i][j]')}"),
    "alpha without a product": ("if (K == 0) alpha = 0;", ""),
}
REFUSALS = {
    "D over A or B": ("_overlapping_output;", "_success;"),
    "short lda": ("call.lda < K", "call.lda < 0"),
    "short ldb": ("call.ldb < N", "call.ldb < 0"),
    "null D": ("call.D == nullptr ||", ""),
}


@cache
def kernel() -> Emitted:
    return emit(Gemm(), Schedule(**TILES), "sm_80")


def planted(emitted: Emitted, pattern: str, replacement: str) -> Emitted:
    assert pattern in emitted.source
    return replace(emitted, source=emitted.source.replace(pattern, replacement))


FAULTS = {**TABLE, **RARE, **REFUSALS}


@pytest.mark.parametrize(("pattern", "replacement"), FAULTS.values(), ids=FAULTS)
def test_the_standard_cases_find_it(pattern: str, replacement: str) -> None:
    with pytest.raises(AssertionError):
        assert_correct(planted(kernel(), pattern, replacement), backend=Emulator())


DRAWN = {**TABLE, **RARE}


@pytest.mark.parametrize(("pattern", "replacement"), DRAWN.values(), ids=DRAWN)
def test_drawn_calls_find_it(pattern: str, replacement: str) -> None:
    """As `gemmgen check --schedule` draws them."""

    def faulty(problem: Gemm, schedule: Schedule, target: str) -> Emitted:
        return planted(emit(problem, schedule, target), pattern, replacement)

    report = check(examples=150, problem=Gemm(), schedule=Schedule(**TILES), processes=1, shrink=False, emit=faulty)
    assert report.failure is not None, f"not seen in {report.examples} calls"
    assert report.failure.kind != "error"


@pytest.mark.parametrize("edges", ["predicate", "aligned"])
@pytest.mark.parametrize("code", ["f32", "f64"])
def test_what_is_right_passes(edges: str, code: str) -> None:
    mma = "ffma" if code == "f32" else "dfma"
    schedule = Schedule(cta_tile=(16, 16, 4), thread_tile=(4, 4), vector_a=2, vector_b=2, edges=edges, mma=mma)
    assert_correct(emit(Gemm(a=code, b=code, c=code, acc=code), schedule, "sm_80"))
