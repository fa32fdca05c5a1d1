"""What must hold before a line is emitted; every broken rule is reported, with the nearest way out.

Rules that span mechanisms live here, those of one mechanism in its module under `gemmgen.mechanisms`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmgen.rules.base import Changes, Context, Finding, Rule
    from gemmgen.rules.check import check_legal
    from gemmgen.rules.fix import apply_fix
    from gemmgen.rules.listing import Entry, catalogue

__all__ = ["Changes", "Context", "Entry", "Finding", "Rule", "apply_fix", "catalogue", "check_legal"]

# Mechanisms need the type of a rule as soon as gemmgen is imported; all else waits until something is checked.
_HOMES = {
    **dict.fromkeys(("Changes", "Context", "Finding", "Rule"), "base"),
    **dict.fromkeys(("Entry", "catalogue"), "listing"),
    "check_legal": "check",
    "apply_fix": "fix",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'gemmgen.rules' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"gemmgen.rules.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
