"""The engine of `gemmgen check`, on kernels of NumPy."""

from __future__ import annotations

import json
import re
import shlex
from functools import partial
from typing import Any

import fake_kernels as fakes
import pytest
from fake_kernels import fake_emit

from gemmgen.errors import ArgumentError, EnvironmentUnavailable
from gemmgen.ir import Gemm, Schedule
from gemmgen.testing import coverage
from gemmgen.testing.cases import Case
from gemmgen.testing.check import CheckReport, check, replay

run = partial(check, emit=fake_emit, backend=fakes.Numpy, processes=1)


def test_every_example_is_a_fresh_schedule() -> None:
    seen: list[tuple[int, int]] = []
    report = run(examples=40, seed=3, progress=lambda done, wanted: seen.append((done, wanted)))
    assert report.failure is None
    assert report.command is None
    assert (report.examples, report.schedules) == (40, 40)
    assert 1 < report.shapes <= 40
    assert report.runs >= 3 * 40
    assert seen[-1] == (40, 40)
    assert report.seconds > 0


def test_a_seed_gives_the_same_examples_again() -> None:
    one, two, other = (run(examples=15, seed=seed) for seed in (7, 7, 8))
    assert one.coverage == two.coverage
    assert one.coverage != other.coverage


def test_both_paths_and_every_slot_are_covered() -> None:
    report = run(examples=60, seed=1)
    assert report.coverage["call.path"]["scheduled"] > 10
    assert report.coverage["call.path"]["scalar"] > 10
    assert set(report.coverage["copy_a"]) >= {"direct", "sync"}
    assert sum(report.coverage["copy_a"].values()) == 60
    assert sum(report.coverage["problem.a_layout"].values()) == 60
    assert all(report.coverage["vector_a"][width] for width in ("1", "2", "4"))
    assert ("stages", "3") not in coverage.unseen(report.coverage)


def test_a_given_schedule_is_kept_and_its_calls_are_fresh() -> None:
    schedule = Schedule(cta_tile=(16, 16, 4), thread_tile=(4, 4), vector_c=4)
    report = run(examples=25, problem=Gemm(a_layout="col"), schedule=schedule)
    assert (report.examples, report.schedules) == (25, 1)
    assert report.shapes > 5
    assert report.coverage["BM"]["16"] == 25


def test_a_failure_is_shrunk_and_can_be_run_again() -> None:
    report = run(examples=200, seed=0, backend=fakes.WrongForLargeK)
    failure = report.failure
    assert failure is not None
    assert failure.kind == "oracle"
    case = Case.from_dict(failure.case)
    assert (case.m, case.n) == (1, 1)
    assert 20 < case.k <= 60
    assert case.paddings == case.offsets == (0, 0, 0, 0)
    again = replay(failure.document(), emit=fake_emit, backend=fakes.WrongForLargeK())
    assert again is not None
    assert again.kind == "oracle"
    assert replay(failure.document(), emit=fake_emit, backend=fakes.Numpy()) is None


def test_the_command_runs_the_failure_again() -> None:
    report = run(examples=50, backend=fakes.AlphaTwice)
    assert report.command is not None
    words = shlex.split(report.command)
    assert words[:3] == ["gemmgen", "check", "--replay"]
    assert "\n" not in report.command
    assert replay(json.loads(words[3]), emit=fake_emit, backend=fakes.AlphaTwice()) is not None


def test_shrinking_can_be_left_out() -> None:
    whole = run(examples=200, seed=0, backend=fakes.WrongForLargeK, shrink=False).failure
    assert whole is not None
    assert Case.from_dict(whole.case).k > 20


def test_an_exception_of_ours_is_a_failure_with_its_traceback() -> None:
    report = run(examples=5, backend=fakes.Raises)
    assert report.failure is not None
    assert report.failure.kind == "error"
    assert "ZeroDivisionError: ours" in report.failure.message


def test_a_missing_compiler_is_no_failure() -> None:
    for processes in (1, 2):
        with pytest.raises(EnvironmentUnavailable, match=r"^No C\+\+ compiler was found; install g\+\+\.$"):
            run(examples=5, backend=fakes.Unavailable, processes=processes)


def test_processes_share_the_examples() -> None:
    progress: list[int] = []
    report = run(examples=31, seed=5, processes=2, progress=lambda done, wanted: progress.append(done))
    assert (report.examples, report.processes) == (31, 2)
    assert report.failure is None
    assert progress == sorted(progress)
    assert progress[-1] == 31


def test_a_process_that_dies_has_failed_on_its_example() -> None:
    report = run(examples=200, processes=2, backend=fakes.Dies)
    assert isinstance(report, CheckReport)
    assert report.failure is not None
    assert report.failure.kind == "crash"
    assert report.failure.message == "the process running this example ended with exit code 11"
    assert report.failure.case["m"] > 0


@pytest.mark.parametrize("arguments", [{"examples": 0}, {"processes": 0}])
def test_nothing_to_do_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="must be at least 1"):
        run(**arguments)


def test_a_damaged_record_is_refused() -> None:
    with pytest.raises(ArgumentError, match="lacks schedule, case"):
        replay({"problem": {}, "target": "sm_80"}, emit=fake_emit)
    for case, text in (
        ({"x": 1}, "x=1, no m, no n, no k"),
        ([], "[] is no table"),
        ({"m": 1, "n": -1, "k": True, "paddings": [0, 0], "alpha": "1"}, "n=-1, k=True, paddings=[0, 0], alpha='1'"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(f"the recorded call can not be read: {text}.")):
            replay({"problem": {}, "schedule": {}, "target": "sm_80", "case": case}, emit=fake_emit)
