"""Property tests for the command line: of one description, or of random ones."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from gemmgen.api.documents import load_description
from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gemmgen.testing.cases import Backend, Failure
    from gemmgen.testing.check import CheckReport

__all__ = ["check_description", "replay_failure", "report_document"]


def check_description(
    file: str | None,
    *,
    on: str,
    examples: int,
    seed: int,
    target: str,
    processes: int,
    progress: Callable[[int, int], object],
) -> CheckReport:
    """Property-tests what a file describes, or random schedules if it is None.

    Raises:
        DocumentError: the file can not be read.
        ScheduleError: its schedule is not legal.
        EnvironmentUnavailable: no C++ compiler, or no GPU for ``on="cuda"``.

    """
    from gemmgen.target import resolve
    from gemmgen.testing.check import check

    chosen: dict[str, Any] = {"target": resolve(target).name}
    if file is not None:
        described = load_description(file)
        described.generate()  # what is not legal is refused here, whole
        chosen = {"problem": described.problem, "schedule": described.schedule, "target": described.target.name}
    return check(examples=examples, seed=seed, processes=processes, backend=_backend(on), progress=progress, **chosen)


def replay_failure(text: str, on: str) -> Failure | None:
    """Runs a recorded failure again; None if it is right now.

    Raises:
        ArgumentError: the text is no recorded failure.

    """
    from gemmgen.testing.check import replay

    try:
        document = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"--replay takes the JSON that a failure printed: {error}") from None
    if not isinstance(document, dict):
        raise ArgumentError("--replay takes the JSON object that a failure printed.")
    return replay(document, backend=_backend(on)())


def report_document(report: CheckReport) -> dict[str, Any]:
    """A report as plain data."""
    return {**dataclasses.asdict(report), "command": report.command}


def _backend(on: str) -> Callable[[], Backend]:
    if on == "cpu":
        from gemmgen.testing.backends import Emulator

        return Emulator
    from gemmgen.runtime.context import require_device

    require_device()
    from gemmgen.testing.gpu import Gpu

    return Gpu
