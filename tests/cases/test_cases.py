"""Failures that real GEMM projects had, one test each; `case_table.py` says where those stand that are not here."""

from __future__ import annotations

import functools
import itertools
import math
import mmap
from pathlib import Path

import numpy as np
import pytest
from case_table import CAN_NOT_ARISE, ELSEWHERE, NUMBERS
from guarded import Guarded, filled, integers

import gemmgen as gg

ROOT = Path(__file__).parents[2]
MAP_NORESERVE = 0x4000  # of Linux: addresses without memory behind them until they are touched
LAYOUTS = tuple(itertools.product(("row", "col"), repeat=2))
HERE: dict[int, list[str]] = {}


def case(number: int):
    def note(test):
        HERE.setdefault(number, []).append(test.__name__)
        return test

    return note


@functools.cache
def kernel(layouts: tuple[str, str, str] = ("row", "row", "row"), **fields) -> gg.Kernel:
    problem = gg.Gemm(a_layout=layouts[0], b_layout=layouts[1], c_layout=layouts[2])
    return gg.generate(problem, gg.Schedule(**fields))


TILE_64 = {"cta_tile": (64, 64, 16), "thread_tile": (4, 4)}
TILE_16 = {"cta_tile": (16, 16, 8), "thread_tile": (2, 2)}
VECTOR_16 = {"cta_tile": (16, 16, 8), "thread_tile": (4, 4), "vector_a": 4, "vector_b": 4, "vector_c": 4}


def ordered(array: np.ndarray, layout: str) -> np.ndarray:
    return np.asarray(array, order="C" if layout == "row" else "F")


def product_is_right(k: gg.Kernel, m: int, n: int, depth: int, seed: int = 0) -> None:
    """One product of integers with guards around everything; equal to float64 bit for bit."""
    layouts = k.problem.a_layout, k.problem.b_layout, k.problem.c_layout
    a = Guarded(integers(seed, m, depth), layouts[0], offset=1)
    b = Guarded(integers(seed + 1, depth, n), layouts[1])
    d = Guarded(filled(math.nan, m, n), layouts[2])
    k.run(a.array, b.array, out=d.array)
    assert np.array_equal(d.array, a.array.astype(np.float64) @ b.array.astype(np.float64))
    assert a.unchanged
    assert b.unchanged
    assert d.untouched


def test_every_case_has_a_test_or_a_reason() -> None:
    assert sorted({*HERE, *ELSEWHERE, *CAN_NOT_ARISE}) == sorted(NUMBERS)
    assert not set(ELSEWHERE) & set(CAN_NOT_ARISE)
    assert not set(HERE) & set(CAN_NOT_ARISE)


@pytest.mark.parametrize("place", sorted(set(itertools.chain(*ELSEWHERE.values()))))
def test_a_test_named_in_the_table_exists(place: str) -> None:
    path, _, name = place.partition("::")
    assert f"\ndef {name}(" in (ROOT / path).read_text()


# ---- Edges -----------------------------------------------------------------------------------------------------


@case(1)
def test_tiles_of_a_and_b_have_their_own_masks() -> None:
    product_is_right(kernel(**TILE_64), 100, 100, 100)


@case(2)
@pytest.mark.parametrize(("m", "n", "k"), [(128, 1024, 3), (1024, 128, 1), (64, 65, 133)])
@pytest.mark.parametrize("layouts", [("col", "col", "row"), ("row", "col", "row")])
def test_k_below_a_vector_and_below_a_tile(layouts, m: int, n: int, k: int) -> None:
    product_is_right(kernel(layouts, **TILE_64, vector_a=4, vector_b=4, vector_c=4), m, n, k)


@case(3)
@pytest.mark.parametrize("layouts", LAYOUTS)
def test_every_n_for_every_pair_of_layouts(layouts) -> None:
    for n in range(1, 34):
        product_is_right(kernel((*layouts, "row"), **VECTOR_16), 64, n, 64, seed=n)


@case(5)
def test_warps_that_do_not_divide_the_tile_are_refused_and_those_that_do_write_every_column() -> None:
    tile = {"cta_tile": (16, 104, 8), "thread_tile": (2, 2)}
    refused = gg.check_legal(gg.Gemm(), gg.Schedule(**tile, warp_tile=(16, 16)), "sm_80")
    assert "GG010" in {diagnostic.rule for diagnostic in refused}
    product_is_right(kernel(**tile, warp_tile=(16, 8)), 16, 104, 20)


@case(6)
def test_a_product_smaller_than_a_tile() -> None:
    product_is_right(kernel(cta_tile=(128, 128, 8), thread_tile=(8, 8)), 4, 4, 4)


