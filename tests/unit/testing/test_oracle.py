"""The three modes against NumPy products that are right, and against wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gemmgen.errors import InternalError
from gemmgen.testing import oracle
from gemmgen.testing.oracle import MODES, Inputs, check, make_inputs, reference

F32 = np.float32
Kernel = Callable[[Inputs], Any]


def sequential(inputs: Inputs) -> Any:
    """D as a plain float32 kernel computes it: k in order, then the epilogue; BLAS rules for the scalars."""
    m, n = inputs.c.shape
    acc = np.zeros((m, n), F32)
    with np.errstate(all="ignore"):
        if inputs.alpha != 0:
            for k in range(inputs.a.shape[1]):
                acc = acc + inputs.a[:, k : k + 1] * inputs.b[k : k + 1, :]
        d = F32(inputs.alpha) * acc
        return d if inputs.beta == 0 else d + F32(inputs.beta) * inputs.c


def pairwise(inputs: Inputs) -> Any:
    """D by another order of additions: the two halves of K apart, backwards."""
    half = inputs.a.shape[1] // 2
    parts = [
        sequential(Inputs("bound", inputs.a[:, ks][:, ::-1], inputs.b[ks][::-1], inputs.c, inputs.alpha, 0.0))
        for ks in (slice(None, half), slice(half, None))
    ]
    with np.errstate(all="ignore"):
        d = parts[0] + parts[1]
        return d if inputs.beta == 0 else d + F32(inputs.beta) * inputs.c


def replaced(inputs: Inputs, **fields: Any) -> Inputs:
    """A copy with other values."""
    names = ("mode", "a", "b", "c", "alpha", "beta", "accumulator")
    return Inputs(**{name: fields.get(name, getattr(inputs, name)) for name in names})


def significand_of(array: Any, bits: int) -> Any:
    """Float32 rounded to `bits` explicit bits of significand (to nearest, ties away)."""
    drop = 23 - bits
    words = array.view(np.uint32) + np.uint32(1 << (drop - 1))
    return (words & np.uint32(0xFFFFFFFF << drop & 0xFFFFFFFF)).view(F32)


def drop_last_k(inputs: Inputs) -> Any:
    return sequential(replaced(inputs, a=inputs.a[:, :-1], b=inputs.b[:-1]))


def drop_middle_k(inputs: Inputs) -> Any:
    a = inputs.a.copy()
    a[:, a.shape[1] // 2] = 0
    return sequential(replaced(inputs, a=a))


def tf32(inputs: Inputs) -> Any:
    return sequential(replaced(inputs, a=significand_of(inputs.a, 10), b=significand_of(inputs.b, 10)))


def bf16_b(inputs: Inputs) -> Any:
    return sequential(replaced(inputs, b=significand_of(inputs.b, 7)))


def alpha_twice(inputs: Inputs) -> Any:
    return sequential(replaced(inputs, alpha=inputs.alpha * inputs.alpha))


def alpha_on_c(inputs: Inputs) -> Any:
    return sequential(replaced(inputs, beta=inputs.beta * inputs.alpha))


def beta_times_nan(inputs: Inputs) -> Any:
    with np.errstate(all="ignore"):
        return sequential(inputs) + F32(0) * inputs.c


def transposed_b(inputs: Inputs) -> Any:
    return sequential(replaced(inputs, b=np.ascontiguousarray(inputs.b.T).reshape(inputs.b.shape)))


def tail_not_written(inputs: Inputs) -> Any:
    d = sequential(inputs)
    d[-1, -1] = np.nan
    return d


def rows_swapped(inputs: Inputs) -> Any:
    d = sequential(inputs)
    d[[0, 1]] = d[[1, 0]]
    return d


def accumulator_not_cleared(inputs: Inputs) -> Any:
    return sequential(inputs) + F32(1)


def half_sum(inputs: Inputs) -> Any:
    return sequential(inputs).astype(np.float16).astype(F32)


WRONG: dict[Kernel, set[str]] = {
    drop_last_k: {"bound", "exact", "selection"},
    drop_middle_k: {"bound", "exact"},
    tf32: {"selection"},
    bf16_b: {"selection"},
    alpha_twice: {"bound", "exact"},
    alpha_on_c: {"bound", "exact"},
    beta_times_nan: {"bound", "exact", "selection"},
    transposed_b: {"bound", "exact", "selection"},
    tail_not_written: {"bound", "exact", "selection"},
    rows_swapped: {"bound", "exact", "selection"},
    accumulator_not_cleared: {"exact", "selection"},
    half_sum: {"bound", "selection"},
}


def verdicts(kernel: Kernel, shape: tuple[int, int, int], alpha: float, beta: float) -> set[str]:
    """The modes that find `kernel` wrong."""
    found = set()
    for mode in MODES:
        for selector in ("a", "b") if mode == "selection" else ("b",):
            rng = np.random.default_rng(5)
            inputs = make_inputs(mode, shape, rng, alpha=alpha, beta=beta, selector=selector)
            if check(inputs, kernel(inputs)) is not None:
                found.add(mode)
    return found


@pytest.mark.parametrize("kernel", [sequential, pairwise])
@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 5, 13), (33, 17, 64), (3, 2, 1000), (4, 4, 0), (1, 9, 300)])
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.0), (2.5, -0.75), (0.0, 3.0), (-1.0, -0.0), (1e-30, 1.0)])
def test_a_right_kernel_passes(kernel: Kernel, shape: tuple[int, int, int], alpha: float, beta: float) -> None:
    assert verdicts(kernel, shape, alpha, beta) == set()


@pytest.mark.parametrize("seed", range(60))
def test_a_right_kernel_passes_with_nan_and_inf_in_its_inputs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(extent) for extent in rng.integers(1, 20, 3))
    inputs = make_inputs("bound", shape, rng, alpha=1.5, beta=0.5, specials=True)
    assert check(inputs, sequential(inputs)) is None
    assert check(inputs, pairwise(inputs)) is None


@pytest.mark.parametrize("kernel", list(WRONG), ids=lambda kernel: kernel.__name__)
def test_a_wrong_kernel_is_caught(kernel: Kernel) -> None:
    """By each mode that is made for it, with the epilogue's scalars where they matter."""
    alpha, beta = (1.0, 0.0) if kernel is beta_times_nan else (3.0, 2.0)
    found = verdicts(kernel, (24, 18, 40), alpha, beta)
    assert WRONG[kernel] <= found


