"""What all tests share: skipping by capability (counted), seeded examples, golden files."""

from __future__ import annotations

import collections
import difflib
from pathlib import Path

import hypothesis
import pytest

GOLDEN = Path(__file__).parent / "golden"
UPDATE_OPTION = "--update-golden"
CAPABILITY_MARKS = ("cuda", "compile")

# Seeded: the same examples on every run, and nothing remembered. `--hypothesis-profile=explore` draws new ones.
hypothesis.settings.register_profile("seeded", deadline=None, database=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, print_blob=True)
hypothesis.settings.load_profile("seeded")


def pytest_addoption(parser):
    parser.addoption(UPDATE_OPTION, action="store_true", help="write tests/golden/ anew instead of comparing with it")


def missing_capability(mark: str) -> str | None:
    """Why tests with this mark can not run here: one sentence, None if they can."""
    if mark == "cuda":
        from gemmgen.runtime import device_available

        return device_available()
    from gemmgen.errors import EnvironmentUnavailable
    from gemmgen.toolchain import require_nvcc

    try:
        require_nvcc()
    except EnvironmentUnavailable as reason:
        return str(reason)
    return None


def pytest_collection_modifyitems(items):
    for mark in CAPABILITY_MARKS:
        marked = [item for item in items if _needs(item, mark)]
        reason = missing_capability(mark) if marked else None
        for item in marked if reason is not None else ():
            item.add_marker(pytest.mark.skip(reason=f"{mark}: {reason}"))


def _needs(item, mark: str) -> bool:
    # Whatever compiles every committed kernel needs nvcc as well.
    return item.get_closest_marker(mark) is not None or (
        mark == "compile" and item.get_closest_marker("compile_matrix") is not None
    )


def pytest_terminal_summary(terminalreporter):
    """Say loudly how many tests did not run, and why: a skip must never look like a pass."""
    counts: collections.Counter[str] = collections.Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        counts[reason.removeprefix("Skipped: ")] += 1
    if counts:
        terminalreporter.section("NOT RUN on this machine", yellow=True)
    for reason, count in sorted(counts.items()):
        terminalreporter.line(f"{count:5d} skipped: {reason}", yellow=True)


class Golden:
    """Compares a text with ``tests/golden/NAME``; with --update-golden writes it."""

    def __init__(self, *, update: bool) -> None:
        self.update = update

    def __call__(self, name: str, text: str) -> None:
        path = GOLDEN / name
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        if not path.is_file():
            pytest.fail(f"There is no tests/golden/{name} yet: write it with pytest {UPDATE_OPTION}, and read it.")
        expected = path.read_bytes().decode()
        if expected != text:
            lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), f"golden/{name}", "now", lineterm="")
            pytest.fail(f"{name} changed; if meant, run pytest {UPDATE_OPTION}:\n" + "\n".join(list(lines)[:200]))


@pytest.fixture
def golden(request) -> Golden:
    return Golden(update=request.config.getoption(UPDATE_OPTION))
