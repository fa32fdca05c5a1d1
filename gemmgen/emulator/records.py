"""What goes into an emulation and what comes out, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FAULT_KINDS = (
    "out_of_bounds",
    "misaligned",
    "uninitialised_shared",
    "shared_race",
    "global_race",
    "barrier_divergence",
    "deadlock",
    "write_to_read_only",
    "read_of_unwritten",
)
"""In the order of `FaultKind` in native/abi.h."""

NEWEST_CAPABILITY = 121
LARGEST_SHARED_BYTES = 232_448
H200_MULTIPROCESSORS = 132
WARP_LANES = 32


@dataclass(frozen=True, slots=True)
class Region:
    """Global memory that a launch may use: bytes [address + r * pitch_bytes, + row_bytes) for each row r.

    Everything else (leading-dimension padding, guard zones) is a fault. `initialised=False` makes reading an element
    before a launch wrote it a fault. `must_write` (by default: writable and not readable) reports elements that no
    launch wrote. `transposed` says that a stored row is a column of the matrix, for reports.
    """

    name: str
    address: int
    rows: int
    row_bytes: int
    pitch_bytes: int
    item_bytes: int
    readable: bool = True
    writable: bool = False
    initialised: bool = True
    must_write: bool | None = None
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class SharedMember:
    """One array of the kernel's shared memory: bytes [offset, offset + bytes)."""

    name: str
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Options:
    """How to emulate.

    `threads`: OS threads, None for all cores this process may use. `counts`: count wavefronts and sectors.
    `max_reports`: faults to collect before the emulation stops. `checks=False` only computes.
    `capability`, `shared_bytes_per_block_optin`, `multiprocessors`: of the emulated device.
    `timeout`: seconds after which a launch is ended and reported as a deadlock (a loop that touches no memory and
    meets no barrier is not noticed). `context`: what a report should say about the launch (shape, schedule).
    """

    threads: int | None = None
    counts: bool = False
    max_reports: int = 16
    checks: bool = True
    capability: int = NEWEST_CAPABILITY
    shared_bytes_per_block_optin: int = LARGEST_SHARED_BYTES
    multiprocessors: int = H200_MULTIPROCESSORS
    timeout: float | None = None
    context: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of an inlined call: the function and the line in the emitted text that runs in it."""

    function: str
    line: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch as the launcher made it. `arguments`: the value bytes of each parameter."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    arguments: tuple[bytes, ...]
    error: int = 0


@dataclass(frozen=True, slots=True)
class Party:
    """The other thread of a race or of a diverged barrier. `line` is 0 where it is not known."""

    action: str  # "read", "write", "exited", "at_block_barrier", "at_warp_barrier"
    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    line: int = 0
    source_text: str = ""
    call_chain: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the kernel must not do, once for each kind and source line (with its callers).

    `region` names the global region or the shared member. `row` and `column` are the element of a global region,
    `offset` the byte within a shared member; negative or too large where the access lies outside.
    """

    kind: str
    message: str
    kernel: str
    line: int
    source_text: str
    call_chain: tuple[Frame, ...]
    thread: tuple[int, int, int]
    warp: int
    lane: int
    block: tuple[int, int, int]
    address: int = 0
    region: str | None = None
    row: int | None = None
    column: int | None = None
    offset: int | None = None
    other: Party | None = None

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines of the access and of its callers, innermost first."""
        return tuple(frame.line for frame in self.call_chain)


@dataclass(frozen=True, slots=True)
class LineCount:
    """What the accesses of one source line, reached by one chain of calls, cost in all launches.

    `ideal_wavefronts`: without bank conflicts; `conflicts` is the difference. `ideal_sectors`: if the bytes of each
    request were contiguous and aligned. Wavefronts count shared memory, sectors global memory.
    """

    line: int
    source_text: str
    call_chain: tuple[Frame, ...]
    instruction: str
    requests: int
    wavefronts: int
    ideal_wavefronts: int
    conflicts: int
    sectors: int
    ideal_sectors: int


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Elements of an output region that no launch wrote; `row`, `column` is the first of them."""

    region: str
    elements: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Emulation:
    """What the launcher returned and what its launches did."""

    status: int
    faults: tuple[Fault, ...]
    launches: tuple[Launch, ...]
    counts: tuple[LineCount, ...]
    unwritten: tuple[Unwritten, ...]
    context: Mapping[str, object] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Nothing to report."""
        return not self.faults and not self.unwritten

    def report(self) -> str:
        """Readable text: a paragraph for each fault, what was left unwritten, and the launch."""
        from gemmgen.emulator.report import render

        return render(self)
