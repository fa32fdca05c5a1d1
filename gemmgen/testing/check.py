"""The engine of `gemmgen check`: random schedules on random calls, spread over processes, shrunk when one fails.

Each example is a problem, a schedule and a call. It is emitted, run in the three oracle modes on both paths of the
file, and judged by `gemmgen.testing.run`. A seed gives the same examples again.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gemmgen.errors import ArgumentError, EnvironmentUnavailable
from gemmgen.ir import Gemm, Schedule
from gemmgen.testing import coverage
from gemmgen.testing.assertions import examine
from gemmgen.testing.backends import Emulator
from gemmgen.testing.cases import Backend, Case, Failure, Kernel

if TYPE_CHECKING:
    from gemmgen.testing.coverage import Coverage

# Seeds that one process may use up, one an example.
_SEEDS = 1_000_000

Emit = Callable[[Gemm, Schedule, str], Kernel]
Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check has seen.

    `examples` calls of `schedules` distinct schedules on `shapes` distinct (M, N, K), in `runs` launches; `coverage`
    counts examples by axis and value, with a 0 for declared values that never occurred.
    """

    seed: int
    examples: int
    schedules: int
    shapes: int
    runs: int
    seconds: float
    processes: int
    coverage: Coverage
    failure: Failure | None

    @property
    def command(self) -> str | None:
        """The one line that runs the failure again."""
        return None if self.failure is None else reproduce_command(self.failure)


@dataclass(frozen=True, slots=True)
class Shard:
    """What one process does. Everything in it can be pickled."""

    seed: int
    examples: int
    target: str
    problem: dict[str, Any] | None = None  # None: random
    schedule: dict[str, Any] | None = None
    shrink: bool = True
    emit: Emit | None = None  # None: the generator's own
    backend: Callable[[], Backend] = Emulator


@dataclass(slots=True)
class Tally:
    """What one shard has seen."""

    examples: int = 0
    runs: int = 0
    schedules: set[str] = field(default_factory=set)
    shapes: set[tuple[int, int, int]] = field(default_factory=set)
    coverage: Coverage = field(default_factory=coverage.empty)
    failure: Failure | None = None


def reproduce_command(failure: Failure) -> str:
    """Write the command that runs a failure again, quoted for a POSIX shell."""
    return f"gemmgen check --replay {shlex.quote(json.dumps(failure.document(), sort_keys=True))}"


def check(
    *,
    examples: int = 100,
    seed: int = 0,
    target: str = "sm_80",
    problem: Gemm | None = None,
    schedule: Schedule | None = None,
    processes: int = 2,
    shrink: bool = True,
    emit: Emit | None = None,
    backend: Callable[[], Backend] = Emulator,
    progress: Progress | None = None,
) -> CheckReport:
    """Check `examples` random calls; of random problems and schedules where none is given.

    `seed` picks them; they are spread over `processes` processes, each with its own `backend`, which is called there
    without arguments (so it has to be picklable, as has `emit`). `progress` is called with the number of examples
    done and the number wanted. The first failure ends the check, shrunk to a small one unless `shrink` is False.

    Raises ArgumentError for a number of examples or processes below 1; EnvironmentUnavailable when Hypothesis or
    something that the backend needs is missing; InternalError when the emulator or the oracle breaks down.
    """
    if examples < 1 or processes < 1:
        raise ArgumentError(f"examples={examples} and processes={processes} must be at least 1.")
    run_here, run_spread = _engine()
    began = time.perf_counter()
    processes = min(processes, examples)
    whole = Shard(
        seed * processes * _SEEDS,
        examples,
        target,
        None if problem is None else problem.to_dict(),
        None if schedule is None else schedule.to_dict(),
        shrink,
        emit,
        backend,
    )
    shards, told = _shares(whole, processes), progress or _silent
    tallies = [run_here(shards[0], told)] if processes == 1 else run_spread(shards, told)
    return _report(seed, tallies, time.perf_counter() - began, processes)


def _engine() -> tuple[Callable[[Shard, Progress], Tally], Callable[[list[Shard], Progress], list[Tally]]]:
    """Load what runs shards, and with it Hypothesis."""
    try:
        from gemmgen.testing.processes import run_spread
        from gemmgen.testing.shards import run_here
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise EnvironmentUnavailable("gemmgen check needs Hypothesis: pip install 'gemmgen[test]'") from None
    return run_here, run_spread


def _shares(whole: Shard, processes: int) -> list[Shard]:
    each, rest = divmod(whole.examples, processes)
    return [
        replace(whole, seed=whole.seed + index * _SEEDS, examples=each + (index < rest)) for index in range(processes)
    ]


def _silent(done: int, wanted: int) -> None:
    del done, wanted


def _report(seed: int, tallies: list[Tally], seconds: float, processes: int) -> CheckReport:
    table = coverage.empty()
    for tally in tallies:
        coverage.merge(table, tally.coverage)
    return CheckReport(
        seed=seed,
        examples=sum(tally.examples for tally in tallies),
        schedules=len(set().union(*(tally.schedules for tally in tallies))),
        shapes=len(set().union(*(tally.shapes for tally in tallies))),
        runs=sum(tally.runs for tally in tallies),
        seconds=seconds,
        processes=processes,
        coverage=table,
        failure=next((tally.failure for tally in tallies if tally.failure is not None), None),
    )


def replay(document: Mapping[str, Any], *, emit: Emit | None = None, backend: Backend | None = None) -> Failure | None:
    """Run again what `Failure.document` recorded; None if it is right now.

    Raises ScheduleError if the schedule is not legal, ArgumentError if the document lacks a part.
    """
    missing = [part for part in ("problem", "schedule", "target", "case") if part not in document]
    if missing:
        raise ArgumentError(f"the recorded failure lacks {', '.join(missing)}.")
    if not isinstance(document["case"], Mapping):
        raise ArgumentError(f"the recorded call can not be read: {document['case']!r} is no table.")
    case = Case.from_dict(document["case"])
    kernel = (emit or generator())(
        Gemm.from_dict(document["problem"]), Schedule.from_dict(document["schedule"]), document["target"]
    )
    return examine(backend or Emulator(), kernel, [case]).failure


def generator() -> Emit:
    """Give the generator's own `emit`."""
    from gemmgen.emit import emit

    return emit
