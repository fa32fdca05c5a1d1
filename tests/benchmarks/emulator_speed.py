"""Measures the emulator on the hand-written 128x128x8 kernel: all checks and vector clocks on, compile excluded.

    python tests/benchmarks/emulator_speed.py [--size 512] [--runs 5] [--counts]

Prints one JSON object: giga multiply-adds a second (median of the runs, and each), and the seconds of a fresh compile.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmgen.emulator import Options, Region, SharedMember, build, emulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE = Path(__file__).parents[1] / "handwritten" / "sgemm_128x128x8.cu"
FUNCTION = "sgemm_128x128x8"
SIGNATURE = ("i64", "i64", "i64", "f32", *("ptr", "i64") * 2, "f32", *("ptr", "i64") * 2, "ptr", "i64", "ptr")
MEMBERS = (SharedMember("a", 0, 2 * 8 * 132 * 4), SharedMember("b", 2 * 8 * 132 * 4, 2 * 8 * 128 * 4))


def region(name: str, matrix: NDArray[np.float32], *, output: bool) -> Region:
    """Describe a square matrix without padding."""
    size = matrix.shape[0]
    return Region(name, matrix.ctypes.data, size, size * 4, size * 4, 4, not output, output, not output)


def seconds_of_one_run(source: str, size: int, options: Options) -> float:
    """Emulate D = A B once and check what it says."""
    a, b, d = (np.ones((size, size), np.float32) for _ in range(3))
    regions = (region("A", a, output=False), region("B", b, output=False), region("D", d, output=True))
    addresses = [matrix.ctypes.data for matrix in (a, b, d)]
    arguments = (
        size, size, size, 1.0, addresses[0], size, addresses[1], size, 0.0, 0, size, addresses[2], size, 0, 0, 0,
    )  # fmt: skip
    begin = time.perf_counter()
    emulation = emulate(
        source, function=FUNCTION, signature=SIGNATURE, arguments=arguments, regions=regions, shared_members=MEMBERS,
        options=options,
    )  # fmt: skip
    seconds = time.perf_counter() - begin
    if not emulation.clean or emulation.status != 0 or not (d == size).all():
        raise SystemExit(f"the kernel is not right:\n{emulation.report()}")
    return seconds


def seconds_to_compile(source: str) -> float:
    """Compile and load a text that no cache holds."""
    begin = time.perf_counter()
    with build.module_of(f"{source}\n// {os.getpid()} {begin}\n", FUNCTION):
        return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--counts", action="store_true", help="count wavefronts and sectors too")
    chosen = parser.parse_args()
    source = SOURCE.read_text(encoding="utf-8")
    options = Options(counts=chosen.counts)
    seconds_of_one_run(source, chosen.size, options)  # builds what is missing
    rates = [chosen.size**3 / seconds_of_one_run(source, chosen.size, options) / 1e9 for _ in range(chosen.runs)]
    result = {
        "kernel": FUNCTION,
        "size": chosen.size,
        "counts": chosen.counts,
        "cores": len(os.sched_getaffinity(0)),
        "machine": platform.machine(),
        "gmacs_per_second_median": round(statistics.median(rates), 3),
        "gmacs_per_second": [round(rate, 3) for rate in rates],
        "compile_seconds_median": round(statistics.median(seconds_to_compile(source) for _ in range(5)), 3),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
