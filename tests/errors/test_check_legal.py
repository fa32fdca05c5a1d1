"""What `check_legal` does as a whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gemmgen as gg
from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, register, unregister
from gemmgen.ir.slots import RasterRecord
from gemmgen.rules import Finding, Rule, apply_fix, catalogue


def test_all_violations_are_reported_together():
    schedule = {
        "cta_tile": (256, 256, 66),
        "thread_tile": (8, 8),
        "vector_a": 4,
        "smem_b": "linear(major=m)",
        "stage": 3,
        "raster": "peano",
    }
    rules = [d.rule for d in gg.check_legal({"a_layout": "diagonal"}, schedule, "sm_75")]
    # GG014 needs smem_b and GG017 needs a_layout, neither of which is sound.
    assert rules == ["GG002", "GG003", "GG001", "GG007"]
    schedule |= {"smem_b": "linear"}
    assert [d.rule for d in gg.check_legal({}, schedule, "sm_75")] == ["GG003", "GG001", "GG014", "GG017"]


def test_objects_and_raw_input_give_the_same():
    schedule = gg.Schedule(cta_tile=(128, 128, 6), vector_a=4, copy_b="direct", vector_b=1, stages=2)
    problem = gg.Gemm(a_layout="row", m=5)
    raw = gg.check_legal(problem.to_dict(), schedule.to_dict(), "sm_80")
    assert gg.check_legal(problem, schedule, "sm_80") == raw
    assert [d.rule for d in raw] == ["GG017"]


def test_a_suggestion_prefers_what_breaks_nothing_else():
    # Any other WN than 80 would not give 32 lanes, so BN has to move.
    schedule = {"cta_tile": (130, 128, 8), "warp_tile": (26, 80), "thread_tile": (13, 5)}
    (diagnostic,) = gg.check_legal({}, schedule, "sm_90")
    assert diagnostic.rule == "GG010"
    assert diagnostic.fix == {"schedule.cta_tile": [130, 160, 8]}
    assert gg.check_legal(*apply_fix({}, schedule, "sm_90", diagnostic)) == ()


def test_copy_is_written_out_before_one_side_is_changed():
    schedule = {"copy": "direct", "stages": 1, "vector_a": 2}
    (diagnostic,) = gg.check_legal({}, schedule, "sm_90")
    assert diagnostic.fix == {"schedule.vector_a": 1}
    forced = gg.Diagnostic("GG018", "schedule.vector_a", "", "", "", {"schedule.copy_a": "sync"})
    _, mended, _ = apply_fix({}, schedule, "sm_90", forced)
    assert mended == {"copy_a": "sync", "copy_b": "direct", "stages": 1, "vector_a": 2}


def test_the_arguments_of_apply_fix_stay_as_they_are():
    problem, schedule = {"a": {"dtype": "f32", "x": 1}}, {3: 4}
    for diagnostic in gg.check_legal(problem, schedule, "sm_90"):
        apply_fix(problem, schedule, "sm_90", diagnostic)
    assert problem == {"a": {"dtype": "f32", "x": 1}}
    assert schedule == {3: 4}


class Refusing(str):
    """Text that can not be compared, measured or printed."""

    __slots__ = ()
    __hash__ = str.__hash__

    def _refuse(self, *arguments):
        raise RuntimeError

    __eq__ = __str__ = __repr__ = __getitem__ = isascii = lower = _refuse


class Unreadable(dict):
    """A mapping whose keys can not be had."""

    def keys(self):
        raise RuntimeError


class Unprintable:
    def __repr__(self):
        raise RuntimeError

    __int__ = __index__ = __float__ = __len__ = __iter__ = __repr__


HOSTILE = [Refusing("sync"), Refusing("x"), Unreadable(a=1), Unprintable(), {Unprintable(): 1}, {Refusing("x"): 1}]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_objects_do_not_raise(value):
    for given in (
        (value, value, value),
        ({"a": value, "m": value, "c_layout": value}, dict.fromkeys(gg.Schedule().to_dict(), value), "sm_80"),
        ({"a": {"dtype": value, "layout": value}}, {"copy": value, "cta_tile": [value, 1, 1]}, "sm_80"),
    ):
        for diagnostic in gg.check_legal(*given):
            mended = gg.check_legal(*apply_fix(*given, diagnostic))
            assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}


def test_every_rule_has_an_id_a_reason_and_a_test():
    entries = catalogue()
    ids = [entry.id for entry in entries]
    assert ids == sorted(set(ids))
    tested = {path.name[5:10].upper() for path in Path(__file__).parent.glob("test_gg*.py")}
    assert set(ids) == tested
    for entry in entries:
        assert re.fullmatch(r"GG\d{3}", entry.id)
        assert entry.title
        assert entry.reason


@record
class Spiral(RasterRecord):
    """A raster from outside the package, with a rule of its own."""


def _never(context):
    yield Finding("schedule.raster", "raster=spiral", lambda: [{"schedule.raster": "row"}])


@pytest.fixture
def spiral():
    rule = Rule("XX001", "spirals are not for everyone", "Nobody wrote one", ("schedule.raster",), _never)
    mechanism = register(Mechanism("raster", "spiral", Spiral, rules=(rule,)))
    yield
    unregister(mechanism)


@pytest.mark.usefixtures("spiral")
def test_a_foreign_mechanism_brings_its_rule():
    schedule = {"raster": "spiral"}
    (diagnostic,) = gg.check_legal({}, schedule, "sm_90")
    assert str(diagnostic) == "XX001: raster=spiral. Nobody wrote one. Use raster='row'."
    assert "XX001" in [entry.id for entry in catalogue()]
    assert gg.Schedule(raster="spiral") == gg.Schedule(raster=Spiral())


def test_a_mechanism_is_gone_once_unregistered():
    assert [d.rule for d in gg.check_legal({}, {"raster": "spiral"}, "sm_90")] == ["GG003"]


FINDINGS = {
    "naive: a warp down M": {"cta_tile": (32, 32, 8), "warp_tile": (32, 1), "thread_tile": (1, 1), "copy": "direct"},
    "coalesced: a warp on N": {"cta_tile": (32, 32, 8), "warp_tile": (1, 32), "thread_tile": (1, 1), "copy": "direct"},
    "shared tile": {"cta_tile": (32, 32, 32), "thread_tile": (1, 1)},
    "1D thread tile": {"cta_tile": (64, 64, 8), "thread_tile": (8, 1)},
    "2D thread tile": {"cta_tile": (128, 128, 8), "thread_tile": (8, 8)},
    "128x256x8, 16x8, quads": {
        "cta_tile": (128, 256, 8), "warp_tile": (64, 64), "thread_tile": (16, 8), "thread_layout": "quads",
        "vector_a": 4, "vector_b": 4, "vector_c": 4, "smem_a": "padded(4)", "stages": 2, "fragment_buffers": 2,
        "raster": "grouped(8)",
    },
    "128x128x8, 128 threads, 16x8": {
        "cta_tile": (128, 128, 8), "warp_tile": (64, 64), "thread_tile": (16, 8), "thread_layout": "quads", "stages": 2,
    },
    "128x128x16, 8x8, 256 threads": {
        "cta_tile": (128, 128, 16), "warp_tile": (64, 32), "thread_tile": (8, 8), "thread_layout": "quads", "stages": 2,
    },
    "256x128x8, 16x8": {"cta_tile": (256, 128, 8), "warp_tile": (64, 64), "thread_tile": (16, 8)},
    "64x256x8, 8x16": {"cta_tile": (64, 256, 8), "warp_tile": (64, 64), "thread_tile": (8, 16)},
    "64x128x16, 8x8, 128 threads": {"cta_tile": (64, 128, 16), "warp_tile": (32, 64), "thread_tile": (8, 8)},
    "64x64x32, 8x8": {"cta_tile": (64, 64, 32), "warp_tile": (64, 32), "thread_tile": (8, 8)},
    "32x64x64, 8x4, 2 warps": {"cta_tile": (32, 64, 64), "warp_tile": (32, 32), "thread_tile": (8, 4)},
    "odd extents": {"cta_tile": (20, 15, 3), "thread_tile": (4, 5)},
    "one thread": {"cta_tile": (1, 1, 1), "thread_tile": (1, 1)},
    "1024 threads": {"cta_tile": (32, 32, 1), "thread_tile": (1, 1)},
    "unused shared layouts": {"copy": "direct", "smem_a": "padded(64, major=k)", "smem_b": "padded(3)"},
    "any padding, either major": {"smem_a": "padded(1, major=k)", "smem_b": "padded(7, major=n)", "vector_a": 4},
}  # fmt: skip


@pytest.mark.parametrize("target", ["sm_70", "sm_75", "sm_80", "sm_90a", "sm_120"])
@pytest.mark.parametrize("name", FINDINGS)
def test_known_schedules_are_never_refused(name, target):
    assert gg.check_legal({}, FINDINGS[name], target) == ()
