"""What a GEMM has to give, from float64, and three ways of asking.

Nothing here comes from the generator: the reference is computed with NumPy from the values that the kernel really
gets, by the rules of BLAS.

bound
    Random values. Each element may be off by what rounding can do to it, derived element by element.
exact
    Small integers, so that no partial sum rounds and every correct order of additions gives the same bits. A race
    or a dropped tail is an unequal element, however large K is.
selection
    One operand has full significands, the other one power of two in each row (or column) and zeros elsewhere, so
    each output is one input, scaled exactly. Catches a silent rounding of an operand, which a bound for a large K
    lets through.

Zeros of either sign count as equal: BLAS does not say which one K = 0, or a product that cancels, gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gemmgen.errors import InternalError
from gemmgen.testing import values as values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Float64 = NDArray[np.float64]

Mode = Literal["bound", "exact", "selection"]
MODES: tuple[Mode, ...] = ("bound", "exact", "selection")
Selector = Literal["a", "b"]

# Roundings of one output besides those of the K additions: a product that is not fused with its addition, the
# product with alpha, and the sum with beta * C.
EXTRA_ROUNDINGS = 3

# In exact mode the sum of |a||b| stays at or below this, which leaves six bits for alpha, beta and C.
_EXACT_SUM = 2**18
_EXACT_VALUES = 8
_EXACT_SCALARS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 4.0, 5.0)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Values for one run: `a` (M, K), `b` (K, N), `c` (M, N), and the scalars, exact in the accumulator's type.

    An operand that the kernel must not read (C for beta = 0, A and B for alpha = 0) is all NaN or all Inf.
    """

    mode: Mode
    a: Array
    b: Array
    c: Array
    alpha: float
    beta: float
    accumulator: str = "float32"  # NumPy's name


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The worst element of a wrong result; `count` is the number of wrong ones."""

    mode: Mode
    row: int
    column: int
    got: float
    expected: float
    allowed: float
    count: int
    total: int

    def __str__(self) -> str:
        how = "bit for bit" if self.mode != "bound" else f"within {self.allowed:.3g}"
        return (
            f"{self.mode} oracle: D[{self.row}, {self.column}] is {self.got!r}, expected {self.expected!r} {how} "
            f"(off by {abs(self.got - self.expected):.3g}); {self.count} of {self.total} elements are wrong."
        )


# ---- Reference -------------------------------------------------------------------------------------------------


def reference(inputs: Inputs) -> Float64:
    """Compute alpha * A * B + beta * C in float64, shape (M, N); an operand whose scalar is 0 is not read."""
    m, n = inputs.a.shape[0], inputs.b.shape[1]
    total = np.zeros((m, n))
    with np.errstate(invalid="ignore", over="ignore"):
        if inputs.alpha != 0 and inputs.a.shape[1]:
            total = inputs.alpha * product(inputs.a, inputs.b)
        if inputs.beta != 0:
            total = total + inputs.beta * inputs.c.astype(np.float64)
    return total


def product(a: Array, b: Array) -> Float64:
    """Compute A * B in float64, (M, K) by (K, N), with IEEE's Inf and NaN in every element they belong to.

    The BLAS under `numpy.matmul` may skip a multiplication by zero, and with it the NaN of 0 * Inf. So the finite
    part is multiplied on its own, and what the other entries make of it is counted.
    """
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    if np.isfinite(wide_a).all() and np.isfinite(wide_b).all():
        return np.asarray(wide_a @ wide_b)
    result = np.asarray(_finite(wide_a) @ _finite(wide_b))
    infinite = {
        sign: _count(np.isposinf(wide_a), sign * wide_b > 0)
        + _count(np.isneginf(wide_a), sign * wide_b < 0)
        + _count(sign * wide_a > 0, np.isposinf(wide_b))
        + _count(sign * wide_a < 0, np.isneginf(wide_b))
        for sign in (1, -1)
    }
    undefined = (
        _count(np.isnan(wide_a), np.ones(b.shape, bool))
        + _count(np.ones(a.shape, bool), np.isnan(wide_b))
        + _count(np.isinf(wide_a), wide_b == 0)
        + _count(wide_a == 0, np.isinf(wide_b))
    )
    result[infinite[1] > 0] = np.inf
    result[infinite[-1] > 0] = -np.inf
    result[(undefined > 0) | ((infinite[1] > 0) & (infinite[-1] > 0))] = np.nan
    return result


def _finite(values: Float64) -> Float64:
    return np.where(np.isfinite(values), values, 0.0)


def _count(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> Float64:
    """Count, for each output, the k for which both hold."""
    return np.asarray(a.astype(np.float64) @ b.astype(np.float64))


# ---- Bound -----------------------------------------------------------------------------------------------------


def gamma(roundings: int, unit: float) -> float:
    """Compute n*u / (1 - n*u): the most that n roundings, each of relative size u, can do to a term.

    Source: Higham, Accuracy and Stability of Numerical Algorithms, section 3.1. Infinite from n*u = 1 on, where the
    theory says nothing.
    """
    exponent = roundings * unit
    return exponent / (1.0 - exponent) if exponent < 1.0 else float("inf")


def error_bound(inputs: Inputs) -> tuple[Float64, Float64]:
    """Derive, for each element of a correct D, how far from `reference` it may be, and how large its parts may get.

    Both are (M, N); the second is the largest magnitude of a partial result. Any order of additions is covered, with
    products fused or not. The terms: rounding in the accumulator's type; the rounding of the output; products and sums
    that underflow; and what float64 itself may lose in the reference.
    """
    k = inputs.a.shape[1]
    accumulator, output = np.finfo(inputs.accumulator), np.finfo(inputs.c.dtype)
    magnitude = np.zeros(inputs.c.shape)
    reach = np.zeros(inputs.c.shape)
    if inputs.alpha != 0 and k:
        reach = product(np.abs(_usable(inputs.a)), np.abs(_usable(inputs.b)))
        magnitude = abs(inputs.alpha) * reach
    if inputs.beta != 0:
        magnitude = magnitude + abs(inputs.beta) * np.abs(_usable(inputs.c).astype(np.float64))
    roundings = k + EXTRA_ROUNDINGS
    # Half the smallest subnormal is what one operation loses at most when its result underflows. Each product and
    # each sum may, and alpha scales what the accumulator lost.
    lost = float(accumulator.smallest_subnormal) / 2
    inflate = 1.0 + gamma(roundings, float(accumulator.eps) / 2)
    products = 2 * k * abs(inputs.alpha) if k else 0.0  # alpha may be infinite
    underflow = (products + EXTRA_ROUNDINGS) * lost * inflate + float(output.smallest_subnormal) / 2
    double = gamma(roundings + 4, 2.0**-53)
    bound = (gamma(roundings, float(accumulator.eps) / 2) + double) * magnitude * (1.0 + 2 * double)
    unit = float(output.eps) / 2
    bound = bound * (1.0 + unit) + unit * np.abs(_finite(reference(inputs))) + underflow
    return bound, np.maximum(reach, magnitude) + bound


def _usable(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.zeros_like(values))


def _check_bound(inputs: Inputs, d: Array) -> Mismatch | None:
    expected = reference(inputs)
    bound, reach = error_bound(inputs)
    got = d.astype(np.float64)
    finite = np.isfinite(expected)
    with np.errstate(invalid="ignore"):
        # A comparison with NaN is false: what is not known to be right is wrong.
        right = np.where(finite, np.abs(got - expected) <= bound, got == expected) | (
            np.isnan(expected) & np.isnan(got)
        )
    # Where a partial sum may leave the type's range, an infinity may be right; a NaN is not taken for one.
    limit = min(float(np.finfo(inputs.accumulator).max), float(np.finfo(d.dtype).max))
    right |= finite & (reach >= limit) & np.isinf(got)
    return _worst(inputs.mode, got, expected, bound, ~right)


# ---- Exact and selection ---------------------------------------------------------------------------------------


def _check_bits(inputs: Inputs, d: Array) -> Mismatch | None:
    expected = reference(inputs)
    rounded = expected.astype(d.dtype)
    if not np.array_equal(rounded.astype(np.float64), expected):
        raise InternalError(f"the {inputs.mode} oracle was given inputs whose result {d.dtype} cannot hold")
    bits = np.dtype(f"u{d.dtype.itemsize}")
    same = np.ascontiguousarray(rounded).view(bits) == np.ascontiguousarray(d).view(bits)
    right = same | ((rounded == 0) & (d == 0))
    return _worst(inputs.mode, d.astype(np.float64), expected, np.zeros(expected.shape), ~right)


def _worst(mode: Mode, got: Float64, expected: Float64, bound: Float64, wrong: NDArray[np.bool_]) -> Mismatch | None:
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    with np.errstate(invalid="ignore"):
        excess = np.where(wrong, np.abs(got - expected) - bound, -np.inf)
    excess[np.isnan(excess)] = np.inf
    row, column = (int(index) for index in np.unravel_index(int(np.argmax(excess)), wrong.shape))
    return Mismatch(
        mode, row, column, float(got[row, column]), float(expected[row, column]), float(bound[row, column]),
        count, wrong.size,
    )  # fmt: skip


def check(inputs: Inputs, d: Array) -> Mismatch | None:
    """Find the worst element of `d` (M, N) that `inputs` does not allow; None when the result is right."""
    if d.shape != inputs.c.shape:
        raise InternalError(f"D has shape {d.shape}, C {inputs.c.shape}")
    return _check_bound(inputs, d) if inputs.mode == "bound" else _check_bits(inputs, d)


# ---- Data ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Types:
    """NumPy's names of the types of A, B, C (and D), and of the accumulator and the scalars."""

    a: str = "float32"
    b: str = "float32"
    c: str = "float32"
    accumulator: str = "float32"


