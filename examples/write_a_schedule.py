"""Write a schedule, look at the kernel it makes, run it without a GPU.

    python write_a_schedule.py [FOLDER]

With FOLDER the kernel's .cu and .h are written there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import gemmgen as gg

# What to compute: D = alpha A B + beta C on 32-bit floats, all four matrices stored by rows, sizes known at run time.
problem = gg.Gemm(a="f32", b="f32", c="f32")

# How. The comments say what each line buys; README.md explains every field.
schedule = gg.Schedule(
    cta_tile=(128, 128, 8),  # a CTA computes 128 x 128 elements, in steps of 8 along K
    warp_tile=(64, 32),  # its 8 warps compute 64 x 32 each
    thread_tile=(8, 8),  # a thread accumulates 8 x 8: 64 FMAs for 16 values that it loads
    thread_layout="quads",  # ... in groups of 4, so that neighbouring lanes read neighbouring 16 bytes
    vector_a=4,  # global accesses of 4 elements, 16 bytes
    vector_b=4,
    vector_c=4,
    smem_a="padded(4)",  # A is transposed on its way to shared memory; the padding spreads it over the banks
    stages=2,  # two buffers: the next tile arrives while this one multiplies
    fragment_buffers=2,  # and the same between shared memory and registers
)


def main(folder: str | None) -> None:
    # A schedule is checked before a line is emitted. An empty answer means: legal.
    assert gg.check_legal(problem, schedule, "sm_80") == ()
    kernel = gg.generate(problem, schedule, target="sm_80", name="my_sgemm")

    print("launcher:", kernel.symbol)
    for label, value in kernel.plan.facts:
        print(f"{label}: {value}")
    print(f"{kernel.symbol}.cu: {len(kernel.source.splitlines())} lines, its kernel begins with")
    first = kernel.source.index("  const ThreadPosition thread =")
    print("\n".join(kernel.source[first:].splitlines()[:4]))

    # The launcher of the .cu runs on the CPU, under checks. Sizes need not fit the tiles.
    rng = np.random.default_rng(0)
    a = rng.standard_normal((130, 70), dtype=np.float32)
    b = rng.standard_normal((70, 200), dtype=np.float32)
    d = kernel.run(a, b)
    error = np.abs(d - a.astype(np.float64) @ b.astype(np.float64)).max()
    print(f"130 x 200 x 70 on the emulator: largest error against float64 {error:.1e}")
    assert error < 1e-4

    # The same schedule in its serial form: what JSON and TOML files hold. Fields at their defaults may be left out.
    assert gg.Schedule.from_dict(schedule.to_dict()) == schedule

    if folder is not None:
        for suffix, text in ((".cu", kernel.source), (".h", kernel.header)):
            path = Path(folder, kernel.symbol).with_suffix(suffix)
            path.write_text(text, encoding="utf-8", newline="\n")
            print("wrote", path.name)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
