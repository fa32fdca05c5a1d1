"""Copies through registers: global memory, registers, shared memory, barrier."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gemmgen.geometry import FREE_AXIS, OperandGeometry, free_extent, global_contiguous
from gemmgen.ir.record import record
from gemmgen.ir.registry import Mechanism, Mutant, register
from gemmgen.ir.slots import CopyRecord
from gemmgen.mechanisms.faults import for_both_operands
from gemmgen.plan import Constant, Part
from gemmgen.rules.base import Changes, Context, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@record
class Sync(CopyRecord):
    """Each thread loads its share of the next tile into registers and stores it to shared memory."""


def lower(record: Sync, side: OperandGeometry, values: Mapping[str, object]) -> tuple[Part, ...]:
    """The parts of the file that load this operand's tile, store it to shared memory, and read its fragments."""
    del record
    upper = side.operand.upper()
    load = Constant(f"kLoad{upper}", str(side.load_width), side.load_width, f"elements per shared load of {upper}")
    parts = [Part("copy_sync.cu.jinja", values, accesses=frozenset({(side.c_type, side.vector)}))]
    if side.smem_major == side.global_contiguous:
        width = side.store_width
        store = Constant(f"kStore{upper}", str(width), width, f"elements per shared store of {upper}, at most")
        parts.append(Part("store_straight.cu.jinja", values, (store,), accesses=frozenset({(side.c_type, width)})))
    else:
        parts.append(Part("store_transposed.cu.jinja", values))
    parts.append(
        Part("fragment_shared.cu.jinja", values, (load,), accesses=frozenset({(side.c_type, side.load_width)}))
    )
    return tuple(parts)


def _check_vectors(context: Context) -> Iterator[Finding]:
    schedule = context.schedule
    for operand in FREE_AXIS:
        name, copy = f"vector_{operand}", getattr(schedule, f"copy_{operand}")
        axis = global_contiguous(context.problem, operand)
        extent = schedule.cta_tile[2] if axis == "k" else free_extent(schedule, operand)
        vector = getattr(schedule, name)
        if isinstance(copy, Sync) and extent % vector:
            along = f"B{axis.upper()}={extent}, along which {operand.upper()} is contiguous"
            repairs = partial(_repair, name, vector, schedule.cta_tile, "mnk".index(axis))
            yield Finding(f"schedule.{name}", f"{name}={vector} does not divide {along}", repairs)


def _repair(name: str, vector: int, tile: tuple[int, int, int], index: int) -> Iterable[Changes]:
    narrower = [width for width in (4, 2, 1) if width < vector and tile[index] % width == 0]
    yield from ({f"schedule.{name}": width} for width in narrower[:1])
    for extent in (tile[index] // vector * vector, -(-tile[index] // vector) * vector):
        if extent:
            yield {"schedule.cta_tile": (*tile[:index], extent, *tile[index + 1 :])}


VECTORS = Rule(
    id="GG017",
    title="the vector width of a copy through registers divides its tile",
    reason="One access must not reach over the end of a line of the tile",
    needs=(
        *(f"schedule.{name}" for name in ("cta_tile", "vector_a", "vector_b", "copy_a", "copy_b")),
        "problem.a_layout",
        "problem.b_layout",
    ),
    check=_check_vectors,
)

MUTANTS = (
    *for_both_operands(
        "load_edge",
        "the mask of the free axis is one too wide",
        "if (<f> < <F> && k < K) Access<float, kWidth>::load(staged",
        "if (<f> <= <F> && k < K) Access<float, kWidth>::load(staged",
    ),
    *for_both_operands(
        "load_residue",
        "the mask of K is one too wide",
        "if (<f> < <F> && k < K) Access<float, kWidth>::load(staged",
        "if (<f> < <F> && k <= K) Access<float, kWidth>::load(staged",
    ),
    *for_both_operands(
        "accesses_floor",
        "the last, partial round of the copy is left out",
        "constexpr int kAccesses<X> = (B<F> * BK / kWidth + kThreads - 1)",
        "constexpr int kAccesses<X> = (B<F> * BK / kWidth)",
    ),
    *for_both_operands(
        "ragged_guard",
        "threads beyond the tile store as well",
        "    if (access >= B<F> * BK / kWidth) continue;\n",
        "",
    ),
    *for_both_operands(
        "store_step",
        "the transposed store steps along the wrong axis",
        "tile[shared_offset_<x>(<f>, k + v)]",
        "tile[shared_offset_<x>(<f> + v, k)]",
    ),
    *for_both_operands(
        "store_shift",
        "the store lands one element on",
        "Access<float, kStore>::store(tile + shared_offset_<x>(",
        "Access<float, kStore>::store(tile + 1 + shared_offset_<x>(",
    ),
    *for_both_operands(
        "overwritten_stage",
        "the next tile goes to the stage that is being read",
        "shared.<x>[next_stage], staged_<x>",
        "shared.<x>[stage], staged_<x>",
    ),
    Mutant(
        "edge_fill",
        "elements outside the matrix are not zero",
        "staged[i * kWidth + v] = 0;",
        "staged[i * kWidth + v] = 1;",
    ),
    Mutant("a_pitch", "A is walked by K instead of its leading dimension", "A + m * lda + k", "A + m * K + k"),
    Mutant("b_pitch", "B is walked by N instead of its leading dimension", "B + k * ldb + n", "B + k * N + n"),
    Mutant(
        "missing_full_barrier",
        "a tile is read before it is whole",
        "    __syncthreads();  // the tile is whole before any thread reads it\n",
        "",
    ),
    Mutant(
        "missing_empty_barrier",
        "a tile is overwritten before it is read",
        "    __syncthreads();  // every thread has read the tile before any overwrites it\n",
        "",
    ),
    Mutant(
        "missing_prologue_barrier",
        "the first tile is read before it is whole",
        "  __syncthreads();  // the first tile is whole before any thread reads it\n",
        "",
    ),
    Mutant(
        "missing_stage_barrier",
        "stages change roles without a barrier",
        "    __syncthreads();  // the next tile is whole, and this one is read, before the stages change roles\n",
        "",
    ),
    Mutant("stage_too_few", "two stages are used as one", "(stage + 1) % kStages", "stage"),
    Mutant("dropped_residue", "the partial K tile is left out", "k0 < depth; k0 += BK", "k0 + BK <= depth; k0 += BK"),
)

MECHANISM = register(
    Mechanism(
        slot="copy",
        name="sync",
        record=Sync,
        rules=(VECTORS,),
        lower=lower,
        mutants=MUTANTS,
        doc="through registers into shared memory",
    )
)
