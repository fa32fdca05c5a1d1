"""The list of all rules, for documentation and `explain`."""

from __future__ import annotations

from dataclasses import dataclass

from gemmgen.ir.problem import NOT_A_TABLE
from gemmgen.ir.record import ILLEGAL_VALUE, UNKNOWN_FIELD
from gemmgen.ir.schedule import CONTRADICTION
from gemmgen.ir.shorthand import UNKNOWN_MECHANISM
from gemmgen.rules.check import known_rules
from gemmgen.target import UNKNOWN_TARGET


@dataclass(frozen=True, slots=True)
class Entry:
    """One rule: its stable id, what must hold, and why."""

    id: str
    title: str
    reason: str


_READING = (
    Entry(UNKNOWN_FIELD, "every field exists", "A field that is not read would silently change nothing"),
    Entry(ILLEGAL_VALUE, "every value lies in its field's domain", "Each field says why its domain is what it is"),
    Entry(UNKNOWN_MECHANISM, "a slot names a registered mechanism", "Only those know how to emit their part"),
    Entry(UNKNOWN_TARGET, "the target is known", "The limits that a schedule is checked against are known for few"),
    Entry(
        CONTRADICTION, "copy contradicts no copy_a or copy_b", "Of two values for one field neither is taken silently"
    ),
    Entry(NOT_A_TABLE, "a problem or schedule is a table of fields", "It is given by the names of its fields"),
)


def catalogue() -> tuple[Entry, ...]:
    """Every rule that `check_legal` knows now, registered mechanisms' own among them, by id."""
    checked = [Entry(rule.id, rule.title, rule.reason) for rule in known_rules()]
    return tuple(sorted([*_READING, *checked], key=lambda entry: entry.id))
