"""Which values of each axis a check has seen, the unseen ones included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gemmgen.ir import registry
from gemmgen.ir.domain import Domain, Extents, IntChoice, Ints, Maybe, Names
from gemmgen.ir.problem import FIELDS as PROBLEM_FIELDS
from gemmgen.ir.schedule import FIELDS as SCHEDULE_FIELDS
from gemmgen.ir.shorthand import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemmgen.ir import Gemm, Schedule
    from gemmgen.testing.cases import Case

Coverage = dict[str, dict[str, int]]

# A domain of more values than this is shown by its typical values and "other".
_LISTED = 8

_K_CLASSES = ("0", "below BK", "BK", "whole steps", "steps and a rest")
_EXTENT_CLASSES = ("0", "1", "below the tile", "the tile", "several whole tiles", "tiles and a rest")
_SCALARS = ("0", "-0", "1", "other")

# The axis of a shared tile is declared for both operands at once, and neither has all of them.
_OTHER_AXES = {("a", "n"), ("b", "m")}


def empty() -> Coverage:
    """Make a table with every declared value, none of them seen."""
    table: Coverage = {}
    for prefix, fields in (("", SCHEDULE_FIELDS), ("problem.", PROBLEM_FIELDS)):
        for name, field in fields.items():
            for axis, values in _declared(f"{prefix}{name}", field.domain):
                table[axis] = dict.fromkeys(values, 0)
    table |= {axis: dict.fromkeys(_EXTENT_CLASSES, 0) for axis in ("call.m", "call.n")}
    table |= {axis: dict.fromkeys(_SCALARS, 0) for axis in ("call.alpha", "call.beta")}
    table["call.k"] = dict.fromkeys(_K_CLASSES, 0)
    for axis in ("call.padding", "call.offset", "call.in_place", "call.specials"):
        table[axis] = {"no": 0, "yes": 0}
    table["call.path"] = {"scheduled": 0, "scalar": 0, "nothing to launch": 0}
    return table


def count(table: Coverage, problem: Gemm, schedule: Schedule, case: Case) -> None:
    """Count one example."""
    for prefix, fields, holder in (("", SCHEDULE_FIELDS, schedule), ("problem.", PROBLEM_FIELDS, problem)):
        for name, field in fields.items():
            for axis, value in _values(f"{prefix}{name}", field.domain, _get(holder, name)):
                _add(table, axis, value)
    for axis, value in _call(schedule, case):
        _add(table, axis, value)


def count_path(table: Coverage, path: str, scheduled: str) -> None:
    """Count the kernel that one run took."""
    value = "nothing to launch" if not path else "scheduled" if path == scheduled else "scalar"
    _add(table, "call.path", value)


def merge(table: Coverage, other: Mapping[str, Mapping[str, int]]) -> None:
    """Add another table's counts."""
    for axis, values in other.items():
        for value, seen in values.items():
            _add(table, axis, value, seen)


def unseen(table: Coverage) -> list[tuple[str, str]]:
    """List axis and value of everything declared that never occurred."""
    return [(axis, value) for axis, values in table.items() for value, seen in values.items() if not seen]


def _add(table: Coverage, axis: str, value: str, seen: int = 1) -> None:
    row = table.setdefault(axis, {})
    row[value] = row.get(value, 0) + seen


def _get(holder: Gemm | Schedule, name: str) -> Any:
    value = getattr(holder, name)
    return getattr(value, "dtype", value) if name in {"a", "b", "c"} else value


# ---- Domains ---------------------------------------------------------------------------------------------------


def _declared(axis: str, domain: Domain) -> Iterator[tuple[str, list[str]]]:
    """Yield the axes of a field, each with the values it is known to have."""
    if isinstance(domain, Maybe):
        if isinstance(domain.inner, Names):
            yield axis, ["None", *_names(domain.inner)]
            return
        yield axis, ["None", "given"]
        if isinstance(domain.inner, Extents):
            yield from _declared(axis, domain.inner)
    elif isinstance(domain, Extents):
        for name, extent in zip(domain.names, domain.domains, strict=True):
            yield name, _names(extent)
    elif isinstance(domain, Slot):
        yield axis, list(registry.names(domain.slot))
        for name in registry.names(domain.slot):
            mechanism = registry.lookup(domain.slot, name)
            for declared in mechanism.record.params() if mechanism else ():
                for inner, values in _declared(f"{axis}: {name}.{declared.name}", declared.domain):
                    yield inner, [value for value in values if (axis[-1], value) not in _OTHER_AXES]
    else:
        yield axis, _names(domain)


def _values(axis: str, domain: Domain, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the axes of a field's value, with what to call it there."""
    if isinstance(domain, Maybe):
        if isinstance(domain.inner, Names):
            yield axis, "None" if value is None else _name(domain.inner, value)
            return
        yield axis, "None" if value is None else "given"
        if value is not None and isinstance(domain.inner, Extents):
            yield from _values(axis, domain.inner, value)
    elif isinstance(domain, Extents):
        for name, inner, item in zip(domain.names, domain.domains, value, strict=True):
            yield name, _name(inner, item)
    elif isinstance(domain, Slot):
        mechanism = registry.of(value)
        yield axis, mechanism.name
        for declared in mechanism.record.params():
            yield from _values(
                f"{axis}: {mechanism.name}.{declared.name}", declared.domain, getattr(value, declared.name)
            )
    else:
        yield axis, _name(domain, value)


def _names(domain: Domain) -> list[str]:
    if isinstance(domain, Names | IntChoice):
        return [str(value) for value in domain.values]
    if isinstance(domain, Ints) and domain.high - domain.low < _LISTED:
        return [str(value) for value in range(domain.low, domain.high + 1)]
    return [*(str(value) for value in domain.typical), "other"]


def _name(domain: Domain, value: Any) -> str:
    known = _names(domain)
    return str(value) if str(value) in known or "other" not in known else "other"


# ---- Calls -----------------------------------------------------------------------------------------------------


def _call(schedule: Schedule, case: Case) -> Iterator[tuple[str, str]]:
    bm, bn, bk = schedule.cta_tile
    yield "call.m", _extent(case.m, bm)
    yield "call.n", _extent(case.n, bn)
    yield "call.k", _depth(case.k, bk)
    yield "call.alpha", _scalar(case.alpha)
    yield "call.beta", _scalar(case.beta)
    flags = {"padding": any(case.paddings), "offset": any(case.offsets)}
    flags |= {"in_place": case.in_place, "specials": case.specials}
    for name, flag in flags.items():
        yield f"call.{name}", "yes" if flag else "no"


def _extent(size: int, tile: int) -> str:
    if size in {0, 1}:
        return str(size)
    if size <= tile:
        return "the tile" if size == tile else "below the tile"
    return "tiles and a rest" if size % tile else "several whole tiles"


def _depth(k: int, step: int) -> str:
    if k == 0:
        return "0"
    if k <= step:
        return "BK" if k == step else "below BK"
    return "steps and a rest" if k % step else "whole steps"


def _scalar(value: float) -> str:
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    return "1" if value == 1 else "other"
