"""Each room of the package imports only the rooms below it, late imports included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gemmgen"

# From low to high; rooms of one line know nothing of each other.
ORDER = (
    ("errors",),
    ("target",),
    ("toolchain", "templates_path"),
    ("ir",),
    ("plan",),
    ("geometry",),
    ("rules",),
    ("mechanisms",),
    ("model",),
    ("lower",),
    ("emit",),
    ("call",),
    ("emulator", "runtime"),
    ("testing",),
    ("api",),
    ("cli",),
)
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
# The package itself and its command line stand above all rooms.
TOP = {"__init__", "__main__"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> set[str]:
    """Every gemmgen module that a file imports, inside functions and for type checking too."""
    package = ("gemmgen", *path.relative_to(PACKAGE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            found.add(module)
            if module == "gemmgen":
                found.update(f"gemmgen.{alias.name}" for alias in node.names)
    return {module for module in found if module.split(".")[0] == "gemmgen"}


MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if room_of(path) not in TOP]


def test_every_room_has_its_place():
    assert {room_of(path) for path in MODULES} <= RANK.keys()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_rooms_below_it(path):
    room = room_of(path)
    wrong = [
        module
        for module in imported_modules(path)
        if module.count(".") and (other := module.split(".")[1]) != room and RANK.get(other, -1) >= RANK[room]
    ]
    assert not wrong, f"{room} may not import {wrong}"
    assert "gemmgen" not in imported_modules(path) or path.name == "__main__.py", (
        "import from the room, not the package"
    )


@pytest.mark.parametrize(
    ("library", "rooms"),
    [("pycuda", {"runtime"}), ("hypothesis", {"testing"}), ("jinja2", {"emit"}), ("click", {"cli"})],
)
def test_a_library_is_imported_by_its_room_alone(library, rooms):
    users = {
        room_of(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == library for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == library)
    }
    assert users <= rooms
