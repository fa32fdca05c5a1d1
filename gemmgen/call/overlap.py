"""Whether two matrices in memory share a byte: the same rule as the emitted launcher's, for callers in Python."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Footprint", "overlap"]


@dataclass(frozen=True, slots=True)
class Footprint:
    """``runs`` contiguous runs of ``width`` bytes, ``pitch`` bytes apart, from address ``begin``."""

    begin: int
    runs: int
    width: int
    pitch: int

    @property
    def end(self) -> int:
        """One past the last byte."""
        return self.begin + (self.runs - 1) * self.pitch + self.width


def overlap(x: Footprint, y: Footprint) -> bool:
    """Whether two non-empty matrices share a byte.

    Exact for equal pitches, so that blocks of one larger matrix may lie side by side: their runs then meet only if
    their columns do, modulo the pitch. With different pitches, matrices whose spans interleave count as overlapping.
    """
    if x.end <= y.begin or y.end <= x.begin:
        return False
    if x.runs == 1:
        x = replace(x, pitch=y.pitch)
    if y.runs == 1:
        y = replace(y, pitch=x.pitch)
    if x.pitch != y.pitch or x.width > x.pitch or y.width > y.pitch:
        return True
    offset = (y.begin - x.begin) % x.pitch
    return offset < x.width or offset + y.width > x.pitch
