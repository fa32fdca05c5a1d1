"""Writes generated files: a pair whole or not at all, and only what differs."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.api.kernel import Kernel

__all__ = ["Written", "output_paths", "write_all", "write_kernel"]


@dataclass(frozen=True, slots=True)
class Written:
    """One file of a pair, and whether its bytes changed."""

    path: Path
    changed: bool


def output_paths(kernel: Kernel, out: str | Path | None) -> tuple[Path, Path]:
    """Where the ``.cu`` and the ``.h`` go.

    Args:
        kernel: gives the names if ``out`` does not.
        out: a folder, a path that ends in ``.cu``, or None for the working directory. The header lies beside it.

    Raises:
        DocumentError: ``out`` is neither.

    """
    place = Path() if out is None else Path(out)
    if place.suffix == ".cu" and not place.is_dir():
        return place, place.with_suffix(".h")
    if place.suffix and not place.is_dir():
        raise DocumentError(f"{place}: the output is a folder or a path that ends in .cu")
    return place / f"{kernel.symbol}.cu", place / f"{kernel.symbol}.h"


def write_kernel(kernel: Kernel, out: str | Path | None = None) -> tuple[Written, Written]:
    """Writes a kernel's ``.cu`` and ``.h``; if one can not be written, neither is.

    Raises:
        DocumentError: a file can not be written; one line that starts with its path.

    """
    source, header = output_paths(kernel, out)
    first, second = write_all({source: kernel.source.encode(), header: kernel.header.encode()})
    return first, second


def write_all(contents: Mapping[Path, bytes]) -> list[Written]:
    """Writes files that belong together. All of them are complete beside their places before the first is renamed.

    Raises:
        DocumentError: a file can not be written; nothing was replaced.

    """
    changed = {path: content for path, content in contents.items() if not _holds(path, content)}
    prepared: dict[Path, str] = {}
    try:
        for path, content in changed.items():
            with _naming(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    raise DocumentError(f"{path}: is a folder")
                prepared[path] = _beside(path, content)
        for path in changed:
            with _naming(path):
                Path(prepared[path]).replace(path)
                del prepared[path]
    finally:
        for leftover in prepared.values():
            Path(leftover).unlink(missing_ok=True)
    return [Written(path, path in changed) for path in contents]


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


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


class _naming(contextlib.AbstractContextManager[None]):  # noqa: N801  # reads as a statement
    """Turns an operating system's error into one line that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise DocumentError(f"{self._path}: {error.strerror or error}") from None
