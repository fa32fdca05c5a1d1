"""The slots of a schedule, and what the rooms above may ask of the record that fills one.

A mechanism's record derives from its slot's class; geometry, rules and lowering speak to these classes only.
"""

from __future__ import annotations

from typing import ClassVar

from gemmgen.ir.domain import Maybe, Names
from gemmgen.ir.record import REQUIRED, Record

MAJOR = Maybe(Names(("k", "m", "n")), "the operand's free axis")
"""Domain of the parameter `major` of shared-memory layouts."""
MAJOR_WHY = "A tile in shared memory has two axes: K, and M of A or N of B"


class SlotRecord(Record):
    """Base of the records of all mechanisms."""

    __slots__ = ()
    slot: ClassVar[str] = ""

    def __str__(self) -> str:
        """The shorthand: the mechanism's name, with the parameters that differ from their defaults."""
        from gemmgen.ir.shorthand import write_shorthand

        return write_shorthand(self)


class CopyRecord(SlotRecord):
    """How an operand travels from global memory to the fragments."""

    __slots__ = ()
    slot: ClassVar[str] = "copy"
    through_shared: ClassVar[bool] = True
    """Whether the operand is staged in shared memory."""


class SmemRecord(SlotRecord):
    """How an operand's tile lies in shared memory."""

    __slots__ = ()
    slot: ClassVar[str] = "smem"
    major: str | None
    """The contiguous axis: "k", or the operand's free axis ("m" of A, "n" of B), which None stands for as well."""

    def contiguous(self, free: str) -> str:
        """The contiguous axis, given the operand's free axis."""
        return free if self.major is None else self.major

    def pitch(self, extent: int) -> int:
        """Elements from one line to the next, given the tile's extent along the contiguous axis."""
        return extent

    @property
    def granule(self) -> int:
        """Neighbours along the contiguous axis that stay neighbours: no access to shared memory may be wider."""
        return 4


class LayoutRecord(SlotRecord):
    """Which elements of a warp tile belong to which lane."""

    __slots__ = ()
    slot: ClassVar[str] = "thread_layout"

    def run(self, extent: int, quad: int) -> int:
        """Neighbouring elements that one thread holds, of `extent` along an axis; `quad` elements are 16 bytes."""
        raise NotImplementedError


class MmaRecord(SlotRecord):
    """Which instructions multiply and accumulate."""

    __slots__ = ()
    slot: ClassVar[str] = "mma"
    types: ClassVar[tuple[tuple[str, str, str, str], ...]] = ()
    """The element types of A, B and C, and the accumulator's, that they take; the plainest first."""


class EdgesRecord(SlotRecord):
    """What happens where a tile reaches over the end of a matrix."""

    __slots__ = ()
    slot: ClassVar[str] = "edges"
    masked: ClassVar[bool] = True
    """Whether accesses ask if they lie inside their matrix; otherwise the launcher takes whole tiles only."""


class RasterRecord(SlotRecord):
    """Which CTA computes which tile."""

    __slots__ = ()
    slot: ClassVar[str] = "raster"


def differing(record: SlotRecord) -> list[tuple[str, object]]:
    """The parameters of a record that must be written out: those without a default, and those that differ from it."""
    return [
        (p.name, getattr(record, p.name))
        for p in record.params()
        if p.default is REQUIRED or getattr(record, p.name) != p.default
    ]
