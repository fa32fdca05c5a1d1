"""Measures what a newcomer waits for: import, help, the first emission of a process, and a warm one.

    python tests/benchmarks/newcomer.py [--runs 15]

Prints one JSON object: milliseconds, median and fastest of the runs, each in a process of its own except the warm one.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time

IMPORT = "import time; t = time.perf_counter(); import gemmgen; print((time.perf_counter() - t) * 1e3)"
FIRST = (
    "import time; t = time.perf_counter(); import gemmgen as gg; gg.generate(gg.Gemm(), gg.Schedule()); "
    "print((time.perf_counter() - t) * 1e3)"
)
WARM = """
import statistics, time, gemmgen as gg
schedules = [
    gg.Schedule(cta_tile=(128, 128, 8), warp_tile=(64, 32), vector_a=4, vector_b=4, vector_c=4, stages=stages,
                thread_layout="quads", smem_a=f"padded({pad})", raster="grouped(8)")
    for stages in (1, 2) for pad in range(1, 11)
]
gg.generate(gg.Gemm(), schedules[0])
times = []
for schedule in schedules:
    begin = time.perf_counter()
    gg.generate(gg.Gemm(), schedule)
    times.append((time.perf_counter() - begin) * 1e3)
print(statistics.median(times))
"""


def printed(code: str) -> float:
    """Run a program that prints one number."""
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def wall(*command: str) -> float:
    """Milliseconds of a whole process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, *command], capture_output=True, check=True)
    return (time.perf_counter() - begin) * 1e3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    measures = {
        "python_start": lambda: wall("-c", "pass"),
        "import_gemmgen": lambda: printed(IMPORT),
        "help_whole_process": lambda: wall("-m", "gemmgen", "--help"),
        "import_and_first_kernel": lambda: printed(FIRST),
        "warm_kernel": lambda: printed(WARM),
    }
    result: dict[str, object] = {"python": platform.python_version(), "machine": platform.machine(), "unit": "ms"}
    for name, measure in measures.items():
        values = [measure() for _ in range(runs)]
        result[name] = {"median": round(statistics.median(values), 2), "fastest": round(min(values), 2)}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
