"""Drives the emitted launcher itself: the text built as a shared library by ``nvcc -shared``, called through ctypes."""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.errors import InternalError
from gemmgen.runtime.cache import Cache, cache_folder, key_of
from gemmgen.runtime.compile import run_nvcc
from gemmgen.runtime.packing import checked_scalar
from gemmgen.toolchain import require_nvcc

if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPES = {
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "ptr": ctypes.c_void_p,
    "str": ctypes.c_char_p,
}
_FLAGS = ("-shared", "-std=c++17", "-Xcompiler", "-fPIC")


def real_architecture(architecture: str) -> tuple[str, ...]:
    """nvcc's option for the machine code of one architecture; ``-arch=sm_90a`` would build plain compute_90 as well."""
    number = architecture.removeprefix("sm_")
    return (f"-gencode=arch=compute_{number},code=sm_{number}",)


class LauncherLibrary:
    """An emitted text as a C++ project would build it.

    Building it and calling what touches no device (refusals, status strings, workspace sizes) needs no GPU. A launch
    goes to the calling thread's current context, or makes the primary one of the runtime's current device current.

    Args:
        source: the emitted text.
        architecture: "sm_90", as for `gemmgen.runtime.compile_cubin`.
        cache: where to keep the library; the user's cache folder if left out.

    Raises:
        EnvironmentUnavailable: no nvcc.
        CompilationError: nvcc refused the text.

    """

    def __init__(self, source: str, architecture: str, *, cache: Cache | None = None) -> None:
        compiler = require_nvcc()
        flags = (*_FLAGS, *real_architecture(architecture), *compiler.link_arguments)
        store = Cache(cache_folder("launcher")) if cache is None else cache
        key = key_of(source, compiler.version, *flags)
        built = store.load(key)
        if built is None:
            built = run_nvcc(compiler, source, flags, "launcher.so")
            store.store(key, built)
        self._library = _loaded(built)

    def call(
        self, function: str, signature: Sequence[str], arguments: Sequence[int | float], returns: str = "i32"
    ) -> int | float | bytes | None:
        """Calls one of the ``extern "C"`` functions.

        Args:
            function: its name.
            signature: a type code for each parameter: "i32", "i64", "f32", "f64" or "ptr".
            arguments: a value for each; an address is an int.
            returns: the type code of the result, "i32" for a status, "str" for a text (bytes).

        Raises:
            InternalError: there is no such function, or the numbers of types and values differ.

        """
        try:
            entry = getattr(self._library, function)
        except AttributeError:
            raise InternalError(f"The emitted file has no function {function}.") from None
        if len(signature) != len(arguments):
            raise InternalError(f"{function}: {len(signature)} parameter types for {len(arguments)} values.")
        entry.argtypes = [_TYPES[code] for code in signature]
        entry.restype = _TYPES[returns]
        values = [
            checked_scalar(f"argument {position} of {function}", code, value)
            for position, (code, value) in enumerate(zip(signature, arguments, strict=True))
        ]
        result: int | float | bytes | None = entry(*values)
        return result


def _loaded(built: bytes) -> ctypes.CDLL:
    handle, path = tempfile.mkstemp(prefix="gemmgen-", suffix=".so")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(built)
        return ctypes.CDLL(path)
    finally:
        Path(path).unlink()  # the loaded library stays mapped
