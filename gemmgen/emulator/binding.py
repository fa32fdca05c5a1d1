"""The runtime's C interface: the records of native/abi.h and the functions of native/runtime.cpp."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any


class RegionRecord(Structure):
    """A `Region`."""

    _fields_ = (
        *((name, c_int64) for name in ("address", "rows", "row_bytes", "pitch_bytes")),
        ("item_bytes", c_int32),
        *((name, c_uint8) for name in ("readable", "writable", "initialised", "must_write")),
    )


class MemberRecord(Structure):
    """A `SharedMember`."""

    _fields_ = (("offset", c_int64), ("bytes", c_int64))


class OptionsRecord(Structure):
    """What the runtime needs of `Options`."""

    _fields_ = (
        *((name, c_int32) for name in ("threads", "max_reports", "counts", "checks")),
        *((name, c_int32) for name in ("capability", "shared_optin", "multiprocessors", "spare")),
        ("timeout", c_double),
    )


class FaultRecord(Structure):
    """One kind of fault at one instruction."""

    _fields_ = (
        *((name, c_int32) for name in ("kind", "space", "launch", "thread")),
        ("block", c_int64),
        ("site", c_uint64),
        ("address", c_uint64),
        *((name, c_int32) for name in ("bytes", "is_write", "place", "line", "party", "other_thread")),
        ("other_block", c_int64),
        ("other_site", c_uint64),
        ("other_line", c_int32),
        ("soft", c_int32),
    )


class LaunchRecord(Structure):
    """One call of cudaLaunchKernel."""

    _fields_ = (
        ("kernel", c_char * 256),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("shared_bytes", c_int64),
        ("error", c_int32),
        ("argument_count", c_int32),
        ("arguments_offset", c_int64),
    )


class CountRecord(Structure):
    """What the accesses of one instruction cost."""

    _fields_ = (
        ("site", c_uint64),
        *((name, c_int32) for name in ("bytes", "space", "is_write", "spare")),
        *((name, c_int64) for name in ("requests", "wavefronts", "passes", "sectors", "ideal_sectors")),
    )


class UnwrittenRecord(Structure):
    """Elements of one region that were never written."""

    _fields_ = (
        ("region", c_int32),
        ("spare", c_int32),
        *((name, c_int64) for name in ("elements", "first_row", "first_column")),
    )


_RESULTS: dict[str, Any] = {
    "faults": FaultRecord,
    "launches": LaunchRecord,
    "arguments": c_uint8,
    "counts": CountRecord,
    "unwritten": UnwrittenRecord,
}


class Runtime:
    """The loaded runtime library."""

    def __init__(self, path: str) -> None:
        """Load it and declare its functions."""
        library = ctypes.CDLL(path)
        self.open = library.gemmgen_session_open
        self.open.restype = c_void_p
        self.open.argtypes = [
            POINTER(OptionsRecord), POINTER(RegionRecord), ctypes.c_int, POINTER(MemberRecord), ctypes.c_int, c_uint64,
        ]  # fmt: skip
        self.enter = library.gemmgen_session_enter
        self.finish = library.gemmgen_session_finish
        self.close = library.gemmgen_session_close
        self.cancel = library.gemmgen_session_cancel
        for function in (self.enter, self.finish, self.close, self.cancel):
            function.argtypes = [c_void_p]
            function.restype = None
        self.module_loaded = library.gemmgen_module_loaded
        self.module_loaded.argtypes = [c_uint64]
        self.module_loaded.restype = None
        self.module_base = library.gemmgen_module_base
        self.module_base.argtypes = [c_uint64]
        self.module_base.restype = c_uint64
        self.count_access = library.gemmgen_count_access
        self.count_access.argtypes = [POINTER(c_int64), ctypes.c_int, ctypes.c_int, POINTER(c_int32)]
        self.count_access.restype = None
        for name, record in _RESULTS.items():
            function = getattr(library, f"gemmgen_session_{name}")
            function.argtypes = [c_void_p, POINTER(c_int64)]
            function.restype = c_char_p if record is c_uint8 else POINTER(record)
        self._library = library

    def results(self, session: int, name: str) -> list[Any]:
        """Return copies of a session's records: "faults", "launches", "counts" or "unwritten"."""
        record = _RESULTS[name]
        count = c_int64()
        first = getattr(self._library, f"gemmgen_session_{name}")(session, ctypes.byref(count))
        return [record.from_buffer_copy(first[i]) for i in range(count.value)]

    def argument_bytes(self, session: int) -> bytes:
        """Return the values of all launches' arguments, each preceded by its size in 4 bytes."""
        function = self._library.gemmgen_session_arguments
        function.restype = c_void_p
        count = c_int64()
        first = function(session, ctypes.byref(count))
        return ctypes.string_at(first, count.value) if count.value else b""
