"""Tools to test kernels with, on any machine: strategies, an oracle, assertions, planted faults.

The only room that imports Hypothesis, and only for the strategies: they need the extra ``gemmgen[test]``. The engine of
`gemmgen check` is in `gemmgen.testing.check`, planted faults in `gemmgen.testing.mutation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.errors import EnvironmentUnavailable

if TYPE_CHECKING:
    from gemmgen.testing.assertions import assert_correct, standard_cases
    from gemmgen.testing.cases import Case, Failure
    from gemmgen.testing.strategies import NearMiss, near_misses, problems, schedules, shapes

__all__ = [
    "Case",
    "Failure",
    "NearMiss",
    "assert_correct",
    "near_misses",
    "problems",
    "schedules",
    "shapes",
    "standard_cases",
]

# Imported when first asked for, so that the oracle can be used without Hypothesis.
_HOMES = {
    **dict.fromkeys(("assert_correct", "standard_cases"), "assertions"),
    **dict.fromkeys(("Case", "Failure"), "cases"),
    **dict.fromkeys(("NearMiss", "near_misses", "problems", "schedules", "shapes"), "strategies"),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'gemmgen.testing' has no attribute {name!r}")
    from importlib import import_module

    try:
        module = import_module(f"gemmgen.testing.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        message = f"gemmgen.testing.{name} needs Hypothesis: pip install 'gemmgen[test]'"
        raise EnvironmentUnavailable(message) from None
    return getattr(module, name)
