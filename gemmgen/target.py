"""Device limits, as data with their source.

A target is the least feature level that a generated file runs on: "sm_80" runs on 8.0 and above, while an
architecture-specific one such as "sm_90a" runs on exactly that.
"""

from __future__ import annotations

from dataclasses import dataclass

from gemmgen.errors import Diagnostic, ScheduleError

DEFAULT_TARGET = "sm_80"
UNKNOWN_TARGET = "GG004"

GUIDE = (
    'CUDA C++ Programming Guide, section "Compute Capabilities": tables "Technical Specifications per Compute '
    'Capability" and "Feature Support per Compute Capability"'
)


@dataclass(frozen=True, slots=True)
class Target:
    """Limits of one compute capability. Bytes are bytes, registers are 32 bits wide.

    `capability` is 10 * major + minor. `shared_bytes_per_block` needs no opt-in; above it a kernel must ask for up to
    `shared_bytes_per_block_optin`. `shared_bytes_per_sm` is the largest carve-out of an SM, of which each resident
    block takes `shared_bytes_reserved` more than it asks for.
    """

    name: str
    capability: int
    arch_specific: bool
    shared_bytes_per_block_optin: int
    shared_bytes_per_sm: int
    shared_bytes_reserved: int
    warps_per_sm: int
    blocks_per_sm: int
    fp32_lanes_per_sm: int
    shared_bytes_per_block: int = 49_152
    registers_per_sm: int = 65_536
    registers_per_block: int = 65_536
    max_registers_per_thread: int = 255
    max_threads_per_block: int = 1024
    warp_size: int = 32
    register_allocation_unit: int = 256
    shared_allocation_unit: int = 128
    shared_banks: int = 32
    l2_sector_bytes: int = 32
    max_grid_x: int = 2_147_483_647
    source: str = GUIDE


_AMPERE = 80


def _target(name: str, opt_in: int, per_sm: int, warps: int, blocks: int, fp32_lanes: int) -> Target:
    digits = name.removeprefix("sm_")
    specific = digits.endswith("a")
    capability = int(digits.removesuffix("a"))
    reserved, unit = (1024, 128) if capability >= _AMPERE else (0, 256)
    return Target(
        name, capability, specific, opt_in, per_sm, reserved, warps, blocks, fp32_lanes, shared_allocation_unit=unit
    )


# name, shared bytes per block (opt-in), per SM, resident warps, resident blocks, FP32 lanes
_LIMITS: tuple[tuple[str, int, int, int, int, int], ...] = (
    ("sm_70", 98_304, 98_304, 64, 32, 64),
    ("sm_72", 98_304, 98_304, 64, 32, 64),
    ("sm_75", 65_536, 65_536, 32, 16, 64),
    ("sm_80", 166_912, 167_936, 64, 32, 64),
    ("sm_86", 101_376, 102_400, 48, 16, 128),
    ("sm_87", 166_912, 167_936, 48, 16, 128),
    ("sm_89", 101_376, 102_400, 48, 24, 128),
    ("sm_90", 232_448, 233_472, 64, 32, 128),
    ("sm_90a", 232_448, 233_472, 64, 32, 128),
    ("sm_100", 232_448, 233_472, 64, 32, 128),
    ("sm_100a", 232_448, 233_472, 64, 32, 128),
    ("sm_103", 232_448, 233_472, 64, 32, 128),
    ("sm_103a", 232_448, 233_472, 64, 32, 128),
    ("sm_110", 232_448, 233_472, 48, 24, 128),
    ("sm_110a", 232_448, 233_472, 48, 24, 128),
    ("sm_120", 101_376, 102_400, 48, 24, 128),
    ("sm_120a", 101_376, 102_400, 48, 24, 128),
    ("sm_121", 101_376, 102_400, 48, 24, 128),
    ("sm_121a", 101_376, 102_400, 48, 24, 128),
)

TARGETS: dict[str, Target] = {row[0]: _target(*row) for row in _LIMITS}


def names() -> tuple[str, ...]:
    """Every known target, oldest first."""
    return tuple(TARGETS)


def nearest(raw: object) -> str:
    """The known target that `raw` most likely means.

    A number picks the highest known capability that does not exceed it (a file for it runs there as well); other text
    goes by spelling; anything else gives the default target.
    """
    if not isinstance(raw, str):
        return DEFAULT_TARGET
    text = str.__str__(raw)[:32].strip().lower()
    digits = "".join(character for character in text if character in "0123456789")
    if digits:
        wanted = int(digits)
        specific = f"sm_{digits}a"
        if text.endswith("a") and specific in TARGETS:
            return specific
        reachable = [t.name for t in TARGETS.values() if t.capability <= wanted and not t.arch_specific]
        return reachable[-1] if reachable else next(iter(TARGETS))
    import difflib

    close = difflib.get_close_matches(text, TARGETS, n=1, cutoff=0.4)
    return close[0] if close else DEFAULT_TARGET


def unknown(raw: object, shown: str) -> Diagnostic:
    """The diagnostic for a target that is not known; `shown` is how to print `raw`."""
    choice = nearest(raw)
    return Diagnostic(
        rule=UNKNOWN_TARGET,
        field="target",
        message=f"target={shown} is not one of {', '.join(TARGETS)}",
        reason="The limits that a schedule is checked against are known for these alone",
        suggestion=f"Use target={choice!r}.",
        fix={"target": choice},
    )


def resolve(target: object) -> Target:
    """The target of that name; a `Target` is returned as it is.

    Raises `ScheduleError` if the name is not known.
    """
    if isinstance(target, Target):
        return target
    found = TARGETS.get(str.__str__(target)) if isinstance(target, str) else None
    if found is None:
        shown = ascii(str.__str__(target)[:32]) if isinstance(target, str) else f"<{type(target).__name__}>"
        raise ScheduleError([unknown(target, shown)])
    return found
