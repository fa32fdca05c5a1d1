"""NVRTC through ctypes: enough to compile a text for an architecture."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Nvrtc:
    """One NVRTC library. ``compile`` returns what it said, None when it compiled without a word."""

    def __init__(self, path: Path) -> None:
        # It loads its built-in headers' library by name, which is found beside it only if it is loaded already.
        for builtins in sorted(path.parent.glob("libnvrtc-builtins.so*")):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(path))

    def compile(self, source: str, architecture: str) -> str | None:
        program = ctypes.c_void_p()
        status = self._library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
        assert status == 0
        options = [f"-arch={architecture}".encode(), b"-std=c++17"]
        failed = self._library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        self._library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self._library.nvrtcGetProgramLog(program, log)
        self._library.nvrtcDestroyProgram(ctypes.byref(program))
        said = log.value.decode(errors="replace").strip()
        return said or ("failed without a word" if failed else None)
