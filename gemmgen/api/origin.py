"""Tells what gemmgen wrote from what somebody else did, and an emitted text from one that was edited since."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gemmgen.api.kernel import Kernel

__all__ = ["Standing", "difference_note", "header_standing", "is_generated", "standing"]

Standing = Literal["as emitted", "edited", "other templates"]

_MARK = "// Written by gemmgen"
_MARKED_LINES = 8
_TEMPLATES = re.compile(r"^//   templates: (?P<digest>[0-9a-f]+)\s*$", re.MULTILINE)


def is_generated(content: bytes) -> bool:
    """Whether a ``.cu`` or ``.h`` opens with the words that gemmgen puts there."""
    return any(line.startswith(_MARK.encode()) for line in content.splitlines()[:_MARKED_LINES])


def standing(text: str, kernel: Kernel) -> Standing:
    """How the text of a ``.cu`` stands to the kernel that its banner describes.

    A text that differs and says that it is from today's templates was edited, its banner perhaps (or it comes from a
    gemmgen with other code and the same templates, which nothing in it tells).
    """
    if _with_line_feeds(text) == kernel.source:
        return "as emitted"
    return "edited" if _templates(text) in (None, _templates(kernel.source)) else "other templates"


def header_standing(header: str, kernel: Kernel) -> Standing:
    """The same of a ``.h`` that lies beside a ``.cu`` of today's templates."""
    return "as emitted" if _with_line_feeds(header) == kernel.header else "edited"


def difference_note(path: str, text: str, kernel: Kernel) -> str | None:
    """One sentence on how a file's text differs from what its banner gives; None if it does not."""
    found = standing(text, kernel)
    if found == "as emitted":
        return None
    if found == "edited":
        return f"{path}: its text differs from what its banner gives: it was edited."
    return (
        f"{path}: its text differs from what its banner gives: it was written from other templates "
        f"({_templates(text)}; now {_templates(kernel.source)})."
    )


def _templates(text: str) -> str | None:
    found = _TEMPLATES.search(text)
    return None if found is None else found["digest"]


def _with_line_feeds(text: str) -> str:
    # A checkout may have turned line ends into those of Windows, which edits nothing.
    return text.replace("\r\n", "\n")
