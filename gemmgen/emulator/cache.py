"""Compiled files by the hash of what they were made from, in a folder that is private to its user.

A file is written under a temporary name and then renamed, so that a reader sees all of it or nothing, whatever other
processes do or whenever this one is killed. A checksum at its end tells a damaged file, which is made again.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.errors import EnvironmentUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = b"GEMMGEN\x01"
_TRAILER_BYTES = len(_MARK) + hashlib.sha256().digest_size
_MOST_FILES = 2000
_PRUNE_EVERY = 200


def key_of(*parts: str) -> str:
    """Return a file name's worth of hash over all parts, their boundaries included."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()[:40]


def folder() -> Path:
    """Return the emulator's cache folder, made with mode 0700 (GEMMGEN_CACHE_DIR, else the user's cache folder).

    Raises EnvironmentUnavailable if it belongs to somebody else or can not be made.
    """
    named = os.environ.get("GEMMGEN_CACHE_DIR", "").strip()
    return _private(named or _default_root())


@functools.lru_cache(maxsize=1)
def _default_root() -> str:
    import platformdirs

    return platformdirs.user_cache_dir("gemmgen")


@functools.lru_cache(maxsize=8)
def _private(root: str) -> Path:
    path = Path(root) / "emulator"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if status.st_uid != os.getuid():
            raise EnvironmentUnavailable(
                f"The cache folder {path} belongs to another user; name one of your own in GEMMGEN_CACHE_DIR."
            )
        if stat.S_IMODE(status.st_mode) & 0o077:
            path.chmod(0o700)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(13, "not writable", str(path))
    except OSError as error:
        raise EnvironmentUnavailable(
            f"The cache folder {path} can not be used ({error.strerror}); name a writable one in GEMMGEN_CACHE_DIR."
        ) from None
    return path


def intact(path: Path) -> bool:
    """Tell whether the file is there and ends with the checksum of the rest."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    body, trailer = content[:-_TRAILER_BYTES], content[-_TRAILER_BYTES:]
    return trailer == _MARK + hashlib.sha256(body).digest()


def provide(name: str, build: Callable[[Path], None]) -> Path:
    """Return the path of `name` in the cache; `build(path)` makes it where it is missing or damaged."""
    path = folder() / name
    if not intact(path):
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        os.close(handle)
        try:
            build(Path(temporary))
            body = Path(temporary).read_bytes()
            with Path(temporary).open("ab") as file:
                file.write(_MARK + hashlib.sha256(body).digest())
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
        _prune(path.parent)
    return path


_built = 0


def _prune(path: Path) -> None:
    """Now and then remove the oldest files beyond the limit, and what killed processes left."""
    global _built  # noqa: PLW0603 - a counter of this process, needs no object around it
    _built += 1
    if _built % _PRUNE_EVERY:
        return
    aged = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(path) if entry.name.endswith(".so"))
    newest = aged[-1][0] if aged else 0.0
    leftovers = [(entry.stat().st_mtime, entry.path) for entry in os.scandir(path) if entry.name.startswith(".new-")]
    stale = [name for age, name in leftovers if age < newest - 3600]
    for name in [name for _, name in aged[: max(0, len(aged) - _MOST_FILES)]] + stale:
        Path(name).unlink(missing_ok=True)
