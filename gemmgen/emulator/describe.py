"""Sentences for faults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gemmgen.emulator.records import WARP_LANES, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gemmgen.emulator.records import Party, Region, SharedMember

_SHARED = 1


def describe(fault: Fault, record: Any, regions: Sequence[Region], members: Sequence[SharedMember]) -> Fault:
    """Return the fault with its message."""
    access = f"{'writes' if record.is_write else 'reads'} {record.bytes} bytes of {_place(fault, record)}"
    sentences = {
        "out_of_bounds": lambda: f"{access}, {_outside(fault, record, regions, members)}",
        "misaligned": lambda: f"{access} at address {record.address:#x}, which is no multiple of {record.bytes}",
        "uninitialised_shared": lambda: f"{access}, which no thread of the block has written",
        "shared_race": lambda: f"{access}; {_raced(fault.other)}, and no barrier orders the two",
        "global_race": lambda: f"{access}; {_raced(fault.other)}, and nothing orders the two",
        "barrier_divergence": lambda: (
            f"waits at __syncthreads() in line {fault.line}; {_elsewhere(fault.other, fault.line)}"
        ),
        "deadlock": lambda: _forever(fault),
        "write_to_read_only": lambda: f"{access}, which the launch may only read",
        "read_of_unwritten": lambda: f"{access}, {_unread(record, regions)}",
    }
    return replace(fault, message=f"{_who(fault)} {sentences[fault.kind]()}.")


def _who(fault: Fault) -> str:
    return f"thread {_index(fault.thread)} (lane {fault.lane} of warp {fault.warp}) of block {_index(fault.block)}"


def _index(triple: tuple[int, int, int]) -> str:
    x, y, z = triple
    return str(x) if y == z == 0 else f"({x}, {y}, {z})"


def _place(fault: Fault, record: Any) -> str:
    if fault.region is None:
        return f"memory at {record.address:#x}"
    if fault.offset is not None:
        return f"shared {fault.region} at byte {fault.offset}" if record.place >= 0 else f"shared byte {fault.offset}"
    return f"{fault.region}[{fault.row}, {fault.column}]"


def _outside(fault: Fault, record: Any, regions: Sequence[Region], members: Sequence[SharedMember]) -> str:
    if record.space == _SHARED:
        if record.place < 0:
            return "which lies in no array of shared memory"
        member = members[record.place]
        inside = next((m for m in members if m.offset <= record.address < m.offset + m.bytes), None)
        where = f" and lies in {inside.name}" if inside is not None and inside is not member else ""
        return f"but {member.name} has {member.bytes} bytes{where}"
    if record.place < 0:
        return "which belongs to no argument"
    region = regions[record.place]
    lines, across = region.rows, region.row_bytes // max(1, region.item_bytes)
    shape = f"{across} x {lines}" if region.transposed else f"{lines} x {across}"
    line = fault.column if region.transposed else fault.row
    if line is not None and 0 <= line < lines:
        return f"outside its {shape} elements, in what lies between two {'columns' if region.transposed else 'rows'}"
    return f"outside its {shape} elements"


def _unread(record: Any, regions: Sequence[Region]) -> str:
    if record.place >= 0 and not regions[record.place].readable:
        return "which the launch may not read"
    return "which nothing has written yet"


def _thread(party: Party) -> str:
    x, y, z = party.thread
    flat = f" (lane {x % WARP_LANES} of warp {x // WARP_LANES})" if y == z == 0 else ""
    return f"thread {_index(party.thread)}{flat}"


def _raced(party: Party | None) -> str:
    if party is None:
        return "another thread touched it"
    verb = "wrote" if party.action == "write" else "read"
    line = f" in line {party.line}" if party.line else ""
    return f"{_thread(party)} of block {_index(party.block)} {verb} it{line}"


def _forever(fault: Fault) -> str:
    if fault.other is None:
        return f"still runs in line {fault.line} when the time allowed for a launch is over"
    return f"waits at __syncwarp() in line {fault.line} for ever; {_elsewhere(fault.other, fault.line)}"


def _elsewhere(party: Party | None, line: int) -> str:
    if party is None:
        return "the other threads do not arrive"
    if party.action == "exited":
        return f"{_thread(party)} has returned"
    if party.line == line:
        return f"{_thread(party)} waits there too, but by another call"
    barrier = "__syncwarp()" if party.action == "at_warp_barrier" else "__syncthreads()"
    return f"{_thread(party)} waits at {barrier} in line {party.line}"
