"""What a rule is, and what it sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gemmgen.ir.problem import FIELDS as PROBLEM_FIELDS
from gemmgen.ir.problem import OPERANDS, Gemm, Operand
from gemmgen.ir.record import fill
from gemmgen.ir.schedule import FIELDS as SCHEDULE_FIELDS
from gemmgen.ir.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gemmgen.ir.record import Param
    from gemmgen.target import Target

_Record = TypeVar("_Record", Gemm, Schedule)

Changes = Mapping[str, object]
"""Replacements by path, in canonical values: {"schedule.stages": 1}."""

FIELDS: dict[str, Param] = {
    **{f"problem.{name}": declared for name, declared in PROBLEM_FIELDS.items()},
    **{f"schedule.{name}": declared for name, declared in SCHEDULE_FIELDS.items()},
}
"""Every field that a rule may need or a repair may change, by path."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation: the field, one sentence with the values and the arithmetic, and ways out, the nearest first."""

    field: str
    message: str
    repairs: Callable[[], Iterable[Changes]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that must hold before a line is emitted.

    `check` yields at most one `Finding` a field. It reads only the fields that `needs` lists by path ("target" among
    them), which are sound when it runs, and runs only after the rules in `after`, whose ids sort before its own, have
    found nothing.
    """

    id: str
    title: str
    reason: str
    needs: tuple[str, ...]
    check: Callable[[Context], Iterator[Finding]]
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """A problem, a schedule and a target, of which only the fields whose paths are in `sound` may be read."""

    problem: Gemm
    schedule: Schedule
    target: Target | None
    sound: frozenset[str]

    def changed(self, changes: Changes) -> Context:
        """The same with some fields replaced; values are canonical and legal for their field."""
        problem, schedule = self.problem, self.schedule
        of_schedule = {path[9:]: value for path, value in changes.items() if path.startswith("schedule.")}
        if of_schedule:
            schedule = _copy(schedule, of_schedule)
        of_problem = {path[8:]: value for path, value in changes.items() if path.startswith("problem.")}
        if of_problem:
            problem = _copy(problem, _operands(problem, of_problem))
        return Context(problem, schedule, self.target, self.sound.union(changes))

    def value(self, path: str) -> object:
        """A field in canonical form; None where it is not sound."""
        section, _, name = path.partition(".")
        if path not in self.sound:
            return None
        if section == "schedule":
            return getattr(self.schedule, name)
        return getattr(self.problem, name).dtype if name in OPERANDS else getattr(self.problem, name)


def _copy(record: _Record, changes: dict[str, object]) -> _Record:
    """A record with some fields replaced. Fields that are not sound stay unset."""
    new: _Record = object.__new__(type(record))
    fill(new, {name: getattr(record, name) for name in record.declared if hasattr(record, name)} | changes)
    return new


def _operands(problem: Gemm, changes: dict[str, object]) -> dict[str, object]:
    """Fields of a `Gemm` from serial ones: "a" and "a_layout" together make the operand a."""
    fields = {name: value for name, value in changes.items() if name.removesuffix("_layout") not in OPERANDS}
    for name in OPERANDS:
        if name in changes or f"{name}_layout" in changes:
            old = getattr(problem, name, None)
            known = {field: getattr(old, field) for field in Operand.declared if hasattr(old, field)}
            given = {"dtype": changes.get(name), "layout": changes.get(f"{name}_layout")}
            operand = Operand.__new__(Operand)
            fill(operand, known | {field: value for field, value in given.items() if value is not None})
            fields[name] = operand
    return fields


def times(*extents: int) -> str:
    """Extents as in messages: "128x128x8"."""
    return "x".join(map(str, extents))
