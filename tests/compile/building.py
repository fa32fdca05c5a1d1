"""Compilers as the tests run them: always an argument list, in a folder of their own, with nothing else on the path."""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.toolchain import compiler_environment, require_nvcc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gemmgen.emit import Emitted

STRICT = ("-Xcompiler", "-Wall,-Wextra", "-Werror", "all-warnings")


@dataclass(frozen=True)
class Built:
    """What a compiler did: its exit status, all that it said, and how long it took."""

    status: int
    said: str
    seconds: float


def run(command: Sequence[str], folder: Path) -> Built:
    begin = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=compiler_environment(), timeout=300
    )
    return Built(done.returncode, done.stdout + done.stderr, time.perf_counter() - begin)


def nvcc(folder: Path, *arguments: str) -> Built:
    compiler = require_nvcc()
    return run((*compiler.command, *compiler.link_arguments, *arguments), folder)


def write(folder: Path, *kernels: Emitted) -> list[str]:
    """Each kernel's two files; the names of the `.cu`."""
    for kernel in kernels:
        (folder / f"{kernel.symbol}.cu").write_text(kernel.source)
        (folder / f"{kernel.symbol}.h").write_text(kernel.header)
    return [f"{kernel.symbol}.cu" for kernel in kernels]


def check_clean(built: Built) -> None:
    """The compiler accepted everything and had nothing to say."""
    assert (built.status, built.said) == (0, "")


SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


def spills(said: str) -> list[int]:
    """Bytes that ptxas spilled, two numbers for each kernel."""
    return [int(number) for pair in SPILLS.findall(said) for number in pair]


def complaints(said: str) -> list[str]:
    """The lines of ``-Xptxas -v`` output that are more than information."""
    return [line for line in said.splitlines() if re.search(r"\b(warning|error)\b", line, re.IGNORECASE)]
