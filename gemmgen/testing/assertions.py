"""Assertions about whole kernels: every oracle mode, both paths of the file, memory outside D, and the inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.errors import ArgumentError
from gemmgen.testing.cases import Backend, Case, Failure, Kernel
from gemmgen.testing.paths import align, both_paths, breaking_cases, broken_variants
from gemmgen.testing.refusals import first_not_refused
from gemmgen.testing.run import run_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemmgen.ir import Gemm, Schedule
    from gemmgen.testing import oracle

    Run = tuple[Case, oracle.Mode, oracle.Selector]


# Conditions of the launcher's table that are broken for each case, besides the one that `both_paths` breaks.
_BROKEN = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a series of runs showed: the kernels that ran, how many calls there were, and the first failure."""

    paths: frozenset[str]
    runs: int
    failure: Failure | None


def modes_of(case: Case) -> tuple[tuple[oracle.Mode, oracle.Selector], ...]:
    """List the oracle modes of one case; which operand selects, its seed says."""
    return (("exact", "b"), ("selection", "a" if case.seed % 2 else "b"), ("bound", "b"))


def calls_of(kernel: Kernel, case: Case) -> Iterator[Run]:
    """List the runs that examine one case.

    Three modes on both paths of the file; then the data of one mode on neighbours that each break one condition of the
    launcher's table.
    """
    for variant in both_paths(kernel, case):
        for mode, selector in modes_of(variant):
            yield variant, mode, selector
    for variant in broken_variants(kernel, case, _BROKEN):
        yield variant, "exact", "b"


def examine(backend: Backend, kernel: Kernel, cases: Iterable[Case]) -> Verdict:
    """Run each case as `calls_of` lists, up to the first failure."""
    return _run_all(backend, kernel, (run for case in cases for run in calls_of(kernel, case)))


def examine_table(backend: Backend, kernel: Kernel, seed: int = 0) -> Verdict:
    """Break each condition of the launcher's table in turn, by half of its divisor and by one element."""
    bm, bn, bk = kernel.schedule.cta_tile
    aligned = align(kernel, Case(*_fixed(kernel.problem, (bm, bn, 2 * bk)), beta=0.5, seed=seed))
    broken = () if aligned is None else breaking_cases(kernel, aligned)
    return _run_all(backend, kernel, ((case, "exact", "b") for case in broken))


def _run_all(backend: Backend, kernel: Kernel, runs: Iterable[Run]) -> Verdict:
    paths: set[str] = set()
    count = 0
    for case, mode, selector in runs:
        result = run_case(backend, kernel, case, mode, selector)
        count += 1
        paths.add(result.path)
        if result.failure is not None:
            return Verdict(frozenset(paths), count, result.failure)
    return Verdict(frozenset(paths), count, None)


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
    guard zones, `ld` padding and the inputs are compared bit for bit. Then each condition of the launcher's table is
    broken once, and calls follow that the launcher has to refuse, where the backend can make them. `backend` is the CPU
    emulator by default.

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
    chosen = backend or default_backend()
    failure = examine(chosen, kernel, cases).failure or examine_table(chosen, kernel, seed).failure
    failure = failure or first_not_refused(chosen, kernel, seed)
    if failure is not None:
        raise AssertionError(str(failure))


def default_backend() -> Backend:
    """Make the backend that needs no GPU: the emulator."""
    from gemmgen.testing.backends import Emulator

    return Emulator()


def standard_cases(problem: Gemm, schedule: Schedule, *, seed: int = 0) -> Iterator[Case]:
    """Yield a fixed set of calls that faults of the usual kinds do not survive.

    Whole tiles and parts of tiles; several tiles in one direction alone and in both, and a grid of 5 x 7; K of no, part
    of one, one and several main loop steps, and a long one; many rows alone, and many columns; a C that must not be
    read and one that must; NaN and Inf; padding, offsets, D in place.
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
        ((min(bm, 5), min(bn, 3), max(20 * bk + 1, 203)), 0.5, plain),
        ((263, 2, 3), 1.0, plain),
        ((3, 264, 2), 0.0, {"specials": True}),
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
    # Without a product alpha does not count, whatever it holds.
    yield Case(*_fixed(problem, (3, 5, 0)), alpha=float("inf") if problem.k is None else 1.0, beta=2.0, seed=seed)
    yield Case(*_fixed(problem, (bm + 2, bn + 2, bk + 2)), alpha=0.0, beta=3.0, seed=seed)
    yield Case(*_fixed(problem, (bm, bn, bk)), alpha=2.0, beta=-0.0, give_c=False, seed=seed)


def _fixed(problem: Gemm, sizes: tuple[int, int, int]) -> tuple[int, int, int]:
    """Replace the sizes that a problem fixes."""
    m, n, k = (
        size if fixed is None else fixed for size, fixed in zip(sizes, (problem.m, problem.n, problem.k), strict=True)
    )
    return m, n, k
