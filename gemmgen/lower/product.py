"""Lowering of D = alpha A B + beta C on CUDA cores: the parts of the file in dataflow order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gemmgen.errors import InternalError
from gemmgen.geometry import Geometry, OperandGeometry, compute_geometry
from gemmgen.ir import DTYPES, Gemm, Schedule, registry
from gemmgen.lower.constants import file_asserts, tile_constants
from gemmgen.lower.launches import product_launch
from gemmgen.lower.operands import OperandSource, operand_values
from gemmgen.plan import Part, Plan, SharedArray

if TYPE_CHECKING:
    from gemmgen.target import Target

__all__ = ["lower"]

# Every coordinate inside a kernel stays below a size plus one CTA tile plus the prefetched one: with the largest
# tile extent (1024) there is room to spare below 2^31.
MAX_EXTENT = 2_147_483_647 - 8192

# FMAs of one tile step, above which the loop over k is left rolled: fully unrolled code beyond this no longer fits
# the instruction cache.
FULL_UNROLL_FMAS = 2048

# Multiply and multiply-add with one rounding each, which no compiler may contract or split.
ARITHMETIC = {
    "f32": {"multiply": "__fmul_rn", "fma": "fmaf"},
    "f64": {"multiply": "__dmul_rn", "fma": "fma"},
}

MAX_REGISTERS = 255  # of a thread: CUDA C++ Programming Guide, "Compute Capabilities"

_VECTOR_COMPONENTS = ("x", "y", "z", "w")


def lower(problem: Gemm, schedule: Schedule, target: Target, symbol: str) -> Plan:
    """The plan of a problem and schedule that the rules accepted for the target."""
    geometry = compute_geometry(problem, schedule)
    sources = tuple(_source(schedule, side) for side in (geometry.a, geometry.b))
    main = _main_parts(problem, schedule, geometry, sources)
    launch = product_launch(problem, schedule, geometry, symbol)
    shared = _shared_arrays(geometry, schedule)
    type_c = DTYPES[problem.c.dtype].c_type
    accesses = {(type_c, kernel.vector_c) for kernel in launch.kernels}.union(*(part.accesses for part in main))
    vectors = [_vector(element, width) for element, width in sorted(accesses) if width > 1]
    parts = [Part("access.cu.jinja", {"vectors": vectors}), *main]
    if shared:
        parts.insert(0, Part("shared_storage.cu.jinja", {"bytes": geometry.shared_bytes_total}))
    return Plan(
        symbol=symbol,
        namespace=f"{symbol}_impl",
        capability=target.capability,
        architecture=target.name,
        architecture_specific=target.arch_specific,
        type_a=geometry.a.c_type,
        type_b=geometry.b.c_type,
        type_c=type_c,
        accumulator_type=DTYPES[problem.acc].c_type,
        accumulator_code=problem.acc,
        dtypes={"a": problem.a.dtype, "b": problem.b.dtype, "c": problem.c.dtype, "d": problem.c.dtype},
        layout_a=problem.a.layout,
        layout_b=problem.b.layout,
        layout_c=problem.c.layout,
        fixed_sizes={n.upper(): size for n in "mnk" if (size := getattr(problem, n)) is not None},
        max_extent=MAX_EXTENT,
        constants=(*tile_constants(problem, schedule, geometry), *(c for part in main for c in part.constants)),
        asserts=(*file_asserts(problem, schedule, geometry), *(a for part in main for a in part.asserts)),
        accesses=tuple(sorted(accesses)),
        shared=shared,
        parts=tuple(parts),
        launches=(launch,),
        facts=_facts(geometry, problem, schedule.fragment_buffers),
    )


def _lowered(record: object, *context: object) -> Part:
    mechanism = registry.of(record)
    if mechanism.lower is None:
        message = f"mechanism {mechanism.name!r} of slot {mechanism.slot!r} has no lowering"
        raise InternalError(message)
    part = mechanism.lower(record, *context)
    if not isinstance(part, Part):
        message = f"the lowering of {mechanism.name!r} returned {type(part).__name__}, not a Part"
        raise InternalError(message)
    return part


def _source(schedule: Schedule, side: OperandGeometry) -> OperandSource:
    values = operand_values(side, masked=schedule.edges.masked)
    copy = getattr(schedule, f"copy_{side.operand}")
    smem = getattr(schedule, f"smem_{side.operand}")
    parts = []
    if side.copies_shared:
        parts.append(_lowered(smem, side, values))
    parts.extend(_copy_parts(copy, side, values))
    return OperandSource(values, side.copies_shared, tuple(parts))


def _copy_parts(copy: object, side: OperandGeometry, values: dict[str, object]) -> tuple[Part, ...]:
    lowering = registry.of(copy).lower
    if lowering is None:
        message = f"copy mechanism {registry.of(copy).name!r} has no lowering"
        raise InternalError(message)
    return tuple(lowering(copy, side, values))  # type: ignore[arg-type]


def _main_parts(
    problem: Gemm, schedule: Schedule, geometry: Geometry, sources: tuple[OperandSource, ...]
) -> list[Part]:
    """Tile order, thread map, copies, multiply, epilogue, main loop."""
    a, b = sources
    return [
        _lowered(schedule.raster, geometry),
        Part("thread_position.cu.jinja", {"comment": _lane_comment(schedule, geometry)}),
        _lowered(schedule.thread_layout, geometry),
        *a.parts,
        *b.parts,
        _lowered(schedule.mma, geometry, problem),
        _multiply(problem, schedule, geometry, sources),
        Part("epilogue_linear.cu.jinja", ARITHMETIC[problem.acc]),
        _epilogue(problem, schedule),
        _main_loop(problem, schedule, geometry, sources),
    ]


def _lane_comment(schedule: Schedule, geometry: Geometry) -> str:
    if schedule.warp_tile is None:
        return f"No warp tiles: the threads cover the CTA tile row by row, {geometry.ln} to a row."
    return (
        f"Warps cover the CTA tile row by row, and the {geometry.lm} x {geometry.ln} lanes of a warp its warp tile "
        "row by row."
    )


def _multiply(problem: Gemm, schedule: Schedule, geometry: Geometry, sources: tuple[OperandSource, ...]) -> Part:
    a, b = sources
    accumulator = DTYPES[problem.acc].c_type
    parameters = [f"{accumulator} (&acc)[TM][TN]", "const ThreadPosition& thread", a.parameters, b.parameters]
    if not (a.shared and b.shared):
        parameters.append("int k0, int K")
    values = {
        "a": a.calls,
        "b": b.calls,
        "parameters": ", ".join(parameters),
        "widths": ", ".join(f"int kWidth{name}" for name in _direct_operands(sources)),
        "unroll": _unroll_pragma(schedule, geometry),
    }
    name = "multiply_double" if schedule.fragment_buffers > 1 else "multiply_single"
    return Part(f"{name}.cu.jinja", values)


def _direct_operands(sources: tuple[OperandSource, ...]) -> list[str]:
    """The operands whose fragments come from global memory, and whose loads therefore depend on a width."""
    return [str(source.values["upper"]) for source in sources if not source.shared]


def _unroll_pragma(schedule: Schedule, geometry: Geometry) -> str:
    """What follows ``#pragma unroll`` on the loop over a tile's K steps: nothing where all of them are unrolled."""
    factor = schedule.unroll_k
    if factor is None:
        # Even, so that the place in two fragment buffers is a constant and they stay in registers.
        factor = max(2, FULL_UNROLL_FMAS // (geometry.tm * geometry.tn) // 2 * 2)
    return "" if factor >= geometry.bk else f" {factor}"


def _epilogue(problem: Gemm, schedule: Schedule) -> Part:
    element, accumulator = DTYPES[problem.c.dtype].c_type, DTYPES[problem.acc].c_type
    parameters = (
        f"const {accumulator} (&acc)[TM][TN], const ThreadPosition& thread, int m0, int n0, int M, int N, "
        f"{accumulator} alpha, {accumulator} beta, const {element}* C, long long ldc, {element}* D, long long ldd"
    )
    # C is widened to the accumulator's type and D rounded from it once, where the two differ.
    same = element == accumulator
    values = {
        "parameters": parameters,
        "guard": "if (m < M && n < N) " if schedule.edges.masked else "",
        "widen": "" if same else f"static_cast<{accumulator}>(",
        "widened": "" if same else ")",
        "narrow": "" if same else f"static_cast<{element}>(",
        "narrowed": "" if same else ")",
    }
    return Part(f"epilogue_{'row' if problem.c.layout == 'row' else 'column'}.cu.jinja", values)


def _main_loop(problem: Gemm, schedule: Schedule, geometry: Geometry, sources: tuple[OperandSource, ...]) -> Part:
    shared = [source for source in sources if source.shared]
    name = ("mainloop_single" if schedule.stages == 1 else "mainloop_double") if shared else "mainloop_direct"
    stage = "0" if schedule.stages == 1 else "stage"
    arguments = ["acc", "thread", *(source.arguments(stage) for source in sources)]
    direct = _direct_operands(sources)
    if direct:
        arguments.append("k0, depth")
    values = {
        "shared": [source.values for source in shared],
        "multiply_arguments": ", ".join(arguments),
        "multiply_widths": f"<{', '.join(f'kWidth{name}' for name in direct)}>" if direct else "",
        "tile_text": f"{geometry.bm} x {geometry.bn}",
        "parameters": ", ".join(
            parameter.declaration
            for parameter in product_launch(replace(problem, m=None, n=None, k=None), schedule, geometry, "").parameters
        ),
    }
    return Part(f"{name}.cu.jinja", values)


def _shared_arrays(geometry: Geometry, schedule: Schedule) -> tuple[SharedArray, ...]:
    arrays: list[SharedArray] = []
    offset = 0
    for side in (geometry.a, geometry.b):
        if not side.copies_shared:
            continue
        upper, major = side.operand.upper(), side.smem_major
        rows = "BK" if major != "k" else f"B{side.free.upper()}"
        array = SharedArray(
            name=side.operand,
            stages=schedule.stages,
            element_type=side.c_type,
            extent=f"{rows} * kPitch{upper}",
            elements=side.shared_elements,
            element_bytes=side.element_bytes,
            offset_bytes=offset,
            comment=f"[stage][{'k' if major != 'k' else side.free}][{major}]",
        )
        arrays.append(array)
        offset = -(-(offset + array.size_bytes) // 16) * 16
    return tuple(arrays)


def _vector(element_type: str, width: int) -> dict[str, object]:
    components = _VECTOR_COMPONENTS[:width]
    return {
        "element": element_type,
        "width": width,
        "type": f"{element_type}{width}",
        "unpack": "\n".join(f"    registers[first + {i}] = vector.{name};" for i, name in enumerate(components)),
        "pack": ", ".join(f"registers[first + {i}]" for i in range(width)),
    }


def _facts(geometry: Geometry, problem: Gemm, buffers: int) -> tuple[tuple[str, str], ...]:
    loaded = geometry.bm * geometry.a.element_bytes + geometry.bn * geometry.b.element_bytes
    flops = 2 * geometry.bm * geometry.bn
    return (
        ("registers", _register_fact(geometry, problem, buffers)),
        ("threads per CTA", f"{geometry.threads:,}"),
        ("shared memory per CTA", f"{geometry.shared_bytes_total:,} bytes"),
        ("accumulators per thread", f"{geometry.tm} x {geometry.tn} {problem.acc}"),
        ("arithmetic intensity of a CTA tile", f"{flops / loaded:.1f} FLOP per byte loaded"),
    )


def _register_fact(geometry: Geometry, problem: Gemm, buffers: int) -> str:
    """The registers that a thread's data needs, without addresses: a lower bound on what a compiler allots."""
    word = 4
    accumulators = geometry.tm * geometry.tn * DTYPES[problem.acc].bytes // word
    fragments = staged = 0
    for side in (geometry.a, geometry.b):
        fragments += buffers * side.thread_tile * side.element_bytes // word
        if side.copies_shared:
            staged += side.accesses_per_thread * side.vector * side.element_bytes // word
    total = accumulators + fragments + staged
    verdict = "" if total < MAX_REGISTERS else f", more than the {MAX_REGISTERS} that a thread can have: it will spill"
    return f"{accumulators} accumulators + {fragments} fragments + {staged} staged = {total} at least{verdict}"
