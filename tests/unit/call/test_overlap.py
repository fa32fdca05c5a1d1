"""Overlap against the plain meaning of it: a byte that two matrices share."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gemmgen.call.overlap import Footprint, overlap


def bytes_of(one: Footprint) -> set[int]:
    starts = range(one.begin, one.begin + one.runs * one.pitch, one.pitch)
    return {byte for start in starts for byte in range(start, start + one.width)}


def share(x: Footprint, y: Footprint) -> bool:
    return not bytes_of(x).isdisjoint(bytes_of(y))


def test_equal_pitches_are_decided_exactly_on_the_whole_of_a_small_grid() -> None:
    pitch = 5
    shapes = [(runs, width) for runs in (1, 2, 3) for width in range(1, pitch + 1)]
    yes = no = 0
    for begin, (x_runs, x_width), (y_runs, y_width) in itertools.product(range(40), shapes, shapes):
        x = Footprint(15, x_runs, x_width, pitch)
        y = Footprint(begin, y_runs, y_width, pitch)
        expected = share(x, y)
        assert overlap(x, y) == overlap(y, x) == expected, (x, y)
        yes, no = yes + expected, no + (not expected)
    assert min(yes, no) > 1000


def footprints(pitch: st.SearchStrategy[int]) -> st.SearchStrategy[Footprint]:
    def of(pitch: int) -> st.SearchStrategy[Footprint]:
        return st.builds(Footprint, st.integers(0, 60), st.integers(1, 6), st.integers(1, pitch), st.just(pitch))

    return pitch.flatmap(of)


@given(footprints(st.integers(1, 12)), footprints(st.integers(1, 12)))
def test_different_pitches_are_never_called_disjoint_wrongly(x: Footprint, y: Footprint) -> None:
    assert overlap(x, y) == overlap(y, x)
    if share(x, y):
        assert overlap(x, y)
    elif overlap(x, y):
        assert x.pitch != y.pitch, "with equal pitches the answer is exact"
        assert x.begin < y.end, "spans that do not meet never overlap"
        assert y.begin < x.end


@given(footprints(st.integers(1, 12)), st.integers(0, 70), st.integers(1, 40), st.integers(1, 40))
def test_one_run_has_no_pitch_of_its_own(x: Footprint, begin: int, width: int, pitch: int) -> None:
    single = Footprint(begin, 1, width, max(pitch, width))
    assert overlap(x, single) == overlap(single, x) == share(x, single)


@given(footprints(st.integers(1, 12)))
def test_a_matrix_overlaps_itself(x: Footprint) -> None:
    assert overlap(x, x)


def test_quadrants_of_one_matrix_lie_side_by_side() -> None:
    base, width, pitch = 1 << 40, 64, 128
    corners = [base, base + width, base + 8 * pitch, base + 8 * pitch + width]
    quadrants = [Footprint(corner, 8, width, pitch) for corner in corners]
    for x, y in itertools.combinations(quadrants, 2):
        assert not overlap(x, y)


def test_addresses_as_high_as_they_come_do_not_wrap() -> None:
    top = (1 << 57) - 4096
    assert overlap(Footprint(top, 4, 16, 1024), Footprint(top + 1024, 1, 4, 16))
    assert not overlap(Footprint(top, 4, 16, 1024), Footprint(top + 16, 4, 16, 1024))
