"""Canonical JSON and schedule files."""

from __future__ import annotations

import json
import locale
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gemmgen as gg
from gemmgen.ir.serial import Document, canonical, decode_document, dump, dumps, load, loads
from gemmgen.target import resolve

DOCUMENT = Document(
    gg.Gemm(a_layout="col", n=5),
    gg.Schedule(warp_tile=(64, 32), smem_a="padded(4)", copy_b="direct", raster="grouped(8)"),
    resolve("sm_90a"),
)
CANONICAL = (
    '{"problem":{"a":"f32","a_layout":"row","acc":"f32","b":"f32","b_layout":"row","c":"f32","c_layout":"row"},'
    '"schedule":{"copy_a":"sync","copy_b":"sync","cta_tile":[128,128,8],"edges":"predicate","fragment_buffers":1,'
    '"mma":"ffma","raster":"row","smem_a":"linear","smem_b":"linear","stages":1,"thread_layout":"contiguous",'
    '"thread_tile":[8,8],"vector_a":1,"vector_b":1,"vector_c":1},"target":"sm_80"}'
)


def test_canonical_text():
    assert canonical(gg.Gemm(), gg.Schedule(), "sm_80") == CANONICAL
    assert canonical(gg.Gemm(), gg.Schedule(), resolve("sm_80")) == CANONICAL
    assert decode_document(json.loads(CANONICAL)) == Document(gg.Gemm(), gg.Schedule(), resolve("sm_80"))


@pytest.mark.parametrize("seed", ["0", "1", "9"])
def test_canonical_text_is_the_same_anywhere(seed, tmp_path):
    script = (
        "import gemmgen as gg; from gemmgen.ir.serial import canonical; "
        "print(canonical(gg.Gemm(), gg.Schedule(), 'sm_80'))"
    )
    environment = {
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join([str(Path(gg.__file__).parents[1]), *sys.path]),
    }
    found = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert found.stdout == CANONICAL + "\n"


def test_canonical_text_knows_no_locale():
    before = locale.setlocale(locale.LC_ALL)
    for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C"):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        try:
            assert canonical(gg.Gemm(), gg.Schedule(), "sm_80") == CANONICAL
        finally:
            locale.setlocale(locale.LC_ALL, before)


@pytest.mark.parametrize("kind", ["json", "toml"])
def test_documents_round_trip(kind, tmp_path):
    assert loads(dumps(DOCUMENT, kind), kind) == DOCUMENT
    path = tmp_path / f"schedule.{kind}"
    dump(DOCUMENT, path)
    assert load(path) == DOCUMENT
    assert path.read_bytes() == dumps(DOCUMENT, kind).encode("ascii")
    assert b"\r" not in path.read_bytes()


def test_toml_is_as_a_person_would_write_it():
    assert dumps(Document(gg.Gemm(), gg.Schedule(), resolve("sm_80")), "toml").startswith(
        'target = "sm_80"\n\n[problem]\na = "f32"\na_layout = "row"\n'
    )


def test_what_is_missing_has_its_default():
    assert loads("", "toml") == Document(gg.Gemm(), gg.Schedule(), resolve("sm_80"))
    assert loads('[problem]\na = {layout = "col"}', "toml").problem == gg.Gemm(a_layout="col")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("a.json", "[1]", "[1] is not a table with problem, schedule, target"),
        ("a.json", '{"schedule": {"stages": 1, "stages": 2}}', "not JSON: the key stages is given twice"),
        ("a.json", '{"schedule": {"stages": NaN}}', "not JSON: NaN is no JSON"),
        ("a.json", '{"kernel": 1, "*/": 2}', "kernel, */: no such field; a document has problem, schedule, target"),
        ("a.json", "[" * 100_000, "not JSON: "),
        ("a.json", "1" * 5000, "not JSON: "),
        ("a.toml", "x = ", "not TOML: Invalid value (at end of document)"),
        ("a.toml", "stages = 2", "stages: no such field; a document has problem, schedule, target"),
        ("a.toml", "x = " + "[" * 100_000, "not TOML: "),
        ("a.yaml", "", "a schedule file ends in .json or .toml"),
        ("a.json", None, "No such file or directory"),
        ("a.json", "x" * 2_000_000, "larger than 1,048,576 B, which no schedule is"),
        ("a.json", b"\xff", "not UTF-8 at byte 0"),
    ],
)
def test_errors_are_one_line_with_the_file(name, text, message, tmp_path):
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(gg.DocumentError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_illegal_fields_are_all_named():
    with pytest.raises(gg.ScheduleError) as caught:
        loads('target = "sm_1"\n[schedule]\nstages = "2"\n[problem]\nm = 1.5', "toml")
    assert [d.field for d in caught.value.diagnostics] == ["problem.m", "schedule.stages", "target"]


def test_fields_that_do_not_exist_are_named_with_the_illegal_ones():
    with pytest.raises(gg.ScheduleError) as caught:
        loads('{"schedule": {"stages": 3}, "target": "sm_80", "x": 1}', "json")
    assert [(d.rule, d.field) for d in caught.value.diagnostics] == [
        ("GG001", "document.x"),
        ("GG002", "schedule.stages"),
    ]


def test_unknown_kinds_are_refused(tmp_path):
    for use in (
        lambda: loads("", "yaml"),
        lambda: dumps(DOCUMENT, "yaml"),
        lambda: dump(DOCUMENT, tmp_path / "x.yaml"),
    ):
        with pytest.raises(gg.DocumentError, match="is not 'json' or 'toml'"):
            use()
    with pytest.raises(gg.DocumentError, match="No such file"):
        dump(DOCUMENT, tmp_path / "none" / "x.json")
