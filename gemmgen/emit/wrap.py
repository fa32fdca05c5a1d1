"""Line wrapping for emitted C++ text: templates print a statement on one line, this breaks it where a person would."""

from __future__ import annotations

import itertools
import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_COLUMNS", "wrap_lines"]

MAX_COLUMNS = 112
_BREAK = re.compile(r"(?<=,) | (?=&& )| (?=\|\| )| (?=\? )| (?=: )")
_PROSE = re.compile(r"( *)// (?! )")


def wrap_lines(text: str) -> str:
    """Wrap lines of more than ``MAX_COLUMNS`` columns.

    A paragraph of comment is filled again at words if any of its lines is too long; comment lines that begin with more
    than one space are kept as they are. A statement breaks after commas and before operators, at its outermost
    brackets, and goes on below what follows the bracket. A line with no place to break is left alone.
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
    places = _places(line)
    columns: dict[int, int] = {}  # where each opening bracket came to stand
    pieces: list[str] = []
    start, column = 0, 0
    while len(line) - start + column > MAX_COLUMNS:
        limit = start + MAX_COLUMNS - column
        fitting = [place for place in places if start < place[1] <= limit]
        if not fitting:
            break
        columns |= {bracket: bracket - start + column for bracket in range(start, limit) if line[bracket] in "([{"}
        _, end, bracket = max(fitting, key=lambda place: (-place[0], place[1]))
        pieces.append(" " * column + line[start:end].rstrip())
        start, column = end + 1, columns[bracket] + 1
    pieces.append(" " * column + line[start:])
    return pieces


def _places(line: str) -> list[tuple[int, int, int]]:
    """Where a line may break: (depth of brackets, position of the space, position of the innermost open bracket)."""
    found = []
    for match in _BREAK.finditer(line):
        opened: list[int] = []
        quoted = False
        for position, character in enumerate(line[: match.start()]):
            quoted ^= character == '"'
            if not quoted and character in "([{":
                opened.append(position)
            elif not quoted and character in ")]}" and opened:
                opened.pop()
        if opened and not quoted:
            found.append((len(opened), match.start(), opened[-1]))
    return found
