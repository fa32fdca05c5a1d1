"""Wrapping changes where lines break and nothing else."""

from __future__ import annotations

import importlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_variants import VARIANTS, emitted

from gemmgen.emit import emit
from gemmgen.emit.wrap import MAX_COLUMNS, wrap_lines
from gemmgen.testing import strategies

render_module = importlib.import_module("gemmgen.emit.render")  # the package has a function of that name


def code_and_comments(text: str) -> tuple[str, list[str], list[str]]:
    """The code without any whitespace, the words of the comments, and the directives as they are."""
    code, words, directives = [], [], []
    for line in text.split("\n"):
        if line.startswith("#"):
            directives.append(line)
            continue
        before, slashes, comment = line.partition("//")
        if slashes:
            words += ["//" if comment.startswith("   ") else "", *comment.split()]
        code.append(before)
    return re.sub(r"\s", "", "".join(code)), [word for word in words if word], directives


def is_unbreakable(line: str) -> bool:
    """Directives end with their line, and a word or the input in the banner can not be cut."""
    longest = max(map(len, line.split()), default=0)
    return line.startswith(("#", "//   ")) or longest > MAX_COLUMNS - 50


@pytest.fixture
def unwrapped(monkeypatch):
    """What the templates print, line by line, before wrapping."""
    texts: list[str] = []

    def record(text: str) -> str:
        texts.append(text)
        return wrap_lines(text)

    monkeypatch.setattr(render_module, "wrap_lines", record)
    return texts


@pytest.mark.parametrize("variant", VARIANTS)
def test_wrapping_keeps_code_comments_and_directives(variant: str, unwrapped) -> None:
    kernel = VARIANTS[variant].emit()
    assert len(unwrapped) == 2
    for before, after in zip(unwrapped, (kernel.source, kernel.header), strict=True):
        assert code_and_comments(after) == code_and_comments(before)
        assert wrap_lines(after) == after, "wrapped text is wrapped again"


def long_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if len(line) > MAX_COLUMNS and not is_unbreakable(line)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_line_is_longer_than_112_columns(variant: str) -> None:
    kernel = emitted(variant)
    assert long_lines(kernel.source) == long_lines(kernel.header) == []


@settings(max_examples=60)
@given(st.data())
def test_no_line_of_any_kernel_is_longer_than_112_columns(data) -> None:
    problem = data.draw(strategies.problems())
    schedule = data.draw(strategies.schedules(problem))
    name = data.draw(st.none() | st.integers(2, 60).map(lambda length: "x" * length))
    kernel = emit(problem, schedule, name=name)
    assert long_lines(kernel.source) == long_lines(kernel.header) == []


SYMBOL = "gemm_f32_nn_128x128x8_64x32_8x8_s2_linear_sm80_b0a38b5cdd9a05ea"


def test_arguments_that_would_stand_far_to_the_right_go_on_lines_of_their_own() -> None:
    line = f"int {SYMBOL}(long long M, long long N, long long K, float alpha, const float* A, long long lda);"
    assert wrap_lines(line) == (
        f"int {SYMBOL}(\n    long long M, long long N, long long K, float alpha, const float* A, long long lda);"
    )


def test_arguments_near_the_left_hang_below_the_bracket() -> None:
    line = f"  load({', '.join(f'argument_{i}' for i in range(12))});"
    first, second = wrap_lines(line).split("\n")
    assert len(first) <= MAX_COLUMNS
    assert second.startswith(" " * len("  load(") + "argument_")


def test_a_return_goes_below_its_condition() -> None:
    line = f"  if (call.reads_c() && (call.ldc < 1 || call.ldc < N)) return {SYMBOL}_invalid_argument;"
    assert wrap_lines(line) == (
        f"  if (call.reads_c() && (call.ldc < 1 || call.ldc < N))\n    return {SYMBOL}_invalid_argument;"
    )


def test_the_outermost_brackets_break_first() -> None:
    line = f"  return {SYMBOL}({{one, two, three, four}}, workspace_bytes, the_stream_of_the_caller);"
    assert wrap_lines(line) == (
        f"  return {SYMBOL}(\n      {{one, two, three, four}}, workspace_bytes, the_stream_of_the_caller);"
    )


@pytest.mark.parametrize(
    "line",
    [
        f'#error "{SYMBOL} needs compute capability 8.0 or above, (really, it does), and says so at length"',
        f'  call("{"a string, which has (commas, and brackets), stays whole; " * 3}");',
        f"  x = y;  // {'a comment, which has (commas, and brackets), stays behind its code ' * 2}",
        f"//   {'what is indented, (such as the input), stays as it is; ' * 3}",
        "a" * 300,
        "",
    ],
)
def test_what_has_no_place_to_break_stays_whole(line: str) -> None:
    wrapped = wrap_lines(line)
    assert re.sub(r"\n +", "", wrapped) == line.replace("  call(", "  call(")
    assert code_and_comments(wrapped) == code_and_comments(line)


def test_a_long_paragraph_is_filled_and_a_short_one_is_left() -> None:
    short = "// One.\n// Two.\n"
    assert wrap_lines(short) == short
    filled = wrap_lines(f"  // {'word ' * 30}\n  // end\n").split("\n")
    assert [len(line) <= MAX_COLUMNS for line in filled] == [True] * 3
    assert filled[0].startswith("  // word")
    assert filled[1].split()[-2:] == ["word", "end"]


STATEMENTS = st.recursive(
    st.sampled_from(["alpha", "call.ldc < N", "a || b", "x && y", "c ? d : e", "i + 1", '"s, (t"', SYMBOL]),
    lambda inner: st.lists(inner, min_size=1, max_size=9).map(lambda parts: f"f({', '.join(parts)})"),
    max_leaves=40,
)


@given(STATEMENTS, st.integers(0, 60), st.booleans())
def test_wrapping_any_statement_moves_only_spaces(statement: str, indent: int, guarded: bool) -> None:
    line = " " * indent + ("if (ready) return " if guarded else "x = ") + statement + ";  // then, (what) it does"
    wrapped = wrap_lines(line)
    assert re.sub(r"\s", "", wrapped) == re.sub(r"\s", "", line)
    assert wrapped.count("//") == 1
    assert wrapped.split("\n")[-1].endswith("//" + line.partition("//")[2])
    for piece in wrapped.split("\n"):
        assert piece == piece.rstrip()
