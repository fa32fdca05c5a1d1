"""One run of a kernel: matrices in guarded memory, the call, and a look at everything that came back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gemmgen.emit.interface import STATUSES
from gemmgen.ir import DTYPES
from gemmgen.testing import oracle
from gemmgen.testing.buffers import Layout, MatrixBuffer, allocate
from gemmgen.testing.cases import MATRICES, Backend, Case, Failure, Kernel, Outcome
from gemmgen.testing.paths import REFUSED, expected_kernel

if TYPE_CHECKING:
    from gemmgen.ir import Gemm

MISALIGNED = next(status.value for status in STATUSES if status.name == "misaligned")


# Every so many seeds the data are subnormal.
_SUBNORMAL_EVERY = 5


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
        ld, offset = width + case.paddings[index], 0 if 0 in shape else case.offsets[index]
        dtype = DTYPES[operand.dtype].numpy_name
        made.append(allocate(name, shape, layout=layout, ld=ld, offset=offset, dtype=dtype))
    return Memory(*made)


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
        subnormals=case.seed % _SUBNORMAL_EVERY == _SUBNORMAL_EVERY - 1,
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


def _judge_refusal(memory: Memory, outcome: Outcome) -> tuple[str, str] | None:
    """A refused call has its status, launches nothing and leaves all memory as it was."""
    if outcome.status != MISALIGNED or outcome.path:
        return (
            "status",
            f"the launcher returned {outcome.status}, not {MISALIGNED}, for a call beyond its contract",
        )
    changes = [change for buffer in memory.buffers.values() if (change := buffer.change())]
    return ("guard", changes[0]) if changes else None


def _judge(
    kernel: Kernel, case: Case, memory: Memory, inputs: oracle.Inputs, outcome: Outcome
) -> tuple[str, str] | None:
    """Name the kind of the first thing that is wrong, and say what it is; causes come before their effects."""
    if outcome.faults:
        return "fault", "\n".join(outcome.faults)
    path = expected_kernel(kernel, case, inputs.beta)
    if path == REFUSED:
        return _judge_refusal(memory, outcome)
    if outcome.status != 0:
        return "status", f"the launcher returned {outcome.status} for a call that its contract admits"
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
