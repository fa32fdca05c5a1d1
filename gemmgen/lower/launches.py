"""The launch of the product: its kernels, their parameters, and the table that chooses between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir import DTYPES, Gemm, Schedule
from gemmgen.plan import Condition, Kernel, Launch, Parameter

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry

__all__ = ["SIZES", "product_launch"]

SIZES = ("M", "N", "K")


def contiguous_extent(matrix: str, layout: str) -> str:
    """The size along which a matrix is contiguous, ``"M"``, ``"N"`` or ``"K"``."""
    row, column = {"A": ("K", "M"), "B": ("N", "K"), "C": ("N", "M"), "D": ("N", "M")}[matrix]
    return row if layout == "row" else column


def product_launch(problem: Gemm, schedule: Schedule, geometry: Geometry, symbol: str) -> Launch:
    """The one launch of a plain GEMM. Of two kernels only those that some call can get are there."""
    refuses = not schedule.edges.masked
    widths = (schedule.vector_a, schedule.vector_b, schedule.vector_c)
    conditions = _contract(problem, widths, geometry) if refuses else _conditions(problem, widths)
    if not refuses and _never_all_hold(problem, conditions):
        widths, conditions = (1, 1, 1), ()
    scheduled = Kernel(f"{symbol}_kernel", *widths)
    alone = refuses or widths == (1, 1, 1)
    return Launch(
        scheduled=scheduled,
        fallback=scheduled if alone else Kernel(f"{symbol}_kernel_scalar", 1, 1, 1),
        conditions=conditions,
        tile_m=geometry.bm,
        tile_n=geometry.bn,
        threads=geometry.threads,
        shared_bytes=geometry.shared_bytes_total,
        parameters=_parameters(problem),
        refuses=refuses,
    )


def _never_all_hold(problem: Gemm, conditions: tuple[Condition, ...]) -> bool:
    """Whether a size that the problem fixes keeps every call from the widths of the schedule."""
    sizes = {name: getattr(problem, name.lower()) for name in SIZES}
    return any(
        sizes[condition.extent] is not None and sizes[condition.extent] % condition.divisor != 0
        for condition in conditions
        if condition.subject == "extent"
    )


def _conditions(problem: Gemm, widths: tuple[int, int, int]) -> tuple[Condition, ...]:
    """A vector access is right if base and pitch keep it aligned and it never straddles the matrix's edge."""
    found = []
    dtypes = {"A": problem.a.dtype, "B": problem.b.dtype, "C": problem.c.dtype, "D": problem.c.dtype}
    layouts = {"A": problem.a.layout, "B": problem.b.layout, "C": problem.c.layout, "D": problem.c.layout}
    for matrix, width in zip("ABCD", (*widths, widths[2]), strict=True):
        if width == 1:
            continue
        found.append(Condition(matrix, "address", width * DTYPES[dtypes[matrix]].bytes))
        found.append(Condition(matrix, "ld", width))
        if matrix != "C":  # C has D's extents
            found.append(Condition(matrix, "extent", width, contiguous_extent(matrix, layouts[matrix])))
    return tuple(found)


def _contract(problem: Gemm, widths: tuple[int, int, int], geometry: Geometry) -> tuple[Condition, ...]:
    """Without masks: whole tiles along M, N and K, and what the widths ask of addresses and pitches."""
    tiles = (("D", geometry.bm, "M"), ("D", geometry.bn, "N"), ("A", geometry.bk, "K"))
    whole = [Condition(matrix, "extent", tile, size) for matrix, tile, size in tiles if tile > 1]
    return (*whole, *(c for c in _conditions(problem, widths) if c.subject != "extent"))


def _parameters(problem: Gemm) -> tuple[Parameter, ...]:
    a, b, c = (DTYPES[operand.dtype].c_type for operand in (problem.a, problem.b, problem.c))
    accumulator = DTYPES[problem.acc].c_type
    runtime = [size for size in SIZES if getattr(problem, size.lower()) is None]
    return (
        *(Parameter("int", size, "i32") for size in runtime),
        Parameter(accumulator, "alpha", problem.acc),
        Parameter(f"const {accumulator}*", "alpha_device", "ptr"),
        Parameter(f"const {a}* __restrict__", "A", "ptr"),
        Parameter("long long", "lda", "i64"),
        Parameter(f"const {b}* __restrict__", "B", "ptr"),
        Parameter("long long", "ldb", "i64"),
        Parameter(accumulator, "beta", problem.acc),
        Parameter(f"const {accumulator}*", "beta_device", "ptr"),
        Parameter(f"const {c}*", "C", "ptr"),
        Parameter("long long", "ldc", "i64"),
        Parameter(f"{c}*", "D", "ptr"),
        Parameter("long long", "ldd", "i64"),
    )
