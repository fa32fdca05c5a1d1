"""Planted faults written once for both operands."""

from __future__ import annotations

from gemmgen.ir.registry import Mutant

__all__ = ["for_both_operands"]

_NAMES = {
    "a": {"<x>": "a", "<X>": "A", "<f>": "m", "<F>": "M", "<T>": "TM"},
    "b": {"<x>": "b", "<X>": "B", "<f>": "n", "<F>": "N", "<T>": "TN"},
}


def for_both_operands(name: str, description: str, pattern: str, replacement: str) -> tuple[Mutant, Mutant]:
    """The fault planted in A's code, and the same in B's.

    In ``pattern`` and ``replacement``, ``<x>`` and ``<X>`` stand for the operand's letter, ``<f>`` and ``<F>`` for that
    of its free axis, and ``<T>`` for its thread tile.
    """

    def named(text: str, operand: str) -> str:
        for token, word in _NAMES[operand].items():
            text = text.replace(token, word)
        return text

    a, b = (Mutant(f"{name}_{x}", description, named(pattern, x), named(replacement, x)) for x in _NAMES)
    return a, b
