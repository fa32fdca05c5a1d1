"""Several processes that share a check: how they are started, listened to, and ended."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from gemmgen.emulator.emulate import interrupts_held
from gemmgen.errors import EnvironmentUnavailable, InternalError
from gemmgen.testing.check import Progress, Shard, Tally
from gemmgen.testing.shards import failure_from, run_shard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.context import SpawnProcess

_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def _work(shard: Shard, pipe: Connection) -> None:
    """Be one process: run a shard and report through the pipe. Whatever comes from its other end asks to stop."""

    def send(kind: str, value: Any) -> None:
        pipe.send((kind, value))

    _end_with_parent()
    try:
        send("tally", run_shard(shard, send, pipe.poll))
    except EnvironmentUnavailable as error:
        send("unavailable", str(error))
    except InternalError as error:
        send("internal", str(error))
    except Exception:  # noqa: BLE001  # shown where the check was asked for
        with contextlib.suppress(OSError):  # the parent may be gone
            send("broken", traceback.format_exc())


def _end_with_parent() -> None:
    """Have this process end when its parent does, however that ends.

    Linux does it by itself; elsewhere, and should the parent be gone already, a thread watches.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass(slots=True)
class _Worker:
    """A process as its parent sees it."""

    shard: Shard
    process: SpawnProcess
    pipe: Connection
    done: int = 0
    running: str | None = None
    tally: Tally | None = None
    asked: bool = False  # to stop

    @property
    def finished(self) -> bool:
        """Whether its tally is known."""
        return self.tally is not None


def run_spread(shards: list[Shard], progress: Progress) -> list[Tally]:
    """Run each shard in a process of its own. A process that dies has failed on the example it was running."""
    context = multiprocessing.get_context("spawn")
    workers = []
    try:
        for shard in shards:
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(shard, theirs), daemon=True)
            # Ctrl-C goes to all processes of a terminal: the parent alone answers it, and ends the others.
            with _one_blas_thread(), interrupts_held():
                process.start()
                workers.append(_Worker(shard, process, ours))
            theirs.close()
        while not all(worker.finished for worker in workers):
            _listen([worker for worker in workers if not worker.finished])
            if any(worker.tally.failure is not None for worker in workers if worker.tally is not None):
                _stop([worker for worker in workers if not worker.finished])
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


def _listen(workers: list[_Worker]) -> None:
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


def _stop(workers: list[_Worker]) -> None:
    """Ask processes to end after their example."""
    for worker in workers:
        if not worker.asked:
            worker.asked = True
            with contextlib.suppress(OSError):  # it has just died
                worker.pipe.send("stop")


def _take(worker: _Worker, kind: str, value: Any) -> None:
    if kind == "running":
        worker.running = value
    elif kind == "done":
        worker.done = value
    elif kind == "tally":
        worker.tally = value
    elif kind == "unavailable":
        raise EnvironmentUnavailable(value)
    elif kind == "internal":
        raise InternalError(value)
    else:
        raise InternalError(f"a process of the check broke down:\n{value}")


def _bury(worker: _Worker) -> None:
    """Record the death of a process as the failure of its example."""
    worker.process.join()
    message = f"the process running this example ended with exit code {worker.process.exitcode}"
    if worker.running is None:
        raise InternalError(f"{message}, before it ran one")
    tally = Tally(examples=worker.done)
    tally.failure = failure_from("crash", message, worker.running)
    worker.tally = tally
