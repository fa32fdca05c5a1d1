"""Keeps ``generated/`` equal to what the catalogue renders, and off what gemmgen did not write."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gemmgen.api.catalog import CATALOG, CatalogEntry
from gemmgen.api.files import write_all
from gemmgen.api.origin import is_generated
from gemmgen.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Difference", "compare", "is_checkout", "regenerate", "render_catalog"]

_GENERATED_SUFFIXES = (".cu", ".h")
_SHOWN_LINES = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """A file under ``generated/`` that is not as rendered.

    ``kind`` is "missing", "stale", "orphaned" (gemmgen wrote it, and the catalogue no longer lists it) or "foreign"
    (gemmgen did not write it).
    """

    kind: Literal["missing", "stale", "orphaned", "foreign"]
    path: Path
    diff: str = ""


def render_catalog(entries: Sequence[CatalogEntry] = CATALOG) -> dict[str, bytes]:
    """Every committed file, by name.

    Raises:
        InternalError: two entries have one symbol, or one title.

    """
    files: dict[str, bytes] = {}
    titles: set[str] = set()
    for entry in entries:
        kernel = entry.generate()
        if f"{kernel.symbol}.cu" in files or entry.title in titles:
            raise InternalError(f"The catalogue holds {kernel.symbol} ({entry.title}) twice.")
        titles.add(entry.title)
        files[f"{kernel.symbol}.cu"] = kernel.source.encode()
        files[f"{kernel.symbol}.h"] = kernel.header.encode()
    return files


def compare(folder: Path, entries: Sequence[CatalogEntry] = CATALOG) -> list[Difference]:
    """How a folder differs from the catalogue; writes nothing."""
    wanted = render_catalog(entries)
    found = {path.name: path for path in _sources_in(folder)}
    differences = [Difference("missing", folder / name) for name in wanted if name not in found]
    for name, path in found.items():
        present = path.read_bytes()
        if name not in wanted:
            differences.append(Difference("orphaned" if is_generated(present) else "foreign", path))
        elif present != wanted[name]:
            differences.append(Difference("stale", path, _diff(path, present, wanted[name])))
    return sorted(differences, key=lambda difference: difference.path.name)


def regenerate(folder: Path, entries: Sequence[CatalogEntry] = CATALOG) -> list[Difference]:
    """Makes a folder equal to the catalogue and says what was not; files that are right, or foreign, are not touched.

    Raises:
        DocumentError: a file can not be written.

    """
    differences = compare(folder, entries)
    write_all({folder / name: content for name, content in render_catalog(entries).items()})
    for difference in differences:
        if difference.kind == "orphaned":
            difference.path.unlink()
    return differences


def is_checkout(folder: Path) -> bool:
    """Whether a folder is a checkout of gemmgen, or holds a ``generated/`` with files of the catalogue."""
    import tomllib

    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):
        project = None
    if isinstance(project, dict) and project.get("name") == "gemmgen":
        return True
    names = {path.name for path in _sources_in(folder / "generated")}
    return any(name in names for name in render_catalog())


def _sources_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in _GENERATED_SUFFIXES and path.is_file())


def _diff(path: Path, present: bytes, wanted: bytes) -> str:
    lines = difflib.unified_diff(
        present.decode(errors="replace").splitlines(),
        wanted.decode().splitlines(),
        str(path),
        "as rendered now",
        lineterm="",
    )
    shown = list(lines)
    if len(shown) > _SHOWN_LINES:
        shown[_SHOWN_LINES:] = [f"... {len(shown) - _SHOWN_LINES} lines more"]
    return "\n".join(shown)
