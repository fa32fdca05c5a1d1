"""A generated file that was edited: what is tested, compared and overwritten is its text, not its banner's."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from gemmgen.api.compare import _without_symbol

BARRIER = "    __syncthreads();  // the tile is whole before any thread reads it\n"
QUICK = ("--examples", "2", "--processes", "1")


@pytest.fixture
def source(run, files):
    assert run("emit", "named.json")[0] == 0
    return files / "mine.cu"


def edit(source, old=BARRIER, new="    // edited\n"):
    content = source.read_text()
    assert old in content
    source.write_text(content.replace(old, new))


def to_other_templates(source):
    source.write_text(re.sub(r"(?m)^(//   templates: ).*$", r"\g<1>00", source.read_text()))


@pytest.mark.parametrize("processes", ["1", "2"])
def test_check_tests_the_text_of_the_file(run, source, processes):
    edit(source)
    code, _, err = run("check", "mine.cu", "--examples", "2", "--processes", processes)
    assert code == 1
    assert err.splitlines()[0] == (
        "mine.cu: its text differs from what its banner gives: it was edited. The file's text is tested."
    )
    assert "uninitialised_shared" in err


def test_check_sees_a_mask_that_is_off_by_one(run, source):
    edit(source, "if (n < N", "if (n <= N")
    assert run("check", "mine.cu", "--examples", "10", "--processes", "1")[0] == 1


def test_the_command_that_reproduces_a_failure_takes_the_text_of_the_file(run, source):
    whole = source.read_text()
    edit(source)
    command = run("check", "mine.cu", *QUICK)[2].splitlines()[-1].removeprefix("Reproduce: gemmgen ")
    assert run(*shlex.split(command))[0] == 1
    assert json.loads(run("check", "mine.cu", *QUICK, "--json")[1])["command"].startswith("gemmgen check mine.cu ")
    source.write_text(whole)
    assert run(*shlex.split(command)) == (0, "It is right now.\n", "")
    code, _, err = run("check", "larger.json", *shlex.split(command)[2:])
    assert (code, err) == (2, "--replay: the failure was recorded of another kernel than larger.json describes.\n")


def test_check_of_a_file_as_emitted_says_nothing_of_edits(run, source):
    code, out, err = run("check", "mine.cu", *QUICK)
    assert (code, out.splitlines()[-1]) == (0, "No fault.")
    assert "differs" not in err


def test_line_ends_of_windows_are_no_edit(run, source):
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert "differs" not in run("check", "mine.cu", *QUICK)[2]
    assert run("emit", "mine.cu")[0] == 0
    assert b"\r" not in source.read_bytes()


def test_diff_compares_the_texts_of_the_files(run, source):
    assert run("diff", "named.json", "mine.cu")[0] == 0
    edit(source)
    for pair in (("named.json", "mine.cu"), ("mine.cu", "named.json")):
        code, out, _ = run("diff", *pair)
        assert code == 1
        assert "__syncthreads();  // the tile is whole" in out


def test_diff_shows_names(run, files):
    code, out, _ = run("diff", "small.json", "named.json", "--json")
    found = json.loads(out)
    assert (code, found["fields"]) == (1, [{"field": "name", "left": "-", "right": "mine"}])
    assert "SYMBOL" in found["text"]
    assert '"name": "SYMBOL"' in found["text"], "a symbol is hidden"


def test_a_short_name_is_hidden_as_a_word():
    assert (
        _without_symbol("int mm_kernel(comma) // GEMMGEN_MM_H", "mm") == "int SYMBOL_kernel(comma) // GEMMGEN_SYMBOL_H"
    )


@pytest.mark.parametrize("arguments", [("mine.cu",), ("named.json",), ("larger.json", "-o", "mine.cu")])
def test_emit_discards_no_edit_unless_forced(run, source, arguments):
    emitted = source.read_bytes()
    edit(source)
    edited = source.read_bytes()
    code, out, err = run("emit", *arguments)
    assert (code, out) == (2, "")
    assert err == "mine.cu: edited since gemmgen wrote it; --force overwrites it, and the edits are lost\n"
    assert source.read_bytes() == edited
    code, out, _ = run("emit", *arguments, "--force")
    assert (code, out.splitlines()[0]) == (0, "mine.cu (overwritten)")
    assert (source.read_bytes() == emitted) == (arguments[0] != "larger.json")


def test_an_edited_banner_is_an_edit(run, source):
    edit(source, '"vector_c": 1', '"vector_c": 2')
    assert run("emit", "mine.cu")[0] == 2


def test_an_edited_header_is_not_discarded(run, source):
    header = source.with_suffix(".h")
    header.write_text(header.read_text() + "// mine\n")
    code, _, err = run("emit", "mine.cu")
    assert (code, err.split(":")[0]) == (2, "mine.h")
    assert run("emit", "mine.cu", "--force")[0] == 0
    assert "// mine" not in header.read_text()


def test_a_file_of_other_templates_is_rewritten_and_named(run, source):
    emitted = source.read_bytes()
    to_other_templates(source)
    code, out, err = run("emit", "mine.cu")
    assert (code, out.splitlines()[0]) == (0, "mine.cu (overwritten)")
    assert "it was written from other templates (00; now" in err
    assert source.read_bytes() == emitted


def test_what_is_emitted_elsewhere_says_that_edits_are_left_out(run, source):
    edit(source)
    code, out, err = run("emit", "mine.cu", "--stdout")
    assert code == 0
    assert BARRIER in out
    assert err.endswith("it was edited. The banner alone was used.\n")