def scalars_of(mode: Mode, alpha: float, beta: float, accumulator: str = "float32") -> tuple[float, float]:
    """Turn alpha and beta into those that `mode` uses.

    They are rounded to the accumulator's type; in exact mode to the nearest of a few small integers and powers of
    two; in selection mode alpha is 1, and a beta that is not finite too. The sign of a zero stays.
    """
    alpha, beta = (float(np.dtype(accumulator).type(scalar)) for scalar in (alpha, beta))
    if mode == "exact":
        return _exact_scalar(alpha), _exact_scalar(beta)
    if mode == "selection":
        return 1.0, beta if np.isfinite(beta) else 1.0
    return alpha, beta


def _exact_scalar(value: float) -> float:
    if not np.isfinite(value):
        return 1.0
    return value if value == 0 else min(_EXACT_SCALARS, key=lambda scalar: abs(scalar - value))


def make_inputs(
    mode: Mode,
    shape: tuple[int, int, int],
    rng: np.random.Generator,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    types: Types = Types(),
    selector: Selector = "b",
    specials: bool = False,
    subnormals: bool = False,
) -> Inputs:
    """Make the values for one run of shape (M, N, K), drawn from `rng` alone, so that a seed gives them again.

    `alpha` and `beta` go through `scalars_of`. In selection mode `selector` is the operand that holds the powers of
    two, and C is zero if beta is not. `specials` puts a few NaN and Inf into the inputs of the bound mode, and zeros
    that meet them. `subnormals` makes inputs and results subnormal: all of them in selection mode, in bound mode many.
    """
    m, n, k = shape
    alpha, beta = scalars_of(mode, alpha, beta, types.accumulator)
    shapes = ((m, k), (k, n), (m, n))
    if mode == "selection":
        values = _selection_data(shapes, rng, selector, types, subnormals=subnormals)
    else:
        values = _DATA[mode](shapes, rng)
    if subnormals and mode == "bound":
        _shrink(values, rng, types)
    a, b, c = (array.astype(dtype) for array, dtype in zip(values, (types.a, types.b, types.c), strict=True))
    if specials and mode == "bound":
        values_of.zero_a_line(a, rng)
        values_of.zero_a_line(b.T, rng)
        for array in (a, b, c):
            values_of.sprinkle(array, rng)
    unread = np.nan if rng.integers(2) else np.inf
    if alpha == 0:
        a[...] = unread
        b[...] = unread
    if beta == 0:
        c[...] = unread
    return Inputs(mode, a, b, c, alpha, beta, types.accumulator)


