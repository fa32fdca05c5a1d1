"""Numbers near a given one, from which repairs are made."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FEW = 4


@lru_cache(maxsize=4096)
def divisors(number: int, most: int) -> tuple[int, ...]:
    """Divisors of `number` up to `most`, ascending."""
    return tuple(value for value in range(1, min(number, most) + 1) if number % value == 0)


def by_distance(values: Iterable[int], near: int) -> list[int]:
    """`values`, the nearest to `near` first; of two equally near ones the larger."""
    return sorted(values, key=lambda value: (abs(value - near), -value))


@lru_cache(maxsize=4096)
def dividing_pairs(whole: int, part: int, most_whole: int, most_part: int) -> tuple[tuple[int, int], ...]:
    """(whole, part) near the given ones, with one of the two changed at most, so that the part divides the whole."""
    if whole % part == 0:
        return ((whole, part),)
    parts = by_distance(divisors(whole, most_part), part)[:_FEW]
    wholes = [value for value in (whole - whole % part, whole - whole % part + part) if 0 < value <= most_whole]
    pairs = [(value, part) for value in by_distance(wholes, whole)] + [(whole, value) for value in parts]
    return tuple(sorted(pairs, key=lambda pair: distance(pair, (whole, part))))


def distance(new: Sequence[int], old: Sequence[int]) -> float:
    """How far apart two tuples of positive extents are: the sum of the ratios, in powers of two."""
    return sum(abs(log2(after / before)) for after, before in zip(new, old, strict=True))


def combined(
    first: Iterable[tuple[int, int]], second: Iterable[tuple[int, int]], old: tuple[int, int, int, int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Every (first, second), the nearest to `old` (first pair, then second pair) first."""
    return sorted(product(first, second), key=lambda pairs: distance((*pairs[0], *pairs[1]), old))
