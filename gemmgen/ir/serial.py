"""The serial form: canonical JSON, and documents in JSON or TOML that hold a problem, a schedule and a target.

Reading a document never runs code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gemmgen.errors import DocumentError, ScheduleError
from gemmgen.ir.problem import Gemm, assemble, read_problem
from gemmgen.ir.record import fill, unknown_field
from gemmgen.ir.schedule import Schedule, read_schedule
from gemmgen.ir.text import show, show_key
from gemmgen.target import DEFAULT_TARGET, TARGETS, Target, unknown

if TYPE_CHECKING:
    from gemmgen.errors import Diagnostic

_SECTIONS = ("problem", "schedule", "target", "name")
_LONGEST_FILE = 1 << 20


def decode_problem(raw: object) -> tuple[Gemm | None, list[Diagnostic]]:
    """Raw input of any shape as a problem, or None and all that is wrong. Never raises."""
    if isinstance(raw, Gemm):
        return raw, []
    values, problems = read_problem(raw)
    if problems:
        return None, problems
    problem = Gemm.__new__(Gemm)
    fill(problem, assemble(values))
    return problem, []


def decode_schedule(raw: object) -> tuple[Schedule | None, list[Diagnostic]]:
    """Raw input of any shape as a schedule, or None and all that is wrong. Never raises."""
    if isinstance(raw, Schedule):
        return raw, []
    values, problems = read_schedule(raw)
    if problems:
        return None, problems
    schedule = Schedule.__new__(Schedule)
    fill(schedule, values)
    return schedule, []


def decode_target(raw: object) -> tuple[Target | None, list[Diagnostic]]:
    """Raw input of any shape as a target, or None and what is wrong. Never raises."""
    if isinstance(raw, Target):
        return raw, []
    found = TARGETS.get(str.__str__(raw)) if isinstance(raw, str) else None
    return (found, []) if found else (None, [unknown(raw, show(raw))])


@dataclass(frozen=True, slots=True)
class Document:
    """What a schedule file holds. `name`, of the launcher, is None where the symbol is generated."""

    problem: Gemm
    schedule: Schedule
    target: Target
    name: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The serial form."""
        named = {} if self.name is None else {"name": self.name}
        return {
            "problem": self.problem.to_dict(),
            "schedule": self.schedule.to_dict(),
            "target": self.target.name,
            **named,
        }


def canonical(problem: Gemm, schedule: Schedule, target: Target | str) -> str:
    """The one JSON text of a (problem, schedule, target): sorted keys, ASCII, no spaces.

    Equal inputs give equal text on any machine; symbols and cache keys hash it.
    """
    name = target.name if isinstance(target, Target) else target
    whole = {"problem": problem.to_dict(), "schedule": schedule.to_dict(), "target": name}
    return json.dumps(whole, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def decode_document(raw: object) -> Document:
    """A document from its serial form: tables `problem` and `schedule`, a `target` and a `name`, each of them optional.

    Whether a C function may have the name is for who emits to say. Raises `DocumentError` for what is no document,
    `ScheduleError` for fields that are not legal and, with them, for those that do not exist.
    """
    if not isinstance(raw, dict):
        raise DocumentError(f"{show(raw)} is not a table with {', '.join(_SECTIONS)}")
    strange = [show_key(key) for key in raw if key not in _SECTIONS]
    problem, first = decode_problem(raw.get("problem", {}))
    schedule, second = decode_schedule(raw.get("schedule", {}))
    target, third = decode_target(raw.get("target", DEFAULT_TARGET))
    found = [*first, *second, *third]
    if strange and not found:
        raise DocumentError(f"{', '.join(strange)}: no such field; a document has {', '.join(_SECTIONS)}")
    name = raw.get("name")
    if "name" in raw and not isinstance(name, str):
        raise DocumentError(f"name={show(name)} is not a text")
    if problem is None or schedule is None or target is None:
        raise ScheduleError([*(unknown_field(key, _SECTIONS, "document") for key in strange), *found])
    return Document(problem, schedule, target, name)


def loads(text: str, kind: str) -> Document:
    """A document from its text; `kind` is "json" or "toml". Raises `DocumentError`, `ScheduleError`."""
    return decode_document(parse(text, kind))


def parse(text: str, kind: str) -> Any:
    """The raw form of a document's text. Raises `DocumentError` with line and column of a syntax error."""
    import tomllib

    if kind == "toml":
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
            raise DocumentError(f"not TOML: {_one_line(error)}") from None
    if kind != "json":
        raise DocumentError(f"kind={show(kind)} is not 'json' or 'toml'")
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except (RecursionError, ValueError) as error:
        raise DocumentError(f"not JSON: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON leaves a key given twice open; here it is an error, as in TOML."""
    read = dict(pairs)
    if len(read) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"the key {show_key(twice)} is given twice")
    return read


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def load(path: str | Path) -> Document:
    """Read a `.json` or `.toml` file.

    Raises `DocumentError` in one line "FILE: what" for a file that can not be read, `ScheduleError` for fields.
    """
    path = Path(path)
    try:
        return decode_document(read_raw(path))
    except DocumentError as error:
        known = str(error).startswith(f"{path}: ")
        raise DocumentError(str(error) if known else f"{path}: {error}") from None


def read_raw(path: Path) -> Any:
    """The raw form of a `.json` or `.toml` file. Raises `DocumentError`."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in ("json", "toml"):
        raise DocumentError(f"{path}: a schedule file ends in .json or .toml")
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise DocumentError(f"{path}: larger than {_LONGEST_FILE:,} B, which no schedule is")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 at byte {error.start}") from None
    try:
        return parse(text, kind)
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None


def dumps(document: Document, kind: str) -> str:
    """A document's text, for people to read and edit; `kind` is "json" or "toml". Ends in a newline."""
    if kind == "json":
        return json.dumps(document.to_dict(), indent=2, ensure_ascii=True) + "\n"
    if kind != "toml":
        raise DocumentError(f"kind={show(kind)} is not 'json' or 'toml'")
    import tomli_w

    whole = document.to_dict()
    # A bare key after a table would belong to that table.
    return tomli_w.dumps({"target": whole.pop("target"), **whole})


def dump(document: Document, path: str | Path) -> None:
    """Write a `.json` or `.toml` file. Raises `DocumentError`."""
    path = Path(path)
    text = dumps(document, path.suffix.removeprefix(".").lower())
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}") from None
