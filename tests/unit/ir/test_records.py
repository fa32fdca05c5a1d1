"""Problems, schedules and mechanism records as Python values."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle

import numpy as np
import pytest

import gemmgen as gg
from gemmgen.ir.problem import LARGEST_SIZE
from gemmgen.ir.registry import lookup, of
from gemmgen.mechanisms.linear import Linear
from gemmgen.mechanisms.padded import Padded

SCHEDULE = gg.Schedule(
    cta_tile=[128, 64, 8],
    warp_tile=(64, 32),
    thread_tile=np.array([8, 8]).tolist(),
    thread_layout="quads",
    vector_a=np.int64(4),
    copy_b="direct",
    smem_a=" padded( 4 , major = k ) ",
    smem_b=Linear(),
    stages=2,
    raster="grouped(8)",
)
PROBLEM = gg.Gemm(a=gg.Operand(layout="col"), b_layout="col", m=7, k=0)
VALUES = [SCHEDULE, PROBLEM, gg.Schedule(), gg.Gemm(), gg.Operand("f32", "col"), Padded(4), Linear(major="k")]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_plain_data(value):
    names = {"Schedule": gg.Schedule, "Gemm": gg.Gemm, "Operand": gg.Operand, "Padded": Padded, "Linear": Linear}
    assert eval(repr(value), names) == value  # noqa: S307 - that is the promise of a repr
    for same in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), dataclasses.replace(value)):  # noqa: S301
        assert same == value
        assert hash(same) == hash(value)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.anything = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.layout
    assert value != object()


def test_schedule_is_canonical():
    assert SCHEDULE.cta_tile == (128, 64, 8)
    assert type(SCHEDULE.vector_a) is int
    assert SCHEDULE.smem_a == Padded(4, "k")
    assert str(SCHEDULE.smem_a) == "padded(4, major=k)"
    assert of(SCHEDULE.smem_b) is lookup("smem", "linear")


def test_schedule_round_trips_through_its_serial_form():
    written = SCHEDULE.to_dict()
    assert written["cta_tile"] == [128, 64, 8]
    assert written["smem_a"] == "padded(4, major=k)"
    assert gg.Schedule.from_dict(written) == SCHEDULE
    assert "warp_tile" not in gg.Schedule().to_dict()
    assert gg.Schedule.from_dict({}) == gg.Schedule()


def test_problem_round_trips_through_its_serial_form():
    assert PROBLEM.to_dict() == {
        "a": "f32",
        "a_layout": "col",
        "b": "f32",
        "b_layout": "col",
        "c": "f32",
        "c_layout": "row",
        "acc": "f32",
        "m": 7,
        "k": 0,
    }
    assert gg.Gemm.from_dict(PROBLEM.to_dict()) == PROBLEM
    assert gg.Gemm.from_dict({"a": {"layout": "col"}, "b": {"dtype": "f32"}}) == gg.Gemm(a_layout="col")
    assert gg.Gemm.from_dict({"a": {"layout": "col"}, "a_layout": "row"}) == gg.Gemm()


def test_replace():
    assert dataclasses.replace(SCHEDULE, stages=1).stages == 1
    assert dataclasses.replace(SCHEDULE, copy="direct").copy_a == gg.Schedule(copy_a="direct").copy_a
    assert dataclasses.replace(PROBLEM, a_layout="row").a_layout == "row"
    assert dataclasses.replace(PROBLEM, m=None).m is None


def test_copy_sets_both_and_contradicts_neither():
    for both in (gg.Schedule(copy="direct"), gg.Schedule(copy="direct", copy_a="direct")):
        assert str(both.copy_a) == str(both.copy_b) == "direct"
        assert "copy" not in both.to_dict()
    for given in ({"copy_a": "sync"}, {"copy_b": "sync"}, {"copy_a": SCHEDULE.copy_a}):
        with pytest.raises(gg.ScheduleError, match="GG009"):
            gg.Schedule(copy="direct", **given)
        with pytest.raises(gg.ScheduleError, match="GG009"):
            gg.Schedule.from_dict({"copy": "direct", **given})
    with pytest.raises(gg.ScheduleError, match="GG009"):
        gg.Schedule.from_dict({**gg.Schedule().to_dict(), "copy": "direct"})


def test_replacing_copy_replaces_both():
    mixed = gg.Schedule(copy_a="direct", copy_b="sync")
    for wanted in ("direct", "sync", mixed.copy_a):
        replaced = dataclasses.replace(mixed, copy=wanted)
        assert replaced == gg.Schedule(copy_a=wanted, copy_b=wanted)
    with pytest.raises(gg.ScheduleError, match="GG009"):
        dataclasses.replace(mixed, copy="direct", copy_b="sync")


def test_all_that_is_wrong_is_listed():
    with pytest.raises(gg.ScheduleError) as caught:
        gg.Schedule(cta_tile=(1, 2), stage=2, smem_a="x", vector_a=3.0)
    assert [d.field for d in caught.value.diagnostics] == [
        "schedule.cta_tile",
        "schedule.vector_a",
        "schedule.smem_a",
        "schedule.stage",
    ]
    assert str(caught.value).count("\n") == 3
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert again.diagnostics == caught.value.diagnostics
    assert len(set(again.diagnostics)) == 4


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: gg.Schedule(*range(30)), "schedule.argument 18"),
        (lambda: gg.Gemm(m=LARGEST_SIZE + 1), "problem.m"),
        (lambda: gg.Gemm(size=3), "problem.size"),
        (lambda: gg.Gemm(a=3), "problem.a"),
        (lambda: gg.Operand(layout="x"), "operand.layout"),
        (Padded, "padded.n"),
        (lambda: Padded("4"), "padded.n"),
        (lambda: Padded(4, n=4), "padded.n"),
        (lambda: Padded(4, None, 5), "padded.argument 3"),
        (lambda: gg.Schedule.from_dict([]), "schedule"),
        (lambda: gg.Schedule.from_dict({3: 4}), "schedule.3"),
        (lambda: gg.Gemm.from_dict(None), "problem"),
    ],
)
def test_constructors_raise_nothing_but_schedule_errors(build, field):
    with pytest.raises(gg.ScheduleError) as caught:
        build()
    assert field in [d.field for d in caught.value.diagnostics]
    assert all(d.fix for d in caught.value.diagnostics)


def test_signatures_are_shown():
    assert "n" in inspect.signature(Padded).parameters
    assert list(inspect.signature(gg.Gemm).parameters)[:4] == ["a", "b", "c", "acc"]
    assert [p.name for p in gg.Schedule.params()][:3] == ["cta_tile", "warp_tile", "thread_tile"]