def test_only_selection_sees_a_short_significand_when_k_is_large() -> None:
    """What a bound for a large K lets through (CASES 47)."""
    assert verdicts(tf32, (4, 4, 20_000), 1.0, 0.0) == {"selection"}


def test_exact_sees_one_lost_k_among_thousands() -> None:
    assert "exact" in verdicts(drop_middle_k, (4, 4, 20_000), 1.0, 0.0)


def test_nan_never_passes() -> None:
    """CASES 55."""
    for mode in MODES:
        inputs = make_inputs(mode, (5, 6, 7), np.random.default_rng(0))
        mismatch = check(inputs, np.full((5, 6), np.nan, F32))
        assert mismatch is not None
        assert mismatch.count == 30


def test_a_nan_has_to_arrive_where_it_belongs_and_nowhere_else() -> None:
    """CASES 25: NaN or Inf in row i of A reaches row i of D and no other."""
    inputs = make_inputs("bound", (4, 4, 4), np.random.default_rng(0))
    inputs.a[2, 1] = np.nan
    expected = reference(inputs)
    assert np.isnan(expected[2]).all()
    assert np.isfinite(np.delete(expected, 2, 0)).all()
    wrong = sequential(inputs)
    wrong[2] = 0
    mismatch = check(inputs, wrong)
    assert mismatch is not None
    assert mismatch.row == 2
    assert mismatch.count == 4


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([np.inf, 1.0], [0.0, 1.0], np.nan),
        ([np.inf, 1.0], [2.0, 1.0], np.inf),
        ([np.inf, np.inf], [2.0, -1.0], np.nan),
        ([-np.inf, 1.0], [2.0, 1.0], -np.inf),
        ([0.0, 1.0], [np.inf, 1.0], np.nan),
        ([3.0, -1.0], [1.0, np.inf], -np.inf),
        ([np.inf, 5.0], [-np.inf, 0.0], -np.inf),
        ([0.0, np.nan], [0.0, 0.0], np.nan),
    ],
)
def test_infinities_multiply_as_ieee_says(a: list[float], b: list[float], expected: float) -> None:
    got = oracle.product(np.array([a], F32), np.array([b], F32).T)
    assert got[0, 0] == expected or (np.isnan(expected) and np.isnan(got[0, 0]))


