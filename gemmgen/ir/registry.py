"""The registry of mechanisms.

A mechanism fills a slot of the schedule (`copy`, `smem`, `thread_layout`, `mma`, `edges`, `raster`). What is legal in a
slot is whatever is registered for it; nothing else in the package lists names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gemmgen.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gemmgen.ir.slots import SlotRecord


class RegisteredRule(Protocol):
    """What the registry knows of a rule; `gemmgen.rules.Rule` is the real one."""

    @property
    def id(self) -> str:
        """Stable id, such as "GG019"."""

    @property
    def title(self) -> str:
        """What must hold, in one line."""

    @property
    def reason(self) -> str:
        """What in the hardware or the logic asks for it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A planted fault: a replacement in the emitted source that the checks must catch.

    `pattern` is the exact text of which every occurrence is replaced by `replacement`.
    """

    name: str
    description: str
    pattern: str
    replacement: str


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One way to fill a slot: its record, its own rules, its lowering, its planted faults.

    `template_dir` is where templates of a mechanism from outside the package lie. `lower` turns the record into plan
    parts; its signature belongs to `gemmgen.lower`.
    """

    slot: str
    name: str
    record: type[SlotRecord]
    rules: tuple[RegisteredRule, ...] = ()
    lower: Callable[..., object] | None = None
    mutants: tuple[Mutant, ...] = ()
    template_dir: Path | None = None
    doc: str = ""


_BY_NAME: dict[tuple[str, str], Mechanism] = {}
_BY_RECORD: dict[type[Any], Mechanism] = {}
_FORGET: list[Callable[[], object]] = []


def on_change(forget: Callable[[], object]) -> None:
    """Have `forget` called whenever the registry changes (caches of parsed shorthand)."""
    _FORGET.append(forget)


def _changed() -> None:
    for forget in _FORGET:
        forget()


def register(mechanism: Mechanism) -> Mechanism:
    """Add a mechanism. A taken name or a record used twice is a fault of the code that registers it."""
    key = (mechanism.slot, mechanism.name)
    if key in _BY_NAME or mechanism.record in _BY_RECORD:
        message = f"{mechanism.slot} {mechanism.name!r} ({mechanism.record.__name__}) is registered already"
        raise InternalError(message)
    if mechanism.record.slot != mechanism.slot:
        message = f"{mechanism.record.__name__} fills slot {mechanism.record.slot!r}, not {mechanism.slot!r}"
        raise InternalError(message)
    _BY_NAME[key] = mechanism
    _BY_RECORD[mechanism.record] = mechanism
    _changed()
    return mechanism


def unregister(mechanism: Mechanism) -> None:
    """Take a mechanism out again (tests of foreign mechanisms)."""
    _BY_NAME.pop((mechanism.slot, mechanism.name), None)
    _BY_RECORD.pop(mechanism.record, None)
    _changed()


def lookup(slot: str, name: str) -> Mechanism | None:
    """The mechanism of that name, or None."""
    return _BY_NAME.get((slot, name))


def names(slot: str) -> tuple[str, ...]:
    """The names that are legal in a slot, in the order of registration."""
    return tuple(name for of_slot, name in _BY_NAME if of_slot == slot)


def mechanisms() -> tuple[Mechanism, ...]:
    """Every registered mechanism, in the order of registration."""
    return tuple(_BY_NAME.values())


def of(record: object) -> Mechanism:
    """The mechanism that a record belongs to."""
    mechanism = _BY_RECORD.get(type(record))
    if mechanism is None:
        message = f"{type(record).__name__} belongs to no registered mechanism"
        raise InternalError(message)
    return mechanism


def find(record: object) -> Mechanism | None:
    """The mechanism that a record belongs to, or None."""
    return _BY_RECORD.get(type(record))


def of_type(record: type[SlotRecord]) -> Mechanism | None:
    """The mechanism of that record type, or None."""
    return _BY_RECORD.get(record)


def template_directories() -> tuple[Path, ...]:
    """Where the templates of mechanisms from outside the package lie, each once, in the order of registration."""
    return tuple(dict.fromkeys(m.template_dir for m in _BY_NAME.values() if m.template_dir is not None))
