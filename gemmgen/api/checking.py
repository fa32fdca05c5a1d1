"""Property tests for the command line: of one description, or of random ones."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gemmgen.api.documents import load_description
from gemmgen.api.origin import difference_note
from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gemmgen.api.documents import Description
    from gemmgen.emit import Emitted
    from gemmgen.ir import Gemm, Schedule
    from gemmgen.testing.cases import Backend, Failure
    from gemmgen.testing.check import CheckReport

__all__ = ["AsWritten", "check_description", "replay_failure", "report_document", "reproduce_command"]


@dataclasses.dataclass(frozen=True, slots=True)
class AsWritten:
    """Emits a kernel with the text of a file in place of the generated one. It can be pickled.

    Attributes:
        text: of the ``.cu``.
        name: of its launcher; None: the generated symbol.

    """

    text: str
    name: str | None

    def __call__(self, problem: Gemm, schedule: Schedule, target: str) -> Emitted:
        """The kernel whose text this is said to be."""
        from gemmgen.emit import emit

        return dataclasses.replace(emit(problem, schedule, target, self.name), source=self.text)


def check_description(
    file: str | None,
    *,
    on: str,
    examples: int,
    seed: int,
    target: str,
    processes: int,
    progress: Callable[[int, int], object],
    warn: Callable[[str], object],
) -> CheckReport:
    """Property-tests what a file describes, or random schedules if it is None.

    Of a ``.cu`` the text is tested as it stands in the file; ``warn`` is told if that is not what its banner gives.

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
        chosen = {"problem": described.problem, "schedule": described.schedule, "target": described.target.name}
        chosen["emit"] = _as_written(file, described, warn)
    return check(examples=examples, seed=seed, processes=processes, backend=_backend(on), progress=progress, **chosen)


def _as_written(file: str, described: Description, warn: Callable[[str], object]) -> AsWritten:
    kernel = described.generate()  # what is not legal is refused here, whole
    if described.text is None:
        return AsWritten(kernel.source, described.name)
    note = difference_note(file, described.text, kernel)
    if note is not None:
        warn(f"{note} The file's text is tested.")
    return AsWritten(described.text, described.name)


def reproduce_command(report: CheckReport, file: str | None) -> str | None:
    """The command that runs a report's failure again: on the text of the ``.cu`` that was checked, if it was one."""
    command = report.command
    if command is None or file is None or Path(file).suffix.lower() != ".cu":
        return command
    return command.replace("gemmgen check ", f"gemmgen check {shlex.quote(file)} ", 1)


def replay_failure(text: str, on: str, file: str | None, warn: Callable[[str], object]) -> Failure | None:
    """Runs a recorded failure again, on the text of a file if one is given; None if it is right now.

    Raises:
        ArgumentError: the text is no recorded failure, or is one of another kernel than the file's.

    """
    from gemmgen.testing.check import replay

    try:
        document = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"--replay takes the JSON that a failure printed: {error}") from None
    if not isinstance(document, dict):
        raise ArgumentError("--replay takes the JSON object that a failure printed.")
    emit = None
    if file is not None:
        described = load_description(file)
        own = described.to_dict()
        if any(document.get(part) != own[part] for part in ("problem", "schedule", "target")):
            raise ArgumentError(f"--replay: the failure was recorded of another kernel than {file} describes.")
        emit = _as_written(file, described, warn)
    return replay(document, emit=emit, backend=_backend(on)())


def report_document(report: CheckReport, file: str | None) -> dict[str, Any]:
    """A report as plain data, with the command that runs its failure again."""
    return {**dataclasses.asdict(report), "command": reproduce_command(report, file)}


def _backend(on: str) -> Callable[[], Backend]:
    if on == "cpu":
        from gemmgen.testing.backends import Emulator

        return Emulator
    from gemmgen.runtime.context import require_device

    require_device()
    from gemmgen.testing.gpu import Gpu

    return Gpu
