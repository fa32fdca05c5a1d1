"""A folder of compiled files, private to its user and safe under concurrent processes and kill -9.

An entry is written to a file of its own and renamed into place, so that a reader finds all of it or nothing. It starts
with the digest of its content: an entry that a full disk cut short, or that anything else changed, counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path

from gemmgen.errors import EnvironmentUnavailable

_DIGEST_BYTES = 32
_ABANDONED_SECONDS = 3600
"""Age at which another process's unfinished file is taken to be left over from one that was killed."""


def cache_folder(name: str) -> Path:
    """The folder of one kind of compiled file: below ``$GEMMGEN_CACHE_DIR``, or in the user's cache folder."""
    import platformdirs

    chosen = os.environ.get("GEMMGEN_CACHE_DIR", "").strip()
    return (Path(chosen) if chosen else Path(platformdirs.user_cache_dir("gemmgen"))) / name


def key_of(*parts: str) -> str:
    """A file name for everything that an entry depends on: no two different lists of parts share one."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


class Cache:
    """Bytes by key in one folder.

    Args:
        folder: where; made on first use, readable by its owner alone.
        limit_bytes: the oldest entries go when all of them together exceed this.

    """

    def __init__(self, folder: Path, limit_bytes: int = 512 * 1024 * 1024) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes

    def load(self, key: str) -> bytes | None:
        """The entry, or None if there is none that is whole.

        Raises:
            EnvironmentUnavailable: the folder is not private to this user.

        """
        self._prepare()
        try:
            stored = (self.folder / key).read_bytes()
        except FileNotFoundError:
            return None
        content = stored[_DIGEST_BYTES:]
        return content if hashlib.sha256(content).digest() == stored[:_DIGEST_BYTES] else None

    def store(self, key: str, content: bytes) -> None:
        """Writes an entry whole or not at all; of two writers of one key the later wins.

        Raises:
            EnvironmentUnavailable: the folder is not private to this user.

        """
        self._prepare()
        handle, temporary = tempfile.mkstemp(prefix=".unfinished-", dir=self.folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(temporary).replace(self.folder / key)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        self._prune()

    def _prepare(self) -> None:
        # Whoever can write here decides what this user's GPU runs.
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.folder.stat()
        if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
            raise EnvironmentUnavailable(
                f"The cache folder {self.folder} can be written by others. "
                f"Run chmod 700 on it, or set GEMMGEN_CACHE_DIR to a folder of your own."
            )

    def _prune(self) -> None:
        now = time.time()
        entries = []
        for path in self.folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another process may prune as well
                found = path.stat()
                if not path.name.startswith("."):
                    entries.append((found.st_mtime, found.st_size, path))
                elif now - found.st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
        excess = sum(size for _, size, _ in entries) - self.limit_bytes
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            path.unlink(missing_ok=True)
            excess -= size
