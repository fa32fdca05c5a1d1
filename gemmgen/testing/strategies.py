"""Hypothesis strategies: problems, schedules that are legal by construction, calls that probe edges, and near-misses.

Values of fields come from the domains that the fields declare, mechanisms from the registry: one registered elsewhere
is drawn like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from hypothesis import assume
from hypothesis import strategies as st

from gemmgen.geometry import FREE_AXIS, VECTOR_BYTES, global_contiguous, quad_elements, through_shared
from gemmgen.ir import DTYPES, Gemm, Schedule, registry
from gemmgen.ir.domain import Domain, Extents, IntChoice, Ints, Maybe, Names
from gemmgen.ir.schedule import FIELDS
from gemmgen.ir.shorthand import Slot
from gemmgen.ir.slots import MmaRecord
from gemmgen.rules import apply_fix, check_legal
from gemmgen.target import Target, resolve
from gemmgen.testing.cases import Case

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy

    from gemmgen.ir.slots import LayoutRecord, SlotRecord

# Multiply-adds of one call, predicated ones included: a few milliseconds in the emulator.
CALL_BUDGET = 1 << 21
_MOST_TILES = 6
# Of nine calls three are long in one direction: as many tiles, or elements.
_LONG_AXES = ("", "", "", "", "", "", "k", "m", "n")
_LONG_TILES = 20
_LONG = 300
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 31, 61, 127, 257)
_LANES = 32
_MENDS = 20
_SEEDS = 2**20


@dataclass(frozen=True, slots=True)
class Example:
    """One thing to check."""

    problem: Gemm
    schedule: Schedule
    case: Case


# ---- Values of declared fields ---------------------------------------------------------------------------------


def values(domain: Domain) -> SearchStrategy[Any]:
    """Draw legal values of a declared domain, the typical ones half of the time."""
    if isinstance(domain, Ints):
        return st.sampled_from(domain.typical) | st.integers(domain.low, domain.high)
    if isinstance(domain, IntChoice | Names):
        return st.sampled_from(domain.values)
    if isinstance(domain, Maybe):
        return st.none() | values(domain.inner)
    if isinstance(domain, Extents):
        return st.tuples(*map(values, domain.domains))
    if isinstance(domain, Slot):
        return records(domain.slot)
    return st.sampled_from(domain.typical)


def records(slot: str, **narrowed: SearchStrategy[Any]) -> SearchStrategy[SlotRecord]:
    """Draw records of the mechanisms that are registered for a slot.

    `narrowed` replaces the strategies of parameters of these names, where a mechanism has them.
    """
    return st.sampled_from(registry.names(slot)).flatmap(lambda name: _record(slot, name, narrowed))


def _record(slot: str, name: str, narrowed: Mapping[str, SearchStrategy[Any]]) -> SearchStrategy[SlotRecord]:
    mechanism = registry.lookup(slot, name)
    if mechanism is None:  # unregistered since
        return st.nothing()
    own = {p.name: narrowed.get(p.name, values(p.domain)) for p in mechanism.record.params()}
    return st.builds(mechanism.record, **own)


# ---- Problems --------------------------------------------------------------------------------------------------


@st.composite
def problems(draw: DrawFn, *, fixed_sizes: bool = True) -> Gemm:
    """Draw a problem: element types, layouts, and (`fixed_sizes`) now and then an M, N or K that is fixed."""
    types_a, types_b, types_c, acc = draw(st.sampled_from(_known_types()))
    a, b, c = (draw(st.sampled_from(("row", "col"))) for _ in range(3))
    m, n, k = None, None, None
    if fixed_sizes and draw(st.integers(0, 5)) == 5:  # noqa: PLR2004  # shrinks to sizes that are not fixed
        m, n, k = (draw(st.none() | st.integers(0, 70)) for _ in range(3))
    return Gemm(a=types_a, b=types_b, c=types_c, acc=acc, a_layout=a, b_layout=b, c_layout=c, m=m, n=n, k=k)


def _known_types() -> list[tuple[str, str, str, str]]:
    """List the types of A, B, C and the accumulator that some registered multiply takes."""
    records = [mechanism.record for mechanism in registry.mechanisms() if issubclass(mechanism.record, MmaRecord)]
    return list(dict.fromkeys(types for record in records for types in record.types))


# ---- Schedules -------------------------------------------------------------------------------------------------


@st.composite
def schedules(draw: DrawFn, problem: Gemm, target: Target | str = "sm_80") -> Schedule:
    """Draw a schedule that is legal for a problem and a target.

    It is built from the inside out: thread tile, lanes, warps, CTA tile, depth, then widths that divide what they have
    to. Small tiles are likelier, all legal ones possible. Where that is not enough (shared memory that overflows, a
    foreign mechanism's own rules), the fixes that `check_legal` suggests are applied.
    """
    limits = resolve(target)
    fields: dict[str, Any] = _slots(draw, problem)
    fields |= _tiles(draw, fields["thread_layout"], quad_elements(problem), limits)
    for name in ("a", "b", "c"):
        fields[f"vector_{name}"] = draw(_widths(problem, Schedule(**fields), name))
    if not any(through_shared(Schedule(**fields), operand) for operand in FREE_AXIS):
        fields["stages"] = 1
    for name, field in FIELDS.items():
        if name not in fields:
            fields[name] = draw(values(field.domain))
    return mend(problem, Schedule(**fields), limits)


def mend(problem: Gemm, schedule: Schedule, target: Target) -> Schedule:
    """Apply suggested fixes until a schedule is legal. One that would need another problem is no example at all."""
    raw: Any = schedule
    for _ in range(_MENDS):
        diagnostics = check_legal(problem, raw, target)
        if not diagnostics:
            return raw if isinstance(raw, Schedule) else Schedule.from_dict(raw)
        assume(all(path.startswith("schedule.") for path in diagnostics[0].fix))
        raw = apply_fix(problem, raw, target, diagnostics[0])[1]
    assume(condition=False)
    return schedule


def _slots(draw: DrawFn, problem: Gemm) -> dict[str, Any]:
    """Draw a mechanism for every slot, a multiply that takes the problem's types among them."""
    slots = {}
    for name, field in FIELDS.items():
        if isinstance(field.domain, Slot):
            free = FREE_AXIS.get(name[-1]) if field.domain.slot == "smem" else None
            narrowed = {"major": st.sampled_from((None, "k", free))} if free else {}
            slots[name] = draw(records(field.domain.slot, **narrowed).filter(partial(_takes, problem)))
    return slots


def _takes(problem: Gemm, record: SlotRecord) -> bool:
    types = (problem.a.dtype, problem.b.dtype, problem.c.dtype, problem.acc)
    return not isinstance(record, MmaRecord) or types in record.types


def _tiles(draw: DrawFn, layout: LayoutRecord, quad: int, target: Target) -> dict[str, Any]:
    """Draw thread tile, warp tile and CTA tile, each a whole number of the one before."""
    most = _ints("cta_tile", 0).high
    tm, tn = (draw(_thread_extents(layout, quad, side)) for side in (0, 1))
    warp_tile = None
    if draw(st.booleans()):
        rows = [rows for rows in (8, 4, 16, 2, 32, 1) if rows * tm <= most and _LANES // rows * tn <= most]
        lanes = draw(st.sampled_from(rows))
        warp_tile = (lanes * tm, _LANES // lanes * tn)
    unit_m, unit_n = warp_tile or (tm, tn)
    budget = target.max_threads_per_block // (_LANES if warp_tile else 1)
    repeats_m = draw(_repeats(min(budget, most // unit_m), few=warp_tile is not None))
    repeats_n = draw(_repeats(min(budget // repeats_m, most // unit_n), few=warp_tile is not None))
    depth = draw(_mostly((8, 4, 16, 1, 2, 3, 5, 12), values(_ints("cta_tile", 2))))
    return {
        "thread_tile": (tm, tn),
        "warp_tile": warp_tile,
        "cta_tile": (repeats_m * unit_m, repeats_n * unit_n, depth),
    }


def _ints(field: str, index: int) -> Ints:
    """Look up the domain of one extent of a tile."""
    return cast("Extents", FIELDS[field].domain).domains[index]


def _mostly(few: tuple[Any, ...], rest: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Draw one of a few values three times out of four."""
    kinds = (*[st.sampled_from(few)] * 3, rest)
    return st.sampled_from(range(len(kinds))).flatmap(kinds.__getitem__)


def _thread_extents(layout: LayoutRecord, quad: int, side: int) -> SearchStrategy[int]:
    """Draw extents of a thread tile that a layout can deal in whole runs."""
    domain = _ints("thread_tile", side)
    whole = [extent for extent in range(domain.low, domain.high + 1) if extent % layout.run(extent, quad) == 0]
    small = tuple(extent for extent in (4, 1, 2, 8, 3) if extent in whole)
    return _mostly(small or tuple(whole), st.sampled_from(whole))


def _repeats(most: int, *, few: bool) -> SearchStrategy[int]:
    """Draw how many threads (or, `few`, warps) lie along an axis."""
    small = tuple(count for count in ((1, 2, 3) if few else (4, 1, 2, 8, 16, 3)) if count <= most)
    return _mostly(small, st.integers(1, most))


def _widths(problem: Gemm, schedule: Schedule, name: str) -> SearchStrategy[int]:
    """Draw widths of global accesses that divide the elements which one access may cover."""
    domain = cast("IntChoice", FIELDS[f"vector_{name}"].domain)
    extent = _contiguous_elements(problem, schedule, name)
    most = VECTOR_BYTES // DTYPES[getattr(problem, name).dtype].bytes
    return st.sampled_from([width for width in domain.values if extent % width == 0 and width <= most])


def _contiguous_elements(problem: Gemm, schedule: Schedule, name: str) -> int:
    """Count the neighbouring elements in global memory that one access of an operand, or of D, may cover."""
    runs = [schedule.thread_layout.run(extent, quad_elements(problem)) for extent in schedule.thread_tile]
    if name == "c":
        return runs[1 if problem.c.layout == "row" else 0]
    side = 0 if name == "a" else 1
    along_k = global_contiguous(problem, name) == "k"
    if through_shared(schedule, name):
        return schedule.cta_tile[2 if along_k else side]
    return 1 if along_k else runs[side]


# ---- Near-misses -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A schedule, in serial form, that breaks the rule `rule` and no other."""

    schedule: dict[str, Any]
    rule: str


@st.composite
def near_misses(draw: DrawFn, problem: Gemm, target: Target | str = "sm_80") -> NearMiss:
    """Draw a legal schedule with one field replaced, such that exactly one rule is broken."""
    legal = draw(schedules(problem, target)).to_dict()
    for _ in range(_MENDS):
        name = draw(st.sampled_from((*FIELDS, *_TILES, "unknown")))
        broken = legal | draw(_replacement(name, legal))
        rules = {diagnostic.rule for diagnostic in check_legal(problem, broken, target)}
        if len(rules) == 1:
            return NearMiss(broken, rules.pop())
    assume(condition=False)
    raise AssertionError  # not reached


_TILES = ("cta_tile", "warp_tile", "thread_tile")


def _replacement(name: str, legal: dict[str, Any]) -> SearchStrategy[dict[str, Any]]:
    """Draw what to put in place of a field: another legal value, a nearby tile, or a value of the wrong kind."""
    if name == "unknown":
        return st.sampled_from(("stage", "cta_tiles", "swizzle")).map(lambda key: {key: 1})
    ill_typed = st.sampled_from(("", "no such thing", -1, [], True, 1.5))
    legal_value = values(FIELDS[name].domain).map(FIELDS[name].domain.write)
    kinds = [ill_typed, *[legal_value] * 8]
    if name in _TILES and legal.get(name):
        kinds += [_nearby(legal[name])] * 8
    return st.sampled_from(range(len(kinds))).flatmap(kinds.__getitem__).map(lambda value: {name: value})


def _nearby(tile: list[int]) -> SearchStrategy[list[int]]:
    """Draw a tile of which one extent is a little more, or a multiple."""

    def changed(index: int, factor: int, more: int) -> list[int]:
        return [extent * factor + more if place == index else extent for place, extent in enumerate(tile)]

    return st.builds(
        changed, st.integers(0, len(tile) - 1), st.sampled_from((1, 1, 2, 4, 16)), st.sampled_from((0, 1, 2, 4, 8))
    )


# ---- Calls -----------------------------------------------------------------------------------------------------


def shapes(schedule: Schedule, problem: Gemm | None = None) -> SearchStrategy[tuple[int, int, int]]:
    """Draw (M, N, K) round the edges of a schedule's tiles.

    None, one, a tile and its neighbours, several tiles along one axis alone, primes, now and then many tiles along one
    axis; as many as the emulator runs in a few milliseconds. Sizes that `problem` fixes are kept.
    """
    return _shapes(schedule, problem or Gemm())


@st.composite
def _shapes(draw: DrawFn, schedule: Schedule, problem: Gemm) -> tuple[int, int, int]:
    tiles = dict(zip("mnk", schedule.cta_tile, strict=True))
    room = max(1, CALL_BUDGET // math.prod(tiles.values()))
    # A long axis comes first, then depth: several steps of K are what a pipeline needs.
    long = _LONG_AXES[draw(st.integers(0, len(_LONG_AXES) - 1))]
    sizes: dict[str, int] = {}
    for name in dict.fromkeys((*long, "k", "m", "n")):
        fixed, tile = getattr(problem, name), tiles[name]
        if fixed is not None:
            sizes[name] = fixed
        elif name == long:
            sizes[name] = draw(_long_extents(tile, max(room, _MOST_TILES)))
        else:
            sizes[name] = draw(_extents(tile, min(room, _MOST_TILES)))
        room = max(1, room // max(1, -(-sizes[name] // tile)))
    return sizes["m"], sizes["n"], sizes["k"]


def _long_extents(tile: int, most: int) -> SearchStrategy[int]:
    """Draw sizes of many tiles, or beyond 200 elements, as far as `most` tiles go."""
    longest = min(most * tile, max(_LONG_TILES * tile, _LONG))
    edges = [count * tile + more for count in range(_MOST_TILES, _LONG_TILES + 1) for more in (-1, 0, 1)]
    near = [size for size in edges if 0 < size <= longest] or [longest]
    return st.sampled_from(near) | st.integers(max(1, min(longest, _LONG) * 3 // 4), longest)


def _extents(tile: int, most: int) -> SearchStrategy[int]:
    """Draw sizes of up to `most` tiles."""
    edges = {1, tile - 1, tile, *(count * tile + more for count in range(1, most) for more in (-1, 0, 1, tile))}
    around = st.sampled_from(sorted(size for size in edges if 0 < size <= most * tile))
    small = [prime for prime in _PRIMES if prime <= most * tile] or [1]
    kinds = (*[around] * 10, *[st.sampled_from(small)] * 3, *[st.integers(1, most * tile)] * 2, st.just(0))
    return st.sampled_from(range(len(kinds))).flatmap(kinds.__getitem__)


def leading_dimensions(width: int) -> SearchStrategy[int]:
    """Draw leading dimensions, in elements, for lines of `width`: the least, a little more, aligned and not."""
    return paddings().map(lambda padding: max(1, width) + padding)


def paddings() -> SearchStrategy[int]:
    """Draw elements between the end of a line and the begin of the next."""
    return st.sampled_from((0, 0, 1, 2, 3, 4, 5, 8, 12, 29))


def base_offsets() -> SearchStrategy[int]:
    """Draw elements between a 256-byte aligned base and a matrix: each alignment of 4 to 16 bytes, and more."""
    return st.sampled_from((0, 0, 0, 1, 2, 3, 4, 6, 8))


def scalars(simplest: float = 1.0) -> SearchStrategy[float]:
    """Draw values of alpha or beta that float32 holds: both zeros, one, and others; shrink to `simplest`."""
    return st.sampled_from((simplest, 1.0, 0.0, -1.0, -0.0, 2.0, 0.5)) | st.floats(
        -8, 8, width=32, allow_subnormal=False
    )


@st.composite
def cases(draw: DrawFn, problem: Gemm, schedule: Schedule) -> Case:
    """Draw a call of a kernel: sizes, leading dimensions, alignment, scalars, and whether D is C."""
    m, n, k = draw(shapes(schedule, problem))
    plain = draw(st.booleans())
    # Without a product alpha does not count, whatever it holds.
    alphas = scalars() if k else scalars() | st.sampled_from((math.inf, math.nan))
    return Case(
        m,
        n,
        k,
        paddings=(0, 0, 0, 0) if plain else draw(st.tuples(*[paddings()] * 4)),
        offsets=(0, 0, 0, 0) if plain else draw(st.tuples(*[base_offsets()] * 4)),
        alpha=draw(alphas),
        beta=draw(scalars(simplest=0.0)),
        in_place=draw(st.integers(0, 4)) == 1,
        give_c=draw(st.integers(0, 2)) != 1,
        specials=draw(st.integers(0, 3)) == 1,
        seed=draw(st.integers(0, _SEEDS)),
    )


@st.composite
def examples(
    draw: DrawFn, target: Target | str = "sm_80", *, problem: Gemm | None = None, schedule: Schedule | None = None
) -> Example:
    """Draw a problem, a legal schedule and a call, keeping those that are given.

    The seed comes first. Hypothesis begins with the simplest example and makes the next one differ in its first choice:
    so it is the seed that differs, and all else is drawn freely. The simplest example itself is a plain one.
    """
    seed = draw(st.integers(0, _SEEDS))
    if seed == 0:
        plain = problem or Gemm()
        m, n, k = (1 if size is None else size for size in (plain.m, plain.n, plain.k))
        return Example(plain, schedule or Schedule(), Case(m, n, k))
    chosen = problem or draw(problems())
    how = schedule or draw(schedules(chosen, target))
    return Example(chosen, how, replace(draw(cases(chosen, how)), seed=seed))
