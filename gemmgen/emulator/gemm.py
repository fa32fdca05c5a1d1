"""An emitted GEMM on the CPU: the launcher as emitted, on the caller's own memory, under every check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gemmgen.emulator import Emulation, Options, Region, SharedMember, emulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.call import Call, Matrix
    from gemmgen.emit import Emitted

__all__ = ["LAUNCHER_SIGNATURE", "emulate_gemm", "launcher_arguments", "regions_of", "shared_members"]

_MATRICES = ("a", "b", "c", "d")


def launcher_signature(accumulator_code: str) -> tuple[str, ...]:
    """Type codes of the launcher's parameters: sizes, alpha, A, B, beta, C, D, workspace, its bytes, stream."""
    pair = ("ptr", "i64")
    return ("i64", "i64", "i64", accumulator_code, *pair, *pair, accumulator_code, *pair, *pair, "ptr", "i64", "ptr")


LAUNCHER_SIGNATURE = launcher_signature("f32")


def launcher_arguments(call: Call) -> tuple[int | float, ...]:
    """The launcher's arguments for a call, without workspace, on the default stream."""
    a, b, c, d = (getattr(call, name) for name in _MATRICES)
    sizes = (call.m, call.n, call.k)
    inputs = (call.alpha, a.address, a.ld, b.address, b.ld)
    return (*sizes, *inputs, call.beta, c.address, c.ld, d.address, d.ld, 0, 0, 0)


def _region(matrix: Matrix, *, readable: bool, writable: bool, initialised: bool = True) -> Region:
    return Region(
        name=matrix.name.upper(),
        address=matrix.address,
        rows=matrix.runs,
        row_bytes=matrix.width * matrix.element_bytes,
        pitch_bytes=matrix.ld * matrix.element_bytes,
        item_bytes=matrix.element_bytes,
        readable=readable,
        writable=writable,
        initialised=initialised,
    )


def regions_of(call: Call) -> tuple[Region, ...]:
    """The memory that a call may touch, without what BLAS does not read: C when beta is 0, A and B when alpha is."""
    if call.m == 0 or call.n == 0:
        return ()
    in_place = call.reads_c and call.c.address == call.d.address
    regions = [_region(call.d, readable=in_place, writable=True, initialised=in_place)]
    if call.reads_a_and_b:
        regions += [_region(matrix, readable=True, writable=False) for matrix in (call.a, call.b)]
    if call.reads_c and not in_place:
        regions.append(_region(replace(call.c, name="c"), readable=True, writable=False))
    return tuple(regions)


def shared_members(emitted: Emitted) -> tuple[SharedMember, ...]:
    """The table of the kernel's shared arrays, so that a step from one into the next is a fault."""
    return tuple(
        SharedMember(name=array.name, offset=array.offset_bytes, bytes=array.size_bytes)
        for array in emitted.plan.shared
    )


def emulate_gemm(emitted: Emitted, call: Call, options: Options | None = None) -> Emulation:
    """Run one call of an emitted kernel's launcher on the CPU; D is written in place. Faults are in the result."""
    chosen = Options() if options is None else options
    context: Mapping[str, object] = {
        "problem": emitted.problem.to_dict(),
        "schedule": emitted.schedule.to_dict(),
        "M": call.m,
        "N": call.n,
        "K": call.k,
        "lda": call.a.ld,
        "ldb": call.b.ld,
        "ldc": call.c.ld,
        "ldd": call.d.ld,
        "alpha": call.alpha,
        "beta": call.beta,
    }
    return emulate(
        emitted.source,
        function=emitted.symbol,
        signature=launcher_signature(emitted.plan.accumulator_code),
        arguments=launcher_arguments(call),
        regions=regions_of(call),
        shared_members=shared_members(emitted),
        options=replace(chosen, context={**context, **(chosen.context or {})}),
    )
