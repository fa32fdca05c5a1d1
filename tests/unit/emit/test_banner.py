"""The banner of an emitted file is enough to write the file again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_variants import VARIANTS, emitted

from gemmgen.emit import Emitted, emit
from gemmgen.emit.banner import read_banner
from gemmgen.errors import GemmgenError
from gemmgen.ir.serial import decode_document
from gemmgen.testing import strategies


def again(source: str) -> Emitted:
    document = read_banner(source)
    name = document.pop("name", None)
    read = decode_document(document)
    return emit(read.problem, read.schedule, read.target, name)


def check_round_trip(kernel: Emitted) -> None:
    repeated = again(kernel.source)
    assert repeated.source == kernel.source
    assert repeated.header == kernel.header
    assert (repeated.problem, repeated.schedule, repeated.target) == (kernel.problem, kernel.schedule, kernel.target)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_file_is_written_again_from_its_own_banner(variant: str) -> None:
    check_round_trip(emitted(variant))


@settings(max_examples=40)
@given(st.data())
def test_any_file_is_written_again_from_its_own_banner(data) -> None:
    problem = data.draw(strategies.problems())
    target = data.draw(st.sampled_from(["sm_70", "sm_80", "sm_90", "sm_90a", "sm_120"]))
    schedule = data.draw(strategies.schedules(problem, target))
    name = data.draw(st.none() | st.from_regex(r"[a-z]{2}([a-z0-9]_?){0,60}[a-z0-9]", fullmatch=True))
    check_round_trip(emit(problem, schedule, target, None if name is None else f"x{name}"))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_banner_is_one_comment_that_names_what_matters(variant: str) -> None:
    kernel = emitted(variant)
    banner = kernel.source.split("\n\n", maxsplit=1)[0].split("\n")
    assert banner[0] == "// SPDX-License-Identifier: 0BSD"
    assert banner[1] == "//", "the licence line must stay alone when a paragraph is filled"
    assert all(line.startswith("//") for line in banner)
    prose = " ".join(line.removeprefix("//").strip() for line in banner)
    assert f"`gemmgen emit {kernel.symbol}.cu` reads the input below" in prose
    number = kernel.target.name.removeprefix("sm_")
    specific = f"-gencode=arch=compute_{number},code=sm_{number}"
    flag = specific if kernel.target.arch_specific else f"-arch={kernel.target.name}"
    assert f"nvcc -c {flag} {kernel.symbol}.cu" in prose
    assert "Deterministic." in prose
    assert f"accumulation {kernel.plan.accumulator_type}" in prose
    assert f"threads per CTA: {kernel.plan.launches[0].threads:,}" in prose
    for size, value in kernel.plan.fixed_sizes.items():
        assert f"{size} = {value}" in prose


def test_line_ends_of_another_system_do_not_hide_the_banner() -> None:
    source = emitted("shared").source
    assert read_banner(source.replace("\n", "\r\n")) == read_banner(source)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no gemmgen banner"),
        ("// Input:\n", "no gemmgen banner"),
        ("// Derived:\n// Input:\n", "no gemmgen banner"),
        ("// Input:\n//   {\n// Derived:\n", "is not JSON"),
        ("// Input:\n//   [1]\n// Derived:\n", "is not a JSON object"),
        ("// Input:\n// Derived:\n", "is not JSON"),
        (f"// Input:\n//   {'[' * 100_000}\n// Derived:\n", "is not JSON"),
        ("// Input:\n//   {1: 2}\n// Derived:\n", "is not JSON"),
    ],
    ids=["empty", "no end", "wrong order", "cut short", "a list", "nothing between", "deep", "no key"],
)
def test_a_text_without_a_sound_banner_is_refused_in_one_line(text: str, sentence: str) -> None:
    with pytest.raises(GemmgenError, match=sentence) as caught:
        read_banner(text)
    assert "\n" not in str(caught.value)


def test_the_input_is_readable_json() -> None:
    kernel = emitted("named")
    document = read_banner(kernel.source)
    assert document["name"] == "my_gemm"
    assert json.loads(json.dumps(document)) == document
    assert document["schedule"] == kernel.schedule.to_dict()
