"""The launcher at its limits: overlap byte by byte, and the last value that is still accepted."""

from __future__ import annotations

import itertools

import pytest
from kernel_variants import emitted
from launcher_contract import ARENA, FAR, INVALID, OVERLAPPING, SUCCESS, TOO_LARGE, extents, good
from recorded_launcher import RawCall, RecordedLauncher

from gemmgen.call.overlap import Footprint, overlap

BUILT = ("shared", "columns")


@pytest.fixture(scope="module", params=BUILT)
def launcher(request, tmp_path_factory) -> RecordedLauncher:
    return RecordedLauncher(emitted(request.param), tmp_path_factory.mktemp("launchers"))


def with_d_and(launcher: RecordedLauncher, name: str, size: tuple[int, int, int], **fields: int) -> RawCall:
    """D in the arena, one other matrix as given, the rest far away."""
    return good(launcher, *size, **({"d": ARENA} | fields))


def footprint(launcher: RecordedLauncher, call: RawCall, name: str) -> Footprint:
    runs, width = extents(launcher.emitted.plan, call)[name]
    return Footprint(getattr(call, name), runs, 4 * width, 4 * getattr(call, f"ld{name}"))


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_overlap_is_decided_byte_by_byte_for_equal_pitches(launcher: RecordedLauncher, name: str) -> None:
    pitch, found = 4, {True: 0, False: 0}
    for size in itertools.product((1, 2, 3, 4), (1, 3), (1, 2, 4)):
        for words in range(-18, 19):
            call = with_d_and(launcher, name, size, **{name: ARENA + 4 * words, f"ld{name}": pitch, "ldd": pitch})
            x, y = footprint(launcher, call, name), footprint(launcher, call, "d")
            if name == "c" and words == 0:
                expected = False  # in place
            else:
                expected = not bytes_of(x).isdisjoint(bytes_of(y))
                assert overlap(x, y) == expected
            assert launcher.can_implement(call) == (OVERLAPPING if expected else SUCCESS)
            found[expected] += 1
    assert min(found.values()) > 100


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_overlap_is_decided_as_python_does_for_other_pitches_and_single_bytes(launcher, name: str) -> None:
    for size, pitches in itertools.product(
        ((1, 1, 1), (1, 1, 3), (3, 1, 1), (3, 2, 2), (2, 3, 1)), ((3, 4), (4, 3), (7, 3))
    ):
        for shift in range(-40, 41):
            ld = {f"ld{name}": pitches[0], "ldd": pitches[1]}
            call = with_d_and(launcher, name, size, **{name: ARENA + shift}, **ld)
            x, y = footprint(launcher, call, name), footprint(launcher, call, "d")
            status = launcher.can_implement(call)
            if name == "c" and shift == 0 and min(x.runs, y.runs) == 1:
                assert status == SUCCESS
            else:
                assert (status == OVERLAPPING) == overlap(x, y)
            if not bytes_of(x).isdisjoint(bytes_of(y)):
                assert status == OVERLAPPING or (name == "c" and shift == 0)


def bytes_of(one: Footprint) -> set[int]:
    starts = range(one.begin, one.begin + one.runs * one.pitch, one.pitch)
    return {byte for start in starts for byte in range(start, start + one.width)}


def test_c_may_be_d_unless_their_pitches_differ_and_matter(launcher: RecordedLauncher) -> None:
    same = good(launcher, 4, 4, 4, c=FAR["d"], ldc=8, ldd=8)
    assert launcher.can_implement(same) == SUCCESS
    assert launcher.can_implement(good(launcher, 4, 4, 4, c=FAR["d"], ldc=8, ldd=9)) == OVERLAPPING
    assert launcher.can_implement(good(launcher, 4, 4, 4, c=FAR["d"], ldc=8, ldd=9, beta=0.0)) == SUCCESS
    one_run = (1, 4, 4) if launcher.emitted.plan.layout_c == "row" else (4, 1, 4)
    assert launcher.can_implement(good(launcher, *one_run, c=FAR["d"], ldc=8, ldd=9)) == SUCCESS


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_the_longest_pitch(launcher: RecordedLauncher, name: str) -> None:
    places = {other: (1 << 61) + FAR[other] for other in "abcd"} | {name: 1 << 40}
    for ld, status in ((2**56, SUCCESS), (2**56 + 1, TOO_LARGE), (2**63 - 1, TOO_LARGE)):
        call = good(launcher, 4, 4, 4, **places, **{f"ld{name}": ld})
        assert launcher.can_implement(call) == status


def fields(call: RawCall) -> dict[str, object]:
    return {name: getattr(call, name) for name in RawCall.__dataclass_fields__}


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_the_shortest_pitch(launcher: RecordedLauncher, name: str) -> None:
    for size in ((3, 5, 7), (1, 1, 1), (0, 0, 0), (3, 5, 0)):
        width = max(1, extents(launcher.emitted.plan, good(launcher, *size))[name][1])
        assert launcher.can_implement(good(launcher, *size, **{f"ld{name}": width})) == SUCCESS
        for short in (width - 1, 0, -1, -(2**63)):
            assert launcher.can_implement(good(launcher, *size, **{f"ld{name}": short})) == INVALID
    if name == "c":
        assert launcher.can_implement(good(launcher, 3, 5, 7, ldc=-1, beta=0.0)) == SUCCESS


def test_the_largest_grid(launcher: RecordedLauncher) -> None:
    launch = launcher.emitted.plan.launches[0]
    rows = 46340 * launch.tile_m
    # 46340 * 46341 tiles are below 2^31, one more column of tiles is above.
    most, above = 46341 * launch.tile_n, 46341 * launch.tile_n + 1
    assert 46340 * 46341 < 2**31 - 1 < 46340 * 46342
    assert launcher.can_implement(spread(good(launcher, rows, most, 1))) == SUCCESS
    assert launcher.can_implement(spread(good(launcher, rows, above, 1))) == TOO_LARGE


def spread(call: RawCall) -> RawCall:
    """The same with matrices so far apart that terabytes fit between them."""
    return RawCall(**{**fields(call), "a": 1 << 50, "b": 1 << 51, "c": 1 << 52, "d": 1 << 53})


def test_the_largest_sizes(launcher: RecordedLauncher) -> None:
    largest = launcher.emitted.plan.max_extent
    for axis in range(3):
        size = [1, 1, 1]
        size[axis] = largest
        assert launcher.can_implement(spread(good(launcher, *size))) == SUCCESS
        size[axis] = largest + 1
        assert launcher.can_implement(spread(good(launcher, *size))) == TOO_LARGE
        size[axis] = -1
        assert launcher.can_implement(good(launcher, *size)) == INVALID
