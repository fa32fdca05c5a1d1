"""The symbol grammar, and what a name may be."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_variants import VARIANTS

import gemmgen as gg
from gemmgen.emit import emit
from gemmgen.lower import check_name, parse_symbol, symbol_for
from gemmgen.target import resolve
from gemmgen.testing import strategies

NAMED = {name: variant for name, variant in VARIANTS.items() if variant.name is None}


def symbol_of(problem, schedule, target="sm_80") -> str:
    return symbol_for(problem, schedule, resolve(target))


@pytest.mark.parametrize("variant", NAMED.values(), ids=NAMED)
def test_a_symbol_says_what_the_kernel_is(variant) -> None:
    parts = parse_symbol(symbol_of(variant.problem, variant.schedule, variant.target))
    schedule = variant.schedule
    letters = {"row": "n", "col": "t"}
    problem = variant.problem
    kinds = [problem.a.dtype, problem.b.dtype, problem.c.dtype, problem.acc]
    assert parts.types.split("x") in (kinds, kinds[:1] if len(set(kinds)) == 1 else kinds)
    assert parts.op[:2] == letters[variant.problem.a_layout] + letters[variant.problem.b_layout]
    assert (parts.op[2:] == "t") == (variant.problem.c_layout == "col")
    assert tuple(map(int, parts.cta_tile.split("x"))) == schedule.cta_tile
    assert tuple(map(int, parts.thread_tile.split("x"))) == schedule.thread_tile
    assert parts.warp_tile == ("x".join(map(str, schedule.warp_tile)) if schedule.warp_tile else "cta")
    assert (int(parts.stages), parts.epilogue) == (schedule.stages, "linear")
    assert f"sm_{parts.target}" == variant.target


@settings(max_examples=60)
@given(st.data())
def test_every_legal_kernel_has_a_symbol_that_reads_back(data) -> None:
    problem = data.draw(strategies.problems())
    schedule = data.draw(strategies.schedules(problem))
    symbol = symbol_of(problem, schedule)
    parts = parse_symbol(symbol)
    fields = (parts.types, parts.op, parts.cta_tile, parts.warp_tile, parts.thread_tile)
    tail = (f"s{parts.stages}", parts.epilogue, f"sm{parts.target}", parts.digest)
    assert "_".join(("gemm", *fields, *tail)) == symbol
    assert check_name(symbol) == symbol


# Every field that decides the text, changed alone.
CHANGES = (
    {"cta_tile": (64, 64, 8)},
    {"cta_tile": (128, 128, 16)},
    {"warp_tile": (64, 32)},
    {"thread_tile": (4, 8)},
    {"thread_layout": "quads"},
    {"vector_a": 4},
    {"vector_b": 4},
    {"vector_c": 4},
    {"copy_a": "direct"},
    {"copy_b": "direct"},
    {"smem_a": "padded(4)"},
    {"smem_a": "linear(major=k)"},
    {"smem_b": "padded(4)"},
    {"stages": 2},
    {"fragment_buffers": 2},
    {"raster": "column"},
    {"raster": "grouped(4)"},
    {"raster": "grouped(8)"},
)
PROBLEMS = ({}, {"a_layout": "col"}, {"b_layout": "col"}, {"c_layout": "col"}, {"m": 1}, {"n": 1}, {"k": 1}, {"k": 2})


def test_kernels_that_differ_in_anything_differ_in_their_symbol() -> None:
    schedules = [gg.Schedule(), *(gg.Schedule(**change) for change in CHANGES)]
    whole = itertools.product([gg.Gemm(**change) for change in PROBLEMS], schedules, ("sm_80", "sm_90", "sm_90a"))
    symbols = [symbol_of(*one) for one in whole]
    assert len(set(symbols)) == len(symbols) == len(PROBLEMS) * (len(CHANGES) + 1) * 3


def test_the_same_kernel_written_differently_has_one_symbol() -> None:
    plain = symbol_of(gg.Gemm(), gg.Schedule())
    assert symbol_of(gg.Gemm(a=gg.Operand("f32")), gg.Schedule(copy="sync", smem_a="linear()")) == plain
    assert symbol_of(gg.Gemm.from_dict({}), gg.Schedule.from_dict(gg.Schedule().to_dict())) == plain


@pytest.mark.parametrize("text", ["", "gemm", "gemm_f32_nn_1x1x1_cta_1x1_s1_linear_sm80_0123456789abcde", "a gemm_f32"])
def test_what_is_no_symbol_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a generated symbol"):
        parse_symbol(text)


BAD_NAMES = {
    "a keyword": ("double", "is a C++ keyword"),
    "a dash": ("my-gemm", "is not a C identifier"),
    "a digit first": ("1x", "is not a C identifier"),
    "a statement": ("a;b", "is not a C identifier"),
    "two lines": ("a\nb", "is not a C identifier"),
    "an ending newline": ("gemm\n", "is not a C identifier"),
    "the end of a comment": ("*/", "is not a C identifier"),
    "a comment": ("a//b", "is not a C identifier"),
    "a quote": ('a"b', "is not a C identifier"),
    "a path": ("../gemm", "is not a C identifier"),
    "two underscores": ("gemm__x", "has two underscores in a row"),
    "an underscore first": ("_gemm", "is not a C identifier"),
    "an accent": ("gémm", "is not a C identifier"),
    "greek letters": ("\N{GREEK SMALL LETTER GAMMA}", "is not a C identifier"),
    "digits that are no ASCII": ("gemm٣", "is not a C identifier"),
    "nothing": ("", "is not a C identifier"),
    "a blank": (" ", "is not a C identifier"),
    "a null": ("a\0b", "is not a C identifier"),
    "too long": ("x" * 300, "has 300 characters, more than 200"),
    "too long with a digit first": ("1" + "x" * 300, "is not a C identifier"),
    "an int": (5, "is of type int, not a string"),
    "bytes": (b"gemm", "is of type bytes, not a string"),
    "a bool": (True, "is of type bool, not a string"),
    "a list": (["gemm"], "is of type list, not a string"),
    "main": ("main", "is where a C program begins"),
    "a type of CUDA": ("float4", "is a name of C, POSIX or CUDA"),
    "a function of CUDA": ("cudaLaunchKernel", "begins like the names of CUDA or gemmgen"),
    "a function of C": ("fmaf", "is a name of C, POSIX or CUDA"),
    "a macro of the compiler": ("linux", "is a name of C, POSIX or CUDA"),
    "a name of ours": ("gemmgen_shared", "begins like the names of CUDA or gemmgen"),
}


@pytest.mark.parametrize(("name", "sentence"), BAD_NAMES.values(), ids=BAD_NAMES)
def test_a_bad_name_is_refused_in_one_line_with_a_name_that_is_legal(name, sentence: str) -> None:
    with pytest.raises(gg.ScheduleError) as caught:
        check_name(name)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.rule, diagnostic.field) == ("GG090", "name")
    assert sentence in diagnostic.message
    assert str(diagnostic).isprintable()
    assert str(diagnostic).isascii()
    assert len(str(diagnostic)) < 500
    legal = diagnostic.fix["name"]
    assert check_name(legal) == legal
    assert f"name={legal!r}" in diagnostic.suggestion


@pytest.mark.parametrize("name", ["double", "a;b", "*/", "gemm__x", "", 5])
def test_nothing_is_emitted_under_a_bad_name(name) -> None:
    with pytest.raises(gg.ScheduleError, match="GG090"):
        emit(gg.Gemm(), gg.Schedule(), name=name)


@given(st.text(max_size=300) | st.integers() | st.none() | st.binary(max_size=9))
def test_whatever_is_given_a_name_is_legal_or_refused_with_one_that_is(name) -> None:
    try:
        accepted = check_name(name)
    except gg.ScheduleError as error:
        accepted = error.diagnostics[0].fix["name"]
        assert accepted != name
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,199}", accepted, re.ASCII)
    assert "__" not in accepted
    assert check_name(accepted) == accepted


# fmt: off
LIBRARY = [
    "sin", "exp", "log", "pow", "round", "gamma", "y0", "j0", "time", "select", "stdin", "EOF", "size_t", "index",
    "read", "write", "open", "close", "connect", "signal", "link", "pthread_create", "NULL", "assert", "std", "errno",
    "environ", "malloc", "memcpy", "printf", "max", "min", "dim3", "threadIdx", "warpSize", "atomicAdd", "typeof",
]
# fmt: on


@pytest.mark.parametrize("name", LIBRARY)
def test_names_of_the_libraries_are_refused(name: str) -> None:
    with pytest.raises(gg.ScheduleError, match="is a name of C, POSIX or CUDA") as caught:
        check_name(name)
    assert caught.value.diagnostics[0].fix == {"name": f"gemm_{name}"}


@pytest.mark.parametrize(
    "name", ["sgemm_128", "Gemm", "sgemm", "x" * 200, "gemm_kernel", "my_launch", "matmul", "M", "kVectorA", "first"]
)
def test_a_good_name_is_taken_as_it_is(name: str) -> None:
    emitted = emit(gg.Gemm(), gg.Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2)), name=name)
    assert emitted.symbol == name
    assert f'extern "C" int {name}(' in emitted.source
    assert f"\nint {name}(" in emitted.header
