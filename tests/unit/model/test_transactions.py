"""The bank and sector model against counters of an H200, and its answers to bad input."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gemmgen import model
from gemmgen.errors import ArgumentError

MEASURED = Path(__file__).parents[2] / "data" / "h200_transactions.csv"


def measured_rows() -> list[dict[str, str]]:
    """Every measured pattern."""
    with MEASURED.open(newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("instruction", sorted({row["instruction"] for row in measured_rows()}))
def test_every_measured_pattern_is_matched(instruction: str) -> None:
    """Wavefronts and sectors are those that the hardware counted."""
    for row in measured_rows():
        if row["instruction"] != instruction:
            continue
        offsets = [int(offset) for offset in row["lane_byte_offsets"].split()]
        if row["shared_wavefronts"]:
            assert model.shared_wavefronts(instruction, offsets) == int(row["shared_wavefronts"]), row["pattern"]
        if row["global_sectors"]:
            assert model.global_sectors(instruction, offsets) == int(row["global_sectors"]), row["pattern"]


def test_the_table_is_whole() -> None:
    """All 974 rows are there, each with one of the two counts, and each instruction is listed."""
    rows = measured_rows()
    assert len(rows) == 974
    assert all(bool(row["shared_wavefronts"]) != bool(row["global_sectors"]) for row in rows)
    assert {row["instruction"] for row in rows} <= set(model.INSTRUCTIONS)


def test_ideal_is_never_above_the_count() -> None:
    """Conflicts only add."""
    for row in measured_rows():
        offsets = [int(offset) for offset in row["lane_byte_offsets"].split()]
        if row["shared_wavefronts"]:
            assert 1 <= model.ideal_shared_wavefronts(row["instruction"], offsets) <= int(row["shared_wavefronts"])
        else:
            assert 1 <= model.ideal_global_sectors(row["instruction"], offsets) <= int(row["global_sectors"])


@pytest.mark.parametrize(
    ("instruction", "stride", "wavefronts", "ideal"),
    [
        ("ld.shared.b32", 4, 1, 1),
        ("ld.shared.b32", 128, 32, 1),
        ("ld.shared.v4.b32", 16, 4, 4),
        ("ld.shared.v4.b32", 0, 2, 2),
        ("st.shared.v4.b32", 32, 8, 4),
        ("st.shared.u8", 1, 1, 1),
        ("cp.async.cg.16 to shared", 128, 0, 0),
    ],
)
def test_strides(instruction: str, stride: int, wavefronts: int, ideal: int) -> None:
    """Textbook patterns."""
    offsets = [lane * stride for lane in range(32)]
    assert model.shared_wavefronts(instruction, offsets) == wavefronts
    assert model.ideal_shared_wavefronts(instruction, offsets) == ideal


def test_no_active_lane_costs_nothing() -> None:
    """A fully predicated-off instruction."""
    assert model.shared_wavefronts("ld.shared.v4.b32", [-1] * 32) == 0
    assert model.global_sectors("st.global.b32", [-1] * 32) == 0


@pytest.mark.parametrize("instruction", model.INSTRUCTIONS)
def test_every_listed_instruction_is_known(instruction: str) -> None:
    """Each name belongs to one of the two memories."""
    ask = model.global_sectors if "global" in instruction else model.shared_wavefronts
    assert ask(instruction, [lane * 16 for lane in range(32)]) >= 0


@pytest.mark.parametrize(
    ("instruction", "offsets", "message"),
    [
        ("ld.sharde.v4.b32", [0] * 32, "unknown instruction 'ld.sharde.v4.b32'. Did you mean 'ld.shared.v4.b32'?"),
        ("ld.shared.v4.b64", [0] * 32, "unknown instruction 'ld.shared.v4.b64'. Did you mean 'ld.shared.b64'?"),
        ("ld.global.b32", [0] * 32, "'ld.global.b32' accesses global memory, and shared memory was asked about."),
        (
            "ld.shared.b32",
            [0] * 31,
            "lane_byte_offsets has 31 entries; a warp has 32 lanes. Use -1 for inactive ones.",
        ),
        ("ld.shared.b32", [0] * 31 + [-4], "lane 31 has offset -4: offsets are bytes >= 0, or -1 if inactive."),
        (
            "ld.shared.v2.b32",
            [0, 4] + [0] * 30,
            (
                "lane 1 has offset 4, which is no multiple of the 8 bytes that ld.shared.v2.b32 accesses; "
                "the hardware faults on it."
            ),
        ),
        (
            "ld.shared.b32",
            ["0"] * 32,
            "lane_byte_offsets has to be a sequence of 32 integers, -1 for an inactive lane.",
        ),
        (
            "ldmatrix.x2",
            [0] * 15 + [-1] * 17,
            "lane 15 is inactive, but ldmatrix.x2 takes the row address of each lane.",
        ),
    ],
)
def test_bad_input_is_named(instruction: str, offsets: list[int], message: str) -> None:
    """One clear sentence each."""
    with pytest.raises(ArgumentError) as caught:
        model.shared_wavefronts(instruction, offsets)
    assert str(caught.value) == message


def test_lanes_that_ldmatrix_does_not_read_may_be_inactive() -> None:
    """x1 takes eight row addresses."""
    assert model.shared_wavefronts("ldmatrix.x1", [lane * 16 for lane in range(8)] + [-1] * 24) == 1
