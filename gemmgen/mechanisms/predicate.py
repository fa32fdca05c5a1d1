"""Edges by masks: every access asks whether it lies inside the matrix."""

from __future__ import annotations

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import EdgesRecord


@record
class Predicate(EdgesRecord):
    """Loads outside are zero, stores outside do not happen; any size is right."""


MUTANTS = (
    Mutant("store_rows", "the mask of D's rows is one too wide", "if (m < M && n < N) {", "if (m <= M && n < N) {"),
    Mutant(
        "store_columns", "the mask of D's columns is one too wide", "if (m < M && n < N) {", "if (m < M && n <= N) {"
    ),
    Mutant("alpha_twice", "alpha is applied twice", "fmaf(alpha, acc, scaled_c)", "fmaf(alpha * alpha, acc, scaled_c)"),
    Mutant("alpha_lost", "alpha is left out when beta is zero", ": __fmul_rn(alpha, acc)", ": acc"),
    Mutant("beta_lost", "C is added without beta", "scaled_c = __fmul_rn(beta, c)", "scaled_c = c"),
    Mutant(
        "beta_zero_reads",
        "C is read although beta is zero",
        "if (beta != 0) Access<float, kWidth>::load(c,",
        "Access<float, kWidth>::load(c,",
    ),
    Mutant("alpha_zero_reads", "A and B are read although alpha is zero", "alpha == 0 ? 0 : K;", "K;"),
    Mutant("c_pitch", "C is walked by D's leading dimension", "C + m * ldc + n", "C + m * ldd + n"),
    Mutant("d_pitch", "D is walked by C's leading dimension", "D + m * ldd + n", "D + m * ldc + n"),
    Mutant("d_column_pitch", "D is walked by C's leading dimension", "D + n * ldd + m", "D + n * ldc + m"),
    Mutant(
        "missing_tile_row",
        "the grid leaves out the partial tile row",
        "static_cast<unsigned>(((call.M + BM - 1) / BM) *",
        "static_cast<unsigned>((call.M < BM ? 1 : call.M / BM) *",
    ),
    Mutant("unchecked_base", "a misaligned A gets the vector path", "  if (!divides(call.A, 16)) return false;", " "),
    Mutant(
        "unchecked_pitch", "a misaligned row of B gets the vector path", "  if (call.ldb % 4 != 0) return false;", " "
    ),
    Mutant("unchecked_edge", "a vector may straddle the edge of A", "  if (call.K % 4 != 0) return false;", " "),
)

MECHANISM = register(
    Mechanism(
        slot="edges",
        name="predicate",
        record=Predicate,
        mutants=MUTANTS,
        doc="every access is masked",
    )
)