_Shapes = tuple[tuple[int, int], ...]


def _bound_data(shapes: _Shapes, rng: np.random.Generator) -> list[Array]:
    """Draw normal values with full significands; one time in three their exponents spread over 2^-12..2^12."""
    spread = 12 if rng.integers(3) == 0 else 0
    return [
        np.ldexp(rng.standard_normal(shape), rng.integers(-spread, spread, shape, endpoint=True)) for shape in shapes
    ]


def _exact_data(shapes: _Shapes, rng: np.random.Generator) -> list[Array]:
    """Draw integers other than 0, small enough for K.

    Beyond K = 2^18 even ones would add up to too much: there all but 2^18 of A's columns, drawn at random, are zero.
    """
    k = max(1, shapes[0][1])
    largest = int(min(_EXACT_VALUES, max(1, (_EXACT_SUM / k) ** 0.5)))
    arrays = [
        (rng.integers(1, largest, shape, endpoint=True) * rng.choice((-1, 1), shape)).astype(np.float64)
        for shape in shapes
    ]
    if k > _EXACT_SUM:
        arrays[0][:, rng.permutation(k)[_EXACT_SUM:]] = 0.0
    return arrays


_DATA = {"bound": _bound_data, "exact": _exact_data}


def _shrink(values: list[Array], rng: np.random.Generator, types: Types) -> None:
    """Scale A and C in place, so that some of their values, and of the results, are subnormal in A's type.

    Not where that is float64: the reference would lose what underflows there, too.
    """
    if types.a == "float64":
        return
    exponent = int(np.finfo(types.a).minexp) + int(rng.integers(-20, 3))
    for index in (0, 2):
        values[index] = np.ldexp(values[index], exponent)


def _selection_data(
    shapes: _Shapes, rng: np.random.Generator, selector: Selector, types: Types, *, subnormals: bool
) -> list[Array]:
    a, b, c = (np.zeros(shape) for shape in shapes)
    full = values_of.subnormal_values if subnormals else values_of.full_significands
    # A subnormal has no smaller exponent to go to.
    least = 0 if subnormals else -6
    if selector == "b":
        a = full(shapes[0], rng, types.a)
        values_of.scatter_powers(b.T, rng, least)
    else:
        b = full(shapes[1], rng, types.b)
        values_of.scatter_powers(a, rng, least)
    return [a, b, c]
