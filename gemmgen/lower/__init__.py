"""From a legal (problem, schedule, target) to a plan. Pure: the same input gives an equal plan."""

from __future__ import annotations

from gemmgen.lower.names import check_name, parse_symbol, symbol_for
from gemmgen.lower.product import lower

__all__ = ["check_name", "lower", "parse_symbol", "symbol_for"]
