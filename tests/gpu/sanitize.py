"""Runs kernels on a GPU at ragged shapes, in exact allocations, for compute-sanitizer to watch.

    compute-sanitizer --tool memcheck|racecheck|initcheck|synccheck --error-exitcode 3 python tests/gpu/sanitize.py

Every result is compared with float64 as well. Exit code 1 if one is wrong.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gemmgen.api.catalog import CATALOG
from gemmgen.ir import DTYPES

if TYPE_CHECKING:
    from gemmgen.api.kernel import Kernel

# M, N, K: whole tiles, an element more, a fraction of one tile.
SHAPES = ((128, 128, 32), (129, 131, 33), (5, 3, 7))


def on_gpu(array: np.ndarray, layout: str) -> Any:
    """A copy in an allocation of just its size, so that a step beyond it is seen."""
    import cupy

    return cupy.asarray(np.asarray(array, order="C" if layout == "row" else "F"), order="K")


def is_right(kernel: Kernel, m: int, n: int, k: int, beta: float) -> bool:
    problem = kernel.problem
    rng = np.random.default_rng((m, n, k))
    kinds = (DTYPES[operand.dtype].numpy_name for operand in (problem.a, problem.b, problem.c))
    shapes = ((m, k), (k, n), (m, n))
    a, b, c = (rng.integers(-4, 5, shape).astype(kind) for shape, kind in zip(shapes, kinds, strict=True))
    expected = 2.0 * (a.astype(np.float64) @ b.astype(np.float64)) + beta * c
    device_c = on_gpu(c, problem.c_layout)
    d = kernel.run(
        on_gpu(a, problem.a_layout),
        on_gpu(b, problem.b_layout),
        device_c if beta else None,
        alpha=2.0,
        beta=beta,
        on="cuda",
    )
    return bool(np.array_equal(d.get(), expected.astype(c.dtype)))


def main() -> int:
    wrong = []
    for entry in CATALOG:
        kernel = entry.generate()
        for m, n, k in SHAPES:
            fixed = (kernel.problem.m, kernel.problem.n, kernel.problem.k)
            sizes = [size if known is None else known for known, size in zip(fixed, (m, n, k), strict=True)]
            wrong += [f"{entry.title} at {sizes}" for beta in (0.0, 0.5) if not is_right(kernel, *sizes, beta)]
    print(f"{len(CATALOG)} kernels, {len(SHAPES)} shapes, beta 0 and 0.5: {len(wrong)} wrong", *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    import cupy

    cupy.cuda.set_allocator(None)  # one cudaMalloc an array, not a pool
    sys.exit(main())
