"""One call of a kernel as data, and what it takes to make it and to judge it.

A `Case` holds sizes, paddings, offsets and scalars; arrays follow from its seed. `run_case` lays the matrices out in
guarded memory, calls the kernel through a `Backend` and looks at everything that came back.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gemmgen.errors import ArgumentError
from gemmgen.ir import DTYPES
from gemmgen.testing import oracle
from gemmgen.testing.buffers import Layout, MatrixBuffer, allocate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gemmgen.ir import Gemm, Schedule
    from gemmgen.plan import Condition, Plan
    from gemmgen.target import Target

    Array = NDArray[Any]

MATRICES = ("A", "B", "C", "D")


class Kernel(Protocol):
    """What is tested: a `gemmgen.emit.Emitted`, a `gemmgen.api.Kernel`, or anything else with these."""

    @property
    def problem(self) -> Gemm:
        """What it computes."""
        ...

    @property
    def schedule(self) -> Schedule:
        """How."""
        ...

    @property
    def target(self) -> Target:
        """Where."""
        ...

    @property
    def source(self) -> str:
        """The emitted text."""
        ...

    @property
    def symbol(self) -> str:
        """The launcher's name."""
        ...

    @property
    def plan(self) -> Plan:
        """What the text was printed from."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a backend saw: the launcher's status, faults as text, and the kernel that was launched ("" if none)."""

    status: int
    faults: tuple[str, ...] = ()
    path: str = ""


class Backend(Protocol):
    """Runs a kernel somewhere. Arrays are (M, K), (K, N), (M, N), (M, N) with strides as the problem's layouts ask."""

    def run(self, kernel: Kernel, a: Array, b: Array, c: Array | None, d: Array, alpha: float, beta: float) -> Outcome:
        """Call the kernel's launcher, which writes D into `d`. `c` is None only if `beta` is 0; it may be `d`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call: sizes, what each of A, B, C, D has beyond the least, and the scalars.

    `paddings` are elements of leading dimension beyond the width, `offsets` elements between a 256-byte aligned base
    and the first element. `in_place` makes D the same memory as C; `give_c` False passes none when beta is 0.
    """

    m: int
    n: int
    k: int
    paddings: tuple[int, int, int, int] = (0, 0, 0, 0)
    offsets: tuple[int, int, int, int] = (0, 0, 0, 0)
    alpha: float = 1.0
    beta: float = 0.0
    in_place: bool = False
    give_c: bool = True
    specials: bool = False
    seed: int = 0

    @property
    def shape(self) -> tuple[int, int, int]:
        """(M, N, K)."""
        return self.m, self.n, self.k

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as JSON writes it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Case:
        """Read what `to_dict` wrote. Raises ArgumentError, naming every field that is not as it should be."""
        wrong = [f"{name}={value!r}" for name, value in raw.items() if not _READERS.get(name, _never)(value)]
        wrong += [f"no {name}" for name in ("m", "n", "k") if name not in raw]
        if wrong:
            raise ArgumentError(f"the recorded call can not be read: {', '.join(wrong)}.")
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()
        }
        return cls(**fields)

    def __str__(self) -> str:
        """Name the sizes, and whatever is not as plain as can be."""
        parts = [f"M={self.m} N={self.n} K={self.k}", f"alpha={self.alpha!r} beta={self.beta!r}"]
        for label, values in (("padding", self.paddings), ("offset", self.offsets)):
            parts += [f"{label} {name}={value}" for name, value in zip(MATRICES, values, strict=True) if value]
        parts += ["D is C"] * self.in_place + ["no C"] * (not self.give_c) + ["NaN/Inf"] * self.specials
        return ", ".join([*parts, f"seed={self.seed}"])


