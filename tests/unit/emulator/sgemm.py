"""The hand-written 128 x 128 x 8 kernel on the emulator."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gemmgen.emulator import Options, Region, SharedMember, emulate

SOURCE = (Path(__file__).parents[2] / "handwritten" / "sgemm_128x128x8.cu").read_text(encoding="utf-8")
SIGNATURE = ("i64", "i64", "i64", "f32", *("ptr", "i64") * 2, "f32", *("ptr", "i64") * 2, "ptr", "i64", "ptr")
MEMBERS = (SharedMember("a", 0, 2 * 8 * 132 * 4), SharedMember("b", 2 * 8 * 132 * 4, 2 * 8 * 128 * 4))


def matrix(rows, columns, pad, generator):
    """A (rows, columns) view with NaN in the padding and around it, 16-byte aligned when pad is a multiple of 4."""
    whole = np.full(((rows + 2) * (columns + pad) + 16,), np.nan, np.float32)
    skip = -whole.ctypes.data // 4 % 4
    view = whole[skip : skip + (rows + 2) * (columns + pad)].reshape(rows + 2, columns + pad)[1:-1, :columns]
    view[:] = generator.standard_normal((rows, columns))
    return view


def region(name, view, *, readable=True, writable=False):
    return Region(
        name, view.ctypes.data, view.shape[0], view.shape[1] * 4, view.strides[0], 4, readable, writable, readable
    )


def run(m, n, k, *, pad=0, alpha=1.0, beta=0.0, in_place=False, source=SOURCE, options=None):
    """Return the emulation, D and the float64 reference."""
    generator = np.random.default_rng(m * 7 + n * 3 + k)
    a, b, c = matrix(m, k, pad, generator), matrix(k, n, pad, generator), matrix(m, n, pad, generator)
    reference = alpha * (a.astype(np.float64) @ b.astype(np.float64))
    if beta:
        reference += beta * c.astype(np.float64)
    d = c if in_place else np.full_like(matrix(m, n, pad, generator), np.nan)
    if not in_place:
        d = matrix(m, n, pad, generator)
        d[:] = np.nan
    regions = [region("A", a), region("B", b), region("D", d, readable=False, writable=True)]
    if beta:
        regions.append(region("C", c))
    lds = [view.strides[0] // 4 for view in (a, b, c, d)]
    emulation = emulate(
        source,
        function="sgemm_128x128x8",
        signature=SIGNATURE,
        arguments=(
            m, n, k, alpha, a.ctypes.data, lds[0], b.ctypes.data, lds[1], beta, c.ctypes.data, lds[2], d.ctypes.data,
            lds[3], 0, 0, 0,
        ),
        regions=regions,
        shared_members=MEMBERS,
        options=options or Options(),
    )  # fmt: skip
    return emulation, d, reference
