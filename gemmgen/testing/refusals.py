"""Calls that a launcher has to refuse: it says why, launches nothing and leaves all memory as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from gemmgen.call import bind
from gemmgen.emit.interface import STATUSES
from gemmgen.testing.cases import Case, Failure, Kernel, Outcome
from gemmgen.testing.paths import align
from gemmgen.testing.run import failure_of, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemmgen.call import Call
    from gemmgen.testing.cases import Backend

# A problem of larger fixed sizes is not tried: its matrices would be copied for nothing.
_MOST = 4096

_VALUES = {status.name: status.value for status in STATUSES}


@runtime_checkable
class RawBackend(Protocol):
    """A backend that can make a call which `gemmgen.call.bind` would not admit."""

    def launch(self, kernel: Kernel, call: Call) -> Outcome:
        """Call the launcher as `call` says. No byte of global memory may be touched."""


def refused_calls(call: Call) -> Iterator[tuple[str, int, Call]]:
    """Yield what is wrong, the status that says so, and the call; `call` is a right one that reads A, B and C."""
    for name in "abcd":
        matrix = getattr(call, name)
        short = replace(matrix, ld=matrix.width - 1)
        yield f"ld{name} is below the width", _VALUES["invalid_argument"], replace(call, **{name: short})
        nowhere = replace(call, **{name: replace(matrix, address=0)})
        yield f"{name.upper()} is null", _VALUES["invalid_argument"], nowhere
    yield "M is negative", _VALUES["invalid_argument"], replace(call, m=-1)
    for name in "ab":
        over = replace(call.d, address=getattr(call, name).address)
        yield f"D lies over {name.upper()}", _VALUES["overlapping_output"], replace(call, d=over)
    if call.c.width > 1:
        over = replace(call.d, address=call.c.address + call.c.element_bytes)
        yield "D lies partly over C", _VALUES["overlapping_output"], replace(call, d=over)


def first_not_refused(backend: Backend, kernel: Kernel, seed: int = 0) -> Failure | None:
    """Make every call of `refused_calls`; None when all are refused, or the backend can not make them."""
    case = _small_case(kernel, seed)
    if case is None or not isinstance(backend, RawBackend):
        return None
    memory = lay_out(kernel.problem, case)
    a, b, c, d = (buffer.view for buffer in memory.buffers.values())
    call = bind(kernel.plan, a, b, c, d, 1.0, 1.0)
    for wrong, status, bad in refused_calls(call):
        outcome = backend.launch(kernel, bad)
        changes = [change for buffer in memory.buffers.values() if (change := buffer.change())]
        message = _fault(outcome, status) or next(iter(changes), None)
        if message is not None:
            return failure_of(kernel, case, "refusal", "no", f"a call in which {wrong}: {message}")
    return None


def _fault(outcome: Outcome, status: int) -> str | None:
    if outcome.status != status:
        return f"the launcher returned {outcome.status}, not {status}"
    return f"the launcher ran {outcome.path} all the same" if outcome.path else None


def _small_case(kernel: Kernel, seed: int) -> Case | None:
    """Find a call that the kernel admits and that reads all matrices; None if fixed sizes forbid."""
    fixed = (kernel.problem.m, kernel.problem.n, kernel.problem.k)
    m, n, k = (small if size is None else size for small, size in zip((5, 6, 7), fixed, strict=True))
    case = Case(m, n, k, beta=1.0, seed=seed)
    if 0 in case.shape or max(case.shape) > _MOST:
        return None
    return align(kernel, case) if kernel.plan.launches[0].refuses else case
