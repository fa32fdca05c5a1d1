"""How many CTAs of a kernel one SM holds, and what keeps it from holding more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from gemmgen.target import Target

# Registers and warps belong to one of an SM's four partitions, each with its own scheduler, on every target from
# sm_70 on (CUDA Programming Guide, "Compute Capabilities": four schedulers an SM). So a warp's registers have to fit
# into what is left of one partition, not of the SM.
PARTITIONS = 4


@dataclass(frozen=True, slots=True)
class Occupancy:
    """CTAs and warps that one SM holds at once.

    `limits` has, for each resource ("threads", "blocks", "registers", "shared_memory"), the CTAs that it alone
    would allow; `limiter` is the one that allows fewest, the first in that order among equals. `ctas` is 0 when the
    kernel can not be launched at all.
    """

    ctas: int
    warps: int
    fraction: float  # of the warps that the SM could hold
    limiter: str
    limits: dict[str, int]


def occupancy(threads: int, registers: int, shared_bytes: int, target: Target) -> Occupancy:
    """Count the CTAs that one SM of `target` holds at once.

    A CTA has `threads` threads of `registers` 32-bit registers each, and `shared_bytes` bytes of shared memory
    (static and dynamic together). Raises ArgumentError, naming everything that is wrong, when a CTA breaks a limit of
    the target by itself.
    """
    _refuse_impossible(threads, registers, shared_bytes, target)
    warps = -(-threads // target.warp_size)
    limits = {
        "threads": target.warps_per_sm // warps,
        "blocks": target.blocks_per_sm,
        "registers": _by_registers(warps, registers, target),
        "shared_memory": _by_shared(shared_bytes, target),
    }
    limiter = min(limits, key=lambda resource: limits[resource])
    ctas = limits[limiter]
    return Occupancy(ctas, ctas * warps, ctas * warps / target.warps_per_sm, limiter, limits)


def _by_registers(warps: int, registers: int, target: Target) -> int:
    unit = target.register_allocation_unit
    per_warp = -(-max(1, registers) * target.warp_size // unit) * unit
    warps_held = target.registers_per_sm // PARTITIONS // per_warp * PARTITIONS
    return warps_held // warps


def _by_shared(shared_bytes: int, target: Target) -> int:
    unit = target.shared_allocation_unit
    per_cta = -(-(shared_bytes + target.shared_bytes_reserved) // unit) * unit
    return target.shared_bytes_per_sm // per_cta if per_cta else target.blocks_per_sm


def _refuse_impossible(threads: int, registers: int, shared_bytes: int, target: Target) -> None:
    checks = (
        ("threads", threads, 1, target.max_threads_per_block),
        ("registers", registers, 0, target.max_registers_per_thread),
        ("shared_bytes", shared_bytes, 0, target.shared_bytes_per_block_optin),
    )
    wrong = [
        f"{name}={value} is outside {low}..{high} of {target.name}"
        for name, value, low, high in checks
        if not low <= value <= high
    ]
    if wrong:
        raise ArgumentError("; ".join(wrong) + ".")
