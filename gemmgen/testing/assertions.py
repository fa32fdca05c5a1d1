"""Assertions about whole kernels: every oracle mode, both paths of the file, memory outside D, and the inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.testing import oracle
from gemmgen.testing.cases import Backend, Case, Failure, Kernel, both_paths, run_case

if TYPE_CHECKING:
    from gemmgen.ir import Gemm, Schedule


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

    Raises AssertionError with the first failure; EnvironmentUnavailable if there is no compiler for the emulator.
    """
    sizes = [
        fixed if given is None else given
        for given, fixed in ((m, kernel.problem.m), (n, kernel.problem.n), (k, kernel.problem.k))
    ]
    if None in sizes and (m, n, k) != (None, None, None):
        raise TypeError("m, n and k go together: give each one that the problem does not fix, or none")
    cases: Iterable[Case]
    if (m, n, k) == (None, None, None):
        cases = standard_cases(kernel.problem, kernel.schedule, seed=seed)
    else:
        cases = [Case(*(size or 0 for size in sizes), alpha=alpha, beta=beta, seed=seed)]
    failure = examine(backend or default_backend(), kernel, cases).failure
    if failure is not None:
        raise AssertionError(str(failure))


def default_backend() -> Backend:
    """Make the backend that needs no GPU: the emulator."""
    from gemmgen.testing.backends import Emulator  # noqa: PLC0415 - the emulator is not needed to judge results

    return Emulator()


def standard_cases(problem: Gemm, schedule: Schedule, *, seed: int = 0) -> Iterator[Case]:
    """Yield a fixed set of calls that faults of the usual kinds do not survive.

    Whole tiles and parts of tiles; several tiles in one direction alone and in both; K of no, part of one, one and
    several main loop steps; a C that must not be read and one that must; NaN and Inf; padding, offsets, D in place.
    """
    bm, bn, bk = schedule.cta_tile
    sizes = [
        (bm, bn, 3 * bk),
        (bm + 1, bn + 1, bk + 1),
        (max(1, bm - 1), max(1, bn - 1), max(1, bk - 1)),
        (2 * bm + 3, bn, 2 * bk),
        (bm, 2 * bn + 3, 2 * bk + 1),
        (1, 1, 1),
        (3, 5, 0),
        (3 * bm, 2 * bn, 4 * bk),
    ]
    for index, size in enumerate(sizes):
        padding = 3 * (index % 2)
        yield Case(
            *_fixed(problem, size),
            paddings=(padding, padding + index % 3, padding, padding + 1),
            offsets=(index % 3, 0, index % 2, index % 4),
            alpha=(1.0, 2.5, -3.0)[index % 3],
            beta=(0.0, 0.5, -2.0, 1.0)[index % 4],
            in_place=index == 6,  # noqa: PLR2004 - one of them
            specials=index == 4,  # noqa: PLR2004
            seed=seed + index,
        )
    yield Case(*_fixed(problem, (bm + 2, bn + 2, bk + 2)), alpha=0.0, beta=3.0, seed=seed)
    yield Case(*_fixed(problem, (bm, bn, bk)), alpha=2.0, beta=-0.0, give_c=False, seed=seed)


def _fixed(problem: Gemm, sizes: tuple[int, int, int]) -> tuple[int, int, int]:
    """Replace the sizes that a problem fixes."""
    m, n, k = (
        size if fixed is None else fixed for size, fixed in zip(sizes, (problem.m, problem.n, problem.k), strict=True)
    )
    return m, n, k
