"""Descriptions of kernels in files: the name of the launcher, the text of a generated file, and regen's checkout."""

from __future__ import annotations

import pickle

import pytest

import gemmgen as gg
from gemmgen.api.checking import AsWritten
from gemmgen.api.documents import load_description
from gemmgen.api.origin import is_generated, standing
from gemmgen.api.regen import is_checkout
from gemmgen.ir.serial import Document, dump, load
from gemmgen.target import resolve

SMALL = gg.Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2))


@pytest.mark.parametrize("kind", ["json", "toml"])
@pytest.mark.parametrize("name", [None, "mine"])
def test_a_document_keeps_its_name(tmp_path, kind, name):
    document = Document(gg.Gemm(), SMALL, resolve("sm_90"), name)
    dump(document, tmp_path / f"kernel.{kind}")
    assert load(tmp_path / f"kernel.{kind}") == document
    kernel = load_description(tmp_path / f"kernel.{kind}").generate()
    assert kernel == gg.generate(gg.Gemm(), SMALL, "sm_90", name=name)


@pytest.mark.parametrize("name", [None, "mine"])
def test_a_generated_file_describes_itself_and_keeps_its_text(tmp_path, name):
    kernel = gg.generate(gg.Gemm(), SMALL, name=name)
    (tmp_path / "kernel.cu").write_text(kernel.source + "// edited\n")
    described = load_description(tmp_path / "kernel.cu")
    assert described.text == kernel.source + "// edited\n"
    assert described.name == name
    assert described.generate() == kernel
    assert standing(described.text, kernel) == "edited"
    assert standing(kernel.source, kernel) == "as emitted"


def test_both_files_are_known_as_generated():
    for name in (None, "mine", "n" * 190):
        kernel = gg.generate(gg.Gemm(), SMALL, name=name)
        assert is_generated(kernel.source.encode())
        assert is_generated(kernel.header.encode())
    assert not is_generated(b"")
    assert not is_generated(b"// Written by hand\n" * 9 + b"// Written by gemmgen\n")


def test_a_text_stands_in_for_the_generated_one_in_any_process():
    emit = pickle.loads(pickle.dumps(AsWritten("text", "mine")))  # noqa: S301
    emitted = emit(gg.Gemm(), SMALL, "sm_80")
    assert (emitted.source, emitted.symbol) == ("text", "mine")


def test_this_is_a_checkout(tmp_path, request):
    assert is_checkout(request.config.rootpath)
    assert not is_checkout(tmp_path)


@pytest.mark.parametrize("content", ["", "[project", "project = 3", '[project]\nname = "gemmgen2"'])
def test_what_is_no_checkout(tmp_path, content):
    (tmp_path / "pyproject.toml").write_text(content)
    assert not is_checkout(tmp_path)