def _never(value: object) -> bool:
    del value
    return False


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_counts(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == len(MATRICES) and all(map(_is_count, value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_READERS = {
    **dict.fromkeys(("m", "n", "k", "seed"), _is_count),
    **dict.fromkeys(("paddings", "offsets"), _is_counts),
    **dict.fromkeys(("alpha", "beta"), _is_number),
    **dict.fromkeys(("in_place", "give_c", "specials"), _is_flag),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What a case showed to be wrong.

    `kind` is "status", "fault", "path", "guard", "input_changed", "unwritten", "oracle", or "crash" when the process
    that ran it died. All fields are plain data: `document` holds what `gemmgen.testing.check.replay` takes.
    """

    kind: str
    mode: str
    message: str
    problem: dict[str, Any]
    schedule: dict[str, Any]
    target: str
    case: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Everything needed to run the case again."""
        return {"problem": self.problem, "schedule": self.schedule, "target": self.target, "case": self.case}

    def __str__(self) -> str:
        return f"{self.kind} ({self.mode} data): {self.message}\n  case: {Case.from_dict(self.case)}"


# ---- Memory ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Memory:
    """The four matrices of one call. In place, `d` is `c`."""

    a: MatrixBuffer
    b: MatrixBuffer
    c: MatrixBuffer
    d: MatrixBuffer

    @property
    def buffers(self) -> dict[str, MatrixBuffer]:
        """By the matrix's name."""
        return dict(zip(MATRICES, (self.a, self.b, self.c, self.d), strict=True))


def lay_out(problem: Gemm, case: Case) -> Memory:
    """Allocate the matrices of a case, poisoned throughout."""
    shapes = ((case.m, case.k), (case.k, case.n), (case.m, case.n), (case.m, case.n))
    operands = (problem.a, problem.b, problem.c, problem.c)
    made: list[MatrixBuffer] = []
    for index, (name, shape, operand) in enumerate(zip(MATRICES, shapes, operands, strict=True)):
        if name == "D" and case.in_place:
            made.append(made[-1])
            continue
        layout: Layout = "row" if operand.layout == "row" else "col"
        width = max(1, shape[1] if layout == "row" else shape[0])
        ld, offset = width + case.paddings[index], case.offsets[index]
        dtype = DTYPES[operand.dtype].numpy_name
        made.append(allocate(name, shape, layout=layout, ld=ld, offset=offset, dtype=dtype))
    return Memory(*made)


def matrix_index(case: Case, matrix: str) -> int:
    """Find where a matrix stands in a case's paddings and offsets; in place, D is C."""
    return MATRICES.index("C" if case.in_place and matrix == "D" else matrix)


def line_extents(problem: Gemm, case: Case, matrix: str) -> tuple[int, int]:
    """Count a matrix's contiguous lines, and the elements of one."""
    rows, columns = {"A": (case.m, case.k), "B": (case.k, case.n)}.get(matrix, (case.m, case.n))
    operand = {"A": problem.a, "B": problem.b}.get(matrix, problem.c)
    return (rows, columns) if operand.layout == "row" else (columns, rows)


def expected_kernel(kernel: Kernel, case: Case, beta: float) -> str:
    """Name the kernel that the plan's table of conditions picks; "" when nothing is launched."""
    if case.m == 0 or case.n == 0:
        return ""
    launch = kernel.plan.launches[0]
    held = all(_holds(kernel.problem, case, condition, beta) for condition in launch.conditions)
    return launch.scheduled.name if held else launch.fallback.name


def _holds(problem: Gemm, case: Case, condition: Condition, beta: float) -> bool:
    if condition.matrix == "C" and beta == 0:
        return True
    index = matrix_index(case, condition.matrix)
    if condition.subject == "address":
        # Allocations begin at a multiple of 256 bytes.
        return case.offsets[index] * DTYPES[problem.c.dtype].bytes % condition.divisor == 0
    if condition.subject == "ld":
        lines, width = line_extents(problem, case, condition.matrix)
        # A single line has no next one: its stride says nothing, and callers take the least leading dimension.
        padding = case.paddings[index] if lines > 1 and width else 0
        return (max(1, width) + padding) % condition.divisor == 0
    return _extent(case, condition.extent) % condition.divisor == 0


def passes_c(case: Case, beta: float) -> bool:
    """Tell whether the call passes a C."""
    return beta != 0 or case.give_c or case.in_place


# ---- One run ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """The kernel that ran, and what was wrong, if anything."""

    path: str
    failure: Failure | None


def types_of(problem: Gemm) -> oracle.Types:
    """NumPy's names of a problem's types."""
    names = (problem.a.dtype, problem.b.dtype, problem.c.dtype, problem.acc)
    return oracle.Types(*(DTYPES[name].numpy_name for name in names))


def run_case(
    backend: Backend, kernel: Kernel, case: Case, mode: oracle.Mode, selector: oracle.Selector = "b"
) -> Result:
    """Run one case with the data of one oracle mode and judge everything it left behind."""
    rng = np.random.default_rng((case.seed, oracle.MODES.index(mode), selector == "a"))
    inputs = oracle.make_inputs(
        mode,
        case.shape,
        rng,
        alpha=case.alpha,
        beta=case.beta,
        types=types_of(kernel.problem),
        selector=selector,
        specials=case.specials,
    )
    memory = lay_out(kernel.problem, case)
    memory.a.fill(inputs.a)
    memory.b.fill(inputs.b)
    memory.c.fill(inputs.c)
    c = memory.c.view if passes_c(case, inputs.beta) else None
    outcome = backend.run(kernel, memory.a.view, memory.b.view, c, memory.d.view, inputs.alpha, inputs.beta)
    found = _judge(kernel, case, memory, inputs, outcome)
    if found is None:
        return Result(outcome.path, None)
    label = f"selection by {selector.upper()}" if mode == "selection" else mode
    return Result(outcome.path, failure_of(kernel, case, found[0], label, found[1]))


def failure_of(kernel: Kernel, case: Case, kind: str, mode: str, message: str) -> Failure:
    """Record a failure as plain data."""
    schedule = kernel.schedule.to_dict()
    return Failure(kind, mode, message, kernel.problem.to_dict(), schedule, kernel.target.name, case.to_dict())


def _judge(
    kernel: Kernel, case: Case, memory: Memory, inputs: oracle.Inputs, outcome: Outcome
) -> tuple[str, str] | None:
    """Name the kind of the first thing that is wrong, and say what it is; causes come before their effects."""
    if outcome.faults:
        return "fault", "\n".join(outcome.faults)
    if outcome.status != 0:
        return "status", f"the launcher returned {outcome.status} for a call that its contract admits"
    path = expected_kernel(kernel, case, inputs.beta)
    if outcome.path != path:
        return "path", f"the launcher ran {outcome.path or 'no kernel'}, and the plan's table asks for {path or 'none'}"
    if change := memory.d.change(outside_only=True):
        return "guard", change
    for buffer in memory.buffers.values():
        if buffer is not memory.d and (change := buffer.change()):
            return "input_changed", change
    if not case.in_place and (missed := memory.d.unwritten()):
        where = ", ".join(f"D[{row}, {column}]" for row, column in missed[:4])
        return "unwritten", f"{len(missed)} of {memory.d.view.size} elements were never written: {where}"
    mismatch = oracle.check(inputs, memory.d.view)
    return None if mismatch is None else ("oracle", str(mismatch))


# ---- Both paths ------------------------------------------------------------------------------------------------


def both_paths(kernel: Kernel, case: Case) -> tuple[Case, ...]:
    """Pair a case with the nearest one that takes the other path of the file, if there is one.

    Towards the vector path everything is rounded up to what the table of conditions asks for; away from it, one
    condition, picked by the seed, is broken and all others hold.
    """
    if not kernel.plan.launches[0].conditions or not case.m or not case.n:
        return (case,)
    other = _break_one(kernel, case) if _is_scheduled(kernel, case) else align(kernel, case)
    return (case,) if other is None else (case, other)


def _is_scheduled(kernel: Kernel, case: Case) -> bool:
    return expected_kernel(kernel, case, case.beta) == kernel.plan.launches[0].scheduled.name


def align(kernel: Kernel, case: Case) -> Case | None:
    """Find the nearest larger case for which the plan's whole table holds; None if a fixed size forbids."""
    changed = case
    conditions = kernel.plan.launches[0].conditions
    for condition in conditions:
        if condition.subject == "extent":
            changed = _with_extent(
                changed, condition.extent, _up(_extent(changed, condition.extent), condition.divisor)
            )
    if any(getattr(kernel.problem, size) not in {None, getattr(changed, size)} for size in ("m", "n", "k")):
        return None
    item = DTYPES[kernel.problem.c.dtype].bytes
    for condition in conditions:
        index = matrix_index(changed, condition.matrix)
        if condition.subject == "ld":
            width = max(1, line_extents(kernel.problem, changed, condition.matrix)[1])
            padding = _up(width + changed.paddings[index], condition.divisor) - width
            changed = replace(changed, paddings=_set(changed.paddings, index, padding))
        elif condition.subject == "address":
            offset = _up(changed.offsets[index] * item, condition.divisor) // item
            changed = replace(changed, offsets=_set(changed.offsets, index, offset))
    return changed if _is_scheduled(kernel, changed) else None


def _break_one(kernel: Kernel, case: Case) -> Case | None:
    """Break one condition of the table; which one, the seed says. None if none can be broken."""
    conditions = kernel.plan.launches[0].conditions
    for step in range(len(conditions)):
        condition = conditions[(case.seed + step) % len(conditions)]
        index = matrix_index(case, condition.matrix)
        if condition.subject == "address":
            broken = replace(case, offsets=_set(case.offsets, index, case.offsets[index] + 1))
        elif condition.subject == "ld":
            broken = replace(case, paddings=_set(case.paddings, index, case.paddings[index] + 1))
        elif getattr(kernel.problem, condition.extent.lower()) is None:
            broken = _with_extent(case, condition.extent, _extent(case, condition.extent) + 1)
        else:
            continue
        if not _is_scheduled(kernel, broken):
            return broken
    return None


def _up(value: int, divisor: int) -> int:
    return -(-value // divisor) * divisor


def _set(values: tuple[int, int, int, int], index: int, value: int) -> tuple[int, int, int, int]:
    a, b, c, d = (value if place == index else old for place, old in enumerate(values))
    return a, b, c, d


def _extent(case: Case, name: str) -> int:
    return dict(zip("MNK", case.shape, strict=True))[name]


def _with_extent(case: Case, name: str, value: int) -> Case:
    return {"M": replace(case, m=value), "N": replace(case, n=value), "K": replace(case, k=value)}[name]
