"""One process' share of a check."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import hypothesis
from hypothesis import HealthCheck, Phase, settings

from gemmgen.errors import EnvironmentUnavailable, GemmgenError, InternalError, ScheduleError
from gemmgen.ir import Gemm, Schedule
from gemmgen.rules import check_legal
from gemmgen.testing import coverage
from gemmgen.testing.assertions import examine
from gemmgen.testing.cases import Backend, Failure, Kernel
from gemmgen.testing.check import Emit, Progress, Shard, Tally, generator
from gemmgen.testing.strategies import Example, examples

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# Shrinking compiles a kernel for every attempt: it ends after this many seconds with the smallest failure so far.
SHRINK_SECONDS = 60.0
# Of the examples that Hypothesis draws some repeat a schedule; this many times as many as are wanted are drawn at most.
_SURPLUS = 4

Send = Callable[[str, Any], None]


class _CaseFailed(Exception):
    """An example failed."""


@dataclass(slots=True)
class _Run:
    """The state of one shard while Hypothesis drives it."""

    shard: Shard
    emit: Emit
    backend: Backend
    send: Send
    stopped: Callable[[], bool]
    tally: Tally = field(default_factory=Tally)
    known: dict[str, Failure] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    failed_at: float = 0.0
    calls: int = 0
    kernel: tuple[str, Kernel] | None = None
    ended_by: EnvironmentUnavailable | InternalError | None = None  # what says nothing about the example

    def example(self, example: Example) -> None:
        """Run one example; raise `_CaseFailed` if it fails. Hypothesis calls this to generate, and then to shrink."""
        self.calls += 1
        text = json.dumps(_document(example, self.shard.target), sort_keys=True)
        if not self.failed_at and (self.calls == 1 or not self._is_fresh(example, text)):
            return  # Hypothesis begins with the simplest example, always the same one
        if text not in self.known:
            if self.failed_at and time.perf_counter() - self.failed_at > SHRINK_SECONDS:
                return
            self.send("running", text)
            failure = self._judge(example, text)
            if not self.failed_at:
                self._count(example)
            if failure is None:
                return
            self.known[text] = failure
            self.failed_at = self.failed_at or time.perf_counter()
        self.tally.failure = self.known[text]
        raise _CaseFailed

    def _is_fresh(self, example: Example, text: str) -> bool:
        """Tell whether an example has a schedule (or, where that is given, a call) that has not been seen."""
        key = text if self.shard.schedule is not None else _kernel_key(example)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def _judge(self, example: Example, text: str) -> Failure | None:
        kernel = None
        try:
            kernel = self._emit(example)
            verdict = examine(self.backend, kernel, [example.case])
        except EnvironmentUnavailable as error:
            self._end(error)
        except ScheduleError as error:
            return failure_from("refused", str(error), text)
        except InternalError as error:
            if kernel is not None:
                self._end(InternalError(f"{error}\n  running: {text}"))
            return failure_from("error", f"InternalError: {error}", text)
        except GemmgenError as error:
            return failure_from("error", f"{type(error).__name__}: {error}", text)
        except Exception:  # noqa: BLE001  # whatever it is, it belongs to this example
            return failure_from("error", traceback.format_exc(), text)
        self.tally.runs += verdict.runs
        if not self.failed_at:
            for path in verdict.paths:
                coverage.count_path(self.tally.coverage, path, kernel.plan.launches[0].scheduled.name)
        return verdict.failure

    def _end(self, error: EnvironmentUnavailable | InternalError) -> NoReturn:
        """End the check for what is no fault of the kernel."""
        self.ended_by = error
        raise _CaseFailed from None

    def _emit(self, example: Example) -> Kernel:
        key = _kernel_key(example)
        if self.kernel is None or self.kernel[0] != key:
            self.kernel = (key, self.emit(example.problem, example.schedule, self.shard.target))
        return self.kernel[1]

    def _count(self, example: Example) -> None:
        tally = self.tally
        tally.examples += 1
        tally.schedules.add(hashlib.sha256(_kernel_key(example).encode()).hexdigest()[:16])
        tally.shapes.add(example.case.shape)
        coverage.count(tally.coverage, example.problem, example.schedule, example.case)
        self.send("done", tally.examples)


def _kernel_key(example: Example) -> str:
    return f"{example.problem!r} {example.schedule!r}"


def _document(example: Example, target: str) -> dict[str, Any]:
    return {
        "problem": example.problem.to_dict(),
        "schedule": example.schedule.to_dict(),
        "target": target,
        "case": example.case.to_dict(),
    }


def failure_from(kind: str, message: str, text: str) -> Failure:
    """Record that the example whose document is `text` failed."""
    document = json.loads(text)
    return Failure(
        kind, "all", message, document["problem"], document["schedule"], document["target"], document["case"]
    )


def run_shard(shard: Shard, send: Send, stopped: Callable[[], bool]) -> Tally:
    """Run a shard's examples in this process."""
    _load_all(shard.target)
    run = _Run(shard, shard.emit or generator(), shard.backend(), send, stopped)
    problem = None if shard.problem is None else Gemm.from_dict(shard.problem)
    schedule = None if shard.schedule is None else Schedule.from_dict(shard.schedule)
    strategy = examples(shard.target, problem=problem, schedule=schedule)
    for index in range(_SURPLUS * shard.examples):
        if stopped() or run.tally.examples >= shard.examples or run.tally.failure is not None:
            break
        _draw_one(run, strategy, shard.seed + index)
        if run.ended_by is not None:
            raise run.ended_by
    return run.tally


def _draw_one(run: _Run, strategy: SearchStrategy[Example], seed: int) -> None:
    """Let Hypothesis draw one example and, if it fails, shrink it.

    Each example has a run and a seed of its own: within one run Hypothesis would spend half of its examples on
    variations of those before.
    """
    chosen = settings(
        max_examples=2,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink] if run.shard.shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    run.calls = 0
    # A fault that does not come back (a race, say) is a fault all the same: the last one seen is reported.
    with contextlib.suppress(_CaseFailed, hypothesis.errors.Flaky):
        hypothesis.seed(seed)(chosen(hypothesis.given(strategy)(run.example)))()


def _load_all(target: str) -> None:
    """Load the modules that are otherwise loaded when first needed.

    Hypothesis now and then draws a number that it has found in the project's modules, so that a seed gives the same
    examples only if the same modules are there from the start.
    """
    check_legal({}, {"stages": 0}, target)


def run_here(shard: Shard, progress: Progress) -> Tally:
    """Run the only shard without a process of its own."""

    def send(kind: str, value: Any) -> None:
        if kind == "done":
            progress(value, shard.examples)

    return run_shard(shard, send, lambda: False)
