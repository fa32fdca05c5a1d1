"""Every example runs, and every code block of README.md and CONTRIBUTING.md does what it shows.

Blocks run in the order of their file, in a folder of their own that holds a copy of examples/:

* ``python``: in one namespace a file; a ``text`` block right after it is what it prints.
* ``pycon``: as doctests, in the same namespace.
* ``console``: each line after ``$`` through bash, with the repository's Python and `gemmgen` on the path; the lines
  below it, if any, are what it prints. A command must succeed.
* ``<!-- needs: nvcc -->`` above a block says that it runs only where nvcc is; it is skipped, and counted, elsewhere.
* ``<!-- in: EXPRESSION -->``: the block stands in the value of a Python expression; ``<!-- in file: PATH -->``: in a
  file.

``...`` in what is shown stands for anything, and the number in "line 12" for any number.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gemmgen.api.documents import load_description
from gemmgen.errors import EnvironmentUnavailable

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
CALL_FROM_CPP = EXAMPLES / "call_from_cpp"
DOCUMENTS = ("README.md", "CONTRIBUTING.md")
TIMEOUT_SECONDS = 240

FENCE = re.compile(r"```(?P<language>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!-- (?P<key>needs|in|in file): (?P<value>.*?) -->\s*\Z")
EXECUTED = ("python", "pycon", "console")


@dataclass(frozen=True)
class Block:
    """One fenced block. ``shown`` is what a python block is said to print, None if nothing is said."""

    document: str
    line: int
    language: str
    text: str
    needs: tuple[str, ...] = ()
    within: tuple[str, str] | None = None
    shown: str | None = None

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


def blocks_of(document: str) -> list[Block]:
    text = (ROOT / document).read_text(encoding="utf-8")
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        between, language = text[end : match.start()], match["language"]
        if language == "text" and found and found[-1].language == "python" and not between.strip():
            found[-1] = Block(**{**vars(found[-1]), "shown": match["text"]})
        else:
            comment = COMMENT.search(between)
            key, value = (comment["key"], comment["value"]) if comment else ("", "")
            needs = tuple(need.strip() for need in value.split(",")) if key == "needs" else ()
            within = (key, value) if key in ("in", "in file") else None
            line = text[: match.start()].count("\n") + 2
            found.append(Block(document, line, language, match["text"], needs, within))
        end = match.end()
    return found


BLOCKS = {document: blocks_of(document) for document in DOCUMENTS}
NEEDY = [block for blocks in BLOCKS.values() for block in blocks if block.needs]


def missing(need: str) -> str | None:
    """Why a block with this need can not run here; None if it can."""
    if need in ("checkout", "network"):
        return "makes a checkout or an installation of its own: .ci/run does that"
    if need == "gpu":
        from gemmgen.runtime import device_available

        return device_available()
    if need == "nvcc":
        from gemmgen.toolchain import require_nvcc

        try:
            require_nvcc()
        except EnvironmentUnavailable as error:
            return str(error)
        return None
    if need == "cmake":
        return None if shutil.which("cmake") else "cmake is not on this machine"
    if need in ("torch", "cupy"):
        return None if importlib.util.find_spec(need) else f"{need} is not installed"
    raise AssertionError(f"nobody knows what {need!r} is: see missing()")


def skip_reason(block: Block) -> str | None:
    return next((reason for need in block.needs if (reason := missing(need))), None)


# ---- What is shown, and what is ----------------------------------------------------------------------------------


def pattern(shown: str) -> str:
    """A regular expression for shown text; spaces at the ends of lines do not count."""
    lines = "\n".join(line.rstrip() for line in shown.strip("\n").splitlines())
    pieces = [re.sub(r"\bline\\ \d+", r"line\\ \\d+", re.escape(piece)) for piece in lines.split("...")]
    return ".*?".join(pieces)


def plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(shown: str, got: str) -> bool:
    return re.fullmatch(pattern(shown), plain(got), re.DOTALL) is not None


def test_what_is_shown_is_compared():
    assert matches("a ... in line 3\n", "a b in line 77  \n\n")
    assert matches("first\n...\nlast", "first\nx\ny\nlast\n")
    assert not matches("a\n", "a\nb\n")
    assert not matches("GG014: 1 B", "GG014: 2 B")


def test_blocks_are_found():
    for document, blocks in BLOCKS.items():
        executed = [block for block in blocks if block.language in EXECUTED]
        assert len(executed) > 3, document
        unknown = {block.language for block in blocks} - {*EXECUTED, "text", "cuda", "cpp", "cmake", "toml", "json"}
        assert not unknown, f"{document}: {unknown}"
        stray = [block.place for block in blocks if block.language not in (*EXECUTED, "text") and not block.within]
        assert not stray, f"code that nothing compares with the real one: {stray}"


# ---- Running -----------------------------------------------------------------------------------------------------


@pytest.fixture
def sandbox(tmp_path, monkeypatch):
    """A folder with a copy of examples/, and `python` and `gemmgen` of this repository on the path."""
    folder = tmp_path / "work"
    shutil.copytree(EXAMPLES, folder / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("python", ""), ("gemmgen", " -m gemmgen"), ("pytest", " -m pytest -p no:cacheprovider")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_blocks_of_a_document_do_what_they_show(document, sandbox):
    namespace: dict[str, object] = {"__name__": "__document__"}
    for block in BLOCKS[document]:
        if skip_reason(block) is not None:
            continue
        if block.within is not None:
            check_within(block, namespace)
        elif block.language == "python":
            run_python(block, namespace)
        elif block.language == "pycon":
            run_doctest(block, namespace)
        elif block.language == "console":
            run_console(block)


@pytest.mark.parametrize("block", NEEDY, ids=lambda block: f"{block.place}-{'-'.join(block.needs)}")
def test_a_block_that_needs_something_has_it(block):
    """Says loudly which blocks the test above left out."""
    reason = skip_reason(block)
    if reason is not None:
        pytest.skip(f"documentation: {reason}")


def check_within(block, namespace):
    kind, where = block.within
    whole = (ROOT / where).read_text(encoding="utf-8") if kind == "in file" else str(eval(where, namespace))  # noqa: S307
    if re.search(pattern(block.text), plain(whole), re.DOTALL) is None:
        pytest.fail(f"{block.place}: this is not in {where}:\n{block.text}")


def run_python(block, namespace):
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, str(ROOT / block.document), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102
    if block.shown is not None and not matches(block.shown, printed.getvalue()):
        pytest.fail(f"{block.place} shows\n{block.shown}\nand printed\n{printed.getvalue()}")


def run_doctest(block, namespace):
    test = doctest.DocTestParser().get_doctest(block.text, namespace, block.place, block.document, block.line - 1)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    test.globs = namespace  # shared, not a copy
    failures = runner.run(test, out=report.write, clear_globs=False).failed
    assert failures == 0, report.getvalue()


def commands_of(text):
    """(command, what is shown below it) for each command of a console block; a backslash continues a line."""
    found: list[tuple[str, str]] = []
    continued = False
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif continued:
            found[-1] = (found[-1][0] + line, "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
        continued = (line.startswith("$ ") or continued) and line.endswith("\\\n")
    return found


def run_console(block):
    for command, shown in commands_of(block.text):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],  # noqa: S607 - the reader's bash
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        place = f"{block.place}: $ {command}"
        if done.returncode != 0:
            pytest.fail(f"{place}\nended with {done.returncode}:\n{done.stdout}")
        if shown.strip() and not matches(shown, done.stdout):
            pytest.fail(f"{place}\nshows\n{shown}\nand printed\n{done.stdout}")


# ---- Examples ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_example_runs(script, sandbox):
    arguments = ["."] if script.name == "write_a_schedule.py" else []
    done = subprocess.run(
        [sys.executable, f"examples/{script.name}", *arguments],
        cwd=sandbox,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_example_says_what_it_is(script):
    text = script.read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert f"python {script.name}" in text.split('"""')[1]
    assert script.name in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["schedule.toml", "schedule.json"])
