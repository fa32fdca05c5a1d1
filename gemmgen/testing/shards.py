"""One process' share of a check, and how several are run and watched."""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

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
    from multiprocessing.context import SpawnProcess

    from hypothesis.strategies import SearchStrategy

# Shrinking compiles a kernel for every attempt: it ends after this many seconds with the smallest failure so far.
SHRINK_SECONDS = 60.0
# Of the examples that Hypothesis draws some repeat a schedule; this many times as many as are wanted are drawn at most.
_SURPLUS = 4

_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

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
    unavailable: EnvironmentUnavailable | None = None

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
        try:
            kernel = self._emit(example)
            verdict = examine(self.backend, kernel, [example.case])
        except EnvironmentUnavailable as error:
            self.unavailable = error
            raise _CaseFailed from None
        except ScheduleError as error:
            return _failure("refused", str(error), text)
        except (GemmgenError, InternalError) as error:
            return _failure("error", f"{type(error).__name__}: {error}", text)
        except Exception:  # noqa: BLE001  # whatever it is, it belongs to this example
            return _failure("error", traceback.format_exc(), text)
        self.tally.runs += verdict.runs
        if not self.failed_at:
            for path in verdict.paths:
                coverage.count_path(self.tally.coverage, path, kernel.plan.launches[0].scheduled.name)
        return verdict.failure

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


def _failure(kind: str, message: str, text: str) -> Failure:
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
        if run.unavailable is not None:
            raise run.unavailable
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


# ---- Several processes -----------------------------------------------------------------------------------------


def _work(shard: Shard, pipe: Connection, stop: Any) -> None:
    """Be one process: run a shard and report through the pipe."""

    def send(kind: str, value: Any) -> None:
        pipe.send((kind, value))

    try:
        send("tally", run_shard(shard, send, stop.is_set))
    except EnvironmentUnavailable as error:
        send("unavailable", str(error))
    except Exception:  # noqa: BLE001  # shown where the check was asked for
        send("broken", traceback.format_exc())


@dataclass(slots=True)
class _Worker:
    """A process as its parent sees it."""

    shard: Shard
    process: SpawnProcess
    pipe: Connection
    done: int = 0
    running: str | None = None
    tally: Tally | None = None

    @property
    def finished(self) -> bool:
        """Whether its tally is known."""
        return self.tally is not None


def run_spread(shards: list[Shard], progress: Progress) -> list[Tally]:
    """Run each shard in a process of its own. A process that dies has failed on the example it was running."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    workers = []
    try:
        for shard in shards:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(shard, theirs, stop), daemon=True)
            with _one_blas_thread():
                process.start()
            theirs.close()
            workers.append(_Worker(shard, process, ours))
        while not all(worker.finished for worker in workers):
            _listen([worker for worker in workers if not worker.finished], stop)
            progress(sum(worker.done for worker in workers), sum(shard.examples for shard in shards))
    finally:
        for worker in workers:
            worker.process.terminate()
            worker.process.join()
            worker.pipe.close()
    return [worker.tally for worker in workers if worker.tally is not None]


@contextlib.contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Start processes whose NumPy multiplies on one core: the matrices are small, and there is a process a core."""
    kept = {name: os.environ.get(name) for name in _BLAS_THREADS}
    os.environ.update(dict.fromkeys(_BLAS_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _listen(workers: list[_Worker], stop: Any) -> None:
    """Take what the processes have to say."""
    ready = wait([worker.pipe for worker in workers], timeout=1.0)
    for worker in workers:
        if worker.pipe not in ready:
            continue
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            _bury(worker)
        else:
            _take(worker, kind, value)
        if worker.tally is not None and worker.tally.failure is not None:
            stop.set()


def _take(worker: _Worker, kind: str, value: Any) -> None:
    if kind == "running":
        worker.running = value
    elif kind == "done":
        worker.done = value
    elif kind == "tally":
        worker.tally = value
    elif kind == "unavailable":
        raise EnvironmentUnavailable(value)
    else:
        raise InternalError(f"a process of the check broke down:\n{value}")


def _bury(worker: _Worker) -> None:
    """Record the death of a process as the failure of its example."""
    worker.process.join()
    message = f"the process running this example ended with exit code {worker.process.exitcode}"
    if worker.running is None:
        raise InternalError(f"{message}, before it ran one")
    tally = Tally(examples=worker.done)
    tally.failure = _failure("crash", message, worker.running)
    worker.tally = tally
