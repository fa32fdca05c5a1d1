"""Calls a launcher on the CPU and collects what its launches did."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmgen.emulator import build
from gemmgen.emulator.binding import MemberRecord, OptionsRecord, RegionRecord
from gemmgen.emulator.decode import Decoder
from gemmgen.emulator.records import Emulation, Options
from gemmgen.errors import ArgumentError, EnvironmentUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gemmgen.emulator.binding import Runtime
    from gemmgen.emulator.records import Region, SharedMember

_C_TYPES: dict[str, Any] = {
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "ptr": ctypes.c_void_p,
}

# From one attempt at ending a launch to the next.
_CANCEL_SECONDS = 0.005


def emulate(
    source: str,
    *,
    function: str,
    signature: Sequence[str],
    arguments: Sequence[int | float],
    regions: Sequence[Region],
    shared_members: Sequence[SharedMember] = (),
    options: Options | None = None,
) -> Emulation:
    """Compile `source` (cached by its text) and call its extern "C" launcher `function`, whose int is the status.

    `signature` names the parameters' types: "i32", "i64", "f32", "f64", "ptr" (an address as int, 0 for null).
    `regions` are the only global memory that a kernel may touch, `shared_members` (default: one member, all of it)
    the arrays of its shared memory. Nothing is copied: the kernels read and write the caller's memory, which has to
    stay alive. Faults are reported in the result, never raised; a fatal one (an address that is not legal) abandons
    its block.

    Raises CompileError if the text does not compile, ArgumentError if arguments and signature do not fit or there is
    no such function, EnvironmentUnavailable without a compiler.
    """
    options = options or Options()
    values = _values(signature, arguments)
    with build.module_of(source, function) as module:
        launcher = getattr(module.library, function)
        launcher.restype = ctypes.c_int
        launcher.argtypes = [_C_TYPES[kind] for kind in signature]
        with _session(launcher, regions, shared_members, options) as session:
            status = session.call(launcher, values)
            decoder = Decoder(session.runtime, session.handle, module, source, regions, shared_members)
            return Emulation(
                status=status,
                faults=decoder.faults(options.max_reports),
                launches=decoder.launches,
                counts=decoder.counts(),
                unwritten=decoder.unwritten(status),
                context=dict(options.context),
            )


@dataclass(frozen=True, slots=True)
class _Session:
    """A session of the runtime: what a launcher may use, and what its launches did."""

    runtime: Runtime
    handle: int

    def call(self, launcher: Callable[..., int], values: Sequence[int | float | None]) -> int:
        """Run the launcher, its launches belonging to this session; an interrupt (Ctrl-C) ends it at once.

        Only the main thread gets interrupts, and only between instructions of Python. So there the launcher runs on a
        thread of its own.
        """
        if threading.current_thread() is not threading.main_thread():
            return self._launch(launcher, values)
        results: list[int] = []
        ended = threading.Event()  # Thread.join takes a thread for ended when it is interrupted (CPython issue 90882)

        def run() -> None:
            try:
                results.append(self._launch(launcher, values))
            finally:
                ended.set()

        try:
            with interrupts_held():
                threading.Thread(target=run, daemon=True).start()
            ended.wait()
        except BaseException:
            # The launch uses memory of the session and of the caller: it has to end first.
            self._cancel(ended)
            raise
        return results[0]

    def _launch(self, launcher: Callable[..., int], values: Sequence[int | float | None]) -> int:
        self.runtime.enter(self.handle)
        try:
            status = launcher(*values)
        finally:
            self.runtime.enter(None)
        self.runtime.finish(self.handle)
        return status

    def _cancel(self, ended: threading.Event) -> None:
        while not ended.is_set():
            with contextlib.suppress(KeyboardInterrupt):
                self.runtime.cancel(self.handle)
                ended.wait(_CANCEL_SECONDS)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold interrupts back, and for good in the threads and processes that are started meanwhile."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _session(
    launcher: Any, regions: Sequence[Region], members: Sequence[SharedMember], options: Options
) -> Iterator[_Session]:
    runtime = build.runtime()
    symbol = ctypes.cast(launcher, ctypes.c_void_p).value or 0
    handle = _open(runtime, regions, members, options, symbol)
    try:
        yield _Session(runtime, handle)
    finally:
        runtime.close(handle)


def _values(signature: Sequence[str], arguments: Sequence[int | float]) -> list[int | float | None]:
    unknown = sorted(set(signature) - set(_C_TYPES))
    if unknown:
        raise ArgumentError(f"signature has unknown types {', '.join(unknown)}; known are {', '.join(_C_TYPES)}.")
    if len(signature) != len(arguments):
        raise ArgumentError(f"signature names {len(signature)} parameters and arguments has {len(arguments)}.")
    for kind, value in zip(signature, arguments, strict=True):
        if kind in ("i32", "i64") and not -(1 << int(kind[1:]) - 1) <= value < 1 << int(kind[1:]) - 1:
            raise ArgumentError(f"argument {value} does not fit {kind}.")
    return list(arguments)


def _open(
    runtime: Runtime, regions: Sequence[Region], members: Sequence[SharedMember], options: Options, symbol: int
) -> int:
    """Open a session of the runtime."""
    region_records = (RegionRecord * max(1, len(regions)))(*(_region_record(region) for region in regions))
    member_records = (MemberRecord * max(1, len(members)))(*(MemberRecord(m.offset, m.bytes) for m in members))
    threads = options.threads or len(os.sched_getaffinity(0))
    record = OptionsRecord(
        threads, options.max_reports, options.counts, options.checks, options.capability,
        options.shared_bytes_per_block_optin, options.multiprocessors, 0, options.timeout or 0.0,
    )  # fmt: skip
    session = runtime.open(
        ctypes.byref(record), region_records, len(regions), member_records, len(members), symbol
    )  # fmt: skip
    if not session:
        raise EnvironmentUnavailable("The emulator found no memory for the records it keeps of the output's elements.")
    return int(session)


def _region_record(region: Region) -> RegionRecord:
    must_write = region.writable and not region.readable if region.must_write is None else region.must_write
    return RegionRecord(
        region.address, region.rows, region.row_bytes, region.pitch_bytes, region.item_bytes,
        region.readable, region.writable, region.initialised, must_write,
    )  # fmt: skip
