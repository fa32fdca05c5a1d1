"""No file decays: budgets of lines, words that say nothing, and templates without logic."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gemmgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
NATIVE = sorted(path for path in PACKAGE.rglob("*") if path.suffix in {".h", ".cpp"} and "_templates" not in path.parts)
TEMPLATES = sorted((ROOT / "templates").rglob("*.jinja"))

MODULE_LINES, FUNCTION_LINES, TEMPLATE_LINES = 400, 40, 120
BANNED_WORDS = frozenset({"fast", "optimized", "misc", "helper", "helpers", "util", "utils"})


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [*MODULES, *NATIVE], ids=named)
def test_a_module_is_at_most_400_lines(path):
    lines = len(path.read_text().splitlines())
    assert lines <= MODULE_LINES, f"{named(path)} has {lines} lines: split it by what changes together"


@pytest.mark.parametrize("path", TEMPLATES, ids=named)
def test_a_template_is_at_most_120_lines(path):
    assert len(path.read_text().splitlines()) <= TEMPLATE_LINES


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_function_is_at_most_40_lines(path):
    long = [
        f"{node.name}, line {node.lineno}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno + 1 > FUNCTION_LINES
    ]
    assert not long


def words_of(name: str) -> set[str]:
    """The words of a snake_case, camelCase or file name."""
    return {word.lower() for part in re.split(r"[\W_]+", name) for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", part)}


def names_in(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_names_say_what_a_thing_is(path):
    found = {name for name in names_in(ast.parse(path.read_text())) | {path.stem} if words_of(name) & BANNED_WORDS}
    assert not found


@pytest.mark.parametrize("path", [*TEMPLATES, *NATIVE], ids=named)
def test_template_and_native_names_say_what_a_thing_is(path):
    assert not words_of(path.name.split(".")[0]) & BANNED_WORDS


def test_words_are_found_in_any_spelling():
    assert words_of("kFastPath") & BANNED_WORDS
    assert words_of("string_utils") & BANNED_WORDS
    assert not words_of("breakfast") & BANNED_WORDS


# ---- Templates -------------------------------------------------------------------------------------------------------

DIRECTIVE = re.compile(r"<%-?\+?\s*(.*?)\s*-?%>", re.DOTALL)
EXPRESSION = re.compile(r"\$\{\s*(.*?)\s*\}", re.DOTALL)
# Logic lives in Python: a condition is a boolean of the plan, a value is printed as it is.
COMPARISON = re.compile(r"==|!=|<=|>=|<|>")
ARITHMETIC = re.compile(r"[+*/%]|(?<!\w)-(?!\w)|\s-\s")


@pytest.mark.parametrize("path", TEMPLATES, ids=named)
def test_a_template_compares_and_computes_nothing(path):
    text = path.read_text()
    conditions = [found for found in DIRECTIVE.findall(text) if found.startswith(("if", "elif"))]
    assert not [found for found in conditions if COMPARISON.search(found)], "compare in Python"
    assert not [found for found in EXPRESSION.findall(text) if ARITHMETIC.search(found)], "compute in Python"
    assert not [found for found in DIRECTIVE.findall(text) if found.startswith("set ")], "name it in the plan"


@pytest.mark.parametrize("path", TEMPLATES, ids=named)
def test_a_template_has_no_nested_loops_and_no_ladders(path):
    loops = depth = 0
    for directive in DIRECTIVE.findall(path.read_text()):
        if directive.startswith("for "):
            loops += 1
            assert loops == 1, "one flat loop at a time: split the template or flatten the data in Python"
        elif directive.startswith("endfor"):
            loops -= 1
        elif directive.startswith("if "):
            depth += 1
            assert depth <= 2, "Python picks the variant"
        elif directive.startswith("endif"):
            depth -= 1
        assert not directive.startswith("elif"), "Python picks the variant"
