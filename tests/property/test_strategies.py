"""The strategies give what they promise: legal schedules of every kind, near-misses of one rule, calls at the edges."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gemmgen.ir import Gemm, Schedule, registry
from gemmgen.ir.domain import Ints
from gemmgen.ir.record import param, record
from gemmgen.ir.registry import Mechanism
from gemmgen.ir.slots import RasterRecord
from gemmgen.rules import check_legal
from gemmgen.testing import coverage, strategies
from gemmgen.testing.cases import Case

if TYPE_CHECKING:
    from collections.abc import Callable

SEEN_BY_ILL_TYPED_INPUT = {"GG001", "GG002", "GG003"}
SEEN_BY_LEGAL_FIELDS = {
    "GG007",
    "GG010",
    "GG011",
    "GG012",
    "GG013",
    "GG014",
    "GG015",
    "GG016",
    "GG017",
    "GG018",
    "GG019",
}


def drawing(examples: int) -> Any:
    """Settings for a test that looks at many draws: the same ones every time, and no shrinking."""
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


class EnoughError(Exception):
    """Everything that was waited for has been drawn."""


def until(missing: Callable[[], object], run: Callable[[], None]) -> None:
    """Run a property that raises `EnoughError` as soon as nothing is missing; fail with what is, if it never does."""
    with contextlib.suppress(EnoughError):
        run()
    assert not missing()


@pytest.mark.parametrize("target", ["sm_70", "sm_75", "sm_80", "sm_90a", "sm_120"])
def test_schedules_are_legal(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By construction, but for shared memory that overflows and rules that a later mechanism brings along."""
    mended: Counter[str] = Counter()

    def counting(problem: Any, schedule: Any, target: Any, diagnostic: Any) -> Any:
        mended[diagnostic.rule] += 1
        return apply(problem, schedule, target, diagnostic)

    apply = strategies.apply_fix
    monkeypatch.setattr(strategies, "apply_fix", counting)

    @drawing(150)
    @given(st.data())
    def run(data: Any) -> None:
        problem = data.draw(strategies.problems())
        schedule = data.draw(strategies.schedules(problem, target))
        assert check_legal(problem, schedule, target) == ()
        assert Schedule.from_dict(schedule.to_dict()) == schedule

    run()
    assert not set(mended) & (SEEN_BY_LEGAL_FIELDS - {"GG014"})


def test_every_declared_value_is_reached() -> None:
    table = coverage.empty()

    def missing() -> list[tuple[str, str]]:
        return [(axis, value) for axis, value in coverage.unseen(table) if axis != "call.path"]

    @drawing(5000)
    @given(strategies.examples())
    def run(example: strategies.Example) -> None:
        coverage.count(table, example.problem, example.schedule, example.case)
        if not missing():
            raise EnoughError

    until(missing, run)


def test_extremes_are_reached() -> None:
    """Also what the typical values leave out."""
    missing: set[str] = {"everything"}

    @drawing(5000)
    @given(strategies.schedules(Gemm()))
    def run(schedule: Schedule) -> None:
        (bm, bn, bk), (tm, tn) = schedule.cta_tile, schedule.thread_tile
        threads = bm // tm * (bn // tn)
        found = {
            "thread tile above 16": max(tm, tn) > 16,
            "odd thread tile": tm % 2 == 1 and tm > 1,
            "thread count no multiple of 32": threads % 32 != 0,
            "one thread": threads == 1,
            "512 threads or more": threads >= 512,
            "1024 threads": threads == 1024,
            "deep": bk >= 64,
            "BK=1": bk == 1,
            "row of lanes": schedule.warp_tile is not None and schedule.warp_tile[0] == tm,
            "column of lanes": schedule.warp_tile is not None and schedule.warp_tile[1] == tn,
            "several warps": threads >= 64 and schedule.warp_tile is not None,
            "both direct": str(schedule.copy_a) == str(schedule.copy_b) == "direct",
            "one direct, two stages": str(schedule.copy_a) != str(schedule.copy_b) and schedule.stages == 2,
        }
        if "everything" in missing:
            missing.remove("everything")
            missing.update(found)
        missing.difference_update(name for name, holds in found.items() if holds)
        if not missing:
            raise EnoughError

    until(lambda: missing, run)


