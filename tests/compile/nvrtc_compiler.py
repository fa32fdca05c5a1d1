"""NVRTC through ctypes: a text in, its PTX or cubin out, with no include path and no file."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Compiled:
    status: int
    log: str
    cubin: bytes


class Nvrtc:
    def __init__(self, path: Path) -> None:
        # NVRTC opens its second library by name alone, and a wheel's folder is on no search path.
        self.builtins = [ctypes.CDLL(str(found)) for found in sorted(path.parent.glob("libnvrtc-builtins.so*"))]
        self.library = ctypes.CDLL(str(path))

    def compile(self, source: str, *options: str, name: str = "kernel.cu") -> Compiled:
        program = ctypes.c_void_p()
        made = self.library.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), name.encode(), 0, ctypes.c_void_p(), ctypes.c_void_p()
        )
        assert made == 0
        try:
            given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            status = self.library.nvrtcCompileProgram(program, len(options), given)
            log = self._text(program, "ProgramLog").rstrip(b"\0").decode(errors="replace").strip()
            return Compiled(status, log, self._text(program, "CUBIN") if status == 0 else b"")
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        assert getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
        buffer = ctypes.create_string_buffer(size.value)
        assert getattr(self.library, f"nvrtcGet{what}")(program, buffer) == 0
        return buffer.raw
