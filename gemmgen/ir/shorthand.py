"""Strings that stand for mechanism records: "sync", "padded(4)", "padded(4, major=k)", "grouped(8)"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gemmgen.errors import ScheduleError
from gemmgen.ir import registry
from gemmgen.ir.domain import Domain
from gemmgen.ir.record import REQUIRED, Param, read_fields
from gemmgen.ir.slots import SlotRecord, differing
from gemmgen.ir.text import closest, listed, show

UNKNOWN_MECHANISM = "GG003"

_LONGEST = 200
_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\(([^()]*)\))?\s*", re.ASCII)
_ARGUMENT = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)\s*=)?\s*(?:([+-]?[0-9]{1,18})|([A-Za-z_]\w*))\s*", re.ASCII)


def write_shorthand(record: SlotRecord) -> str:
    """The canonical shorthand of a record; `read_shorthand` gives the record back."""
    name = registry.of(record).name
    leading = [p.name for p in record.params() if p.default is REQUIRED]
    arguments = [str(value) if key in leading else f"{key}={value}" for key, value in differing(record)]
    return f"{name}({', '.join(arguments)})" if arguments else name


def _arguments(text: str, declared: dict[str, Param]) -> tuple[dict[str, object], str | None]:
    """Split the inside of the parentheses: (arguments by name, what is wrong)."""
    given: dict[str, object] = {}
    names = list(declared)
    for position, piece in enumerate(text.split(",") if text.strip() else []):
        match = _ARGUMENT.fullmatch(piece)
        if match is None:
            return given, f"{show(piece.strip())} is neither a number nor a name"
        key, number, word = match.groups()
        if key is None and position >= len(names):
            return given, f"argument {position + 1} is one too many"
        key = names[position] if key is None else key
        if key in given:
            return given, f"{key} is given twice"
        given[key] = word if number is None else int(number)
    return given, None


@lru_cache(maxsize=4096)
def read_shorthand(slot: str, text: str) -> tuple[SlotRecord | None, str | None]:
    """(record, None), or (None, what is wrong): text after which the value's own text has been printed."""
    match = _CALL.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None, f"is not of the form {_forms(slot)}"
    mechanism = registry.lookup(slot, match[1])
    if mechanism is None:
        return None, f"is not one of {_forms(slot)}"
    given, problem = _arguments(match[2] or "", mechanism.record.declared)
    if problem is None:
        problem = _problem(mechanism, given)
    if problem is not None:
        return None, f"is not {form(mechanism)}: {problem}"
    return mechanism.record(**given), None


def _problem(mechanism: registry.Mechanism, given: dict[str, object]) -> str | None:
    _, problems = read_fields(mechanism.record.declared, given, mechanism.name)
    return "; ".join(problem.message for problem in problems) or None


registry.on_change(read_shorthand.cache_clear)


def form(mechanism: registry.Mechanism) -> str:
    """How a mechanism is written: "padded(n, major=...)"."""
    shown = [p.name if p.default is REQUIRED else f"{p.name}=..." for p in mechanism.record.params()]
    return f"{mechanism.name}({', '.join(shown)})" if shown else mechanism.name


def _forms(slot: str) -> str:
    mechanisms = [registry.lookup(slot, name) for name in registry.names(slot)]
    return listed([form(mechanism) for mechanism in mechanisms if mechanism is not None])


def nearest_record(slot: str, raw: object) -> SlotRecord | None:
    """The record that illegal shorthand most likely means, or None."""
    if not isinstance(raw, str):
        return None
    text = str.__str__(raw)[:_LONGEST]
    words = re.findall(r"[A-Za-z_]\w*|[+-]?[0-9]{1,18}", text, re.ASCII)
    name = closest(words[0], registry.names(slot)) if words else None
    mechanism = None if name is None else registry.lookup(slot, name)
    if mechanism is None:
        return None
    # Brackets may be missing, or be others: what follows the name are its arguments.
    inside = " ".join(re.sub(r"[^\w=,+-]", " ", text.partition(words[0])[2], flags=re.ASCII).split())
    given, _ = _arguments(inside, mechanism.record.declared)
    values = {p.name: p.nearest(given[p.name]) if p.name in given else p.spare for p in mechanism.record.params()}
    try:
        return mechanism.record(**values)
    except ScheduleError:  # a foreign record may refuse combinations
        return None


@dataclass(frozen=True, slots=True)
class Slot(Domain):
    """Whatever mechanism is registered for a slot, as its record or its shorthand."""

    slot: str

    rule = UNKNOWN_MECHANISM

    @property
    def typical(self) -> tuple[SlotRecord, ...]:  # type: ignore[override]
        """Every mechanism of the slot, over the typical values of its parameters."""
        found: list[SlotRecord] = []
        for name in registry.names(self.slot):
            mechanism = registry.lookup(self.slot, name)
            if mechanism is not None:
                found += _variants(mechanism)
        return tuple(found)

    def read(self, raw: object) -> tuple[Any, str | None]:
        """See `Domain.read`."""
        if isinstance(raw, str):
            record, problem = read_shorthand(self.slot, str.__str__(raw))
            return (record, None) if problem is None else (None, f"{show(raw)} {problem}")
        mechanism = registry.find(raw)
        if mechanism is None or mechanism.slot != self.slot:
            return self.refusal(raw)
        return raw, None

    def nearest(self, raw: object, fallback: Any = None) -> Any:
        """By the spelling of the name, then parameter by parameter."""
        value, problem = self.read(raw)
        near = nearest_record(self.slot, raw) if problem else value
        if near is not None:
            return near
        return self.read(self.typical[0] if fallback is None else fallback)[0]

    def describe(self) -> str:
        """See `Domain.describe`."""
        return _forms(self.slot)

    def write(self, value: Any) -> Any:
        """The shorthand."""
        return str(value)


def _variants(mechanism: registry.Mechanism) -> list[SlotRecord]:
    combinations: list[dict[str, object]] = [{}]
    for declaration in mechanism.record.params():
        combinations = [
            {**known, declaration.name: value} for known in combinations for value in declaration.domain.typical
        ]
    return [mechanism.record(**known) for known in combinations]
