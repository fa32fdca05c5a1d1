"""Compare the emulator's counts with the hardware counters that Nsight Compute reads.

    ncu --csv --clock-control none --metrics $(python tests/gpu/ncu_counts.py metrics) \
        python tests/gpu/ncu_counts.py launch > counts.csv
    python tests/gpu/ncu_counts.py compare counts.csv [--json OUT]

Both sides add up one whole kernel. Exit code 1 if a count differs and nothing in ``MERGES`` names why.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import gemmgen as gg
from gemmgen.ir import DTYPES

METRICS = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": ("ld.shared", "wavefronts"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": ("st.shared", "wavefronts"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ("ld.global", "sectors"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": ("st.global", "sectors"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": ("ld.global", "requests"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": ("st.global", "requests"),
}

WARPED = {"cta_tile": (128, 128, 8), "warp_tile": (64, 32), "thread_tile": (8, 8)}
WIDE = {"vector_a": 4, "vector_b": 4, "vector_c": 4}
SCHEDULES: dict[str, tuple[gg.Gemm, gg.Schedule]] = {
    "coalesced": (gg.Gemm(), gg.Schedule(cta_tile=(8, 32, 4), thread_tile=(1, 1), copy="direct")),
    "shared": (gg.Gemm(), gg.Schedule(cta_tile=(32, 32, 32), thread_tile=(1, 1))),
    "unpadded": (gg.Gemm(), gg.Schedule(**WARPED, **WIDE)),
    "padded_quads": (
        gg.Gemm(),
        gg.Schedule(**WARPED, **WIDE, smem_a="padded(4)", thread_layout="quads", stages=2, raster="grouped(8)"),
    ),
    "swizzled": (
        gg.Gemm(),
        gg.Schedule(
            cta_tile=(64, 64, 16), warp_tile=(32, 32), thread_tile=(8, 4), vector_a=4, vector_b=4, vector_c=4,
            smem_a="swizzled(2, 2, 6)", smem_b="swizzled(3, 2, 4)", raster="hilbert", edges="aligned",
        ),
    ),
    "double": (
        gg.Gemm(a="f64", b="f64", c="f64", acc="f64"),
        gg.Schedule(
            cta_tile=(64, 64, 8), warp_tile=(32, 16), thread_tile=(4, 4), thread_layout="quads", mma="dfma",
            vector_a=2, vector_b=2, vector_c=2, smem_a="padded(2)", stages=2,
        ),
    ),
    "k_major": (
        gg.Gemm(b_layout="col"),
        gg.Schedule(
            cta_tile=(64, 64, 16), warp_tile=(32, 32), thread_tile=(8, 4), vector_a=4, vector_b=4, vector_c=4,
            smem_a="padded(1, major=k)", smem_b="padded(4)",
        ),
    ),
}  # fmt: skip
SHAPE = (256, 192, 64)  # M, N, K

# What nvcc does with the text, where a count differs: schedule, metric -> sentence.
MERGES: dict[tuple[str, str], str] = {
    ("k_major", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"): (
        "nvcc unrolls k and joins a row's loads of k, k+1, ... where they are aligned into loads of 8 and 16 bytes"
    ),
}


def inputs(problem: gg.Gemm) -> tuple[Any, Any]:
    m, n, k = SHAPE
    rng = np.random.default_rng(7)
    a = rng.standard_normal((m, k)).astype(numpy_type(problem.a))
    b = rng.standard_normal((k, n)).astype(numpy_type(problem.b))
    return as_on_gpu(a, problem.a_layout), as_on_gpu(b, problem.b_layout)


def numpy_type(operand: gg.Operand) -> str:
    return DTYPES[operand.dtype].numpy_name


def as_on_gpu(values: np.ndarray, layout: str) -> np.ndarray:
    """The same values where a device allocation would put them: from a multiple of 256 bytes on."""
    raw = np.empty(values.nbytes + 256, np.uint8)
    skip = -raw.ctypes.data % 256
    flat = raw[skip : skip + values.nbytes].view(values.dtype)
    array = flat.reshape(values.shape, order="C" if layout == "row" else "F")
    array[...] = values
    return array


def launch() -> None:
    """Run each schedule once on the GPU."""
    import cupy

    for problem, schedule in SCHEDULES.values():
        kernel = gg.generate(problem, schedule)
        a, b = (cupy.asarray(array, order="K") for array in inputs(problem))
        kernel.run(a, b, on="cuda")
    cupy.cuda.Device().synchronize()


def emulated() -> dict[str, dict[str, int]]:
    """The emulator's sums, by schedule and metric."""
    found = {}
    for name, (problem, schedule) in SCHEDULES.items():
        d = as_on_gpu(np.empty((SHAPE[0], SHAPE[1]), numpy_type(problem.c)), problem.c_layout)
        counts = gg.generate(problem, schedule).count(*inputs(problem), out=d)
        found[name] = {
            metric: sum(getattr(line, what) for line in counts if line.instruction.startswith(instruction))
            for metric, (instruction, what) in METRICS.items()
        }
    return found


def measured(path: Path) -> dict[str, dict[str, int]]:
    """Nsight Compute's values, by schedule and metric."""
    symbols = {gg.generate(*parts).plan.launches[0].scheduled.name: name for name, parts in SCHEDULES.items()}
    lines = path.read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    found: dict[str, dict[str, int]] = {}
    for row in csv.DictReader(lines[begin:]):
        name = symbols.get(row["Kernel Name"].split("(")[0])
        if name is not None:
            found.setdefault(name, {})[row["Metric Name"]] = int(float(row["Metric Value"].replace(",", "")))
    return found


def compare(path: Path, output: Path | None) -> int:
    ours, theirs = emulated(), measured(path)
    rows, unexplained = [], 0
    for name, counts in ours.items():
        for metric, value in counts.items():
            hardware = theirs.get(name, {}).get(metric)
            note = "" if hardware == value else MERGES.get((name, metric), "DIFFERS")
            unexplained += note == "DIFFERS"
            rows.append({"schedule": name, "metric": metric, "emulator": value, "hardware": hardware, "note": note})
            print(f"{name:14} {metric:56} {value:>10} {hardware!s:>10}  {note}")
    if output is not None:
        output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return int(unexplained > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("metrics", "launch", "compare"))
    parser.add_argument("csv", nargs="?", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.action == "metrics":
        print(",".join(METRICS))
    elif arguments.action == "launch":
        launch()
    else:
        return compare(arguments.csv, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
