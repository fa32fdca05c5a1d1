"""What lowering puts into a plan."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_variants import VARIANTS, emitted

import gemmgen as gg
from gemmgen.geometry import compute_geometry
from gemmgen.ir.problem import DTYPES, LARGEST_SIZE
from gemmgen.lower import lower, symbol_for
from gemmgen.target import resolve
from gemmgen.testing import strategies

SIZES = ("M", "N", "K")


def plan_of(problem, schedule, target="sm_80"):
    resolved = resolve(target)
    return lower(problem, schedule, resolved, symbol_for(problem, schedule, resolved))


def evaluate(plan, expression: str) -> int:
    """The value of a constant's expression: C's division of what is never negative."""
    assert re.fullmatch(r"[A-Za-z0-9_ ()+*/]+", expression)
    values = {constant.name: constant.value for constant in plan.constants}
    return eval(expression.replace("/", "//"), {"__builtins__": {}}, values)  # noqa: S307 - our own expression


def check_constants(plan, geometry, schedule) -> None:
    values = {constant.name: constant.value for constant in plan.constants}
    assert len(values) == len(plan.constants), "a constant is defined twice"
    for constant in plan.constants:
        assert evaluate(plan, constant.expression) == constant.value, constant
        assert constant.is_derived == (not constant.expression.isdigit())
    expected = {"BM": geometry.bm, "BN": geometry.bn, "BK": geometry.bk, "TM": geometry.tm, "TN": geometry.tn}
    expected |= {"WM": geometry.wm, "WN": geometry.wn, "LM": geometry.lm, "LN": geometry.ln}
    expected |= {"kThreads": geometry.threads, "kVectorA": schedule.vector_a, "kVectorB": schedule.vector_b}
    for side in (geometry.a, geometry.b):
        if side.copies_shared:
            expected |= {f"kPitch{side.operand.upper()}": side.pitch, f"kLoad{side.operand.upper()}": side.load_width}
            expected["kStages"] = schedule.stages
    assert expected.items() <= values.items()


@pytest.mark.parametrize("variant", VARIANTS)
def test_constants_have_the_values_that_their_expressions_come_to(variant: str) -> None:
    kernel = emitted(variant)
    check_constants(kernel.plan, compute_geometry(kernel.problem, kernel.schedule), kernel.schedule)


@settings(max_examples=60)
@given(st.data())
def test_any_legal_schedule_lowers_to_a_consistent_plan(data) -> None:
    problem = data.draw(strategies.problems())
    schedule = data.draw(strategies.schedules(problem))
    plan, geometry = plan_of(problem, schedule), compute_geometry(problem, schedule)
    assert plan == plan_of(problem, schedule), "lowering is not pure"
    check_constants(plan, geometry, schedule)
    check_shared(plan, geometry)
    check_launch(plan, problem, schedule, geometry)


def check_shared(plan, geometry) -> None:
    end = 0
    for array in plan.shared:
        assert array.offset_bytes == -(-end // 16) * 16, "members begin on the next 16-byte boundary"
        assert evaluate(plan, array.extent) == array.elements
        end = array.offset_bytes + array.size_bytes
    assert geometry.shared_bytes_total == -(-end // 16) * 16 == plan.launches[0].shared_bytes


def check_launch(plan, problem, schedule, geometry) -> None:
    (launch,) = plan.launches
    widths = {"A": schedule.vector_a, "B": schedule.vector_b, "C": schedule.vector_c, "D": schedule.vector_c}
    if not launch.refuses and not launch.conditions:
        widths = dict.fromkeys("ABCD", 1)  # or a fixed size keeps every call from the schedule's widths
    assert (launch.threads, launch.tile_m, launch.tile_n) == (geometry.threads, geometry.bm, geometry.bn)
    kernel = launch.scheduled
    assert {"A": kernel.vector_a, "B": kernel.vector_b, "C": kernel.vector_c, "D": kernel.vector_c} == widths
    whole = set(widths.values()) == {1} or launch.refuses
    assert launch.refuses == (not schedule.edges.masked)
    assert (launch.fallback == launch.scheduled) == whole
    assert len(launch.kernels) == (1 if whole else 2)
    for matrix, width in widths.items():
        mine = {
            condition.subject: condition
            for condition in launch.conditions
            if condition.matrix == matrix and not (launch.refuses and condition.subject == "extent")
        }
        extent = {"extent"} if matrix != "C" and not launch.refuses else set()
        assert set(mine) == (set() if width == 1 else {"address", "ld"} | extent)
        for subject, condition in mine.items():
            size = DTYPES[plan.dtypes[matrix.lower()]].bytes
            assert condition.divisor == width * (size if subject == "address" else 1)
    if launch.refuses:
        tiles = {c.extent: c.divisor for c in launch.conditions if c.subject == "extent"}
        named = dict(zip("MNK", schedule.cta_tile, strict=True))
        assert tiles == {name: tile for name, tile in named.items() if tile > 1}
    fixed = {name.upper() for name in "mnk" if getattr(problem, name) is not None}
    assert [p.name for p in launch.parameters if p.name in SIZES] == [size for size in SIZES if size not in fixed]
    assert set(plan.fixed_sizes) == fixed


def test_the_condition_on_an_extent_names_the_size_along_which_the_matrix_is_contiguous() -> None:
    found = {
        (matrix.upper(), layout): condition.extent
        for variant in VARIANTS
        for matrix, layout in zip(("a", "b", "d"), _layouts(variant), strict=True)
        for condition in emitted(variant).plan.launches[0].conditions
        if condition.subject == "extent" and condition.matrix == matrix.upper()
    }
    assert found == {
        ("A", "row"): "K",
        ("A", "col"): "M",
        ("B", "row"): "N",
        ("B", "col"): "K",
        ("D", "row"): "N",
        ("D", "col"): "M",
    }


def _layouts(variant: str) -> tuple[str, str, str]:
    problem = VARIANTS[variant].problem
    return problem.a_layout, problem.b_layout, problem.c_layout


def test_the_largest_size_is_the_one_that_problems_may_fix() -> None:
    extents = {emitted(variant).plan.max_extent for variant in VARIANTS}
    assert extents == {LARGEST_SIZE}
    # A coordinate is below a size plus one tile of at most 1024, or for K plus two steps of at most 256.
    assert LARGEST_SIZE + 1024 + 2 * 256 < 2**31


def test_plans_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        emitted("shared").plan.symbol = "x"


def test_a_kernel_that_no_call_can_get_is_not_in_the_file() -> None:
    schedule = gg.Schedule(cta_tile=(16, 16, 8), thread_tile=(4, 4), vector_a=4, vector_b=4, vector_c=4)
    odd = gg.generate(gg.Gemm(k=33), schedule)
    assert [kernel.name for kernel in odd.plan.launches[0].kernels] == [f"{odd.symbol}_kernel"]
    assert "kernel_scalar" not in odd.source
    assert odd.plan.launches[0].scheduled.vector_a == 1
    even = gg.generate(gg.Gemm(k=32), schedule)
    assert len(even.plan.launches[0].kernels) == 2
