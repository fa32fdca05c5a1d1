"""How to compute it: the axes of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gemmgen.errors import REMOVE, Diagnostic, ScheduleError
from gemmgen.ir.domain import Extents, IntChoice, Ints, Maybe
from gemmgen.ir.problem import not_a_table
from gemmgen.ir.record import Param, Record, fill, param, read_fields, record, table
from gemmgen.ir.shorthand import Slot
from gemmgen.ir.slots import CopyRecord, EdgesRecord, LayoutRecord, MmaRecord, RasterRecord, SlotRecord, SmemRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EXTENT = Ints(1, 1024, typical=(8, 16, 32, 64, 128, 256))
_DEPTH = Ints(1, 256, typical=(4, 8, 16, 32))
_PER_THREAD = Ints(1, 32, typical=(1, 2, 4, 8))
_VECTOR = IntChoice((1, 2, 4))

_CTA_WHY = "A CTA has at most 1024 threads, each of which owns at least one row and column, and the K step is unrolled"
_WARP_WHY = "A warp tile is a share of the CTA tile, which is at most 1024 wide"
_THREAD_WHY = "The loops over a thread's tile are unrolled, and its accumulators live in registers"
_VECTOR_WHY = "A thread moves 4, 8 or 16 bytes in one global access"
_STAGES_WHY = "The main loop is written for one buffer, or for two of which one is filled while the other is read"
_FRAGMENTS_WHY = "One fragment is read when it is needed, or a second one is read a K step ahead"
_UNROLL_WHY = "A tile has at most 256 K steps"
_SLOT_WHY = "Only registered mechanisms know how to emit their part"


@record
class Schedule(Record):
    """One way to compute a GEMM. Fields are canonical: tuples of ints, and mechanism records.

    `cta_tile` is (BM, BN, BK), `warp_tile` (WM, WN), `thread_tile` (TM, TN), all in elements. Without a warp tile the
    threads lie row-major over the CTA tile. Vector widths are in elements of a global access. Slots (`thread_layout`,
    `mma`, `copy_a` ...) take a mechanism's record or its shorthand, such as "padded(4)"; `copy` stands for `copy_a` and
    `copy_b`, is not kept itself, and contradicts a `copy_a` or `copy_b` of another value beside it. Only in a call that
    gives every field, the two as records, does it replace them: `dataclasses.replace(schedule, copy=...)` makes such a
    call. Raises `ScheduleError` listing every unknown or ill-typed field; whether the
    values fit together is for `gemmgen.check_legal` to say.
    """

    cta_tile: tuple[int, int, int] = param(
        Extents(
            ("BM", "BN", "BK"),
            (_EXTENT, _EXTENT, _DEPTH),
            ((128, 128, 8), (64, 64, 16), (32, 32, 32), (128, 64, 8), (16, 16, 16)),
        ),
        why=_CTA_WHY,
        default=(128, 128, 8),
    )
    warp_tile: tuple[int, int] | None = param(
        Maybe(
            Extents(("WM", "WN"), (_EXTENT, _EXTENT), ((64, 32), (32, 64), (32, 16), (16, 16))),
            "threads row-major over the CTA tile",
        ),
        why=_WARP_WHY,
        default=None,
    )
    thread_tile: tuple[int, int] = param(
        Extents(("TM", "TN"), (_PER_THREAD, _PER_THREAD), ((8, 8), (4, 4), (1, 1), (8, 4), (2, 4))),
        why=_THREAD_WHY,
        default=(8, 8),
    )
    thread_layout: LayoutRecord = param(Slot("thread_layout"), why=_SLOT_WHY, default="contiguous")
    mma: MmaRecord = param(Slot("mma"), why=_SLOT_WHY, default="ffma")
    vector_a: int = param(_VECTOR, why=_VECTOR_WHY, default=1)
    vector_b: int = param(_VECTOR, why=_VECTOR_WHY, default=1)
    vector_c: int = param(_VECTOR, why=_VECTOR_WHY, default=1)
    copy_a: CopyRecord = param(Slot("copy"), why=_SLOT_WHY, default="sync")
    copy_b: CopyRecord = param(Slot("copy"), why=_SLOT_WHY, default="sync")
    smem_a: SmemRecord = param(Slot("smem"), why=_SLOT_WHY, default="linear")
    smem_b: SmemRecord = param(Slot("smem"), why=_SLOT_WHY, default="linear")
    stages: int = param(IntChoice((1, 2)), why=_STAGES_WHY, default=1)
    fragment_buffers: int = param(IntChoice((1, 2)), why=_FRAGMENTS_WHY, default=1)
    unroll_k: int | None = param(
        Maybe(Ints(1, 256, typical=(1, 2, 4, 8)), "all of BK, or as much as fits the instruction cache"),
        why=_UNROLL_WHY,
        default=None,
    )
    edges: EdgesRecord = param(Slot("edges"), why=_SLOT_WHY, default="predicate")
    raster: RasterRecord = param(Slot("raster"), why=_SLOT_WHY, default="row")

    if TYPE_CHECKING:

        def __init__(
            self,
            cta_tile: Sequence[int] = ...,
            warp_tile: Sequence[int] | None = ...,
            thread_tile: Sequence[int] = ...,
            thread_layout: str | LayoutRecord = ...,
            mma: str | MmaRecord = ...,
            vector_a: int = ...,
            vector_b: int = ...,
            vector_c: int = ...,
            copy_a: str | CopyRecord = ...,
            copy_b: str | CopyRecord = ...,
            smem_a: str | SmemRecord = ...,
            smem_b: str | SmemRecord = ...,
            stages: int = ...,
            fragment_buffers: int = ...,
            unroll_k: int | None = ...,
            edges: str | EdgesRecord = ...,
            raster: str | RasterRecord = ...,
            *,
            copy: str | CopyRecord | None = ...,
        ) -> None: ...

    else:

        def __init__(self, *arguments: object, **given: object) -> None:
            """Read raw values; see the class."""
            names = list(FIELDS)
            surplus = {f"argument {i + 1}": value for i, value in enumerate(arguments) if i >= len(names)}
            raw = {**dict(zip(names, arguments, strict=False)), **surplus, **_replacing(given)}
            values, problems = read_schedule(raw)
            if problems:
                raise ScheduleError(problems)
            fill(self, values)

    def to_dict(self) -> dict[str, Any]:
        """The serial form, which is also the constructor's: lists, shorthand strings, and nothing that is None."""
        written = {name: declared.domain.write(getattr(self, name)) for name, declared in FIELDS.items()}
        return {name: value for name, value in written.items() if value is not None}

    @classmethod
    def from_dict(cls, raw: Mapping[str, object]) -> Schedule:
        """A schedule from its serial form; fields left out have their defaults. Raises `ScheduleError`."""
        values, problems = read_schedule(raw)
        if problems:
            raise ScheduleError(problems)
        self = cls.__new__(cls)
        fill(self, values)
        return self

    def __repr__(self) -> str:
        """An expression that evaluates to an equal schedule."""
        shown = {
            name: str(value) if isinstance(value, SlotRecord) else value
            for name, value in ((name, getattr(self, name)) for name in FIELDS)
            if value is not None
        }
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


