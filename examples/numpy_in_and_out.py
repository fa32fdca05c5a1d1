"""NumPy arrays in and out of a kernel: layouts, leading dimensions, in place, alpha and beta, and what is refused.

    python numpy_in_and_out.py

Nothing is ever copied: the kernel works on the arrays' own memory, so their strides have to fit the declared layout.
"""

from __future__ import annotations

import numpy as np

import gemmgen as gg

SCHEDULE = gg.Schedule(cta_tile=(32, 32, 8), thread_tile=(4, 4), vector_a=4, vector_b=4, vector_c=4)
RNG = np.random.default_rng(0)


def integers(rows: int, columns: int, order: str = "C") -> np.ndarray:
    """Small integers, for which every right result is exact."""
    return np.asarray(RNG.integers(-4, 5, (rows, columns)), dtype=np.float32, order=order)


def plain() -> None:
    kernel = gg.generate(gg.Gemm(), SCHEDULE)
    a, b = integers(40, 12), integers(12, 36)
    d = kernel.run(a, b)
    assert np.array_equal(d, a @ b)
    print("plain:", d.shape, d.dtype)


def alpha_and_beta() -> None:
    kernel = gg.generate(gg.Gemm(), SCHEDULE)
    a, b, c = integers(40, 12), integers(12, 36), integers(40, 36)
    d = kernel.run(a, b, c, alpha=2.0, beta=-1.0)  # c stays as it is
    assert np.array_equal(d, 2 * (a @ b) - c)
    # With beta = 0, C is not read: what it holds, NaN included, can not reach D.
    d = kernel.run(a, b, np.full((40, 36), np.nan, np.float32), beta=0.0)
    assert np.array_equal(d, a @ b)
    print("alpha and beta: beta = 0 ignores a C full of NaN")


def layouts() -> None:
    # A stored by columns, as Fortran and BLAS do; B and D by rows.
    kernel = gg.generate(gg.Gemm(a_layout="col"), SCHEDULE)
    a, b = integers(40, 12, order="F"), integers(12, 36)
    assert np.array_equal(kernel.run(a, b), a @ b)
    # A transposed view is the other layout at no cost: w.T is column-major when w is row-major.
    w = integers(12, 40)
    assert np.array_equal(kernel.run(w.T, b), w.T @ b)
    print("layouts: a column-major A, and w.T without a copy")


def leading_dimensions() -> None:
    kernel = gg.generate(gg.Gemm(), SCHEDULE)
    large = integers(100, 64)
    a = large[10:50, 3:15]  # lda is 64, and the first element is not aligned to 16 bytes: the scalar path takes it
    b, whole = integers(12, 36), np.zeros((60, 50), np.float32)
    kernel.run(a, b, out=whole[5:45, 8:44])
    assert np.array_equal(whole[5:45, 8:44], a @ b)
    assert not whole[:5].any()
    assert not whole[:, :8].any()
    print("leading dimensions: a view in, a view out, nothing beside it touched")


def in_place() -> None:
    kernel = gg.generate(gg.Gemm(), SCHEDULE)
    a, b, c = integers(40, 12), integers(12, 36), integers(40, 36)
    expected = a @ b + c
    kernel.run(a, b, c, beta=1.0, out=c)
    assert np.array_equal(c, expected)
    print("in place: out is c")


def refusals() -> None:
    kernel = gg.generate(gg.Gemm(), SCHEDULE)
    a, b = integers(40, 12), integers(12, 36)
    square = integers(12, 12)
    calls = {
        "inner sizes": lambda: kernel.run(a, b[:10]),
        "type": lambda: kernel.run(a.astype(np.float64), b),
        "layout": lambda: kernel.run(np.asfortranarray(a), b),
        "every second column": lambda: kernel.run(integers(40, 24)[:, ::2], b),
        "overlap": lambda: kernel.run(square, integers(12, 12), out=square),
        "no c": lambda: kernel.run(a, b, beta=1.0),
    }
    for name, call in calls.items():
        try:
            call()
        except gg.ArgumentError as error:
            print(f"refused ({name}): {error}")
        else:
            raise AssertionError(f"{name} was accepted")


if __name__ == "__main__":
    for step in (plain, alpha_and_beta, layouts, leading_dimensions, in_place, refusals):
        step()
