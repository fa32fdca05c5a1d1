"""Domains: what values a field may have, said once.

Validation, test strategies, the tuner's search space and the documentation all read the same object.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmgen.ir.text import closest, listed, show

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")


class Domain:
    """The legal values of one field.

    `typical` holds the values that strategies and tuners try first; all of them are legal.
    """

    __slots__ = ()
    typical: tuple[Any, ...]

    def read(self, raw: object) -> tuple[Any, str | None]:
        """(canonical value, None) when `raw` is legal, else (None, what is wrong). Never raises."""
        raise NotImplementedError

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """The legal value nearest to `raw`; `fallback`, or else the most typical one, when nothing is near."""
        raise NotImplementedError

    def describe(self) -> str:
        """The legal values in words that fit after "is not ...": "an integer from 1 to 2"."""
        raise NotImplementedError

    def write(self, value: Any) -> Any:
        """A legal value in its serial (JSON and TOML) form."""
        return value

    def check(self, raw: object) -> str | None:
        """What is wrong with `raw`, or None."""
        return self.read(raw)[1]

    def refusal(self, raw: object) -> tuple[None, str]:
        """What `read` returns for an illegal value."""
        return None, f"{show(raw)} is not {self.describe()}"

    def changes(self, name: str, old: object, new: object) -> str:
        """How to write the replacement of `old` by `new` in a suggestion."""
        del old
        return f"{name}={show(self.write(new))}"


def as_int(raw: object) -> int | None:
    """`raw` as a plain int when it is one (NumPy's included, bool not), else None."""
    if type(raw) is int:
        return raw
    if isinstance(raw, bool) or not isinstance(raw, numbers.Integral):
        return None
    try:
        return int(raw)
    except Exception:  # noqa: BLE001 - a foreign __int__ may raise whatever it likes
        return None


def _near_int(raw: object) -> float | int | None:
    """What number `raw` was probably meant to be: "128", 128.0 and True are near 128, 128 and 1."""
    number = int(raw) if isinstance(raw, bool) else as_int(raw)
    if number is not None:
        return number
    if isinstance(raw, float):
        return None if math.isnan(raw) else raw
    if isinstance(raw, str) and _NUMBER.fullmatch(raw):
        return int(raw)
    return None


@dataclass(frozen=True, slots=True)
class Ints(Domain):
    """Every integer from `low` to `high`, both included."""

    low: int
    high: int
    typical: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Without typical values the lowest one is typical."""
        if not self.typical:
            object.__setattr__(self, "typical", (self.low,))

    def read(self, raw: object) -> tuple[Any, str | None]:
        """See `Domain.read`."""
        value = as_int(raw)
        if value is None or not self.low <= value <= self.high:
            return self.refusal(raw)
        return value, None

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """Clamp numbers, and what reads like one."""
        number = _near_int(raw)
        if number is None:
            return self.typical[0] if fallback is None else fallback
        return round(max(self.low, min(self.high, number)))

    def describe(self) -> str:
        """See `Domain.describe`."""
        return f"an integer from {self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class IntChoice(Domain):
    """One of a few integers."""

    values: tuple[int, ...]
    typical: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Without typical values all are typical."""
        if not self.typical:
            object.__setattr__(self, "typical", self.values)

    def read(self, raw: object) -> tuple[Any, str | None]:
        """See `Domain.read`."""
        value = as_int(raw)
        if value is None or value not in self.values:
            return self.refusal(raw)
        return value, None

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """The value with the least distance; of two equally near ones the smaller."""
        number = _near_int(raw)
        if number is None:
            return self.typical[0] if fallback is None else fallback
        return min(self.values, key=lambda value: (abs(value - number), value))

    def describe(self) -> str:
        """See `Domain.describe`."""
        return listed([str(value) for value in self.values])


@dataclass(frozen=True, slots=True)
class Names(Domain):
    """One of a set of names, either given or asked for each time (a registry that may grow)."""

    source: tuple[str, ...] | Callable[[], tuple[str, ...]]

    @property
    def values(self) -> tuple[str, ...]:
        """The names that are legal now."""
        return self.source if isinstance(self.source, tuple) else self.source()

    @property
    def typical(self) -> tuple[str, ...]:  # type: ignore[override]
        """All of them."""
        return self.values

    def read(self, raw: object) -> tuple[Any, str | None]:
        """See `Domain.read`."""
        # str's own __str__: a subclass may compare or print as it likes.
        if isinstance(raw, str) and (name := str.__str__(raw)) in self.values:
            return name, None
        return self.refusal(raw)

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """By spelling."""
        found = closest(raw, self.values, cutoff=0.4)
        if found is not None:
            return found
        return self.values[0] if fallback is None else fallback

    def describe(self) -> str:
        """See `Domain.describe`."""
        return listed([repr(value) for value in self.values])


@dataclass(frozen=True, slots=True)
class Maybe(Domain):
    """A domain, or None."""

    inner: Domain
    none_means: str

    @property
    def typical(self) -> tuple[Any, ...]:  # type: ignore[override]
        """None first, then the inner domain's."""
        return (None, *self.inner.typical)

    def read(self, raw: object) -> tuple[Any, str | None]:
        """See `Domain.read`."""
        if raw is None:
            return None, None
        return self.inner.read(raw)

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """What is near in the inner domain; None where nothing is."""
        if raw is None:
            return None
        near = self.inner.nearest(raw, _NOTHING if fallback is None else fallback)
        return None if near is _NOTHING else near

    def describe(self) -> str:
        """See `Domain.describe`."""
        return f"{self.inner.describe()}, or None ({self.none_means})"

    def write(self, value: Any) -> Any:
        """See `Domain.write`."""
        return None if value is None else self.inner.write(value)

    def changes(self, name: str, old: object, new: object) -> str:
        """See `Domain.changes`."""
        if new is None or old is None:
            return f"{name}={show(self.write(new))}"
        return self.inner.changes(name, old, new)


_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Extents(Domain):
    """A fixed number of named integers, such as (BM, BN, BK); lists are taken for tuples."""

    names: tuple[str, ...]
    domains: tuple[Ints, ...]
    typical: tuple[tuple[int, ...], ...]

    def read(self, raw: object) -> tuple[Any, str | None]:
        """See `Domain.read`."""
        if not isinstance(raw, (tuple, list)) or len(raw) != len(self.names):
            return None, f"{show(raw)} is not {len(self.names)} integers ({', '.join(self.names)})"
        values, problems = [], []
        for name, domain, item in zip(self.names, self.domains, raw, strict=True):
            value, problem = domain.read(item)
            values.append(value)
            if problem is not None:
                problems.append(f"{name}={show(item)}, which is not {domain.describe()}")
        return (None, f"{show(raw)} has {', and '.join(problems)}") if problems else (tuple(values), None)

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """Element by element; missing ones come from the fallback."""
        given = raw if isinstance(raw, (tuple, list)) else ()
        spare = fallback if isinstance(fallback, tuple) else self.typical[0]
        if not given:
            return self.typical[0] if fallback is None else fallback
        return tuple(
            domain.nearest(given[i], spare[i]) if i < len(given) else spare[i] for i, domain in enumerate(self.domains)
        )

    def describe(self) -> str:
        """See `Domain.describe`."""
        parts = [f"{name} {domain.describe()}" for name, domain in zip(self.names, self.domains, strict=True)]
        return f"({', '.join(self.names)}): {', '.join(parts)}"

    def write(self, value: Any) -> Any:
        """Tuples are lists in JSON and TOML."""
        return list(value)

    def changes(self, name: str, old: object, new: object) -> str:
        """One extent alone is named by its letters: "BK=16"."""
        if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
            different = [i for i, (before, after) in enumerate(zip(old, new, strict=True)) if before != after]
            if len(different) == 1:
                return f"{self.names[different[0]]}={new[different[0]]}"
        return f"{name}={show(new)}"
