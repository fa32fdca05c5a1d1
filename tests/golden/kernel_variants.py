"""One kernel for each mechanism and each way of lowering it: what the goldens hold, and between them every template."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen import Gemm, Schedule
from gemmgen.emit import emit

if TYPE_CHECKING:
    from gemmgen.emit import Emitted


@dataclass(frozen=True)
class Variant:
    problem: Gemm
    schedule: Schedule
    target: str = "sm_80"
    name: str | None = None

    def emit(self) -> Emitted:
        return emit(self.problem, self.schedule, self.target, self.name)


def _tile(m: int, n: int, k: int, tm: int, tn: int, **fields) -> Schedule:
    return Schedule(cta_tile=(m, n, k), thread_tile=(tm, tn), **fields)


ROWS = Gemm()
COLUMNS = Gemm(a_layout="col", b_layout="col", c_layout="col")

VARIANTS: dict[str, Variant] = {
    "direct": Variant(ROWS, _tile(32, 32, 8, 1, 1, warp_tile=(32, 1), copy="direct"), "sm_70"),
    "direct_vector": Variant(
        ROWS, _tile(32, 64, 4, 2, 4, copy="direct", vector_b=4, vector_c=4, fragment_buffers=2, raster="column")
    ),
    "direct_a_shared_b": Variant(ROWS, _tile(32, 32, 8, 4, 4, copy_a="direct", vector_b=4, stages=2)),
    "shared": Variant(ROWS, _tile(32, 32, 16, 2, 2), "sm_70"),
    "shared_k_major": Variant(
        Gemm(b_layout="col"),
        _tile(32, 32, 16, 2, 2, smem_a="padded(1, major=k)", smem_b="linear(major=k)", vector_a=4, vector_b=4),
    ),
    "transposed_to_k_major": Variant(ROWS, _tile(32, 32, 8, 2, 2, smem_b="padded(1, major=k)", vector_b=2)),
    "padded_warp_tile": Variant(
        Gemm(b_layout="col"),
        _tile(64, 64, 16, 4, 4, warp_tile=(32, 16), vector_a=4, vector_b=4, vector_c=4, smem_a="padded(4)"),
    ),
    "double_quads": Variant(
        ROWS,
        _tile(
            128,
            128,
            8,
            8,
            8,
            warp_tile=(64, 32),
            thread_layout="quads",
            vector_a=4,
            vector_b=4,
            vector_c=4,
            smem_a="padded(4)",
            stages=2,
            fragment_buffers=2,
        ),
    ),
    "columns": Variant(COLUMNS, _tile(64, 32, 16, 4, 2, vector_a=4, vector_b=2, vector_c=4, raster="column")),
    "grouped": Variant(Gemm(a_layout="col"), _tile(64, 64, 8, 8, 4, raster="grouped(8)", stages=2)),
    "morton": Variant(ROWS, _tile(32, 32, 8, 4, 4, raster="morton")),
    "hilbert": Variant(ROWS, _tile(32, 32, 8, 4, 4, raster="hilbert")),
    "swizzled": Variant(
        Gemm(b_layout="col"),
        _tile(
            64, 64, 32, 4, 4, vector_a=4, vector_b=4, smem_a="swizzled(3, 2, 3)", smem_b="swizzled(3, 2, 4, major=k)"
        ),
    ),
    "double_precision": Variant(
        Gemm(a="f64", b="f64", c="f64", acc="f64"),
        _tile(32, 64, 8, 4, 4, mma="dfma", vector_a=2, vector_b=2, vector_c=2, thread_layout="quads", stages=2),
    ),
    "widened_to_double": Variant(
        Gemm(c="f32", acc="f64", c_layout="col"), _tile(32, 32, 8, 4, 2, mma="dfma", vector_a=4, vector_c=4)
    ),
    "aligned": Variant(
        ROWS, _tile(64, 64, 8, 4, 4, vector_a=4, vector_b=4, vector_c=4, stages=2, edges="aligned", smem_a="padded(4)")
    ),
    "turning_rows": Variant(ROWS, _tile(32, 32, 8, 4, 4, mma="ffma(row_snake)")),
    "ragged": Variant(ROWS, _tile(20, 12, 6, 5, 2, vector_a=2, smem_a="padded(3)")),
    "fixed_size": Variant(Gemm(m=256, n=256, k=64), _tile(64, 64, 16, 4, 4, vector_a=4, vector_b=4, vector_c=4)),
    "fixed_k": Variant(Gemm(k=33, c_layout="col"), _tile(16, 16, 8, 2, 2, vector_c=2)),
    "large_shared": Variant(ROWS, _tile(128, 128, 32, 8, 8, vector_b=4, stages=2)),
    "architecture_specific": Variant(ROWS, _tile(64, 64, 8, 4, 4), "sm_90a"),
    "named": Variant(ROWS, _tile(16, 16, 4, 2, 2), name="my_gemm"),
}


@functools.cache
def emitted(variant: str) -> Emitted:
    return VARIANTS[variant].emit()
