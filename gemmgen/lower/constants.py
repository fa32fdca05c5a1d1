"""The named constants and static assertions that every file of this family opens with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.plan import Constant, StaticAssert

if TYPE_CHECKING:
    from gemmgen.geometry import Geometry
    from gemmgen.ir import Gemm, Schedule

__all__ = ["file_asserts", "tile_constants"]


def tile_constants(problem: Gemm, schedule: Schedule, geometry: Geometry) -> tuple[Constant, ...]:
    """Tile extents, lanes, threads, stages and widths, expressions kept where one follows from others."""
    g = geometry
    constants = [
        Constant("BM", str(g.bm), g.bm, "CTA tile: rows of D"),
        Constant("BN", str(g.bn), g.bn, "CTA tile: columns of D"),
        Constant("BK", str(g.bk), g.bk, "depth of one main loop step"),
        Constant("WM", "BM" if schedule.warp_tile is None else str(g.wm), g.wm, "warp tile: rows"),
        Constant("WN", "BN" if schedule.warp_tile is None else str(g.wn), g.wn, "warp tile: columns"),
        Constant("TM", str(g.tm), g.tm, "thread tile: rows"),
        Constant("TN", str(g.tn), g.tn, "thread tile: columns"),
        Constant("LM", "WM / TM", g.lm, "lanes down the warp tile"),
        Constant("LN", "WN / TN", g.ln, "lanes across it"),
        Constant("kThreads", "(BM / WM) * (BN / WN) * LM * LN", g.threads, "threads per CTA"),
        Constant("kVectorA", str(schedule.vector_a), schedule.vector_a, "elements per global access of A"),
        Constant("kVectorB", str(schedule.vector_b), schedule.vector_b, "elements per global access of B"),
        Constant("kVectorC", str(schedule.vector_c), schedule.vector_c, "elements per global access of C and D"),
    ]
    if g.a.copies_shared or g.b.copies_shared:
        constants.append(Constant("kStages", str(schedule.stages), schedule.stages, "shared-memory buffers in flight"))
    for name in "mnk":
        size = getattr(problem, name)
        if size is not None:
            constants.append(Constant(f"kFixed{name.upper()}", str(size), size, "this file is for one size only"))
    return tuple(constants)


def file_asserts(problem: Gemm, schedule: Schedule, geometry: Geometry) -> tuple[StaticAssert, ...]:
    """The rules that hold between those constants, for whoever edits a vendored copy."""
    checks = [
        StaticAssert("BM % WM == 0 && BN % WN == 0", "the warp tiles must cover the CTA tile"),
        StaticAssert("WM % TM == 0 && WN % TN == 0", "the thread tiles must cover the warp tile"),
        StaticAssert("kThreads <= 1024", "a CTA has at most 1024 threads"),
    ]
    if schedule.warp_tile is not None:
        checks.append(StaticAssert("LM * LN == 32", "the 32 lanes of a warp must cover its warp tile"))
    for side in (geometry.a, geometry.b):
        upper = side.operand.upper()
        if side.copies_shared:
            extent = f"B{side.global_contiguous.upper()}"
            checks.append(
                StaticAssert(
                    f"{extent} % kVector{upper} == 0", f"accesses of {upper} must not straddle rows of its tile"
                )
            )
    run = "TN" if problem.c.layout == "row" else "TM"
    checks.append(StaticAssert(f"{run} % kVectorC == 0", "accesses of D must not straddle thread tiles"))
    return tuple(checks)
