"""Compiled files by the hash of what they were made from, in a folder that is private to its user.

A file is written under a temporary name and then renamed, so that a reader sees all of it or nothing, whatever other
processes do or whenever this one is killed. A checksum at its end tells a damaged file, which is made again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.errors import EnvironmentUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = b"GEMMGEN\x01"
_TRAILER_BYTES = len(_MARK) + hashlib.sha256().digest_size
_MOST_FILES = 2000
_PRUNE_EVERY = 200
_NEW = ".new-"
_LEFTOVER_SECONDS = 3600
_RUNTIME_SECONDS = 30 * 24 * 3600

RUNTIME = "runtime-"
"""How the names of runtimes begin."""


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
        raise _unusable(path, error) from None
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
    """Return the path of `name` in the cache; `build(path)` makes it where it is missing or damaged.

    Raises EnvironmentUnavailable if the folder can not be written; and whatever `build` raises.
    """
    path = folder() / name
    if intact(path):
        touch(path)
        return path
    temporary = _new_file(path.parent)
    try:
        build(temporary)
        _seal(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    _tidy(path.parent)
    return path


def touch(path: Path) -> None:
    """Note that a file was used: those whose use is longest ago are removed first."""
    with contextlib.suppress(OSError):
        os.utime(path)


def _new_file(path: Path) -> Path:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)  # somebody may have removed it
        handle, temporary = tempfile.mkstemp(prefix=_NEW, dir=path)
    except OSError as error:
        raise _unusable(path, error) from None
    os.close(handle)
    return Path(temporary)


def _seal(temporary: Path, path: Path) -> None:
    """Add the checksum, and give the file its name."""
    try:
        body = temporary.read_bytes()
        with temporary.open("ab") as file:
            file.write(_MARK + hashlib.sha256(body).digest())
        temporary.replace(path)
    except OSError as error:
        raise _unusable(path.parent, error) from None


def _unusable(path: Path, error: OSError) -> EnvironmentUnavailable:
    return EnvironmentUnavailable(
        f"The cache folder {path} can not be used ({error.strerror}); name a writable one in GEMMGEN_CACHE_DIR."
    )


_built = 0


def _tidy(path: Path) -> None:
    """Remove what killed processes left, at a process's first build; and now and then what nobody used for long."""
    global _built  # noqa: PLW0603 - a counter of this process, needs no object around it
    _built += 1
    if _built == 1:
        _remove_leftovers(path)
    if _built % _PRUNE_EVERY == 0:
        _prune(path)


def _remove_leftovers(path: Path) -> None:
    now = time.time()
    for age, name in _entries(path, _NEW, ""):
        if age < now - _LEFTOVER_SECONDS:
            Path(name).unlink(missing_ok=True)


def _prune(path: Path) -> None:
    """Remove the files beyond the limit whose last use is longest ago.

    A runtime stays until nobody has used it for weeks, however many kernels there are: other processes link against it
    at this moment.
    """
    oldest = time.time() - _RUNTIME_SECONDS
    aged = sorted(_entries(path, "", ".so"))
    idle = [name for age, name in aged if age < oldest or not Path(name).name.startswith(RUNTIME)]
    for name in idle[: max(0, len(aged) - _MOST_FILES)]:
        Path(name).unlink(missing_ok=True)


def _entries(path: Path, prefix: str, suffix: str) -> list[tuple[float, str]]:
    """List time and path of the files so named. One that goes meanwhile is left out."""
    found = []
    for entry in os.scandir(path):
        if entry.name.startswith(prefix) and entry.name.endswith(suffix):
            with contextlib.suppress(OSError):
                found.append((entry.stat().st_mtime, entry.path))
    return found