def test_a_schedule_file_is_legal(name):
    assert load_description(EXAMPLES / name).generate().source


@pytest.mark.parametrize("suffix", [".cu", ".h"])
def test_the_kernel_beside_main_cpp_is_as_emitted(suffix):
    kernel = load_description(CALL_FROM_CPP / "sgemm.py").generate()
    expected = {".cu": kernel.source, ".h": kernel.header}[suffix]
    if (CALL_FROM_CPP / f"sgemm{suffix}").read_bytes() != expected.encode():
        remedy = "gemmgen emit examples/call_from_cpp/sgemm.py -o examples/call_from_cpp/sgemm.cu --force"
        pytest.fail(f"sgemm{suffix} is not what is emitted now; write it again: {remedy}")


def test_the_header_is_plain_cpp_and_c(tmp_path):
    """A caller needs no CUDA header for the kernel's own."""
    for compiler, name in (("g++", "caller.cpp"), ("gcc", "caller.c")):
        caller = tmp_path / name
        caller.write_text('#include "sgemm.h"\nint status(void) { return sgemm_success; }\n', encoding="utf-8")
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not on this machine")
        arguments = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{CALL_FROM_CPP}", str(caller)]
        subprocess.run([compiler, *arguments], check=True, timeout=TIMEOUT_SECONDS)


@pytest.mark.compile
@pytest.mark.parametrize("way", ["nvcc", "cmake"])
def test_the_cpp_program_builds_without_a_gpu(way, sandbox):
    from gemmgen.toolchain import require_nvcc

    source = sandbox / "examples" / "call_from_cpp"
    nvcc = require_nvcc()
    if way == "nvcc":
        warnings = ["-Xcompiler", "-Wall,-Wextra,-Werror"]
        command = [*nvcc.command, "-arch=sm_75", *warnings, "-o", "call_from_cpp", "main.cpp", "sgemm.cu"]
        build([*command, *nvcc.link_arguments], source)
        program = source / "call_from_cpp"
    else:
        reason = missing("cmake")
        if reason is not None:
            pytest.skip(reason)
        build(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_CUDA_COMPILER={shutil.which(nvcc.command[0])}"], source)
        build(["cmake", "--build", "build"], source)
        program = source / "build" / "call_from_cpp"
    done = subprocess.run([program], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    meaning = "a size that is negative or not this file's, a short leading dimension, or a null pointer"
    assert f"lda=4 with K=8: {meaning}" in done.stdout
    # Right on a GPU, or says that there is none.
    expected = "0 of 10087 elements wrong" if done.returncode == 0 else "No GPU to run on"
    assert done.returncode in (0, 2), done.stdout + done.stderr
    assert expected in done.stdout


def build(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
