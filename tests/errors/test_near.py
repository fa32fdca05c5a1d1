"""Which of several ways out is the nearest, and that all that is wrong with one field is named."""

from __future__ import annotations

import pytest

import gemmgen as gg
from gemmgen.rules import apply_fix
from gemmgen.rules.near import distance, effort, rounded, step


def test_a_step_counts_doublings_and_lost_factors_of_two():
    assert step(32, 64) == step(128, 64) == 1.0
    assert step(4, 5) < step(65, 64)
    assert step(80, 64) < step(65, 64)
    assert step(90, 100) < step(120, 100)


def test_fewer_fields_then_a_shorter_way_then_fewer_numbers_are_nearer():
    ways = [
        [((64, 64, 8), (32, 64, 8))],
        [((64, 64, 8), (64, 64, 2))],
        [((64, 64, 8), (32, 32, 8))],
        [(8, None)],
        [(2, 1), ("quads", "contiguous")],
    ]
    assert sorted(ways, key=effort) == [ways[0], ways[1], ways[3], ways[2], ways[4]]
    assert distance((32, 32), (1024, 1024)) < distance((512, 2), (1024, 1024))
    assert sorted(rounded(13)) == [8, 12, 13]


@pytest.mark.parametrize(
    ("schedule", "suggestions"),
    [
        ({"cta_tile": [1024, 1024, 32], "thread_tile": [32, 32]}, ["Use BK=20 or BM=256."]),
        ({"cta_tile": [512, 512, 64], "thread_tile": [16, 16], "stages": 2}, ["Use BK=20 or cta_tile=(128, 128, 64)."]),
        ({"cta_tile": [64, 64, 8], "thread_tile": [5, 4]}, ["Use TM=4 or BM=80."]),
        (
            {"smem_a": "padded(4", "smem_b": "padded 4, major=k"},
            ["Use smem_a='padded(4)'.", "Use smem_b='padded(4, major=k)'."],
        ),
    ],
)
def test_the_nearest_choice_comes_first(schedule, suggestions):
    assert [d.suggestion for d in gg.check_legal({}, schedule, "sm_80")] == suggestions


NAMED = [
    ("cta_tile", [0, -1, 10**9], ["BM=0", "BN=-1", "BK=1000000000"]),
    ("thread_tile", [0, 99], ["TM=0", "TN=99"]),
    ("smem_a", "swizzled(9, 9, 99)", ["bits=9", "base=9", "shift=99"]),
]


@pytest.mark.parametrize(("name", "value", "parts"), NAMED)
def test_every_bad_part_of_a_value_is_named_and_mended_at_once(name, value, parts):
    (found,) = gg.check_legal({}, {name: value}, "sm_80")
    for part in parts:
        assert f"{part}, which is not " in found.message or f"{part} is not " in found.message
    fields = {d.field for d in gg.check_legal(*apply_fix({}, {name: value}, "sm_80", found)) if d.rule < "GG006"}
    assert not fields


def test_a_width_is_judged_though_quads_do_not_fit():
    schedule = {"thread_tile": [4, 3], "thread_layout": "quads", "vector_c": 4}
    assert [d.rule for d in gg.check_legal({}, schedule, "sm_80")] == ["GG011", "GG016", "GG019"]
