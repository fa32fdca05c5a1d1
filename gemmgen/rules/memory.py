"""Rules on shared memory, global accesses and the grid."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import gcd
from typing import TYPE_CHECKING, Any

from gemmgen.geometry import FREE_AXIS, runs, smem_record, through_shared, total_shared_bytes
from gemmgen.ir.registry import lookup
from gemmgen.rules.base import Context, Finding, Rule, times
from gemmgen.rules.near import divisors, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemmgen.ir.schedule import Schedule
    from gemmgen.ir.slots import SmemRecord
    from gemmgen.rules.base import Changes

_TILE = "schedule.cta_tile"


def _check_major(context: Context) -> Iterator[Finding]:
    for operand, free in FREE_AXIS.items():
        layout = smem_record(context.schedule, operand)
        if layout.major not in (None, "k", free):
            name = f"smem_{operand}"
            message = (
                f"{name}={layout} makes {layout.major} contiguous, but {operand.upper()} has the axes {free} and k"
            )
            yield Finding(f"schedule.{name}", message, partial(_repair_major, name, layout))


def _repair_major(name: str, layout: SmemRecord) -> Iterable[Changes]:
    fields: Any = layout
    yield {f"schedule.{name}": replace(fields, major=None)}
    yield {f"schedule.{name}": replace(fields, major="k")}


SMEM_MAJOR = Rule(
    id="GG007",
    title="the contiguous axis of a shared tile is an axis of its operand",
    reason="A is tiled along M and K, B along N and K",
    needs=("schedule.smem_a", "schedule.smem_b"),
    check=_check_major,
)


def _check_shared_bytes(context: Context) -> Iterator[Finding]:
    problem, schedule, target = context.problem, context.schedule, context.target
    needed = total_shared_bytes(problem, schedule)
    if target is not None and needed > target.shared_bytes_per_block_optin:
        staged = [
            f"smem_{operand}={smem_record(schedule, operand)}"
            for operand in FREE_AXIS
            if through_shared(schedule, operand) and str(smem_record(schedule, operand)) != "linear"
        ]
        message = (
            f"cta_tile={times(*schedule.cta_tile)} {problem.a.dtype} with "
            f"{', '.join([f'stages={schedule.stages}', *staged])} needs {needed:,} B of shared memory; "
            f"{target.name} allows {target.shared_bytes_per_block_optin:,} B a block"
        )
        yield Finding(_TILE, message, lambda: _repair_shared_bytes(context, target.shared_bytes_per_block_optin))


def _repair_shared_bytes(context: Context, limit: int) -> Iterable[Changes]:
    """One stage, less depth, no padding, a smaller tile: one alone, then together."""
    bm, bn, bk = context.schedule.cta_tile
    single: Changes = {"schedule.stages": 1}
    linear = lookup("smem", "linear")
    plain: Changes = {} if linear is None else {f"schedule.smem_{operand}": linear.record() for operand in FREE_AXIS}
    yield from (single, plain)
    for known in ({}, single, plain, {**single, **plain}):
        yield from ({**known, _TILE: (bm, bn, depth)} for depth in _depths(context.changed(known), limit))
    sides = [(bm >> power, bn) for power in range(1, 7)] + [(bm, bn >> power) for power in range(1, 7)]
    sides += [(bm >> power, bn >> power) for power in range(1, 7)]
    yield from ({_TILE: (rows, columns, bk)} for rows, columns in sides if rows and columns)
    yield {**single, **plain, _TILE: (bm, bn, 1)}


def _depths(context: Context, limit: int) -> tuple[int, ...]:
    """The largest BK whose tiles take at most `limit` bytes, and rounder ones below it."""
    bm, bn, bk = context.schedule.cta_tile
    # The bytes grow in proportion to BK or, with padding along K, more slowly: this is not below the largest that fits.
    depth = min(bk, bk * limit // total_shared_bytes(context.problem, context.schedule) + 1)
    while depth and total_shared_bytes(context.problem, context.changed({_TILE: (bm, bn, depth)}).schedule) > limit:
        depth -= 1
    return rounded(depth) + tuple(value for value in divisors(bk, depth)[-2:] if depth)


SHARED_BYTES = Rule(
    id="GG014",
    title="the tiles of all stages fit into the shared memory of a block",
    reason="A block can not be launched with more shared memory than its SM gives to one block",
    needs=(
        _TILE,
        *(f"schedule.{name}" for name in ("copy_a", "copy_b", "smem_a", "smem_b", "stages")),
        "problem.a",
        "problem.b",
        "target",
    ),
    check=_check_shared_bytes,
    after=("GG007",),
)


def _check_stages(context: Context) -> Iterator[Finding]:
    schedule = context.schedule
    if schedule.stages > 1 and not any(through_shared(schedule, operand) for operand in FREE_AXIS):
        message = (
            f"stages={schedule.stages}, but neither copy_a={schedule.copy_a} nor copy_b={schedule.copy_b} "
            "uses shared memory"
        )
        yield Finding("schedule.stages", message, _repair_stages)


def _repair_stages() -> Iterable[Changes]:
    yield {"schedule.stages": 1}
    yield {"schedule.copy_a": "sync"}
    yield {"schedule.copy_b": "sync"}


STAGES = Rule(
    id="GG015",
    title="several stages need an operand in shared memory",
    reason="A stage is a buffer in shared memory",
    needs=("schedule.stages", "schedule.copy_a", "schedule.copy_b"),
    check=_check_stages,
)


def _check_vector_c(context: Context) -> Iterator[Finding]:
    problem, schedule = context.problem, context.schedule
    side = 1 if problem.c.layout == "row" else 0
    # Of a layout's pieces that do not fit the thread tile only a common part is sure to stay in one piece.
    run, vector = gcd(runs(problem, schedule)[side], schedule.thread_tile[side]), schedule.vector_c
    if run % vector:
        message = (
            f"vector_c={vector} does not divide {run}, the {('rows', 'columns')[side]} that a thread owns side by "
            f"side (thread_tile={times(*schedule.thread_tile)}, thread_layout={schedule.thread_layout}, "
            f"C and D {problem.c.layout}-major)"
        )
        yield Finding("schedule.vector_c", message, lambda: _repair_vector_c(schedule, side, run))


def _repair_vector_c(schedule: Schedule, side: int, run: int) -> Iterable[Changes]:
    widths = [width for width in (4, 2, 1) if width < schedule.vector_c and run % width == 0]
    yield from ({"schedule.vector_c": width} for width in widths[:1])
    for more in (0, schedule.vector_c):
        tile = list(schedule.thread_tile)
        tile[side] = max(schedule.vector_c, (tile[side] + more) // schedule.vector_c * schedule.vector_c)
        yield {"schedule.thread_tile": tuple(tile)}
    yield {"schedule.vector_c": 1}


VECTOR_C = Rule(
    id="GG019",
    title="the vector width of C and D divides what a thread owns in one piece",
    reason="One access stores elements that lie next to each other in D, all of them in one thread's registers",
    needs=("problem.a", "problem.c_layout", "schedule.thread_tile", "schedule.thread_layout", "schedule.vector_c"),
    check=_check_vector_c,
)


def _check_grid(context: Context) -> Iterator[Finding]:
    problem, target = context.problem, context.target
    if problem.m is None or problem.n is None or target is None:
        return
    bm, bn, _ = context.schedule.cta_tile
    tiles = -(-problem.m // bm) * -(-problem.n // bn)
    if tiles > target.max_grid_x:
        message = (
            f"m={problem.m} and n={problem.n} make {-(-problem.m // bm):,} * {-(-problem.n // bn):,} = {tiles:,} "
            f"tiles of {times(bm, bn)}; a grid has {target.max_grid_x:,} blocks at most"
        )
        yield Finding(_TILE, message, lambda: _repair_grid(context.schedule))


def _repair_grid(schedule: Schedule) -> Iterable[Changes]:
    bm, bn, bk = schedule.cta_tile
    for power in range(1, 11):
        if bm << power <= 1024:  # noqa: PLR2004 - the domain of a CTA tile's extents
            yield {_TILE: (bm << power, bn, bk)}
    yield {"problem.m": None}


GRID = Rule(
    id="GG021",
    title="the tiles of a problem of fixed size fit into one grid",
    reason="The kernel could never be launched",
    needs=("problem.m", "problem.n", _TILE, "target"),
    check=_check_grid,
)

RULES = (SMEM_MAJOR, SHARED_BYTES, STAGES, VECTOR_C, GRID)
