"""Rules on how tiles divide each other, and on the number of threads that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.geometry import WARP, thread_grid
from gemmgen.rules.base import Context, Finding, Rule, times
from gemmgen.rules.near import combined, distance, dividing_pairs, divisors, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemmgen.ir.schedule import Schedule
    from gemmgen.rules.base import Changes

_CTA, _WARP, _THREAD = "schedule.cta_tile", "schedule.warp_tile", "schedule.thread_tile"
_MOST_CTA, _MOST_THREAD = 1024, 32
_NEAREST = 16
_EVERY = 64


def _changes(schedule: Schedule, **new: object) -> Changes:
    """Replacements for those of the given fields that really change."""
    return {f"schedule.{name}": value for name, value in new.items() if getattr(schedule, name) != value}


def _uneven(wholes: tuple[int, ...], parts: tuple[int, ...], names: tuple[tuple[str, str], ...]) -> str:
    """One clause for each axis on which it is so, such as "BM=100 is no multiple of WM=64"."""
    axes = zip(names, wholes, parts, strict=False)
    return " and ".join(f"{whole}={w} is no multiple of {part}={p}" for (whole, part), w, p in axes if w % p)


def _check_warp_tile(context: Context) -> Iterator[Finding]:
    schedule = context.schedule
    if schedule.warp_tile is None:
        return
    uneven = _uneven(schedule.cta_tile, schedule.warp_tile, (("BM", "WM"), ("BN", "WN")))
    if uneven:
        yield Finding(_WARP, uneven, lambda: _repair_warp_tile(schedule))


def _repair_warp_tile(schedule: Schedule) -> Iterable[Changes]:
    (bm, bn, bk), (wm, wn) = schedule.cta_tile, schedule.warp_tile or (1, 1)
    rows = dividing_pairs(bm, wm, _MOST_CTA, _MOST_CTA)
    columns = dividing_pairs(bn, wn, _MOST_CTA, _MOST_CTA)
    for row, column in combined(rows, columns, (bm, wm, bn, wn))[:_NEAREST]:
        yield _changes(schedule, cta_tile=(row[0], column[0], bk), warp_tile=(row[1], column[1]))
    yield {_WARP: None}


WARP_TILE = Rule(
    id="GG010",
    title="the warp tile divides the CTA tile",
    reason="Warps share the CTA tile out among them, so a whole number of warp tiles must fill it",
    needs=(_CTA, _WARP),
    check=_check_warp_tile,
)


def _check_thread_tile(context: Context) -> Iterator[Finding]:
    schedule = context.schedule
    names = (("WM", "TM"), ("WN", "TN")) if schedule.warp_tile else (("BM", "TM"), ("BN", "TN"))
    uneven = _uneven(schedule.warp_tile or schedule.cta_tile, schedule.thread_tile, names)
    if uneven:
        yield Finding(_THREAD, uneven, lambda: _repair_thread_tile(schedule))


def _repair_thread_tile(schedule: Schedule) -> Iterable[Changes]:
    outer_m, outer_n = (schedule.warp_tile or schedule.cta_tile)[:2]
    tm, tn = schedule.thread_tile
    rows = dividing_pairs(outer_m, tm, _MOST_CTA, _MOST_THREAD)
    columns = dividing_pairs(outer_n, tn, _MOST_CTA, _MOST_THREAD)
    for row, column in combined(rows, columns, (outer_m, tm, outer_n, tn))[:_NEAREST]:
        outer, thread_tile = (row[0], column[0]), (row[1], column[1])
        if schedule.warp_tile is None:
            yield _changes(schedule, cta_tile=(*outer, schedule.cta_tile[2]), thread_tile=thread_tile)
        else:
            yield _changes(schedule, warp_tile=outer, thread_tile=thread_tile)
    yield _changes(schedule, thread_tile=(1, 1))


THREAD_TILE = Rule(
    id="GG011",
    title="the thread tile divides the warp tile, or without one the CTA tile",
    reason="Every lane owns the same number of rows and columns",
    needs=(_CTA, _WARP, _THREAD),
    check=_check_thread_tile,
)


def _check_lanes(context: Context) -> Iterator[Finding]:
    schedule = context.schedule
    if schedule.warp_tile is None:
        return
    (wm, wn), (tm, tn) = schedule.warp_tile, schedule.thread_tile
    lanes = (wm // tm, wn // tn)
    if lanes[0] * lanes[1] != WARP:
        message = (
            f"warp_tile={times(wm, wn)} with thread_tile={times(tm, tn)} needs "
            f"{lanes[0]} * {lanes[1]} = {lanes[0] * lanes[1]} lanes"
        )
        yield Finding(_WARP, message, lambda: _repair_lanes(schedule))


def _repair_lanes(schedule: Schedule) -> Iterable[Changes]:
    (bm, bn, _), (wm, wn), (tm, tn) = schedule.cta_tile, schedule.warp_tile or (1, 1), schedule.thread_tile
    warps = [(lm * tm, WARP // lm * tn) for lm in divisors(WARP, WARP)]
    warps = [warp for warp in warps if bm % warp[0] == 0 and bn % warp[1] == 0]
    rows, columns = divisors(wm, _MOST_THREAD), divisors(wn, _MOST_THREAD)
    threads = [(row, column) for row in rows for column in columns if wm * wn == WARP * row * column]
    found = [(distance(warp, (wm, wn)), _changes(schedule, warp_tile=warp)) for warp in warps]
    found += [(distance(thread, (tm, tn)), _changes(schedule, thread_tile=thread)) for thread in threads]
    yield from (changes for _, changes in sorted(found, key=lambda pair: pair[0])[:_NEAREST])
    yield {_WARP: None}


LANES = Rule(
    id="GG012",
    title="a warp tile is covered by 32 lanes",
    reason="A warp has 32 lanes, each of which computes one thread tile",
    needs=(_CTA, _WARP, _THREAD),
    check=_check_lanes,
    after=("GG011",),
)


def _check_threads(context: Context) -> Iterator[Finding]:
    schedule, target = context.schedule, context.target
    rows, columns = thread_grid(schedule)
    most = target.max_threads_per_block if target else 0
    if target is not None and rows * columns > most:
        message = (
            f"cta_tile={times(*schedule.cta_tile)} with thread_tile={times(*schedule.thread_tile)} needs "
            f"{rows} * {columns} = {rows * columns:,} threads; {target.name} allows {most:,} a block"
        )
        yield Finding(_CTA, message, lambda: _repair_threads(schedule, most))


def _repair_threads(schedule: Schedule, most: int) -> Iterable[Changes]:
    (bm, bn, bk), (tm, tn) = schedule.cta_tile, schedule.thread_tile
    unit = schedule.warp_tile or schedule.thread_tile
    each = (unit[0] // tm) * (unit[1] // tn)
    smaller = [
        (rows * unit[0], columns * unit[1]) for rows, columns in _counts(bm // unit[0], bn // unit[1], most // each)
    ]
    if schedule.warp_tile is None:
        larger = [
            (row, column)
            for row in divisors(bm, _MOST_THREAD)
            for column in divisors(bn, _MOST_THREAD)
            if row >= tm and column >= tn and (bm // row) * (bn // column) <= most
        ]
        for thread in sorted(larger, key=lambda thread: (distance(thread, (tm, tn)), abs(thread[0] - thread[1])))[
            :_NEAREST
        ]:
            yield _changes(schedule, thread_tile=thread)
    for tile in sorted(smaller, key=lambda tile: (distance(tile, (bm, bn)), -tile[0]))[:_NEAREST]:
        yield _changes(schedule, cta_tile=(*tile, bk))
    yield _changes(schedule, cta_tile=(*unit, bk))


def _counts(rows: int, columns: int, most: int) -> Iterator[tuple[int, int]]:
    """Fewer rows and columns of units, at most `most` in all."""
    few = range(1, rows + 1) if rows <= _EVERY else {rows >> power for power in range(rows.bit_length())}
    for row in few:
        for column in rounded(min(columns, most // row)) if row <= most else ():
            yield row, column


THREADS = Rule(
    id="GG013",
    title="a CTA has no more threads than the target allows",
    reason="The hardware launches no larger block",
    needs=(_CTA, _WARP, _THREAD, "target"),
    check=_check_threads,
    after=("GG010", "GG011"),
)

RULES = (WARP_TILE, THREAD_TILE, LANES, THREADS)
