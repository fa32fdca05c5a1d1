"""Multiply-add on CUDA cores, in FP32."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import MmaRecord
from gemmgen.plan import Part
from gemmgen.rules.base import Changes, Context, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemmgen.geometry import Geometry


@record
class Ffma(MmaRecord):
    """One `fmaf` a product, K ascending: FP32 in, FP32 accumulated."""


def lower(record: Ffma, geometry: Geometry) -> Part:
    """The part of the file that multiplies two fragments."""
    del record, geometry
    return Part("mma_ffma.cu.jinja")


_FIELDS = ("a", "b", "c", "acc")


def _check_types(context: Context) -> Iterator[Finding]:
    problem = context.problem
    types = {"a": problem.a.dtype, "b": problem.b.dtype, "c": problem.c.dtype, "acc": problem.acc}
    if set(types.values()) != {"f32"}:
        shown = ", ".join(f"{name}={dtype}" for name, dtype in types.items())
        wrong: Changes = {f"problem.{name}": "f32" for name, dtype in types.items() if dtype != "f32"}
        yield Finding(next(iter(wrong)), f"mma=ffma with {shown}", lambda: [wrong])


TYPES = Rule(
    id="GG006",
    title="mma=ffma multiplies and accumulates f32 only",
    reason="FFMA takes and gives 32-bit floats; converting to another type would change the result unasked",
    needs=tuple(f"problem.{name}" for name in _FIELDS),
    check=_check_types,
)

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
        rules=(TYPES,),
        lower=lower,
        mutants=MUTANTS,
        doc="fmaf on CUDA cores",
    )
)
