"""Shared-memory wavefronts and global-memory sectors of one warp instruction.

The bank model: shared memory has 32 banks of 4 bytes, and one pass over a group of lanes costs the largest number
of distinct 4-byte words that fall into one bank. How the lanes of an instruction are split into passes depends on
its width and direction. The rules were fitted to counters of an H200 and are exact on every pattern measured there;
`tests/data/h200_transactions.csv` holds 974 of them.
"""

from __future__ import annotations

import difflib
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

WARP_LANES = 32
BANKS = 32
WORD_BYTES = 4
SECTOR_BYTES = 32
WIDEST_BYTES = 16
INACTIVE = -1

Direction = Literal["load", "store", "bypass", "matrix"]

# The names in the measured table come first; the rest follow from the same rules.
INSTRUCTIONS = (
    "cp.async.ca.4 from global", "cp.async.ca.4 to shared", "cp.async.ca.8 from global", "cp.async.ca.8 to shared",
    "ld.global.b32", "ld.global.v2.b32", "ld.global.v4.b32",
    "ld.shared.b32", "ld.shared.b64", "ld.shared.v2.b32", "ld.shared.v4.b32",
    "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "ldmatrix.x4.trans",
    "st.global.b32", "st.global.v2.b32", "st.global.v4.b32",
    "st.shared.b32", "st.shared.u16", "st.shared.v2.b32", "st.shared.v4.b32",
    "cp.async.ca.16 from global", "cp.async.ca.16 to shared",
    "cp.async.cg.16 from global", "cp.async.cg.16 to shared",
    "ld.global.b64", "ld.global.u16", "ld.global.u8", "st.global.b64", "st.global.u16", "st.global.u8",
    "ld.shared.u16", "ld.shared.u8", "st.shared.b64", "st.shared.u8",
    "ldmatrix.x1.trans", "ldmatrix.x2.trans",
)  # fmt: skip

_PLAIN = re.compile(r"(?P<verb>ld|st)\.(?P<space>shared|global)(?:\.v(?P<count>[24]))?\.[bufs](?P<bits>8|16|32|64)")
_ASYNC = re.compile(r"cp\.async\.(?P<cache>ca|cg)\.(?P<bytes>4|8|16) (?P<side>from global|to shared)")
_MATRIX = re.compile(r"ldmatrix\.x(?P<count>[124])(?:\.trans)?")


@dataclass(frozen=True, slots=True)
class _Access:
    """What one instruction does: its memory, the bytes a lane moves, and how its lanes are grouped."""

    space: Literal["shared", "global"]
    bytes: int
    direction: Direction
    matrices: int = 0  # of ldmatrix: 8x8 matrices, eight row addresses each


def shared_wavefronts(instruction: str, lane_byte_offsets: Sequence[int]) -> int:
    """Count the wavefronts that one warp instruction costs in shared memory, bank conflicts included.

    `instruction` is a PTX-like name, as in `INSTRUCTIONS`; `lane_byte_offsets` are 32 byte offsets into shared
    memory, one a lane, -1 for an inactive lane. For `ldmatrix` they are the row addresses that the lanes supply.
    `cp.async.cg` of 16 bytes counts 0: the hardware attributes no wavefront to it.

    Raises ArgumentError for an unknown name, a number of lanes other than 32, or a negative or misaligned offset.
    """
    access, offsets = _checked(instruction, lane_byte_offsets, "shared")
    return sum(_pass_cost(lanes, access.bytes) for lanes in _passes(access, offsets))


def ideal_shared_wavefronts(instruction: str, lane_byte_offsets: Sequence[int]) -> int:
    """Count the wavefronts that the same instruction would cost if no pass had a bank conflict.

    That is one for each pass with an active lane; `shared_wavefronts` less this is what conflicts cost. Arguments
    and errors as in `shared_wavefronts`.
    """
    access, offsets = _checked(instruction, lane_byte_offsets, "shared")
    return sum(1 for lanes in _passes(access, offsets) if lanes)