@case(8)
@pytest.mark.parametrize("depth", [1, 3, 64, 127, 128, 129, 256])
def test_a_prologue_never_loads_beyond_k(depth: int) -> None:
    product_is_right(kernel(cta_tile=(16, 16, 128), thread_tile=(2, 2), stages=2), 16, 16, depth)


@case(9)
@pytest.mark.parametrize("raster", ["row", "column", "grouped(2)"])
@pytest.mark.parametrize("layouts", LAYOUTS)
def test_more_than_one_tile_in_each_direction_alone_and_in_both(layouts, raster: str) -> None:
    for rows, columns in ((2, 1), (1, 2), (2, 2), (3, 5)):
        product_is_right(kernel((*layouts, "row"), **TILE_16, raster=raster), 16 * rows, 16 * columns, 16)


@case(10)
@pytest.mark.parametrize(("m", "n", "k"), sorted(set(itertools.permutations((256, 256, 128)))))
def test_every_permutation_of_sizes_that_differ(m: int, n: int, k: int) -> None:
    product_is_right(kernel(**TILE_64), m, n, k)


@case(11)
@pytest.mark.parametrize(("m", "n"), [(1, 64), (64, 1), (1, 1)])
def test_a_vector_times_a_matrix_writes_nothing_behind_it(m: int, n: int) -> None:
    a, b = integers(0, m, 64), integers(1, 64, n)
    storage = filled(7, m * n + 3 * 64)
    kernel(**TILE_16).run(a, b, out=storage[: m * n].reshape(m, n))
    assert np.array_equal(storage[: m * n].reshape(m, n), a @ b)
    assert np.all(storage[m * n :] == 7)


@case(12)
def test_a_store_wider_than_a_thread_s_columns_is_refused() -> None:
    (refused,) = gg.check_legal(gg.Gemm(), gg.Schedule(cta_tile=(16, 16, 8), thread_tile=(2, 2), vector_c=4), "sm_80")
    assert refused.rule == "GG019"


@case(13)
@pytest.mark.parametrize(("depth", "tile"), [(8, 64), (3, 8), (24, 8)])
def test_ones_count_k(depth: int, tile: int) -> None:
    d = kernel(cta_tile=(32, 32, tile), thread_tile=(4, 4)).run(filled(1, 128, depth), filled(1, depth, 128))
    assert np.all(d == depth)


@case(43)
@pytest.mark.parametrize("stages", [1, 2])
def test_accumulators_are_cleared_once_and_not_for_every_tile(stages: int) -> None:
    one = kernel(**TILE_16, stages=stages)
    for _ in range(2):
        assert np.all(one.run(filled(1, 40, 24), filled(1, 24, 40)) == 24)


# ---- Leading dimensions, alignment, strides --------------------------------------------------------------------


@case(14)
@pytest.mark.parametrize("ld", [2, 3, 5, 6])
def test_an_odd_pitch_with_an_even_width(ld: int) -> None:
    columns = kernel(("col", "col", "col"), cta_tile=(8, 8, 4), thread_tile=(2, 2), vector_a=2, vector_b=2, vector_c=2)
    a, b = integers(0, 2, 3), integers(1, 3, 4)
    d = Guarded(filled(math.nan, 2, 4), "col", ld=ld)
    columns.run(Guarded(a, "col", ld=ld).array, Guarded(b, "col", ld=ld + 1).array, out=d.array)
    assert np.array_equal(d.array, a @ b)
    assert d.untouched


@case(15)
def test_a_pitch_below_the_vector_width_goes_the_scalar_way() -> None:
    product_is_right(kernel(**VECTOR_16), 9, 7, 1)
    product_is_right(kernel(("row", "col", "row"), **VECTOR_16), 9, 7, 1)
    product_is_right(kernel(("col", "row", "col"), **VECTOR_16), 1, 1, 9)


@case(16)
@pytest.mark.parametrize("padding", [0, 3])
@pytest.mark.parametrize("n", [1, 7, 9, 15, 23])
def test_the_last_columns_leave_padding_and_guards_alone(n: int, padding: int) -> None:
    a, b = integers(0, 18, 8), integers(1, 8, n)
    d = Guarded(filled(math.nan, 18, n), ld=n + padding)
    kernel(**VECTOR_16).run(a, b, out=d.array)
    assert np.array_equal(d.array, a @ b)
    assert d.untouched