def test_near_misses_break_exactly_one_rule_and_reach_every_rule() -> None:
    missing = SEEN_BY_ILL_TYPED_INPUT | SEEN_BY_LEGAL_FIELDS

    @drawing(5000)
    @given(st.data())
    def run(data: Any) -> None:
        problem = data.draw(strategies.problems(fixed_sizes=False))
        miss = data.draw(strategies.near_misses(problem))
        rules = {diagnostic.rule for diagnostic in check_legal(problem, miss.schedule, "sm_80")}
        assert rules == {miss.rule}
        missing.discard(miss.rule)
        if not missing:
            raise EnoughError

    until(lambda: missing, run)


def test_shapes_probe_the_edges_of_the_tile() -> None:
    schedule = Schedule(cta_tile=(16, 24, 8), thread_tile=(4, 4))
    seen: set[tuple[int, int, int]] = set()

    @drawing(1500)
    @given(strategies.shapes(schedule))
    def run(shape: tuple[int, int, int]) -> None:
        seen.add(shape)

    run()
    for axis, tile in enumerate(schedule.cta_tile):
        sizes = {shape[axis] for shape in seen}
        assert {0, 1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 7, 13} <= sizes
    assert any(m > 16 and n <= 24 for m, n, _ in seen)
    assert any(m <= 16 and n > 24 for m, n, _ in seen)
    assert any(m > 32 and n > 48 and k > 24 for m, n, k in seen)


@drawing(300)
@given(st.data())
def test_calls_are_small_enough_to_emulate(data: Any) -> None:
    problem = data.draw(strategies.problems())
    schedule = data.draw(strategies.schedules(problem))
    case = data.draw(strategies.cases(problem, schedule))
    (bm, bn, bk), (m, n, k) = schedule.cta_tile, case.shape
    tiles = [-(-size // tile) for size, tile in ((m, bm), (n, bn), (k, bk))]
    if (problem.m, problem.n, problem.k) == (None, None, None):
        assert sorted(tiles)[-2] <= 6  # only one direction is ever long
        # Beyond the budget only as a few tiles in one direction, where a single tile is large.
        most = max(6, strategies.CALL_BUDGET // (bm * bn * bk))
        assert tiles[0] * tiles[1] * tiles[2] <= most
    fixed = ((problem.m, m), (problem.n, n), (problem.k, k))
    assert all(wanted in {None, size} for wanted, size in fixed)
    assert Case.from_dict(case.to_dict()) == case


@drawing(200)
@given(st.integers(0, 50).flatmap(lambda width: st.tuples(st.just(width), strategies.leading_dimensions(width))))
def test_leading_dimensions_reach_the_width(pair: tuple[int, int]) -> None:
    width, ld = pair
    assert ld >= max(1, width)


def test_offsets_and_scalars_have_all_kinds() -> None:
    offsets, scalars = set(), set()

    @drawing(400)
    @given(strategies.base_offsets(), strategies.scalars())
    def run(offset: int, scalar: float) -> None:
        offsets.add(offset % 4)
        scalars.add(str(scalar))

    run()
    assert offsets == {0, 1, 2, 3}
    assert {"0.0", "-0.0", "1.0", "-1.0"} <= scalars
    assert len(scalars) > 20


def test_a_mechanism_registered_elsewhere_is_drawn_by_its_domains() -> None:
    @record
    class Spiral(RasterRecord):
        """Walks tiles in a spiral."""

        turns: int = param(Ints(3, 5, typical=(3,)), why="It has to turn")

    mechanism = registry.register(Mechanism(slot="raster", name="spiral", record=Spiral))
    seen = set()

    @drawing(600)
    @given(strategies.schedules(Gemm()))
    def run(schedule: Schedule) -> None:
        seen.add(str(schedule.raster))

    try:
        run()
        table = coverage.empty()
    finally:
        registry.unregister(mechanism)
    assert {"spiral(3)", "spiral(4)", "spiral(5)", "row", "column"} <= seen
    assert "spiral" in table["raster"]
    assert set(table["raster: spiral.turns"]) == {"3", "4", "5"}
