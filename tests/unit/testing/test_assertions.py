"""Cases and assertions against kernels of NumPy: right ones pass, each wrong one is named for what it is."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import fake_kernels as fakes
import numpy as np
import pytest
from fake_kernels import fake_kernel

from gemmgen.errors import ArgumentError
from gemmgen.testing.assertions import assert_correct, examine, standard_cases
from gemmgen.testing.cases import Case, Failure
from gemmgen.testing.paths import both_paths, expected_kernel
from gemmgen.testing.run import lay_out, run_case

LAYOUTS = list(itertools.product(("row", "col"), repeat=3))


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_a_right_kernel_passes_on_both_paths(layouts: tuple[str, str, str]) -> None:
    kernel = fake_kernel(**dict(zip(("a_layout", "b_layout", "c_layout"), layouts, strict=True)))
    verdict = examine(fakes.Numpy(), kernel, standard_cases(kernel.problem, kernel.schedule))
    assert verdict.failure is None
    assert {"gemm_kernel", "gemm_kernel_scalar"} <= verdict.paths
    assert verdict.runs > 40
    assert_correct(kernel, backend=fakes.Numpy())


@pytest.mark.parametrize(
    ("backend", "kind", "text"),
    [
        (fakes.DropsLastK, "oracle", "exact oracle: D["),
        (fakes.AlphaTwice, "oracle", "exact oracle: D["),
        (fakes.ReadsCForBetaZero, "oracle", "is nan, expected"),
        (fakes.ReadsAForAlphaZero, "oracle", "is nan, expected"),
        (fakes.Transposed, "oracle", "exact oracle: D["),
        (fakes.Tf32, "oracle", "selection oracle: D["),
        (fakes.TailNotWritten, "unwritten", "elements were never written: D[8, 0]"),
        (fakes.WritesPadding, "guard", "D: 0 bytes after its last element (guard zone)"),
        (fakes.WritesInput, "input_changed", "B[0, 0], byte "),
        (fakes.WrongPath, "path", "the launcher ran gemm_kernel, and the plan's table asks for gemm_kernel_scalar"),
        (fakes.Refuses, "status", "the launcher returned 1 for a call that its contract admits"),
        (fakes.Faults, "fault", "out of bounds: read of A[9, 0]"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_wrong_kernel_is_named_for_what_it_is(backend: Any, kind: str, text: str) -> None:
    kernel = fake_kernel()
    failure = examine(backend(), kernel, standard_cases(kernel.problem, kernel.schedule)).failure
    assert failure is not None
    if backend is fakes.WritesPadding:
        assert failure.kind == "guard"
        assert failure.message.startswith("D")
    else:
        assert failure.kind == kind
        assert text in failure.message
    with pytest.raises(AssertionError) as caught:
        assert_correct(kernel, backend=backend())
    assert str(caught.value) == str(failure)


def test_padding_that_is_written_is_named_by_row_and_column() -> None:
    case = Case(3, 5, 4, paddings=(0, 0, 0, 3))
    failure = run_case(fakes.WritesPadding(), fake_kernel(), case, "exact").failure
    assert failure is not None
    assert failure.message.startswith("D[0, 5], byte 0, in the padding of its leading dimension: ")


def test_fixed_sizes_are_kept() -> None:
    kernel = fake_kernel(m=5, k=8)
    cases = list(standard_cases(kernel.problem, kernel.schedule))
    assert {(case.m, case.k) for case in cases} == {(5, 8)}
    assert examine(fakes.Numpy(), kernel, cases).failure is None


def test_a_kernel_of_width_1_has_one_path() -> None:
    kernel = fake_kernel(vector=1)
    case = Case(4, 4, 4)
    assert both_paths(kernel, case) == (case,)


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
@pytest.mark.parametrize("seed", range(13))
def test_both_paths_of_any_case(layouts: tuple[str, str, str], seed: int) -> None:
    kernel = fake_kernel(**dict(zip(("a_layout", "b_layout", "c_layout"), layouts, strict=True)))
    rng = np.random.default_rng(seed)
    m, n, k = (int(extent) for extent in rng.integers(1, 20, 3))
    pads, offsets = (tuple(int(value) for value in rng.integers(0, 4, 4)) for _ in range(2))
    case = Case(m, n, k, pads, offsets, beta=float(seed % 2), in_place=seed % 3 == 0, seed=seed)
    first, second = both_paths(kernel, case)
    assert first == case
    names = {expected_kernel(kernel, variant, variant.beta) for variant in (first, second)}
    assert names == {"gemm_kernel", "gemm_kernel_scalar"}
    assert examine(fakes.Numpy(), kernel, [case]).failure is None


def test_an_aligned_case_breaks_each_condition_in_turn() -> None:
    """The seed goes round the table, so that a condition the launcher lacks is met."""
    kernel = fake_kernel()
    aligned = Case(8, 8, 8, beta=1.0)
    broken = {both_paths(kernel, replace(aligned, seed=seed))[1] for seed in range(20)}
    # 11 conditions, of which B's extent is D's; each by half of its divisor and by one element.
    assert len({replace(case, seed=0) for case in broken}) == 20
    offsets = {max(case.offsets) for case in broken}
    assert offsets == {0, 1, 2}


def test_fixed_sizes_may_rule_the_vector_path_out() -> None:
    assert both_paths(fake_kernel(n=7), Case(4, 7, 4)) == (Case(4, 7, 4),)


def test_cases_are_plain_data() -> None:
    case = Case(3, 4, 5, (1, 2, 3, 4), (0, 1, 0, 1), -0.0, 2.5, in_place=True, give_c=False, specials=True, seed=9)
    assert Case.from_dict(case.to_dict()) == case
    assert str(case) == (
        "M=3 N=4 K=5, alpha=-0.0 beta=2.5, padding A=1, padding B=2, padding C=3, padding D=4, offset B=1, offset D=1, "
        "D is C, no C, NaN/Inf, seed=9"
    )


def test_a_failure_holds_what_it_takes_to_run_it_again() -> None:
    kernel = fake_kernel()
    failure = run_case(fakes.DropsLastK(), kernel, Case(2, 2, 2, seed=4), "exact").failure
    assert isinstance(failure, Failure)
    document = failure.document()
    assert document["problem"] == kernel.problem.to_dict()
    assert document["target"] == "sm_80"
    assert Case.from_dict(document["case"]) == Case(2, 2, 2, seed=4)


def test_in_place_d_is_c() -> None:
    memory = lay_out(fake_kernel().problem, Case(3, 3, 3, in_place=True))
    assert memory.c is memory.d


def test_sizes_go_together() -> None:
    with pytest.raises(ArgumentError, match="go together"):
        assert_correct(fake_kernel(), m=4, backend=fakes.Numpy())