def global_sectors(instruction: str, lane_byte_offsets: Sequence[int]) -> int:
    """Count the distinct 32-byte sectors that one warp instruction touches in global memory.

    `lane_byte_offsets` are 32 byte offsets from a 32-byte aligned address, one a lane, -1 for an inactive lane.

    Raises ArgumentError as `shared_wavefronts` does.
    """
    access, offsets = _checked(instruction, lane_byte_offsets, "global")
    # An aligned access of at most 16 bytes lies within one sector.
    return len({offset // SECTOR_BYTES for offset in offsets if offset != INACTIVE and access.bytes})


def ideal_global_sectors(instruction: str, lane_byte_offsets: Sequence[int]) -> int:
    """Count the sectors that as many distinct bytes would fill if they were contiguous and aligned.

    Arguments and errors as in `global_sectors`.
    """
    access, offsets = _checked(instruction, lane_byte_offsets, "global")
    distinct = len({offset for offset in offsets if offset != INACTIVE})
    return -(-distinct * access.bytes // SECTOR_BYTES)


def _checked(
    instruction: str, lane_byte_offsets: Sequence[int], space: Literal["shared", "global"]
) -> tuple[_Access, tuple[int, ...]]:
    access = _parse(instruction, space)
    try:
        offsets = tuple(operator.index(offset) for offset in lane_byte_offsets)
    except TypeError:
        raise ArgumentError("lane_byte_offsets has to be a sequence of 32 integers, -1 for an inactive lane.") from None
    if len(offsets) != WARP_LANES:
        raise ArgumentError(
            f"lane_byte_offsets has {len(offsets)} entries; a warp has {WARP_LANES} lanes. Use -1 for inactive ones."
        )
    supplying = 8 * access.matrices if access.matrices else WARP_LANES
    for lane, offset in enumerate(offsets[:supplying]):
        if offset == INACTIVE and access.matrices:
            raise ArgumentError(f"lane {lane} is inactive, but {instruction} takes the row address of each lane.")
        if offset < INACTIVE:
            raise ArgumentError(f"lane {lane} has offset {offset}: offsets are bytes >= 0, or -1 if inactive.")
        if offset != INACTIVE and offset % access.bytes:
            raise ArgumentError(
                f"lane {lane} has offset {offset}, which is no multiple of the {access.bytes} bytes that "
                f"{instruction} accesses; the hardware faults on it."
            )
    return access, offsets[:supplying]


def _parse(instruction: str, space: Literal["shared", "global"]) -> _Access:
    access = _decode(str(instruction))
    if access is None:
        near = difflib.get_close_matches(str(instruction), INSTRUCTIONS, n=1, cutoff=0.0)
        raise ArgumentError(f"unknown instruction {instruction!r}. Did you mean {near[0]!r}?")
    if access.space != space:
        raise ArgumentError(f"{instruction!r} accesses {access.space} memory, and {space} memory was asked about.")
    return access


def _decode(instruction: str) -> _Access | None:
    if match := _PLAIN.fullmatch(instruction):
        size = int(match["bits"]) // 8 * int(match["count"] or 1)
        if size > WIDEST_BYTES:
            return None
        space: Literal["shared", "global"] = "shared" if match["space"] == "shared" else "global"
        return _Access(space, size, "load" if match["verb"] == "ld" else "store")
    if match := _ASYNC.fullmatch(instruction):
        size = int(match["bytes"])
        if match["cache"] == "cg" and size != WIDEST_BYTES:
            return None
        bypass = match["cache"] == "cg"
        return _Access("global" if match["side"] == "from global" else "shared", size, "bypass" if bypass else "store")
    if match := _MATRIX.fullmatch(instruction):
        return _Access("shared", 16, "matrix", int(match["count"]))
    return None


def _passes(access: _Access, offsets: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Split the active lanes' offsets into passes."""
    if access.direction == "bypass":
        return []
    lanes = 8 if access.direction == "matrix" else WARP_LANES // max(1, access.bytes // WORD_BYTES)
    if access.direction == "load" and access.bytes > WORD_BYTES and _neighbours_agree(offsets):
        lanes *= 2
    groups = (offsets[first : first + lanes] for first in range(0, len(offsets), lanes))
    return [tuple(offset for offset in group if offset != INACTIVE) for group in groups]


def _neighbours_agree(offsets: tuple[int, ...]) -> bool:
    """Tell whether two passes of a wide load merge.

    They do if each lane agrees with its neighbour at distance 1, or each with that at distance 2; an inactive lane
    agrees with any.
    """

    def agree(distance: int) -> bool:
        pairs = ((offset, offsets[lane ^ distance]) for lane, offset in enumerate(offsets))
        return all(one == other or INACTIVE in (one, other) for one, other in pairs)

    return agree(1) or agree(2)


def _pass_cost(lanes: tuple[int, ...], size: int) -> int:
    """Find the largest number of distinct words that one bank has to deliver."""
    words = {
        word for offset in lanes for word in range(offset // WORD_BYTES, (offset + size + WORD_BYTES - 1) // WORD_BYTES)
    }
    per_bank = [0] * BANKS
    for word in words:
        per_bank[word % BANKS] += 1
    return max(per_bank)
