"""From text to a loaded function: compile, cache, load, and forget again."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmgen.emulator import cache, toolchain
from gemmgen.emulator.binding import Runtime
from gemmgen.errors import ArgumentError, EnvironmentUnavailable, GemmgenError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KERNEL_FILE = "kernel.cu"
"""The name of the emitted text in debug information and compiler messages."""

_MOST_MODULES = 64

# What the compiler says when it fails for a reason that is not in the text.
_NOT_THE_TEXT = ("internal compiler error", "No space left", "Killed signal", "Cannot allocate memory", "out of memory")


class CompileError(GemmgenError):
    """The text is no C++ that the emulator can run. The message holds what the compiler said."""


@dataclass
class Module:
    """A compiled text, loaded. `base` is where; `users` counts the emulations that run in it."""

    path: Path
    library: Any
    base: int
    users: int = 0

    def unload(self) -> None:
        """Give its memory back. Nothing may run in it, then or later."""
        from _ctypes import dlclose

        dlclose(self.library._handle)  # noqa: SLF001 - ctypes has no public way to unload


@functools.lru_cache(maxsize=1)
def _native_text() -> str:
    """Return all of the runtime's text in a fixed order."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(toolchain.NATIVE.iterdir()) if path.is_file())


def _runtime_key() -> str:
    command, version = toolchain.compiler()
    return cache.key_of(_native_text(), *toolchain.RUNTIME_FLAGS, *toolchain.machine_flags(), *command, version)


def _build_runtime(key: str, output: Path) -> None:
    ran = toolchain.run(
        [*toolchain.RUNTIME_FLAGS, *toolchain.machine_flags(), f"-Wl,-soname,gemmgen-{key}.so",
         str(toolchain.NATIVE / "runtime.cpp"), "-o", str(output)]
    )  # fmt: skip
    if ran.returncode != 0:
        raise toolchain.unfit(f"the emulator's runtime does not compile ({_first_error(ran.stderr)})")


def _first_error(said: str) -> str:
    """Pick the line that tells most of what a compiler said."""
    lines = said.strip().splitlines() or ["it says nothing"]
    return next((line for line in lines if "error" in line), lines[-1]).strip()


def _runtime_path(key: str, folder: Path) -> Path:
    """Return the runtime's file in a cache folder, to link kernels against."""
    name = f"{cache.RUNTIME}{key}.so"
    if cache.intact(folder / name):
        cache.touch(folder / name)
        return folder / name
    import filelock

    # It takes seconds, so that several processes should not do it side by side.
    with filelock.FileLock(str(folder / f"{key}.lock")):
        return cache.provide(name, functools.partial(_build_runtime, key))


@functools.lru_cache(maxsize=2)
def _loaded_runtime(key: str) -> Runtime:
    """Load the runtime, once in a process whatever happens to the cache folder.

    The loader knows it by its soname: a second copy would not be the one that kernels are bound to.
    """
    path = _runtime_path(key, cache.folder())
    try:
        return Runtime(str(path))
    except (OSError, AttributeError) as error:
        path.unlink(missing_ok=True)
        raise toolchain.unfit(f"what it makes of the emulator's runtime can not be loaded ({error})") from None


def _runtime() -> tuple[Runtime, Path]:
    key = _runtime_key()
    return _loaded_runtime(key), _runtime_path(key, cache.folder())


def runtime() -> Runtime:
    """Return the runtime library, built on first use (2 s) and cached.

    Raises EnvironmentUnavailable without a compiler or a usable cache folder.
    """
    return _runtime()[0]


def _compile(source: str, runtime_path: Path, output: Path) -> None:
    ran = toolchain.run(
        [*toolchain.KERNEL_FLAGS, *toolchain.machine_flags(), "-include", str(toolchain.NATIVE / "shim.h"),
         "-x", "c++", "-", "-x", "none", str(runtime_path), "-o", str(output)],
        f'#line 1 "{KERNEL_FILE}"\n{source}',
    )  # fmt: skip
    if ran.returncode == 0:
        return
    if f"{KERNEL_FILE}:" in ran.stderr and not any(mark in ran.stderr for mark in _NOT_THE_TEXT):
        raise CompileError(f"The text does not compile for the emulator:\n{ran.stderr.strip()}")
    # Nothing is said against the text: a lack of memory or disk, or a file that was removed.
    raise toolchain.unfit(f"compiling a kernel failed and not for its text ({_first_error(ran.stderr)})")


_modules: OrderedDict[str, Module] = OrderedDict()
_lock = threading.Lock()


def _load(key: str, source: str, function: str) -> Module:
    loaded, path, library = _loaded_kernel(key, source)
    if not hasattr(library, function):
        raise ArgumentError(f'the text defines no extern "C" function {function!r}.')
    symbol = ctypes.cast(getattr(library, function), ctypes.c_void_p).value or 0
    loaded.module_loaded(symbol)
    return Module(path, library, loaded.module_base(symbol))


def _loaded_kernel(key: str, source: str) -> tuple[Runtime, Path, ctypes.CDLL]:
    """Compile and load a text; once more if a file that it takes was removed meanwhile, by whoever tidies the cache."""
    again = True
    while True:
        loaded, runtime_path = _runtime()
        path = cache.folder() / f"{key}.so"
        try:
            path = cache.provide(path.name, functools.partial(_compile, source, runtime_path))
            return loaded, path, ctypes.CDLL(str(path))
        except EnvironmentUnavailable:
            if not again or runtime_path.exists():
                raise
        except OSError as error:
            if "undefined symbol" in str(error):
                raise CompileError(f"The text uses what it does not define: {error}") from None
            if not again or path.exists():
                raise toolchain.unfit(f"what it makes of a kernel can not be loaded ({error})") from None
        again = False


def _evict() -> None:
    """Unload what was not used for longest. Called under the lock."""
    idle = [key for key, module in _modules.items() if module.users == 0]
    for key in idle[: max(0, len(_modules) - _MOST_MODULES)]:
        _modules.pop(key).unload()


@contextmanager
def module_of(source: str, function: str) -> Iterator[Module]:
    """Give the loaded module of a text, which stays loaded inside the `with` block.

    Raises CompileError, EnvironmentUnavailable, or ArgumentError when the text defines no `function`.
    """
    key = cache.key_of(source, _runtime_key(), *toolchain.KERNEL_FLAGS)
    with _lock:
        module = _modules.get(key)
        if module is not None:
            module.users += 1
            _modules.move_to_end(key)
    if module is None:
        fresh = _load(key, source, function)
        with _lock:
            module = _modules.setdefault(key, fresh)
            module.users += 1
    try:
        yield module
    finally:
        with _lock:
            module.users -= 1
            _evict()
