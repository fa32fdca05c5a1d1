"""What can go wrong, as data and as exceptions.

A `ScheduleError` or an `ArgumentError` is the caller's, and says how to mend it; an `InternalError` is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REMOVE = None
"""In a `Diagnostic.fix`: leave the field out. Every field that may be None means by None that it was left out."""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


@dataclass(frozen=True)
class Diagnostic:
    """One broken rule.

    `field` is a path such as "schedule.stages". `message` is one sentence with the values by name and the arithmetic;
    `reason` is what in the hardware or in the logic asks for the rule; `suggestion` says what to write instead.
    `fix` holds the first alternative of the suggestion as data, in serial form: {"schedule.stages": 3}. Once all of its
    replacements are made, this rule no longer complains about this field. `REMOVE` (None) means: leave the field out.
    """

    rule: str
    field: str
    message: str
    reason: str
    suggestion: str
    # A mapping has no hash; the rest tells diagnostics apart well enough.
    fix: Mapping[str, object] = dataclass_field(hash=False)

    def __str__(self) -> str:
        """All of it on one line: "GG014: message. reason. suggestion"."""
        parts = [_sentence(part) for part in (self.message, self.reason, self.suggestion) if part]
        return f"{self.rule}: {' '.join(parts)}"


class GemmgenError(Exception):
    """Base of everything that gemmgen raises on purpose."""


class ScheduleError(GemmgenError):
    """The problem, the schedule or the target is not legal. `diagnostics` names every broken rule."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Join all diagnostics into one message, a line each."""
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))

    def __reduce__(self) -> tuple[type[ScheduleError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle by the diagnostics, from which the message follows."""
        return (type(self), (self.diagnostics,))


class ArgumentError(GemmgenError):
    """Arrays, sizes or scalars that a kernel can not take. The message lists all that is wrong."""


class DocumentError(GemmgenError):
    """A schedule file that can not be read. One line: the file, the place in it, what is wrong."""


class EnvironmentUnavailable(GemmgenError):
    """Something outside gemmgen is missing (g++, nvcc, a GPU). One sentence: what, and how to get it."""


class EmulationFault(GemmgenError):
    """The emulator saw a kernel do something illegal. `report` holds what it saw."""

    def __init__(self, report: object) -> None:
        """Keep the report; its text is the message."""
        self.report = report
        super().__init__(str(report))


class InternalError(Exception):
    """A fault of gemmgen itself: never the caller's doing."""
