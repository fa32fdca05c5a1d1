"""How values of any kind, hostile ones included, are printed inside a message."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LONGEST = 60
_LONGEST_BITS = 128
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 2
_SHORT.maxstring = _SHORT.maxother = _LONGEST


def show(value: object) -> str:
    """`value` as one short line of ASCII. Never raises: junk is shown by its type."""
    if type(value) is int:
        return str(value) if value.bit_length() <= _LONGEST_BITS else f"<int of {value.bit_length()} bits>"
    try:
        if isinstance(value, str):
            text = ascii(str.__str__(value)[:_LONGEST])
        else:
            text = _SHORT.repr(value).encode("ascii", "backslashreplace").decode("ascii")
    except Exception:  # noqa: BLE001 - a foreign __repr__ may raise whatever it likes
        return f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= 2 * _LONGEST else f"{text[: 2 * _LONGEST]}..."


def show_key(key: object) -> str:
    """A mapping's key as it stands in a field path: identifiers as they are, anything else escaped."""
    if isinstance(key, str):
        text = str.__str__(key)
        return text if text.isascii() and text.isprintable() and len(text) <= _LONGEST else show(text)
    return show(key)


def listed(items: Sequence[str], joint: str = "or") -> str:
    """`items` as English: "a", "a or b", "a, b or c"."""
    head, last = items[:-1], items[-1]
    return f"{', '.join(head)} {joint} {last}" if head else last


def closest(text: object, names: Iterable[str], cutoff: float = 0.5) -> str | None:
    """The name that `text` is most likely a misspelling of, or None."""
    import difflib

    if not isinstance(text, str):
        return None
    found = difflib.get_close_matches(str.__str__(text)[:_LONGEST].strip().lower(), tuple(names), n=1, cutoff=cutoff)
    return found[0] if found else None
