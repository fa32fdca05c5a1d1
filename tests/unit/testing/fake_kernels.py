"""A kernel without a generator, and backends that compute with NumPy: rightly, or wrong in one way."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from gemmgen.errors import EnvironmentUnavailable, InternalError
from gemmgen.ir import DTYPES, Gemm, Schedule
from gemmgen.plan import Condition, Kernel, Launch
from gemmgen.target import Target, resolve
from gemmgen.testing.cases import Outcome

F32 = np.float32
VECTOR = 4


@dataclass(frozen=True, slots=True)
class FakeKernel:
    """What `gemmgen.testing` asks of a kernel."""

    problem: Gemm
    schedule: Schedule
    target: Target
    plan: Any
    source: str = ""
    symbol: str = "gemm"


def fake_kernel(*, vector: int = VECTOR, **problem: Any) -> FakeKernel:
    """A kernel with a table of conditions like that of a real one."""
    gemm = Gemm(**problem)
    scheduled = Kernel("gemm_kernel", vector, vector, vector)
    fallback = scheduled if vector == 1 else Kernel("gemm_kernel_scalar", 1, 1, 1)
    layouts = {"A": gemm.a.layout, "B": gemm.b.layout, "C": gemm.c.layout, "D": gemm.c.layout}
    rows = {"A": ("K", "M"), "B": ("N", "K"), "D": ("N", "M")}
    conditions = [Condition(matrix, "address", 4 * vector) for matrix in "ABCD"]
    conditions += [Condition(matrix, "ld", vector) for matrix in "ABCD"]
    conditions += [Condition(name, "extent", vector, rows[name][layouts[name] == "col"]) for name in "ABD"]
    launch = Launch(scheduled, fallback, tuple(conditions) if vector > 1 else (), 8, 8, 64, 0, ())
    schedule = Schedule(cta_tile=(8, 8, 4), thread_tile=(1, 1))
    return FakeKernel(gemm, schedule, resolve("sm_80"), SimpleNamespace(launches=(launch,)))


class Numpy:
    """Computes as a kernel does that accumulates in the problem's type; subclasses get one step wrong."""

    def run(self, kernel: FakeKernel, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> Outcome:
        kind = np.dtype(DTYPES[kernel.problem.acc].numpy_name).type
        wide_a, wide_b, wide_c = (x if x is None or x.dtype == kind else x.astype(kind) for x in (a, b, c))
        alpha = alpha if a.shape[1] else 0.0  # there is no product
        with np.errstate(all="ignore"):
            acc = self.accumulate(wide_a, wide_b) if alpha != 0 else np.zeros(d.shape, kind)
            self.store(d, self.epilogue(acc, wide_c, kind(alpha), kind(beta)))
        return Outcome(0, (), self.path(kernel, a, b, c, d))

    def path(self, kernel: FakeKernel, a: Any, b: Any, c: Any, d: Any) -> str:
        """The launcher's choice, from the arrays alone."""
        launch = kernel.plan.launches[0]
        if 0 in d.shape:
            return ""
        arrays = {"A": a, "B": b, "C": c, "D": d}
        layouts = {"A": kernel.problem.a.layout, "B": kernel.problem.b.layout}
        sizes = {"M": a.shape[0], "N": b.shape[1], "K": a.shape[1]}
        for condition in launch.conditions:
            array = arrays[condition.matrix]
            if array is None or (condition.matrix == "C" and not self.reads_c):
                continue
            row = layouts.get(condition.matrix, kernel.problem.c.layout) == "row"
            lines, width = array.shape if row else array.shape[::-1]
            ld = array.strides[0 if row else 1] // array.itemsize if lines > 1 and width else max(1, width)
            values = {"address": array.__array_interface__["data"][0], "ld": ld}
            if values.get(condition.subject, sizes.get(condition.extent)) % condition.divisor:
                return launch.fallback.name
        return launch.scheduled.name

    reads_c = True

    def accumulate(self, a: Any, b: Any) -> Any:
        acc = np.zeros((a.shape[0], b.shape[1]), a.dtype)
        for k in range(a.shape[1]):
            acc = acc + a[:, k : k + 1] * b[k : k + 1, :]
        return acc

    def epilogue(self, acc: Any, c: Any, alpha: Any, beta: Any) -> Any:
        self.reads_c = bool(beta != 0)
        return alpha * acc + beta * c if beta != 0 else alpha * acc

    def store(self, d: Any, values: Any) -> None:
        d[...] = values


class DropsLastK(Numpy):
    def accumulate(self, a: Any, b: Any) -> Any:
        return super().accumulate(a[:, :-1], b[:-1])


class Tf32(Numpy):
    def accumulate(self, a: Any, b: Any) -> Any:
        def short(x: Any) -> Any:
            return (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(F32)

        return super().accumulate(short(a), short(b))


class AlphaTwice(Numpy):
    def epilogue(self, acc: Any, c: Any, alpha: Any, beta: Any) -> Any:
        return super().epilogue(alpha * acc, c, alpha, beta)


class ReadsCForBetaZero(Numpy):
    def epilogue(self, acc: Any, c: Any, alpha: Any, beta: Any) -> Any:
        super().epilogue(acc, c, alpha, beta)
        return alpha * acc + beta * c if c is not None else alpha * acc


class ReadsAForAlphaZero(Numpy):
    def run(self, kernel: FakeKernel, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> Outcome:
        outcome = super().run(kernel, a, b, c, d, alpha, beta)
        if alpha == 0:
            with np.errstate(all="ignore"):
                d += F32(0) * self.accumulate(a, b)
        return outcome


class Transposed(Numpy):
    def accumulate(self, a: Any, b: Any) -> Any:
        return super().accumulate(a, np.ascontiguousarray(b.T).reshape(b.shape))


class TailNotWritten(Numpy):
    def store(self, d: Any, values: Any) -> None:
        d[: d.shape[0] // 8 * 8] = values[: d.shape[0] // 8 * 8]


class WritesPadding(Numpy):
    def store(self, d: Any, values: Any) -> None:
        super().store(d, values)
        if d.size:
            wide = np.lib.stride_tricks.as_strided(d, (d.shape[0], d.shape[1] + 1))
            wide[0, d.shape[1]] = 1.0


class WritesInput(Numpy):
    def store(self, d: Any, values: Any) -> None:
        super().store(d, values)
        if self.last is not None and self.last.size:
            self.last[0, 0] = 7.0

    last: Any = None

    def accumulate(self, a: Any, b: Any) -> Any:
        self.last = b
        return super().accumulate(a, b)


class WrongPath(Numpy):
    def path(self, kernel: FakeKernel, a: Any, b: Any, c: Any, d: Any) -> str:
        return kernel.plan.launches[0].scheduled.name if d.size else ""


class Refuses(Numpy):
    def run(self, kernel: FakeKernel, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> Outcome:
        outcome = super().run(kernel, a, b, c, d, alpha, beta)
        return Outcome(1, (), outcome.path) if a.shape[1] == 0 else outcome


class Faults(Numpy):
    def run(self, kernel: FakeKernel, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> Outcome:
        outcome = super().run(kernel, a, b, c, d, alpha, beta)
        return Outcome(0, ("out of bounds: read of A[9, 0]",), outcome.path) if a.shape[0] > 8 else outcome


def fake_emit(problem: Gemm, schedule: Schedule, target: str) -> FakeKernel:
    """Emit without a generator."""
    return FakeKernel(problem, schedule, resolve(target), fake_kernel(**problem.to_dict()).plan)


class WrongForLargeK(Numpy):
    """Right up to K = 20, as a pipeline with a stage too few would be."""

    def accumulate(self, a: Any, b: Any) -> Any:
        return super().accumulate(a[:, :20], b[:20])


class Dies(Numpy):
    """Ends its process, as a fault in native code does."""

    def accumulate(self, a: Any, b: Any) -> Any:
        if a.shape[0] > 4:
            os._exit(11)
        return super().accumulate(a, b)


class Unavailable(Numpy):
    def run(self, *arguments: Any) -> Outcome:
        raise EnvironmentUnavailable("No C++ compiler was found; install g++.")


class Raises(Numpy):
    def run(self, *arguments: Any) -> Outcome:
        raise ZeroDivisionError("ours")


class BreaksDown(Numpy):
    def run(self, *arguments: Any) -> Outcome:
        raise InternalError("the emulator broke down")
