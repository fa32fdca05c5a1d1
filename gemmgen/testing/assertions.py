"""Assertions about whole kernels: every oracle mode, both paths of the file, memory outside D, and the inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.errors import ArgumentError
from gemmgen.testing.cases import Backend, Case, Failure, Kernel
from gemmgen.testing.paths import both_paths
from gemmgen.testing.run import run_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemmgen.ir import Gemm, Schedule
    from gemmgen.testing import oracle


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a series of runs showed: the kernels that ran, how many calls there were, and the first failure."""

    paths: frozenset[str]
    runs: int
    failure: Failure | None


def modes_of(case: Case) -> tuple[tuple[oracle.Mode, oracle.Selector], ...]:
    """List the oracle modes of one case; which operand selects, its seed says."""
    return (("exact", "b"), ("selection", "a" if case.seed % 2 else "b"), ("bound", "b"))


def examine(backend: Backend, kernel: Kernel, cases: Iterable[Case]) -> Verdict:
    """Run each case in three modes on both paths, up to the first failure."""
    paths: set[str] = set()
    runs = 0
    for case in cases:
        for variant in both_paths(kernel, case):
            for mode, selector in modes_of(variant):
                result = run_case(backend, kernel, variant, mode, selector)
                runs += 1
                paths.add(result.path)
                if result.failure is not None:
                    return Verdict(frozenset(paths), runs, result.failure)
    return Verdict(frozenset(paths), runs, None)


def assert_correct(
    kernel: Kernel,
    *,
    m: int | None = None,
    n: int | None = None,
    k: int | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    seed: int = 0,
    backend: Backend | None = None,
) -> None:
    """Assert that a kernel gives the right D and touches nothing else.

    With `m`, `n` and `k` (those that the problem fixes may be left out) that shape is run with `alpha` and `beta`;
    without, the `standard_cases` of the kernel. Either way all three oracle modes run on both paths of the file, and
    guard zones, `ld` padding and the inputs are compared bit for bit. `backend` is the CPU emulator by default.

    Raises AssertionError with the first failure; ArgumentError if only some of the sizes are given;
    EnvironmentUnavailable if there is no compiler for the emulator.
    """
    problem = kernel.problem
    open_sizes = [
        given for given, fixed in zip((m, n, k), (problem.m, problem.n, problem.k), strict=True) if fixed is None
    ]
    if None in open_sizes and (m, n, k) != (None, None, None):
        raise ArgumentError("m, n and k go together: give each one that the problem does not fix, or none.")
    cases: Iterable[Case]
    if (m, n, k) == (None, None, None):
        cases = standard_cases(problem, kernel.schedule, seed=seed)
    else:
        asked = _fixed(problem, (m or 0, n or 0, k or 0))
        cases = [Case(*asked, alpha=alpha, beta=beta, seed=seed)]
    failure = examine(backend or default_backend(), kernel, cases).failure
    if failure is not None:
        raise AssertionError(str(failure))


def default_backend() -> Backend:
    """Make the backend that needs no GPU: the emulator."""
    from gemmgen.testing.backends import Emulator

    return Emulator()


def standard_cases(problem: Gemm, schedule: Schedule, *, seed: int = 0) -> Iterator[Case]:
    """Yield a fixed set of calls that faults of the usual kinds do not survive.

    Whole tiles and parts of tiles; several tiles in one direction alone and in both, and a grid of 5 x 7; K of no, part
    of one, one and several main loop steps; a C that must not be read and one that must; NaN and Inf; padding, offsets,
    D in place.
    """
    bm, bn, bk = schedule.cta_tile
    plain: dict[str, bool] = {}
    calls = (
        ((bm, bn, 3 * bk), 0.0, plain),
        ((bm + 1, bn + 1, bk + 1), 0.5, plain),
        ((max(1, bm - 1), max(1, bn - 1), max(1, bk - 1)), -2.0, plain),
        ((2 * bm + 3, bn, 2 * bk), 1.0, {"in_place": True}),
        ((bm, 2 * bn + 3, 2 * bk + 1), 0.0, {"specials": True}),
        ((1, 1, 1), 0.5, plain),
        ((3, 5, 0), -2.0, plain),
        ((3 * bm, 2 * bn, 4 * bk), 1.0, {"specials": True}),
        ((5 * bm - 1 or 1, 6 * bn + 1, 1), 0.0, plain),
    )
    for index, (size, beta, extras) in enumerate(calls):
        padding = 3 * (index % 2)
        yield Case(
            *_fixed(problem, size),
            (padding, padding + index % 3, padding, padding + 1),
            (index % 3, 0, index % 2, index % 4),
            alpha=(1.0, 2.5, -3.0)[index % 3],
            beta=beta,
            seed=seed + index,
            **extras,
        )
    yield Case(*_fixed(problem, (bm + 2, bn + 2, bk + 2)), alpha=0.0, beta=3.0, seed=seed)
    yield Case(*_fixed(problem, (bm, bn, bk)), alpha=2.0, beta=-0.0, give_c=False, seed=seed)


def _fixed(problem: Gemm, sizes: tuple[int, int, int]) -> tuple[int, int, int]:
    """Replace the sizes that a problem fixes."""
    m, n, k = (
        size if fixed is None else fixed for size, fixed in zip(sizes, (problem.m, problem.n, problem.k), strict=True)
    )
    return m, n, k