@case(17)
@pytest.mark.parametrize("stride", [0, 1, -4, 4096])
def test_the_stride_of_a_dimension_of_size_1_says_nothing(stride: int) -> None:
    row = np.lib.stride_tricks.as_strided(integers(0, 1, 9), (1, 9), (stride, 4))
    column = np.lib.stride_tricks.as_strided(integers(1, 9, 1), (9, 1), (4, stride))
    for layouts in (("row", "row", "row"), ("col", "col", "col")):
        one = kernel(layouts, **TILE_16)
        if layouts[0] == "row":
            assert one.run(row, integers(1, 9, 1)) == row @ integers(1, 9, 1)
        else:
            assert np.array_equal(one.run(column, integers(2, 1, 1)), column @ integers(2, 1, 1))


@case(18)
def test_an_output_of_other_strides_is_refused_and_never_written_to_other_places() -> None:
    a, b, big = integers(0, 4, 5), integers(1, 5, 6), filled(9, 6, 12)
    for out in (big[:4, ::2], big.T[:4, :6]):
        with pytest.raises(gg.ArgumentError, match=r"out has strides .* row-major"):
            kernel(**TILE_16).run(a, b, out=out)
    assert np.all(big == 9)
    columns = kernel(("row", "row", "col"), **TILE_16)
    assert columns.run(a, b, out=big.T[:4, :6]) is not None
    assert np.array_equal(big.T[:4, :6], a @ b)
    assert np.all(big.T[4:] == 9)


@case(21)
@pytest.mark.parametrize(("ldc", "ldd"), [(7, 12), (12, 7), (8, 16)])
def test_c_and_d_each_have_their_own_pitch(ldc: int, ldd: int) -> None:
    for layout in ("row", "col"):
        a, b = integers(0, 7, 5), integers(1, 5, 7)
        c, d = Guarded(integers(2, 7, 7), layout, ld=ldc), Guarded(filled(math.nan, 7, 7), layout, ld=ldd)
        kernel(("row", "row", layout), **VECTOR_16).run(a, b, c.array, beta=1, out=d.array)
        assert np.array_equal(d.array, a @ b + c.array)
        assert c.unchanged
        assert d.untouched


# ---- alpha, beta, NaN, Inf, aliasing ---------------------------------------------------------------------------


@case(23)
@pytest.mark.parametrize("beta", [0.0, -0.0])
@pytest.mark.parametrize("old", [math.nan, math.inf])
def test_beta_zero_does_not_read_c(beta: float, old: float) -> None:
    a, b, c = integers(0, 9, 5), integers(1, 5, 11), filled(old, 9, 11)
    assert np.array_equal(kernel(**TILE_16).run(a, b, c, beta=beta), a @ b)
    assert np.array_equal(kernel(**TILE_16).run(a, b, c, beta=beta, out=c), a @ b)


@case(24)
@pytest.mark.parametrize("layout", ["row", "col"])
def test_beta_zero_does_not_read_c_inside_or_at_the_edges(layout: str) -> None:
    a, b, c = integers(0, 17, 9), integers(1, 9, 17), ordered(filled(math.nan, 17, 17), layout)
    assert np.array_equal(kernel(("row", "row", layout), **VECTOR_16).run(a, b, c, beta=0), a @ b)


@case(25)
@pytest.mark.parametrize("copy", ["sync", "direct"])
@pytest.mark.parametrize("beta", [0, 1, 3])
def test_alpha_zero_does_not_read_a_or_b(beta: float, copy: str) -> None:
    one, c = kernel(**TILE_16, copy=copy), integers(2, 18, 19)
    nan = filled(math.nan, 18, 7), filled(math.nan, 7, 19)
    assert np.array_equal(one.run(*nan, c, alpha=0, beta=beta), beta * c)


@case(25)
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_not_finite_in_a_row_of_a_reaches_that_row_and_no_other(value: float) -> None:
    a, b = integers(0, 20, 9), np.abs(integers(1, 9, 18)) + 1
    a[13, 4] = value
    d = kernel(**TILE_16).run(a, b)
    assert not np.isfinite(d[13]).any()
    assert np.array_equal(np.delete(d, 13, 0), np.delete(a, 13, 0) @ b)


@case(26)
def test_scalars_stay_in_the_accumulator_type() -> None:
    one, c = filled(1, 1, 1), filled(1, 1, 1)
    for value in (2.927, 1 + 2**-23, 1e-38):
        assert kernel(**TILE_16).run(one, one, alpha=value) == np.float32(value)
        assert kernel(**TILE_16).run(one, one, c, alpha=0, beta=value) == np.float32(value)


@case(30)
def test_slices_of_one_allocation_are_not_mixed_up() -> None:
    whole = integers(0, 24, 30)
    a, b, c = whole[:8, :10], whole[4:14, 12:22], whole[16:24, :10]
    before, expected = whole.copy(), a @ b + c
    d = kernel(**TILE_16).run(a, b, c, beta=1)
    assert np.array_equal(d, expected)
    assert np.array_equal(whole, before)
    kernel(**TILE_16).run(a, b, c, beta=1, out=c)
    assert np.array_equal(c, expected)
    before[16:24, :10] = expected
    assert np.array_equal(whole, before)