def test_what_must_not_be_read_is_not_finite() -> None:
    """beta = 0: C; alpha = 0: A and B (CASES 23 and 25), -0.0 included."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        inputs = make_inputs("exact", (3, 4, 5), rng, alpha=0.0, beta=-0.0)
        assert not np.isfinite(inputs.a).any()
        assert not np.isfinite(inputs.b).any()
        assert not np.isfinite(inputs.c).any()
        assert np.array_equal(reference(inputs), np.zeros((3, 4)))


def test_k_of_zero_gives_beta_times_c() -> None:
    inputs = make_inputs("bound", (3, 4, 0), np.random.default_rng(0), alpha=2.0, beta=3.0)
    assert np.array_equal(reference(inputs), 3.0 * inputs.c.astype(np.float64))


@pytest.mark.parametrize("alpha", [np.inf, np.nan])
def test_k_of_zero_does_not_even_look_at_alpha(alpha: float) -> None:
    inputs = make_inputs("bound", (2, 2, 0), np.random.default_rng(0), alpha=alpha, beta=2.0)
    assert check(inputs, F32(2) * inputs.c) is None
    assert check(inputs, np.full((2, 2), np.nan, F32)) is not None


def test_the_bound_is_tight_enough_to_mean_something() -> None:
    """For K = 64 and normal data an error of 1e-4 relative to the row is refused."""
    inputs = make_inputs("bound", (8, 8, 64), np.random.default_rng(1))
    d = sequential(inputs)
    d[3, 4] += F32(1e-3)
    mismatch = check(inputs, d)
    assert mismatch is not None
    assert (mismatch.row, mismatch.column, mismatch.count) == (3, 4, 1)
    assert "D[3, 4]" in str(mismatch)
    assert "1 of 64 elements" in str(mismatch)


def test_an_infinity_counts_only_where_the_sum_may_overflow() -> None:
    big = np.full((1, 2), 2e38, F32)
    inputs = Inputs("bound", big, np.array([[1.0], [1.0]], F32), np.zeros((1, 1), F32), 1.0, 0.0)
    assert check(inputs, np.array([[np.inf]], F32)) is None
    small = replaced(inputs, a=big / F32(4))
    assert check(small, np.array([[np.inf]], F32)) is not None


def test_subnormal_products_are_allowed_for() -> None:
    """Each product underflows by itself; the sum has to be right to what float32 keeps."""
    rng = np.random.default_rng(3)
    a = (rng.standard_normal((6, 50)) * 1e-20).astype(F32)
    b = (rng.standard_normal((50, 6)) * 1e-22).astype(F32)
    inputs = Inputs("bound", a, b, np.zeros((6, 6), F32), 1.0, 0.0)
    assert check(inputs, sequential(inputs)) is None
    assert check(inputs, np.full((6, 6), 1e-38, F32)) is not None


@pytest.mark.parametrize("k", [1, 2, 17, 4096, 300_000])
def test_exact_inputs_keep_every_partial_sum_below_2_to_the_24(k: int) -> None:
    inputs = make_inputs("exact", (2, 3, k), np.random.default_rng(k), alpha=5.0, beta=-0.5)
    largest = np.abs(inputs.a.astype(float)) @ np.abs(inputs.b.astype(float))
    assert (abs(inputs.alpha) * largest + abs(inputs.beta) * np.abs(inputs.c)).max() * 2 < 2**24
    assert np.array_equal(inputs.a, np.round(inputs.a))


def test_selection_reaches_both_ends_of_k_and_every_k_it_can() -> None:
    for selector in ("a", "b"):
        inputs = make_inputs("selection", (20, 20, 30), np.random.default_rng(0), selector=selector)
        chosen = inputs.a if selector == "a" else inputs.b.T
        assert (np.count_nonzero(chosen, axis=1) == 1).all()
        used = set(np.nonzero(chosen)[1].tolist())
        assert {0, 29} <= used
        assert len(used) == 20
    lone = make_inputs("selection", (5, 1, 30), np.random.default_rng(0), selector="b")
    assert np.nonzero(lone.b)[0].tolist() == [29]


def test_the_seed_gives_the_same_inputs_again() -> None:
    for mode in MODES:
        one, two = (make_inputs(mode, (4, 5, 6), np.random.default_rng(9)) for _ in range(2))
        assert one.a.tobytes() == two.a.tobytes()
        assert one.b.tobytes() == two.b.tobytes()


def test_exact_inputs_whose_result_does_not_fit_are_our_fault() -> None:
    inputs = Inputs(
        "exact", np.full((1, 1), 2**13 + 1, F32), np.full((1, 1), 2**13 + 1, F32), np.zeros((1, 1), F32), 1, 0
    )
    with pytest.raises(InternalError):
        check(inputs, np.zeros((1, 1), F32))


def test_zeros_of_either_sign_are_equal() -> None:
    inputs = make_inputs("exact", (2, 2, 0), np.random.default_rng(0), alpha=1.0, beta=0.0)
    assert check(inputs, np.full((2, 2), -0.0, F32)) is None


def test_scalars_stay_in_the_accumulator_type() -> None:
    """CASES 26: 2.927 is not rounded to a shorter type."""
    assert oracle.scalars_of("bound", 2.927, 0.1) == (float(F32(2.927)), float(F32(0.1)))
    assert oracle.scalars_of("selection", 7.0, 0.5) == (1.0, 0.5)
    assert oracle.scalars_of("exact", 2.927, -0.0) == (3.0, 0.0)
