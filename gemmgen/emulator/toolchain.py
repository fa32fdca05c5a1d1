"""The C++ compiler that the emulator uses, and the flags it needs."""

from __future__ import annotations

import functools
import platform
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.errors import EnvironmentUnavailable
from gemmgen.toolchain import require_cxx

if TYPE_CHECKING:
    from collections.abc import Sequence

NATIVE = Path(__file__).parent / "native"

# The thread sanitizer's calls stand for the device's accesses one to one only if the optimizer neither duplicates nor
# merges nor hoists them before the instrumentation: no jump threading, path splitting, tail merging and the like.
_FAITHFUL = (
    "-fno-strict-aliasing", "-fno-thread-jumps", "-fno-split-paths", "-fno-unswitch-loops", "-fno-tree-tail-merge",
    "-fno-crossjumping", "-fno-code-hoisting", "-fno-tree-pre", "-fno-optimize-sibling-calls",
)  # fmt: skip
# g++ 12 loses the rounding when it vectorizes two conversions from double to float and back.
_SOUND = ("-fno-tree-slp-vectorize", "-ffp-contract=off")
# Passes that cost a fifth of the compile time and gain nothing measurable, most of a kernel's time being in the checks.
_LEFT_OUT = (
    "-fno-tree-vrp", "-fno-gcse", "-fno-expensive-optimizations", "-fno-rerun-cse-after-loop", "-fno-schedule-insns2",
    "-fno-tree-dominator-opts",
)  # fmt: skip
_COMMON = (
    "-std=c++17", "-O2", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
    "-fno-gnu-unique", "-fno-plt",
)  # fmt: skip
# What x86-64-v3 asks for, as /proc/cpuinfo spells it.
_V3_FEATURES = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"})

# DWARF 4: addr2line of binutils 2.40 takes the second file of a DWARF 5 line table for the first.
KERNEL_FLAGS = (
    *_COMMON, *_FAITHFUL, *_LEFT_OUT, *_SOUND, "-fsanitize=thread",
    "--param=tsan-instrument-func-entry-exit=0", "-gdwarf-4", "-g1", "-w", "-nostdlib", "-DGEMMGEN_EMULATION",
)  # fmt: skip
RUNTIME_FLAGS = (*_COMMON, "-pthread")


def compiler() -> tuple[tuple[str, ...], str]:
    """Return the command (CXX from the environment, a path or a command line; else g++) and its version text.

    Raises EnvironmentUnavailable if there is none.
    """
    found = require_cxx()
    return found.command, found.version


def run(arguments: Sequence[str], given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the compiler with these arguments, `given` being its input.

    Raises EnvironmentUnavailable if it can not be run, which is more than that it finds errors.
    """
    command, _ = compiler()
    try:
        return subprocess.run([*command, *arguments], input=given, capture_output=True, text=True, check=False)
    except OSError as error:
        raise unfit(f"it can not be run ({error.strerror})") from None


def unfit(why: str) -> EnvironmentUnavailable:
    """Make the error for a compiler that is there and does not do what the emulator needs."""
    command, version = compiler()
    name = version.splitlines()[0] if version else "it names no version"
    return EnvironmentUnavailable(
        f"The CPU emulator needs g++ 9 or above and can not use {shlex.join(command)} ({name}): {why}. "
        "Install g++ (Debian, Ubuntu: apt-get install g++) or set CXX to one."
    )


@functools.lru_cache(maxsize=1)
def machine_flags() -> tuple[str, ...]:
    """Return the instruction set to compile for: at most x86-64-v3, so that a cache may move between machines."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ()
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        text = ""
    features = next((line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith("flags")), [])
    return ("-march=x86-64-v3",) if features and frozenset(features) >= _V3_FEATURES else ("-march=x86-64-v2",)
