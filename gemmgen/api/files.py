"""Writes generated files: a pair whole or not at all, only what differs, and over nobody's work."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gemmgen.api.documents import load_description
from gemmgen.api.origin import header_standing, is_generated, standing
from gemmgen.errors import DocumentError, GemmgenError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.api.kernel import Kernel

__all__ = ["Written", "output_paths", "write_all", "write_kernel"]


@dataclass(frozen=True, slots=True)
class Written:
    """One file of a pair, and what became of it."""

    path: Path
    state: Literal["written", "overwritten", "unchanged"]


def output_paths(kernel: Kernel, out: str | Path | None) -> tuple[Path, Path]:
    """Where the ``.cu`` and the ``.h`` go.

    Args:
        kernel: gives the names if ``out`` does not.
        out: a folder, a path that ends in ``.cu``, or None for the working directory. The header lies beside it.

    Raises:
        DocumentError: ``out`` is neither.

    """
    place = Path() if out is None else Path(out)
    with _naming(place):
        is_folder = place.is_dir()
    if place.suffix == ".cu" and not is_folder:
        return place, place.with_suffix(".h")
    if place.suffix and not is_folder:
        raise DocumentError(f"{place}: the output is a folder or a path that ends in .cu")
    return place / f"{kernel.symbol}.cu", place / f"{kernel.symbol}.h"


def write_kernel(kernel: Kernel, out: str | Path | None = None, *, force: bool = False) -> tuple[Written, Written]:
    """Writes a kernel's ``.cu`` and ``.h``; if one can not be written, neither is.

    Raises:
        DocumentError: a file can not be written, or, without ``force``, would lose what gemmgen did not write; a line
            for each that starts with its path.

    """
    source, header = output_paths(kernel, out)
    contents = {source: kernel.source.encode(), header: kernel.header.encode()}
    if not force:
        _refuse_losses(source, header, contents)
    first, second = write_all(contents)
    return first, second


def _refuse_losses(source: Path, header: Path, contents: Mapping[Path, bytes]) -> None:
    """Refuses to overwrite files that gemmgen did not write, and edits of those that it did."""
    present = {path: _content(path) for path in (source, header)}
    lost = []
    for path, content in present.items():
        if content is None or content == contents[path]:
            continue
        if not is_generated(content):
            lost.append(f"{path}: gemmgen did not write this file; --force overwrites it")
        elif _is_edited(path, source, present[source] or b"", content):
            lost.append(f"{path}: edited since gemmgen wrote it; --force overwrites it, and the edits are lost")
    if lost:
        raise DocumentError("\n".join(lost))


def _is_edited(path: Path, source: Path, source_content: bytes, content: bytes) -> bool:
    """Whether a file of a pair has edits that its ``.cu``'s banner does not give."""
    if not is_generated(source_content):
        return False  # a header alone: no banner tells what it was
    text = source_content.decode(errors="replace")
    try:
        kernel = load_description(source).generate()
    except GemmgenError:
        return True  # its own banner can not write it again
    found = standing(text, kernel)
    if path == source or found == "other templates":
        return found == "edited"
    return header_standing(content.decode(errors="replace"), kernel) == "edited"


def write_all(contents: Mapping[Path, bytes]) -> list[Written]:
    """Writes files that belong together. All of them are complete beside their places before the first is renamed.

    A symbolic link is followed: what it points to is written.

    Raises:
        DocumentError: a file can not be written; nothing was replaced.

    """
    present = {path: _content(path) for path in contents}
    prepared: dict[Path, str] = {}
    try:
        for path, content in contents.items():
            if present[path] == content:
                continue
            with _naming(path):
                _make_folder(path)
                prepared[path] = _beside(_followed(path), content)
        for path in list(prepared):
            with _naming(path):
                Path(prepared[path]).replace(_followed(path))
                del prepared[path]
    finally:
        for leftover in prepared.values():
            Path(leftover).unlink(missing_ok=True)
    return [_written(path, present[path], content) for path, content in contents.items()]


def _written(path: Path, before: bytes | None, content: bytes) -> Written:
    if before is None:
        return Written(path, "written")
    return Written(path, "unchanged" if before == content else "overwritten")


def _content(path: Path) -> bytes | None:
    """What a file holds; None if there is none.

    Raises:
        DocumentError: there is something that is no file, or can not be read.

    """
    with _naming(path):
        if path.is_dir():
            raise DocumentError(f"{path}: is a folder")
        if path.exists() and not path.is_file():
            raise DocumentError(f"{path}: is no regular file")
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _make_folder(path: Path) -> None:
    """Makes the folder that a file goes into, and names whatever is in its way."""
    for folder in _followed(path).parents:
        if folder.is_dir():
            break
        if folder.exists():
            shown = next((given for given in path.parents if _followed(given) == folder), folder)
            raise DocumentError(f"{path}: {shown} is no folder")
    _followed(path).parent.mkdir(parents=True, exist_ok=True)


def _beside(path: Path, content: bytes) -> str:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # mkstemp's is private; a source file is not
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return temporary


class _naming(contextlib.AbstractContextManager[None]):  # noqa: N801  # reads as a statement
    """Turns an operating system's error into one line that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise DocumentError(f"{self._path}: {error.strerror or error}") from None
