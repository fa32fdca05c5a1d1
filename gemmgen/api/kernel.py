"""A generated kernel: its text, and its calls on the CPU emulator or on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from gemmgen.emit import Emitted, emit
from gemmgen.emit.interface import STATUSES
from gemmgen.errors import ArgumentError, EmulationFault, EnvironmentUnavailable
from gemmgen.ir import DTYPES, Gemm, Schedule

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from gemmgen.emulator import Emulation, LineCount
    from gemmgen.plan import Plan
    from gemmgen.target import Target

__all__ = ["Kernel", "generate"]

MATRIX_DIMENSIONS = 2


def generate(
    problem: Gemm | Mapping[str, object] | None = None,
    schedule: Schedule | Mapping[str, object] | None = None,
    target: Target | str = "sm_80",
    *,
    name: str | None = None,
) -> Kernel:
    """Generate the kernel of a problem and schedule for a target and everything above it.

    Problem and schedule may be in serial form (dictionaries); left out, they have all defaults. ``name`` replaces the
    generated symbol of the launcher. Raises ``ScheduleError``, naming every broken rule with the nearest legal choice,
    before anything is emitted.
    """
    return Kernel(
        emit(Gemm() if problem is None else problem, Schedule() if schedule is None else schedule, target, name)
    )


@dataclass(frozen=True, slots=True, repr=False)
class Kernel:
    """One generated kernel. ``source`` and ``header`` are the text that every consumer gets, byte for byte."""

    emitted: Emitted

    def __repr__(self) -> str:
        """One line: the text is long, and ``source`` has it."""
        return f"<Kernel {self.symbol} for {self.target.name}, {self.source.count(chr(10))} lines>"

    @property
    def problem(self) -> Gemm:
        """What it computes."""
        return self.emitted.problem

    @property
    def schedule(self) -> Schedule:
        """How."""
        return self.emitted.schedule

    @property
    def target(self) -> Target:
        """The least feature level of a GPU that runs it."""
        return self.emitted.target

    @property
    def source(self) -> str:
        """The text of the ``.cu``."""
        return self.emitted.source

    @property
    def header(self) -> str:
        """The text of the ``.h``."""
        return self.emitted.header

    @property
    def symbol(self) -> str:
        """The launcher's name."""
        return self.emitted.symbol

    @property
    def plan(self) -> Plan:
        """What was printed, as plain data."""
        return self.emitted.plan

    def run(
        self,
        a: Any,
        b: Any,
        c: Any = None,
        *,
        alpha: float = 1.0,
        beta: float = 0.0,
        out: Any = None,
        on: str = "cpu",
        stream: object = None,
    ) -> Any:
        """D = alpha * a @ b + beta * c, with a (M, K), b (K, N) and c (M, N) in their logical shapes.

        Strides must fit the declared layouts (that of a dimension of size 1 is ignored); nothing is copied. ``out``
        receives D and may be ``c`` itself; without it a new array is made and C stays as it is. ``on="cpu"`` runs the
        emitted launcher in the emulator, under every check; ``on="cuda"`` runs on the current GPU, on ``stream`` (None:
        the default one) and in the caller's context, with arrays that have ``__cuda_array_interface__`` or DLPack.

        Raises ``ArgumentError`` for arrays or scalars that do not fit, ``EmulationFault`` if the emulator saw the
        kernel do something illegal, ``EnvironmentUnavailable`` if the compiler or the GPU is missing.
        """
        if on == "cuda":
            return _run_on_cuda(self.emitted, a, b, c, alpha, beta, out, stream)
        if on != "cpu":
            message = f'on={on!r}: use "cpu" (the emulator) or "cuda"'
            raise ArgumentError(message)
        if stream is not None:
            message = 'a stream needs on="cuda"'
            raise ArgumentError(message)
        d = _new_output(self.emitted, a, b) if out is None else out
        emulation = _emulate(self.emitted, a, b, c, d, alpha, beta, counts=False)
        if emulation.faults or emulation.unwritten:
            raise EmulationFault(emulation.report())
        return d

    def count(
        self,
        a: Any,
        b: Any,
        c: Any = None,
        *,
        alpha: float = 1.0,
        beta: float = 0.0,
        out: Any = None,
    ) -> tuple[LineCount, ...]:
        """Run on the emulator and count: requests, wavefronts, bank conflicts and sectors for each source line."""
        d = _new_output(self.emitted, a, b) if out is None else out
        emulation = _emulate(self.emitted, a, b, c, d, alpha, beta, counts=True)
        if emulation.faults or emulation.unwritten:
            raise EmulationFault(emulation.report())
        return tuple(emulation.counts)


def _emulate(
    emitted: Emitted,
    a: object,
    b: object,
    c: object,
    d: object,
    alpha: float,
    beta: float,
    *,
    counts: bool,
) -> Emulation:
    from gemmgen.call import bind, choose_kernel
    from gemmgen.emulator import Options
    from gemmgen.emulator.gemm import emulate_gemm

    call = bind(emitted.plan, a, b, c, d, alpha, beta)
    for launch in emitted.plan.launches:
        choose_kernel(launch, call)  # says in words what the launcher says by a status
    emulation = emulate_gemm(emitted, call, Options(counts=counts))
    if emulation.status != 0:
        raise ArgumentError(status_message(emitted, emulation.status))
    return emulation


def status_message(emitted: Emitted, status: int) -> str:
    """What a launcher's status says."""
    meaning = {entry.value: entry.meaning for entry in STATUSES}.get(status, "unknown status")
    return f"{emitted.symbol} returned status {status}: {meaning}"


def _new_output(emitted: Emitted, a: Any, b: Any) -> np.ndarray:
    """A new D of the problem's layout. Its shape is taken on trust here; ``bind`` checks everything."""
    import numpy as np

    from gemmgen.call import view_of

    shapes = []
    problems = []
    for name, array in (("a", a), ("b", b)):
        view = view_of(array)
        if isinstance(view, str):
            problems.append(f"{name} {view}")
        elif len(view.shape) != MATRIX_DIMENSIONS:
            problems.append(f"{name} has {len(view.shape)} dimensions, not {MATRIX_DIMENSIONS}")
        else:
            shapes.append(view.shape)
    if problems:
        raise ArgumentError("; ".join(problems))
    order: Literal["C", "F"] = "C" if emitted.problem.c.layout == "row" else "F"
    dtype = np.dtype(DTYPES[emitted.problem.c.dtype].numpy_name)
    empty: np.ndarray = np.empty((shapes[0][0], shapes[1][1]), dtype=dtype, order=order)
    return empty


def _run_on_cuda(
    emitted: Emitted, a: object, b: object, c: object, alpha: float, beta: float, out: object, stream: object
) -> object:
    try:
        from gemmgen.runtime.gemm import run_gemm
    except ImportError as error:
        message = f"CUDA cannot be used: {error}"
        raise EnvironmentUnavailable(message) from None
    return run_gemm(emitted, a, b, c, alpha=alpha, beta=beta, out=out, stream=stream)
