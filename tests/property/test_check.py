"""Random schedules on random calls, through the whole chain: strategies, emission, emulator, oracle."""

from __future__ import annotations

import itertools

import pytest

from gemmgen.emit import emit
from gemmgen.errors import ScheduleError
from gemmgen.ir import Gemm, Schedule
from gemmgen.testing.assertions import assert_correct
from gemmgen.testing.check import check, replay


def test_random_schedules_are_right() -> None:
    """A seeded sample of what `gemmgen check` does; the command line takes it as far as one likes."""
    report = check(examples=40, seed=20, processes=1)
    assert report.failure is None, report.failure
    assert report.schedules == 40
    paths = report.coverage["call.path"]
    assert paths["scheduled"] > 10
    assert paths["scalar"] > 10


@pytest.mark.parametrize("layouts", list(itertools.product(("row", "col"), repeat=3)), ids="-".join)
def test_a_schedule_is_right_in_all_eight_layouts(layouts: tuple[str, str, str]) -> None:
    problem = Gemm(a_layout=layouts[0], b_layout=layouts[1], c_layout=layouts[2])
    schedule = Schedule(
        cta_tile=(32, 32, 4),
        warp_tile=(16, 32),
        thread_tile=(4, 4),
        vector_a=4,
        vector_b=4,
        vector_c=4,
        smem_a="padded(4)",
        stages=2,
    )
    assert_correct(emit(problem, schedule, "sm_80"))


def test_one_shape_can_be_asked_for() -> None:
    assert_correct(emit(Gemm(), Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2))), m=17, n=15, k=9, beta=0.5)


def test_a_record_of_what_is_right_now_replays_to_nothing() -> None:
    document = {"problem": {}, "schedule": {}, "target": "sm_80", "case": {"m": 3, "n": 4, "k": 5}}
    assert replay(document) is None


def test_a_record_of_an_illegal_schedule_is_refused() -> None:
    document = {"problem": {}, "schedule": {"stages": 3}, "target": "sm_80", "case": {"m": 3, "n": 4, "k": 5}}
    with pytest.raises(ScheduleError, match="stages"):
        replay(document)