FIELDS: dict[str, Param] = Schedule.declared
"""The fields of the serial form, by name. Input may also have `copy`, which stands for `copy_a` and `copy_b`."""

CONTRADICTION = "GG009"
_VERB = {1: "is", 2: "are"}

COPY = Param("copy", Slot("copy"), "sync", _SLOT_WHY)


_SIDES = ("copy_a", "copy_b")


def _replacing(given: dict[str, object]) -> dict[str, object]:
    """Constructor arguments without what `dataclasses.replace` adds of its own accord beside a `copy`."""
    if given.get(COPY.name) is None or not given.keys() >= FIELDS.keys():
        return given
    if not all(isinstance(given[side], CopyRecord) for side in _SIDES):
        return given
    return {name: value for name, value in given.items() if name not in _SIDES}


def read_schedule(raw: object) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Read raw input of any shape: (values of the sound fields, all that is wrong). Never raises."""
    given = table(raw)
    if given is None:
        return {}, [not_a_table(raw, "schedule", "cta_tile, thread_tile, mma and the like")]
    both = given.pop(COPY.name, None)
    values, problems = read_fields(FIELDS, given, "schedule")
    if both is None:
        return values, problems
    value, problem = COPY.domain.read(both)
    implied = [side for side in _SIDES if side not in given]
    if problem is not None:
        problems.append(COPY.fault("schedule.copy", problem, COPY.nearest(both)))
        return {name: value for name, value in values.items() if name not in implied}, problems
    values |= dict.fromkeys(implied, value)
    other = [side for side in _SIDES if side in values and values[side] != value]
    if other:
        problems.append(_contradiction(value, {side: values[side] for side in other}, implied))
    return values, problems


def _contradiction(both: CopyRecord, other: Mapping[str, CopyRecord], implied: Sequence[str]) -> Diagnostic:
    """The diagnostic for a `copy` beside another `copy_a` or `copy_b`: what names one operand counts."""
    given = " and ".join(f"{side}={record}" for side, record in other.items())
    spelt = " and ".join(f"{side}={str(both)!r}" for side in implied)
    return Diagnostic(
        rule=CONTRADICTION,
        field="schedule.copy",
        message=f"copy={both} stands for copy_a={both} and copy_b={both}, but {given} {_VERB[len(other)]} given too",
        reason="Of two values for one field neither is taken silently",
        suggestion=f"Use {spelt} instead of copy." if implied else "Leave copy out.",
        fix={"schedule.copy": REMOVE, **{f"schedule.{side}": str(both) for side in implied}},
    )
