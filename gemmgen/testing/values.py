"""Random values of the kinds that a kernel may get wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Float64 = NDArray[np.float64]


def subnormal_values(shape: tuple[int, int], rng: np.random.Generator, dtype: str) -> Float64:
    """Draw subnormal values of either sign, their last bit set."""
    info = np.finfo(dtype)
    significand = rng.integers(0, 2 ** int(info.nmant), shape) | 1
    return np.asarray(rng.choice((-1.0, 1.0), shape) * significand * float(info.smallest_subnormal))


def full_significands(shape: tuple[int, int], rng: np.random.Generator, dtype: str) -> Float64:
    """Draw values of magnitude 2^-4..2^4 whose significand's last bit is set: no shorter type holds one of them."""
    bits = int(np.finfo(dtype).nmant)
    significand = rng.integers(2**bits, 2 ** (bits + 1), shape) | 1
    sign = rng.choice((-1.0, 1.0), shape)
    return np.asarray(sign * np.ldexp(significand.astype(np.float64), rng.integers(-4, 4, shape) - bits))


def scatter_powers(lines: Float64, rng: np.random.Generator, least: int) -> None:
    """Put one power of two, from 2^`least` on, into each line.

    Together the lines use as many positions as there are lines, the last and the first position foremost, since that
    is where tails are lost.
    """
    count, k = lines.shape
    if not count or not k:
        return
    order = np.concatenate([np.unique([0, k - 1])[::-1], rng.permutation(np.arange(1, max(1, k - 1)))])
    chosen = rng.permutation(np.resize(order, count))
    lines[np.arange(count), chosen] = np.ldexp(1.0, rng.integers(least, 6, count, endpoint=True))


def sprinkle(array: Array, rng: np.random.Generator) -> None:
    """Put NaN, Inf or -Inf into one to three elements."""
    for _ in range(rng.integers(1, 3, endpoint=True) if array.size else 0):
        array.flat[rng.integers(array.size)] = rng.choice((np.nan, np.inf, -np.inf))


def zero_a_line(lines: Array, rng: np.random.Generator) -> None:
    """Fill one line with zeros: a NaN or Inf that they meet has to be seen in the result."""
    if lines.size:
        lines[rng.integers(lines.shape[0])] = 0.0
