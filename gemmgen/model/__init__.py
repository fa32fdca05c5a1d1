"""What a kernel should cost, computed without running it."""

from __future__ import annotations

from gemmgen.model.occupancy import Occupancy, occupancy
from gemmgen.model.transactions import (
    INSTRUCTIONS,
    global_sectors,
    ideal_global_sectors,
    ideal_shared_wavefronts,
    shared_wavefronts,
)

__all__ = [
    "INSTRUCTIONS",
    "Occupancy",
    "global_sectors",
    "ideal_global_sectors",
    "ideal_shared_wavefronts",
    "occupancy",
    "shared_wavefronts",
]
