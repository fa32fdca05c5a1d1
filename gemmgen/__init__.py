"""Generator of specialised, standalone CUDA GEMM kernels.

`Gemm` says what to compute, `Schedule` how, a target where; `generate` makes a `.cu` file and its header of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gemmgen.mechanisms as _mechanisms
from gemmgen.errors import (
    ArgumentError,
    Diagnostic,
    DocumentError,
    EmulationFault,
    EnvironmentUnavailable,
    GemmgenError,
    InternalError,
    ScheduleError,
)
from gemmgen.ir import Gemm, Operand, Schedule
from gemmgen.target import Target

if TYPE_CHECKING:
    from gemmgen.api import Kernel, generate
    from gemmgen.rules import check_legal

__all__ = [
    "ArgumentError",
    "Diagnostic",
    "DocumentError",
    "EmulationFault",
    "EnvironmentUnavailable",
    "Gemm",
    "GemmgenError",
    "InternalError",
    "Kernel",
    "Operand",
    "Schedule",
    "ScheduleError",
    "Target",
    "check_legal",
    "generate",
]

_mechanisms.register_all()

# What stands on more than frozen data is imported when it is first asked for.
_LATE = {"Kernel": "gemmgen.api", "generate": "gemmgen.api", "check_legal": "gemmgen.rules"}
_LATE_MODULES = ("api", "emulator", "model", "rules", "runtime", "testing")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _LATE:
        value = getattr(import_module(_LATE[name]), name)
    elif name in _LATE_MODULES:
        value = import_module(f"gemmgen.{name}")
    else:
        raise AttributeError(f"module 'gemmgen' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LATE_MODULES})
