"""Runs emitted text on the CPU under checks: g++ compiles it, every load and store is seen.

`emulate` calls the launcher as emitted; kernels run as fibers, a thread each. See `records` for what comes back.
"""

from __future__ import annotations

from gemmgen.emulator.build import CompileError
from gemmgen.emulator.emulate import emulate
from gemmgen.emulator.records import (
    Emulation,
    Fault,
    Frame,
    Launch,
    LineCount,
    Options,
    Party,
    Region,
    SharedMember,
    Unwritten,
)

__all__ = [
    "CompileError",
    "Emulation",
    "Fault",
    "Frame",
    "Launch",
    "LineCount",
    "Options",
    "Party",
    "Region",
    "SharedMember",
    "Unwritten",
    "emulate",
]
