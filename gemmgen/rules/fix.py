"""Applying a diagnostic's fix to raw input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gemmgen.errors import REMOVE
from gemmgen.ir.problem import OPERANDS, Gemm, Operand
from gemmgen.ir.record import ForeignKey, table
from gemmgen.ir.schedule import Schedule
from gemmgen.ir.text import show_key

if TYPE_CHECKING:
    from gemmgen.errors import Diagnostic


def apply_fix(problem: object, schedule: object, target: object, diagnostic: Diagnostic) -> tuple[Any, Any, Any]:
    """Raw (problem, schedule, target) with the replacements of `diagnostic.fix` made; the arguments stay as they are.

    The diagnostic must be one that `check_legal` gave for the same input.
    """
    sections: dict[str, Any] = {"problem": problem, "schedule": schedule, "target": target}
    for section, raw in (("problem", _plain(problem)), ("schedule", _plain(schedule))):
        sections[section] = sections[section] if raw is None else raw
    for path, value in diagnostic.fix.items():
        section, dot, name = path.partition(".")
        if not dot:
            sections[section] = value
        elif section == "schedule":
            _open_copy(sections[section], name)
            _set(sections[section], name, value)
        else:
            _set_in_problem(sections[section], name, value)
    return sections["problem"], sections["schedule"], sections["target"]


def _plain(raw: object) -> dict[Any, Any] | None:
    """A dictionary that may be changed, with the keys as they were; None for what holds no fields."""
    if isinstance(raw, (Gemm, Schedule)):
        return raw.to_dict()
    if isinstance(raw, Operand):
        return {p.name: getattr(raw, p.name) for p in raw.params()}
    read = table(raw)
    if read is None:
        return None
    return {key.key if isinstance(key, ForeignKey) else key: value for key, value in read.items()}


def _set(fields: dict[Any, Any], name: str, value: object) -> None:
    if value is not REMOVE:
        fields[name] = value
        return
    for key in [key for key in fields if show_key(key) == name]:
        del fields[key]


def _open_copy(fields: dict[Any, Any], name: str) -> None:
    """`copy` stands for `copy_a` and `copy_b`: write it out before one of the two is changed."""
    if name in ("copy_a", "copy_b") and fields.get("copy") is not None:
        both = fields.pop("copy")
        for side in ("copy_a", "copy_b"):
            fields.setdefault(side, both)


def _set_in_problem(fields: dict[Any, Any], name: str, value: object) -> None:
    """Set a field of a problem, whose operands may be names of element types, tables or `Operand`s."""
    operand, dot, inner = name.partition(".")
    if operand not in OPERANDS or any(dot and show_key(key) == name for key in fields):
        _set(fields, name, value)
        return
    nested = _plain(fields.get(operand))
    if nested is None:
        _set(fields, name, value)
        return
    _set(nested, inner if dot else "dtype", value)
    fields[operand] = nested
