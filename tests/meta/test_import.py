"""What is imported when: nothing heavy until it is needed, and never a shell."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "jinja2", "rich", "hypothesis", "pycuda", "multiprocessing", "platformdirs", "filelock", "tomllib")

IMPORT = "import gemmgen"
HELP = """
import contextlib, io, gemmgen.cli
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    gemmgen.cli.main(["--help"])
"""
EMIT = "import gemmgen; gemmgen.generate(gemmgen.Gemm(), gemmgen.Schedule()).source"
LEGAL = "import gemmgen; assert gemmgen.check_legal(gemmgen.Gemm(), gemmgen.Schedule(), 'sm_80') == ()"


def loaded_after(code: str) -> set[str]:
    program = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return {name.split(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


@pytest.mark.parametrize("code", [IMPORT, HELP, LEGAL], ids=["import", "help", "check_legal"])
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    assert not loaded_after(code) & set(HEAVY)


def test_emitting_needs_jinja_alone():
    assert loaded_after(EMIT) & set(HEAVY) == {"jinja2"}


SOURCES = sorted(
    path for folder in ("gemmgen", "tests", "examples", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_are_argument_lists_and_never_a_shell(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        assert not any(keyword.arg == "shell" for keyword in node.keywords), f"line {node.lineno}"
        called = ast.unparse(node.func)
        assert called not in {"os.system", "os.popen", "subprocess.getoutput"}, f"line {node.lineno}"


def test_the_package_is_typed():
    assert (ROOT / "gemmgen" / "py.typed").exists()
