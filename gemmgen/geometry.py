"""Integers that follow from a problem and a schedule: threads, lanes, pitches, shared bytes, access widths.

Rules, lowering and the models read the same numbers here. Extents, widths and pitches are in elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.ir.problem import DTYPES

if TYPE_CHECKING:
    from gemmgen.ir.problem import Gemm
    from gemmgen.ir.schedule import Schedule
    from gemmgen.ir.slots import SmemRecord

WARP = 32
VECTOR_BYTES = 16
SHARED_ALIGNMENT = 16
FREE_AXIS = {"a": "m", "b": "n"}


@dataclass(frozen=True, slots=True)
class OperandGeometry:
    """How operand A or B is copied and read.

    `free` is the axis that is not K ("m" of A, "n" of B), `free_tile` its extent in the CTA tile, `thread_tile` in the
    thread tile, `lanes` how many lanes (threads, without a warp tile) lie along it, `run` how many neighbours one
    thread owns. `global_contiguous` and `smem_major` name the contiguous axis in global and in shared memory. `pitch`
    is the distance of two lines in shared memory, `shared_elements` the size of one stage, `shared_bytes` that of all
    of them; all three are 0 for a direct copy. `load_width` and `store_width` are the widest accesses to shared memory
    that are always aligned: of a fragment's read and of the copy's write. `accesses` are the global accesses that copy
    one tile (of a direct copy: that one thread makes in one K step); `ragged` says that their last round does not
    occupy every thread.
    """

    operand: str
    free: str
    free_tile: int
    thread_tile: int
    lanes: int
    run: int
    global_contiguous: str
    vector: int
    c_type: str
    element_bytes: int
    copies_shared: bool
    smem_major: str
    pitch: int
    shared_elements: int
    shared_bytes: int
    load_width: int
    store_width: int
    accesses: int
    accesses_per_thread: int
    ragged: bool


@dataclass(frozen=True, slots=True)
class Geometry:
    """All derived integers of a schedule.

    Tiles are named as in the emitted file; without a warp tile `wm`, `wn` are the CTA tile. `lm`, `ln` are the lanes
    along M and N, `warps_m`, `warps_n` the warp tiles. `run_m`, `run_n` are the neighbouring rows and columns that one
    thread owns. `quad` is how many elements 16 bytes hold.
    """

    bm: int
    bn: int
    bk: int
    wm: int
    wn: int
    tm: int
    tn: int
    lm: int
    ln: int
    warps_m: int
    warps_n: int
    threads: int
    quad: int
    run_m: int
    run_n: int
    stages: int
    a: OperandGeometry
    b: OperandGeometry
    shared_bytes_total: int


def widest(*extents: int, most: int = 4) -> int:
    """The widest access of 4, 2 or 1 elements, at most `most`, that divides every one of `extents`."""
    for width in (4, 2):
        if width <= most and all(extent % width == 0 for extent in extents):
            return width
    return 1


def quad_elements(problem: Gemm) -> int:
    """How many elements 16 bytes hold."""
    return VECTOR_BYTES // DTYPES[problem.a.dtype].bytes


def thread_grid(schedule: Schedule) -> tuple[int, int]:
    """Threads along M and N; meaningful once tiles divide each other."""
    return schedule.cta_tile[0] // schedule.thread_tile[0], schedule.cta_tile[1] // schedule.thread_tile[1]


def runs(problem: Gemm, schedule: Schedule) -> tuple[int, int]:
    """Neighbouring rows and columns that one thread owns."""
    quad = quad_elements(problem)
    tm, tn = schedule.thread_tile
    return schedule.thread_layout.run(tm, quad), schedule.thread_layout.run(tn, quad)


def global_contiguous(problem: Gemm, operand: str) -> str:
    """The contiguous axis of A (M, K) or B (K, N) in global memory: "m", "n" or "k"."""
    if operand == "a":
        return "k" if problem.a.layout == "row" else "m"
    return "n" if problem.b.layout == "row" else "k"


def smem_record(schedule: Schedule, operand: str) -> SmemRecord:
    """The shared-memory layout of operand "a" or "b"."""
    return schedule.smem_a if operand == "a" else schedule.smem_b


def through_shared(schedule: Schedule, operand: str) -> bool:
    """Whether operand "a" or "b" is staged in shared memory."""
    return (schedule.copy_a if operand == "a" else schedule.copy_b).through_shared


def free_extent(schedule: Schedule, operand: str) -> int:
    """BM for A, BN for B."""
    return schedule.cta_tile[0 if operand == "a" else 1]


def shared_tile(schedule: Schedule, operand: str) -> tuple[str, int, int]:
    """(contiguous axis, pitch, elements of one stage) of an operand's shared tile, whether or not it is used."""
    extents = {FREE_AXIS[operand]: free_extent(schedule, operand), "k": schedule.cta_tile[2]}
    layout = smem_record(schedule, operand)
    major = layout.contiguous(FREE_AXIS[operand])
    pitch = layout.pitch(extents[major])
    lines = extents["k" if major != "k" else FREE_AXIS[operand]]
    return major, pitch, pitch * lines


