"""The main job in under a minute: a handful of schedules emitted, run and checked against float64."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.api.catalog import CATALOG, CatalogEntry
from gemmgen.errors import EmulationFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemmgen.api.kernel import Kernel
    from gemmgen.testing.oracle import Array, Inputs

__all__ = ["DemoResult", "demo_entries", "run_demo"]

SHAPES = {"cpu": (257, 260, 132), "cuda": (2049, 2052, 1028)}
"""M, N, K: multiples of no tile, so that every edge is met, and N and K of 4, so that the scheduled path is taken."""
_GPU_REPEATS = 20


@dataclass(frozen=True, slots=True)
class DemoResult:
    """One kernel of the demo.

    Attributes:
        title: what the kernel shows.
        symbol: its launcher.
        shape: M, N, K.
        path: "scheduled" or "scalar", which of the file's two paths took the call.
        error: the largest |d - ref|.
        bound: what that element was allowed.
        seconds: of the run, with the emulator's or nvcc's compilation left out.
        rate: multiply-adds a second, in 10^9.
        verdict: "ok", or one line of what is wrong.

    """

    title: str
    symbol: str
    shape: tuple[int, int, int]
    path: str
    error: float
    bound: float
    seconds: float
    rate: float
    verdict: str

    @property
    def is_right(self) -> bool:
        """Whether the result is within its bound and nothing illegal was seen."""
        return self.verdict == "ok"


def demo_entries() -> tuple[CatalogEntry, ...]:
    """What the demo runs."""
    return tuple(entry for entry in CATALOG if entry.in_demo)


def run_demo(on: str) -> Iterator[DemoResult]:
    """Runs the demo's kernels one after the other.

    Args:
        on: "cpu" (the emulator, under all its checks) or "cuda".

    Raises:
        EnvironmentUnavailable: no C++ compiler, or no GPU.

    """
    for entry in demo_entries():
        yield _run(entry.title, entry.generate(), on)


def _run(title: str, kernel: Kernel, on: str) -> DemoResult:
    import numpy as np

    from gemmgen.testing import oracle

    m, n, k = shape = SHAPES[on]
    inputs = oracle.make_inputs("bound", shape, np.random.default_rng(1), alpha=1.5, beta=-0.5)
    d = np.full((m, n), np.nan, np.float32)
    try:
        seconds = _RUNNERS[on](kernel, inputs, d)
        mismatch = oracle.check(inputs, d)
        verdict = "ok" if mismatch is None else str(mismatch)
    except EmulationFault as fault:
        seconds, verdict = 0.0, str(fault).splitlines()[0]
    bound, _ = oracle.error_bound(inputs)
    errors = np.abs(d - oracle.reference(inputs))
    worst = np.unravel_index(np.nanargmax(errors / bound), errors.shape) if verdict == "ok" else (0, 0)
    return DemoResult(
        title=title,
        symbol=kernel.symbol,
        shape=shape,
        path=_path(kernel, inputs, d),
        error=float(errors[worst]),
        bound=float(bound[worst]),
        seconds=seconds,
        rate=m * n * k / seconds / 1e9 if seconds else 0.0,
        verdict=verdict,
    )


def _run_on_cpu(kernel: Kernel, inputs: Inputs, d: Array) -> float:
    """Runs twice and times the second: the first compiles. Returns seconds."""
    seconds = 0.0
    for _ in range(2):
        begin = time.perf_counter()
        kernel.run(inputs.a, inputs.b, inputs.c, alpha=inputs.alpha, beta=inputs.beta, out=d)
        seconds = time.perf_counter() - begin
    return seconds


def _run_on_cuda(kernel: Kernel, inputs: Inputs, d: Array) -> float:
    """Runs once to compile, then several times back to back. Returns seconds of one run."""
    from gemmgen.runtime import copy_to_device, synchronize

    a, b, c, out = (copy_to_device(matrix) for matrix in (inputs.a, inputs.b, inputs.c, d))
    seconds = 0.0
    for repeats in (1, _GPU_REPEATS):
        begin = time.perf_counter()
        for _ in range(repeats):
            kernel.run(a, b, c, alpha=inputs.alpha, beta=inputs.beta, out=out, on="cuda")
        synchronize(f"Running {kernel.symbol}")
        seconds = (time.perf_counter() - begin) / repeats
    d[...] = out.get()
    return seconds


_RUNNERS = {"cpu": _run_on_cpu, "cuda": _run_on_cuda}


def _path(kernel: Kernel, inputs: Inputs, d: Array) -> str:
    from gemmgen.call import bind, choose_kernel

    call = bind(kernel.plan, inputs.a, inputs.b, inputs.c, d, inputs.alpha, inputs.beta)
    launch = kernel.plan.launches[0]
    return "scheduled" if choose_kernel(launch, call) == launch.scheduled else "scalar"
