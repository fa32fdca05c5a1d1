"""What to compute and how: frozen data that validates itself, the registry of mechanisms, and the serial form."""

from __future__ import annotations

from gemmgen.ir.problem import DTYPES, DType, Gemm, Operand
from gemmgen.ir.schedule import Schedule

__all__ = ["DTYPES", "DType", "Gemm", "Operand", "Schedule"]