def operand_shared_bytes(problem: Gemm, schedule: Schedule, operand: str) -> int:
    """Shared bytes of an operand over all stages, without alignment; 0 for a direct copy."""
    if not through_shared(schedule, operand):
        return 0
    dtype = (problem.a if operand == "a" else problem.b).dtype
    return shared_tile(schedule, operand)[2] * schedule.stages * DTYPES[dtype].bytes


def total_shared_bytes(problem: Gemm, schedule: Schedule) -> int:
    """Size of the file's `SharedStorage`: members begin, and the whole ends, on 16-byte boundaries."""
    sizes = (operand_shared_bytes(problem, schedule, operand) for operand in FREE_AXIS)
    return sum(-(-size // SHARED_ALIGNMENT) * SHARED_ALIGNMENT for size in sizes)


def _operand(problem: Gemm, schedule: Schedule, operand: str, lanes: int, run: int) -> OperandGeometry:
    side = 0 if operand == "a" else 1
    free, bk = FREE_AXIS[operand], schedule.cta_tile[2]
    free_tile, thread_tile = schedule.cta_tile[side], schedule.thread_tile[side]
    vector = schedule.vector_b if side else schedule.vector_a
    contiguous = global_contiguous(problem, operand)
    shared = through_shared(schedule, operand)
    major, pitch, elements = shared_tile(schedule, operand)
    dtype = DTYPES[(problem.a if operand == "a" else problem.b).dtype]
    granule = min(smem_record(schedule, operand).granule, VECTOR_BYTES // dtype.bytes)
    grid = thread_grid(schedule)
    threads = grid[0] * grid[1]
    # A direct copy reads just what one thread multiplies in one step of K.
    accesses = free_tile * bk // vector if shared else thread_tile * bk // vector
    sharers = threads if shared else 1
    return OperandGeometry(
        operand=operand,
        free=free,
        free_tile=free_tile,
        thread_tile=thread_tile,
        lanes=lanes,
        run=run,
        global_contiguous=contiguous,
        vector=vector,
        c_type=dtype.c_type,
        element_bytes=dtype.bytes,
        copies_shared=shared,
        smem_major=major,
        pitch=pitch if shared else 0,
        shared_elements=elements if shared else 0,
        shared_bytes=operand_shared_bytes(problem, schedule, operand),
        load_width=widest(run, pitch, most=granule) if shared and major != "k" else 1,
        store_width=widest(vector, pitch, most=min(vector, granule)) if shared and major == contiguous else 1,
        accesses=accesses,
        accesses_per_thread=-(-accesses // sharers),
        ragged=accesses % sharers != 0,
    )


def compute_geometry(problem: Gemm, schedule: Schedule) -> Geometry:
    """The geometry of a schedule whose tiles divide each other as the rules ask."""
    bm, bn, bk = schedule.cta_tile
    wm, wn = schedule.warp_tile or (bm, bn)
    tm, tn = schedule.thread_tile
    rows, columns = thread_grid(schedule)
    run_m, run_n = runs(problem, schedule)
    return Geometry(
        bm=bm,
        bn=bn,
        bk=bk,
        wm=wm,
        wn=wn,
        tm=tm,
        tn=tn,
        lm=wm // tm,
        ln=wn // tn,
        warps_m=bm // wm,
        warps_n=bn // wn,
        threads=rows * columns,
        quad=quad_elements(problem),
        run_m=run_m,
        run_n=run_n,
        stages=schedule.stages,
        a=_operand(problem, schedule, "a", wm // tm, run_m),
        b=_operand(problem, schedule, "b", wn // tn, run_n),
        shared_bytes_total=total_shared_bytes(problem, schedule),
    )