@case(30)
def test_an_output_that_is_an_input_is_refused() -> None:
    a, b = integers(0, 8, 8), integers(1, 8, 8)
    for out, name in ((a, "a"), (b, "b")):
        with pytest.raises(gg.ArgumentError, match=f"out overlaps {name}"):
            kernel(**TILE_16).run(a, b, out=out)


# ---- Limits ----------------------------------------------------------------------------------------------------


@case(32)
@pytest.mark.parametrize(("depth", "stages", "needed"), [(96, 1, 49_152), (64, 2, 65_536)])
def test_shared_memory_of_48_kib_and_above_runs(depth: int, stages: int, needed: int) -> None:
    large = kernel(cta_tile=(64, 64, depth), thread_tile=(8, 8), stages=stages)
    assert large.plan.launches[0].shared_bytes == needed
    product_is_right(large, 65, 63, depth + 1)


@case(32)
def test_shared_memory_above_the_limit_is_refused_with_both_numbers() -> None:
    schedule = gg.Schedule(cta_tile=(128, 128, 128), thread_tile=(8, 8), stages=2)
    with pytest.raises(gg.ScheduleError, match=r"262,144 B of shared memory; sm_80 allows 166,912 B"):
        gg.generate(gg.Gemm(), schedule)


@case(36)
def test_a_block_of_2048_threads_is_refused_before_anything_is_emitted() -> None:
    with pytest.raises(gg.ScheduleError, match="GG013"):
        gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(64, 32, 8), thread_tile=(1, 1)))


@case(37)
def test_offsets_beyond_2_to_the_31_elements() -> None:
    ld, m, n = 2**30 + 4, 4, 5
    memory = mmap.mmap(-1, 4 * m * ld, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    far = np.ndarray((m, n), np.float32, memory, 0, (4 * ld, 4))
    assert (m - 1) * ld > 2**31
    a, b = integers(0, m, 3), integers(1, 3, n)
    kernel(**TILE_16).run(a, b, out=far)
    assert np.array_equal(far, a @ b)
    far_a = far[:, :3]
    assert np.array_equal(kernel(**TILE_16).run(far_a, b), far_a @ b)


# ---- Synchronisation -------------------------------------------------------------------------------------------


@case(39)
@pytest.mark.parametrize("fields", [{}, {"stages": 2}, {"fragment_buffers": 2}, {"stages": 2, "fragment_buffers": 2}])
def test_several_tiles_of_k_meet_no_race_and_repeat_their_bits(fields) -> None:
    one = kernel(**TILE_16, **fields)
    rng = np.random.default_rng(0)
    for tiles in (1, 2, 3, 5):
        a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((33, 8 * tiles), (8 * tiles, 18)))
        first = one.run(a, b)
        assert all(one.run(a, b).tobytes() == first.tobytes() for _ in range(3))


# ---- Numerics --------------------------------------------------------------------------------------------------


@case(47)
def test_fp32_keeps_all_of_its_significand() -> None:
    m, depth = 5, 4096
    bits = np.random.default_rng(0).integers(0, 2**23, (m, depth))
    a = (1 + bits * 2.0**-23).astype(np.float32)
    a[:, ::2] = 1 + 2.0**-12
    columns = np.arange(0, depth, 97)
    b = np.zeros((depth, columns.size), np.float32)
    b[columns, np.arange(columns.size)] = 1
    assert np.array_equal(kernel(**TILE_16).run(a, b), a[:, columns])


@case(47)
def test_a_long_sum_stays_within_the_bound_of_fp32() -> None:
    depth = 4096
    a, b = filled(1 + 2.0**-12, 1, depth), filled(1, depth, 1)
    exact = depth * (1 + 2.0**-12)
    error = abs(float(kernel(**TILE_16).run(a, b)[0, 0]) - exact)
    assert error <= depth * 2.0**-24 / (1 - depth * 2.0**-24) * exact
    assert error < exact * 2.0**-14, "rounding the inputs to 10 bits would lose 2^-12 of each"


@case(51)
def test_sizes_in_bytes_follow_the_element_type() -> None:
    one = kernel(**TILE_16)
    assert "sizeof(Element)" in one.source
    assert "sizeof(float)" not in one.source
    c = Guarded(integers(2, 9, 11))
    a, b = integers(0, 9, 5), integers(1, 5, 11)
    d = one.run(a, b, c.array, beta=1)
    assert np.array_equal(d, a @ b + c.array)
    assert c.unchanged
