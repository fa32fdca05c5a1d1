"""An emitted launcher built by the host's C++ compiler against a runtime that records instead of launching."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.toolchain import require_cxx

if TYPE_CHECKING:
    from gemmgen.emit import Emitted

STUB = Path(__file__).parent / "stub"
CODES = {"i32": ("<i", 4), "i64": ("<q", 8), "f32": ("<f", 4), "ptr": ("<Q", 8)}
I64, F32, PTR = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p


class _Recorded(ctypes.Structure):
    _fields_ = (
        ("launches", I64),
        ("kernel", PTR),
        ("grid", I64 * 3),
        ("block", I64 * 3),
        ("shared_bytes", I64),
        ("stream", PTR),
        ("attribute_calls", I64),
        ("attribute_bytes", I64),
        ("attribute_kernel", PTR),
        ("arguments", (ctypes.c_ubyte * 8) * 32),
    )


@dataclass(frozen=True)
class RawCall:
    """Arguments of a launcher, whatever they are worth."""

    m: int
    n: int
    k: int
    alpha: float
    a: int
    lda: int
    b: int
    ldb: int
    beta: float
    c: int
    ldc: int
    d: int
    ldd: int


@dataclass(frozen=True)
class Launched:
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    stream: int
    arguments: tuple[int | float, ...]
    attribute_calls: int
    attribute_bytes: int
    attribute_kernel: str


class RecordedLauncher:
    def __init__(self, emitted: Emitted, folder: Path) -> None:
        self.emitted = emitted
        source, library = folder / f"{emitted.symbol}.cu", folder / f"{emitted.symbol}.so"
        source.write_text(emitted.source)
        flags = ("-std=c++17", "-O0", "-shared", "-fPIC", f"-I{STUB}", "-x", "c++")
        command = (*require_cxx().command, *flags, str(source), "-o", str(library))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.library = ctypes.CDLL(str(library))
        self.recorded = _Recorded.in_dll(self.library, "recorded")
        codes = [parameter.code for parameter in emitted.plan.launches[0].parameters]
        sizes = (ctypes.c_int * 32).in_dll(self.library, "argument_bytes")
        for i, code in enumerate(codes):
            sizes[i] = CODES[code][1]
        self.codes = codes
        # A ctypes function is one object with its types for a library; each kind of call has its own.
        matrices = [PTR, I64, PTR, I64, F32, PTR, I64, PTR, I64]
        plain = [I64, I64, I64, F32, *matrices]
        pointers = [I64, I64, I64, PTR, *matrices[:4], PTR, *matrices[5:]]
        self._launch = self.function("", [*plain, PTR, I64, PTR])
        self._device = self.function("_device_scalars", [*pointers, PTR, I64, PTR])
        self._check = self.function("_can_implement", plain)

    def function(self, suffix: str, types: list[type], returns: type = ctypes.c_int):
        found = getattr(self.library, self.emitted.symbol + suffix)
        found.argtypes, found.restype = types, returns
        return found

    def set(self, name: str, value: int) -> None:
        ctypes.c_int.in_dll(self.library, name).value = value

    def get(self, name: str) -> int:
        return ctypes.c_int.in_dll(self.library, name).value

    def can_implement(self, call: RawCall) -> int:
        return self._check(*_values(call))

    def launch(self, call: RawCall, workspace_bytes: int = 0, stream: int = 0) -> tuple[int, Launched | None]:
        """The status, and what was launched."""
        ctypes.memset(ctypes.addressof(self.recorded), 0, ctypes.sizeof(self.recorded))
        status = self._launch(*_values(call), None, workspace_bytes, stream)
        return status, self.launched()

    def launch_device_scalars(self, call: RawCall, alpha: int, beta: int) -> tuple[int, Launched | None]:
        """The same through ``_device_scalars``, with the addresses of alpha and beta."""
        ctypes.memset(ctypes.addressof(self.recorded), 0, ctypes.sizeof(self.recorded))
        values = _values(call)
        values[3], values[8] = alpha, beta
        status = self._device(*values, None, 0, None)
        return status, self.launched()

    def launched(self) -> Launched | None:
        recorded = self.recorded
        assert recorded.launches <= 1
        if recorded.launches == 0:
            return None
        return Launched(
            kernel=self.name_of(recorded.kernel),
            grid=tuple(recorded.grid),
            block=tuple(recorded.block),
            shared_bytes=recorded.shared_bytes,
            stream=recorded.stream or 0,
            arguments=tuple(
                struct.unpack_from(CODES[code][0], bytes(recorded.arguments[i]))[0] for i, code in enumerate(self.codes)
            ),
            attribute_calls=recorded.attribute_calls,
            attribute_bytes=recorded.attribute_bytes,
            attribute_kernel=self.name_of(recorded.attribute_kernel),
        )

    def name_of(self, address: int | None) -> str:
        """The kernel at an address."""
        for kernel in self.emitted.plan.launches[0].kernels:
            if ctypes.cast(getattr(self.library, kernel.name), PTR).value == address:
                return kernel.name
        return ""


def _values(call: RawCall) -> list[int | float]:
    return [getattr(call, name) for name in RawCall.__dataclass_fields__]
