"""What a launcher has to answer, written down a second time, in integers that never overflow."""

from __future__ import annotations

import math

from recorded_launcher import RawCall

SUCCESS, INVALID, TOO_LARGE, OVERLAPPING, MISALIGNED, WORKSPACE, UNSUPPORTED, FAILED = range(8)
# Where matrices may lie: far apart, or all within one small arena.
FAR = {"a": 1 << 40, "b": 1 << 42, "c": 1 << 44, "d": 1 << 46}
ARENA = 1 << 47


def extents(plan, call: RawCall) -> dict[str, tuple[int, int]]:
    """(runs, width) of each matrix."""
    shapes = {"a": (call.m, call.k), "b": (call.k, call.n), "c": (call.m, call.n), "d": (call.m, call.n)}
    layouts = {"a": plan.layout_a, "b": plan.layout_b, "c": plan.layout_c, "d": plan.layout_c}
    return {name: shape if layouts[name] == "row" else shape[::-1] for name, shape in shapes.items()}


def meet(x: tuple[int, int, int, int], y: tuple[int, int, int, int]) -> bool:
    """Whether two matrices (address, runs, width, pitch: bytes) share a byte, or might with different pitches."""
    (x0, x_runs, x_width, x_pitch), (y0, y_runs, y_width, y_pitch) = x, y
    x_end, y_end = x0 + (x_runs - 1) * x_pitch + x_width, y0 + (y_runs - 1) * y_pitch + y_width
    if x_end <= y0 or y_end <= x0:
        return False
    if x_runs == 1 or y_runs == 1:
        x_pitch = y_pitch = y_pitch if x_runs == 1 else x_pitch
    if x_pitch != y_pitch:
        return True
    # Some run of x and some of y, `d` pitches apart: from 1 - y_runs to x_runs - 1.
    low, high = (y0 - x0 - x_width) // x_pitch + 1, -((x0 - y0 - y_width) // x_pitch) - 1
    return max(low, 1 - y_runs) <= min(high, x_runs - 1)


def expected_status(plan, call: RawCall) -> int:
    reads_ab, reads_c = call.k > 0 and call.alpha != 0, call.beta != 0
    sizes = {"M": call.m, "N": call.n, "K": call.k}
    shapes = extents(plan, call)
    read = {"d"} | ({"a", "b"} if reads_ab else set()) | ({"c"} if reads_c else set())
    if min(sizes.values()) < 0 or any(sizes[name] != value for name, value in plan.fixed_sizes.items()):
        return INVALID
    if any(getattr(call, f"ld{x}") < max(1, shapes[x][1]) for x in "abcd" if x != "c" or reads_c):
        return INVALID
    if max(sizes.values()) > plan.max_extent:
        return TOO_LARGE
    if call.m == 0 or call.n == 0:
        return SUCCESS
    if any(getattr(call, name) == 0 for name in read):
        return INVALID
    launch = plan.launches[0]
    if math.ceil(call.m / launch.tile_m) * math.ceil(call.n / launch.tile_n) > 2**31 - 1:
        return TOO_LARGE
    if any(shapes[name][0] * getattr(call, f"ld{name}") > 1 << 58 for name in read):
        return TOO_LARGE
    memory = {x: (getattr(call, x), shapes[x][0], 4 * shapes[x][1], 4 * getattr(call, f"ld{x}")) for x in read}
    in_place = call.c == call.d and (call.ldc == call.ldd or shapes["d"][0] == 1)
    if any(meet(memory["d"], memory[x]) for x in sorted(read - {"d"}) if not (x == "c" and in_place)):
        return OVERLAPPING
    return MISALIGNED if any(getattr(call, name) % 4 for name in read) else SUCCESS


def good(launcher, m=8, n=8, k=8, **changed) -> RawCall:
    k = launcher.emitted.plan.fixed_sizes.get("K", k)
    fields = {"m": m, "n": n, "k": k, "alpha": 1.0, "beta": 1.0, **FAR, **changed}
    lds = extents(launcher.emitted.plan, RawCall(m, n, k, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    return RawCall(**{f"ld{name}": max(1, lds[name][1]) for name in "abcd"} | fields)
