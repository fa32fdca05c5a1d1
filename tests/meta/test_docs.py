"""What README.md and CONTRIBUTING.md name exists, and what exists is named: links, fields, statuses, targets, terms."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gemmgen.cli import cli
from gemmgen.emit.interface import STATUSES
from gemmgen.errors import EnvironmentUnavailable
from gemmgen.ir import registry
from gemmgen.ir.schedule import FIELDS
from gemmgen.target import TARGETS

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS}
README, CONTRIBUTING = TEXTS["README.md"], TEXTS["CONTRIBUTING.md"]
EXAMPLES = sorted(
    path for path in (ROOT / "examples").glob("**/*.*") if path.suffix in {".py", ".cpp", ".toml", ".txt"}
)

LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# How no text here speaks of code: what is measured is given as a number, with its command.
BOASTS = re.compile(
    r"\b(?:fast|faster|fastest|optimi[sz]ed|blazing\w*|lightning|seamless\w*|powerful|effortless\w*)\b", re.IGNORECASE
)


def prose(text: str) -> str:
    return FENCE.sub("", text)


def anchors_of(text: str) -> set[str]:
    """GitHub's anchors of the headings."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def section(text: str, heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def first_cells(text: str) -> list[str]:
    """The first cell of each row of the tables in a text, heads left out."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [row.strip("|").split("|")[0].strip() for row in rows]
    heads = {index for index, row in enumerate(rows) if index + 1 < len(rows) and set(rows[index + 1]) <= set("|- ")}
    return [cell for index, cell in enumerate(cells) if index not in heads and not set(cell) <= set("- ")]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_resolve(document):
    broken = []
    for target in LINK.findall(prose(TEXTS[document])):
        path, _, anchor = target.partition("#")
        if path.startswith(("http://", "https://")):
            continue
        file = ROOT / path if path else ROOT / document
        if not file.exists() or (anchor and anchor not in anchors_of(file.read_text(encoding="utf-8"))):
            broken.append(target)
    assert not broken


def test_every_field_of_a_schedule_has_its_row():
    cells = " ".join(first_cells(section(README, "The axes of a schedule")))
    assert set(re.findall(r"`(\w+)`", cells)) == {*FIELDS, "copy"}


def test_every_mechanism_is_named_beside_its_field():
    axes = section(README, "The axes of a schedule")
    missing = [m.name for m in registry.mechanisms() if not re.search(rf"`{m.name}(?:\([^`]*\))?`", axes)]
    assert not missing


def test_every_default_is_as_the_table_says():
    axes = section(README, "The axes of a schedule")
    for name in ("thread_layout", "mma", "copy_a", "smem_a", "edges", "raster"):
        row = next(line for line in axes.splitlines() if line.startswith("|") and f"`{name}`" in line.split("|")[1])
        values = row.split("|")[2]
        default = re.search(r"\(`(\w+)`\)", values)
        assert (default[1] if default else values.strip().strip("`")) == str(FIELDS[name].default), name


def test_every_status_has_its_row():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", section(README, "Calling a kernel from C++"), re.MULTILINE)
    assert rows == [(status.name, str(status.value)) for status in STATUSES]


def test_every_target_is_listed():
    assert set(re.findall(r"`(sm_\d+a?)`", section(README, "Targets"))) == set(TARGETS)


def test_every_extra_is_in_the_table():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    listed = set(re.findall(r"`(\w+)`", " ".join(first_cells(section(README, "Install")))))
    assert listed == set(extras) - {"dev"}


@pytest.mark.parametrize(
    "term",
    [
        "problem size", "CTA tile", "warp tile", "thread tile", "stages", "mainloop", "prologue", "fragment",
        "accumulator", "epilogue", "rasterization", "padding", "smem swizzle", "predication", "residue", "vector width",
        "layout", "op", "lane", "launcher", "wavefront", "bank conflict", "sector", "planted fault",
    ],
)  # fmt: skip
def test_a_term_is_in_the_glossary(term):
    terms = {word.strip() for cell in first_cells(section(README, "Glossary")) for word in cell.split(",")}
    assert term in terms


def test_the_constants_of_an_emitted_file_are_in_the_glossary_or_the_axes():
    import gemmgen as gg

    described = section(README, "Glossary") + section(README, "The axes of a schedule")
    constants = {constant.name for constant in gg.generate().plan.constants}
    derived = {"kThreads", "kLoadA", "kLoadB", "kStoreA", "kStoreB"}  # their comments in the file say it
    assert not {name for name in constants - derived if f"`{name}`" not in described and name not in described}


def test_the_rooms_are_those_that_the_test_of_imports_knows():
    tree = ast.parse((ROOT / "tests/meta/test_rooms.py").read_text(encoding="utf-8"))
    order = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "ORDER"
    )
    listed = re.findall(r"`(\w+)`", " ".join(first_cells(section(CONTRIBUTING, "The rooms"))))
    assert listed == [room for rooms in order for room in rooms]


def test_commands_and_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = README + CONTRIBUTING
    assert (
        set(re.findall(r"`make ([a-z]+)", text)) | set(re.findall(r"^\$ make ([a-z]+)", text, re.MULTILINE)) <= targets
    )
    assert set(re.findall(r"\bgemmgen ([a-z]+)\b(?= |`|$)", "\n".join(re.findall(r"`([^`\n]+)`", text)))) <= {
        *cli.commands
    }


def test_the_first_steps_say_what_installs_hypothesis():
    first = section(README, "Five minutes to a first .cu").split("```")[0]
    assert re.search(r"`make test` adds Hypothesis .*`gemmgen check`", first, re.DOTALL)
    setup = (ROOT / ".ci/setup.sh").read_text(encoding="utf-8")
    assert re.search(r"^test:\n\t@\.ci/setup\.sh test$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert "--editable '.[test]'" in setup


def test_every_option_named_in_the_documents_exists():
    named = set(re.findall(r"`(--[a-z]+)`", README))
    options = {option for command in cli.commands.values() for one in command.params for option in one.opts}
    assert named <= options | {"--help"}


def test_files_named_in_the_documents_exist():
    """Paths in backticks that begin with a folder of the repository; NAME and * stand for anything."""
    named = set(re.findall(r"`((?:gemmgen|templates|tests|examples|scripts|\.ci)/[\w./*]+)`", README + CONTRIBUTING))
    concrete = {path for path in named if "NAME" not in path}
    absent = [path for path in sorted(concrete) if not any(ROOT.glob(path.rstrip("/")))]
    assert not absent


@pytest.mark.parametrize("path", [*(ROOT / name for name in DOCUMENTS), *EXAMPLES], ids=lambda path: path.name)
def test_nothing_boasts(path):
    text = path.read_text(encoding="utf-8")
    if path.name == "CONTRIBUTING.md":
        text = text.replace("calls code fast or optimized", "")  # says so itself
    text = text.replace("-use_fast_math", "")
    assert not BOASTS.findall(text)


def test_what_gemmgen_testing_exports_exists(monkeypatch):
    import gemmgen.testing

    assert all(getattr(gemmgen.testing, name) for name in gemmgen.testing.__all__)
    with pytest.raises(AttributeError, match="nothing_like_this"):
        getattr(gemmgen.testing, "nothing_like_this")  # noqa: B009 - mypy would see it

    def without_hypothesis(name, package=None):
        raise ModuleNotFoundError(name="hypothesis")

    monkeypatch.setattr(importlib, "import_module", without_hypothesis)
    with pytest.raises(EnvironmentUnavailable, match=r"pip install 'gemmgen\[test\]'"):
        getattr(gemmgen.testing, "schedules")  # noqa: B009


def test_tables_are_what_the_data_says():
    written = subprocess.run(
        [sys.executable, ROOT / "tests/benchmarks/readme_tables.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert written.returncode == 0, written.stdout
