"""What differs between two kernels: the fields of their descriptions, then their text."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmgen.api.documents import Description

__all__ = ["FieldDifference", "field_differences", "text_difference"]


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field, "schedule.stages", and its value on either side; None where a side leaves it out."""

    field: str
    left: object
    right: object


def field_differences(left: Description, right: Description) -> list[FieldDifference]:
    """Every field that differs, in the order of its path."""
    first, second = _flat(left.to_dict()), _flat(right.to_dict())
    paths = sorted({**first, **second})
    return [
        FieldDifference(path, first.get(path), second.get(path))
        for path in paths
        if first.get(path) != second.get(path)
    ]


def text_difference(left: Description, right: Description, names: tuple[str, str]) -> str:
    """A unified diff of the two ``.cu`` texts, empty if they are equal. The text of a ``.cu`` is that in its file.

    Symbols that differ, which hold a hash of everything and stand in every other line, are shown as ``SYMBOL``: what is
    left are the differences that a reader looks for.
    """
    kernels = [description.generate() for description in (left, right)]
    hides_symbols = kernels[0].symbol != kernels[1].symbol
    texts = []
    for description, kernel in zip((left, right), kernels, strict=True):
        text = kernel.source if description.text is None else description.text
        texts.append((_without_symbol(text, kernel.symbol) if hides_symbols else text).splitlines())
    return "\n".join(difflib.unified_diff(texts[0], texts[1], names[0], names[1], lineterm=""))


def _without_symbol(text: str, symbol: str) -> str:
    # A short name may stand within other words, which stay.
    return re.sub(rf"(?<![A-Za-z0-9])(?:{symbol}|{symbol.upper()})(?![A-Za-z0-9])", "SYMBOL", text)


def _flat(document: dict[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in document.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": entry for inner, entry in value.items()})
        else:
            flat[key] = value
    return flat
