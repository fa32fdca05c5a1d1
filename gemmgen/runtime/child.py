"""Runs a job that may fault in a process of its own.

After an illegal access everything else in the same CUDA context fails too, and a deadlock never ends: a property test
that went on in its own process would report, and shrink to, nonsense.
"""

from __future__ import annotations

import multiprocessing
import pickle
import traceback
from typing import TYPE_CHECKING

from gemmgen.errors import GemmgenError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

_EXIT_SECONDS = 10


class ChildFault(GemmgenError):
    """The job raised, crashed or did not end. ``kind`` is "raised", "died" or "timeout"."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)

    def __reduce__(self) -> tuple[type[ChildFault], tuple[str, str]]:
        return (type(self), (self.kind, str(self)))


def run_in_child(job: Callable[..., object], *arguments: object, timeout_seconds: float = 120.0) -> object:
    """Calls ``job(*arguments)`` in a fresh interpreter and returns what it returns.

    Args:
        job: a function at the top level of an importable module.
        arguments: picklable values.
        timeout_seconds: after which the process is killed.

    Raises:
        ChildFault: the job raised (the message is its error's), its process died, or the time ran out.

    """
    context = multiprocessing.get_context("spawn")  # a forked child would inherit a CUDA context that it may not use
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, job, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        kind, value = _outcome(receiver, timeout_seconds)
        if kind == "timeout":
            process.kill()
        process.join(_EXIT_SECONDS)
    finally:
        receiver.close()
        if process.is_alive():
            process.kill()
            process.join()
    if kind == "returned":
        return value
    if kind == "raised":
        raise ChildFault(kind, str(value))
    if kind == "died":
        raise ChildFault(kind, f"The process of the job died with exit code {process.exitcode} and no word.")
    raise ChildFault(kind, f"The job did not end within {timeout_seconds:g} s; its process was killed.")


def _outcome(receiver: Connection, timeout_seconds: float) -> tuple[str, object]:
    try:
        if receiver.poll(timeout_seconds):
            kind, value = receiver.recv()
            return str(kind), value
    except EOFError:
        return "died", None
    return "timeout", None


def _child(sender: Connection, job: Callable[..., object], arguments: tuple[object, ...]) -> None:
    try:
        outcome: tuple[str, object] = ("returned", job(*arguments))
    except BaseException as error:  # noqa: BLE001  # whatever it was, the parent is told
        outcome = ("raised", "".join(traceback.format_exception_only(error)).strip())
    try:
        sender.send(outcome)
    except (TypeError, AttributeError, pickle.PicklingError) as error:  # a result that can not be pickled
        sender.send(("raised", f"The job's result can not be sent back: {error}"))
    sender.close()
