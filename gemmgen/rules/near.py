"""Numbers near a given one, from which repairs are made, and how near they are."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FEW = 4
_ODDNESS = 0.125
"""What a lost factor of two weighs against a doubling: 64 is nearer to 80 than to 65, on which little else fits."""
_OTHER = 1.0
_ABSENT = 2.0


@lru_cache(maxsize=4096)
def divisors(number: int, most: int) -> tuple[int, ...]:
    """Divisors of `number` up to `most`, ascending."""
    return tuple(value for value in range(1, min(number, most) + 1) if number % value == 0)


def by_distance(values: Iterable[int], near: int) -> list[int]:
    """`values`, the nearest to `near` first; of two equally near ones the larger."""
    return sorted(values, key=lambda value: (abs(value - near), -value))


@lru_cache(maxsize=4096)
def rounded(most: int) -> tuple[int, ...]:
    """The largest multiples of 1, 2, 4 ... that are not above `most`."""
    return tuple({most >> power << power: None for power in range(most.bit_length())})


@lru_cache(maxsize=4096)
def dividing_pairs(whole: int, part: int, most_whole: int, most_part: int) -> tuple[tuple[int, int], ...]:
    """(whole, part) near the given ones, with one of the two changed at most, so that the part divides the whole."""
    if whole % part == 0:
        return ((whole, part),)
    parts = by_distance(divisors(whole, most_part), part)[:_FEW]
    count = whole // part
    counts = {count - 1, count, count + 1, count + 2, *rounded(count), 1 << count.bit_length()}
    wholes = [part * value for value in counts if 0 < part * value <= most_whole]
    pairs = [(value, part) for value in by_distance(wholes, whole)] + [(whole, value) for value in parts]
    return tuple(sorted(pairs, key=lambda pair: distance(pair, (whole, part))))


@lru_cache(maxsize=65536)
def step(new: int, old: int) -> float:
    """How far two positive numbers are apart: their ratio in powers of two, and the factors of two that are lost.

    Factors that shrinking takes along, as from 64 to 32, are not counted again.
    """
    ratio = log2(new / old)
    lost = (old & -old).bit_length() - (new & -new).bit_length() + min(ratio, 0.0)
    return abs(ratio) + _ODDNESS * max(lost, 0.0)


def distance(new: Sequence[int], old: Sequence[int]) -> tuple[float, int, float]:
    """How far apart two tuples of positive numbers are: the steps' sum; of equal ones fewer, then smaller steps."""
    return _total([step(after, before) for after, before in zip(new, old, strict=True) if after != before])


def _total(steps: Sequence[float]) -> tuple[float, int, float]:
    return round(sum(steps), 6), len(steps), max(steps, default=0.0)


def effort(changes: Iterable[tuple[object, object]]) -> tuple[int, float, int, float]:
    """How far (old, new) values of fields are apart; fewer fields are nearer, then `distance` counts.

    What is no number is one doubling away from any other value, and two from none.
    """
    steps: list[float] = []
    fields = 0
    for old, new in changes:
        fields += 1
        if isinstance(old, tuple) and isinstance(new, tuple):
            steps += [step(after, before) for after, before in zip(new, old, strict=True) if after != before]
        elif isinstance(old, int) and isinstance(new, int) and old > 0 < new:
            steps.append(step(new, old))
        else:
            steps.append(_ABSENT if new is None else _OTHER)
    return fields, *_total(steps)


def combined(
    first: Iterable[tuple[int, int]], second: Iterable[tuple[int, int]], old: tuple[int, int, int, int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Every (first, second), the nearest to `old` (first pair, then second pair) first."""
    return sorted(product(first, second), key=lambda pairs: distance((*pairs[0], *pairs[1]), old))
