"""Multiply-add on CUDA cores, in FP32."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import MmaRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry
    from gemmgen.ir.problem import Gemm


@record
class Ffma(MmaRecord):
    """One `fmaf` a product, K ascending: FP32 in, FP32 accumulated."""

    types: ClassVar[tuple[tuple[str, str, str, str], ...]] = (("f32", "f32", "f32", "f32"),)


def lower(record: Ffma, geometry: Geometry, problem: Gemm) -> Part:
    """The part of the file that multiplies two fragments."""
    del record, geometry, problem
    return Part("mma_ffma.cu.jinja")


MUTANTS = (
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
