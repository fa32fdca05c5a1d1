"""Multiply-add on CUDA cores, in FP32."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gemmgen.ir.domain import Names
from gemmgen.ir.record import param, record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import MmaRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry
    from gemmgen.ir.problem import Gemm


ORDERS = ("row_major", "row_snake", "column_major", "column_snake")


@record
class Ffma(MmaRecord):
    """One `fmaf` a product, K ascending: FP32 in, FP32 accumulated.

    `order` is that of the FMAs of one K step in the source. The result does not depend on it; the compiler's choice of
    registers, and with it conflicts at the register file's ports, does.
    """

    types: ClassVar[tuple[tuple[str, str, str, str], ...]] = (("f32", "f32", "f32", "f32"),)
    order: str = param(
        Names(ORDERS), why="The loops over a thread's tile nest in two ways, straight or in turns", default=ORDERS[0]
    )


def lower(record: Ffma, geometry: Geometry, problem: Gemm) -> Part:
    """The part of the file that multiplies two fragments."""
    del geometry, problem
    rows = ("i", "TM", "j", "TN", "row", "b")
    columns = ("j", "TN", "i", "TM", "column", "a")
    names = ("outer", "outer_extent", "inner", "inner_extent", "line", "kept")
    values = dict(zip(names, rows if record.order.startswith("row") else columns, strict=True))
    return Part("mma_ffma_snake.cu.jinja" if record.order.endswith("snake") else "mma_ffma.cu.jinja", values)


MUTANTS = (
    Mutant(
        "short_turn", "a row walked backwards leaves out its first element", "TN - 1 - step", "TN - step - (step == 0)"
    ),
    Mutant("lost_sum", "products are not accumulated", "fmaf(a[i], b[j], acc[i][j])", "fmaf(a[i], b[j], 0.0f)"),
    Mutant("one_row", "every row multiplies the first element of A", "fmaf(a[i], b[j]", "fmaf(a[0], b[j]"),
    Mutant(
        "short_significand",
        "A is rounded to 12 bits on the way, as TF32 would",
        "fmaf(a[i], b[j]",
        "fmaf(a[i] * 4097.0f - (a[i] * 4097.0f - a[i]), b[j]",
    ),
    Mutant("dirty_accumulators", "accumulators do not start at zero", "acc[TM][TN] = {};", "acc[TM][TN] = {{1}};"),
    Mutant("same_fragment", "the next fragment overwrites the one in use", "[(k + 1) % 2]", "[k % 2]"),
    Mutant("fragment_past_tile", "a fragment is read beyond the tile", "if (k + 1 < BK) {", "if (k + 1 <= BK) {"),
)

MECHANISM = register(
    Mechanism(
        slot="mma",
        name="ffma",
        record=Ffma,
        lower=lower,
        mutants=MUTANTS,
        doc="fmaf on CUDA cores",
    )
)
