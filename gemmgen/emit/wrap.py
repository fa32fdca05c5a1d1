"""Line wrapping for emitted C++ text: templates print a statement on one line, this breaks it where a person would."""

from __future__ import annotations

import itertools
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_COLUMNS", "wrap_lines"]

MAX_COLUMNS = 112
HANGING_COLUMNS = 64  # a bracket that opens further right has its contents on lines of their own
CONTINUATION = 4
STATEMENT = 2
_BREAK = re.compile(r"(?<=,) | (?=&& )| (?=\|\| )| (?=\? )| (?=: )|(?<=\)) (?=return )")
_COMMENT = re.compile(r" *//")
_PROSE = re.compile(r"( *)// (?! )")


@dataclass(frozen=True, slots=True)
class _Place:
    """A space where a line may break, and the positions of the brackets that are open there, outermost first."""

    position: int
    brackets: tuple[int, ...]


def wrap_lines(text: str) -> str:
    """Wrap lines of more than ``MAX_COLUMNS`` columns.

    A paragraph of comment is filled again at words if any of its lines is too long; comment lines that begin with more
    than one space are kept as they are. A statement breaks after commas and before operators, at its outermost
    brackets, and goes on below what follows the bracket, or, if that is far to the right, one step in from the
    statement. A line with no place to break is left alone.
    """
    return "\n".join(_wrapped(text.split("\n")))


def _wrapped(lines: list[str]) -> Iterator[str]:
    for indent, group in itertools.groupby(lines, key=_prose_indent):
        if indent is None:
            for line in group:
                yield from _wrap_code(line)
        else:
            yield from _fill(indent, list(group))


def _prose_indent(line: str) -> str | None:
    match = _PROSE.match(line)
    return None if match is None else match.group(1)


def _fill(indent: str, paragraph: list[str]) -> list[str]:
    if all(len(line) <= MAX_COLUMNS for line in paragraph):
        return paragraph
    prefix = f"{indent}// "
    words = " ".join(line[len(prefix) :] for line in paragraph)
    return textwrap.wrap(
        words,
        width=MAX_COLUMNS,
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrap_code(line: str) -> list[str]:
    if len(line) <= MAX_COLUMNS or line.lstrip().startswith(("#", "//")):
        return [line]
    places, brackets = _places(line)
    indent = len(line) - len(line.lstrip())
    columns: dict[int, int] = {}  # for each bracket passed, the column at which its contents go on
    pieces: list[str] = []
    start, column = 0, 0
    while len(line) - start + column > MAX_COLUMNS:
        limit = min(start + MAX_COLUMNS - column, len(line) - 1)
        columns |= {i: i - start + column + 1 for i in brackets if start <= i < limit}
        fitting = [place for place in places if start < place.position <= limit]
        best = min(fitting, key=lambda place: (len(place.brackets), -place.position), default=None)
        filled = [i for i in brackets if start <= i < limit and line[i + 1] not in ")]}"]
        bracket = _far_bracket(best, filled, columns)
        if bracket is not None:
            end = bracket + 1
            columns[bracket] = following = indent + CONTINUATION
        elif best is not None:
            end = best.position
            following = columns[best.brackets[-1]] if best.brackets else indent + _step(line[end:])
        else:
            break
        pieces.append(" " * column + line[start:end].rstrip())
        start, column = end + line[end:].startswith(" "), following
    pieces.append(" " * column + line[start:])
    return pieces


def _step(rest: str) -> int:
    return STATEMENT if rest.startswith(" return ") else CONTINUATION


def _far_bracket(best: _Place | None, filled: list[int], columns: dict[int, int]) -> int | None:
    """The bracket to break behind, because its contents would go on far to the right, or nothing else fits at all."""
    if best is None:
        return filled[0] if filled else None
    return next((i for i in filled if i in best.brackets and columns[i] > HANGING_COLUMNS), None)


def _places(line: str) -> tuple[list[_Place], list[int]]:
    """Where a statement may break, and its opening brackets.

    Outside of brackets it breaks at operators, and before a ``return`` after an ``if``.
    """
    states = _open_brackets(line)
    places = []
    for match in _BREAK.finditer(line, 0, len(states)):
        opened = states[match.start()]
        if opened is not None and (opened or line[match.start() - 1] != ","):
            places.append(_Place(match.start(), opened))
    return places, [i for i, opened in enumerate(states) if opened and opened[-1] == i]


def _open_brackets(line: str) -> list[tuple[int, ...] | None]:
    """For each position up to a comment the brackets that are open there, None within a string."""
    states: list[tuple[int, ...] | None] = []
    opened: tuple[int, ...] = ()
    quoted = False
    for position, character in enumerate(line):
        if not quoted and _COMMENT.match(line, position):
            break
        quoted ^= character == '"'
        if not quoted and character in "([{":
            opened = (*opened, position)
        elif not quoted and character in ")]}":
            opened = opened[:-1]
        states.append(None if quoted else opened)
    return states
