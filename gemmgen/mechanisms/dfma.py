"""Multiply-add on CUDA cores, in FP64."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gemmgen.ir.problem import DTYPES
from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import MmaRecord
from gemmgen.plan import Part

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry
    from gemmgen.ir.problem import Gemm


@record
class Dfma(MmaRecord):
    """One `fma` a product, K ascending: FP64 accumulated; FP32 operands are widened, and their products are exact."""

    types: ClassVar[tuple[tuple[str, str, str, str], ...]] = (
        ("f64", "f64", "f64", "f64"),
        ("f32", "f32", "f32", "f64"),
        ("f32", "f32", "f64", "f64"),
    )


def lower(record: Dfma, geometry: Geometry, problem: Gemm) -> Part:
    """The part of the file that multiplies two fragments."""
    del record, geometry
    wide = DTYPES[problem.acc].c_type
    widened = DTYPES[problem.a.dtype].c_type != wide
    a, b = ("static_cast<double>(a[i])", "static_cast<double>(b[j])") if widened else ("a[i]", "b[j]")
    exactness = "; a product of two FP32 numbers is exact in FP64" if widened else ""
    return Part("mma_dfma.cu.jinja", {"a": a, "b": b, "exactness": exactness})


MUTANTS = (
    Mutant("short_product", "the product is rounded to FP32", "fma(a[i], b[j],", "fma(float(a[i]), float(b[j]),"),
    Mutant("lost_sum", "products are not accumulated", " = fma(a[i], b[j], acc[i][j])", " = a[i] * b[j]"),
    Mutant(
        "short_widened_product",
        "operands are multiplied in FP32 and widened afterwards",
        "fma(static_cast<double>(a[i]), static_cast<double>(b[j]),",
        "fma(static_cast<double>(a[i] * b[j]), 1.0,",
    ),
)

MECHANISM = register(
    Mechanism(
        slot="mma",
        name="dfma",
        record=Dfma,
        lower=lower,
        mutants=MUTANTS,
        doc="fma on CUDA cores, in FP64",
    )
)
