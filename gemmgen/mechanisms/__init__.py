"""One module a mechanism: its record, its rules, its lowering, its planted faults.

The set is open: `gemmgen.ir.registry.register` takes a mechanism from anywhere.
"""

from __future__ import annotations

from importlib import import_module

# In the order in which names are listed: the plainest first.
_MODULES = (
    "contiguous",
    "quads",
    "ffma",
    "dfma",
    "direct",
    "sync",
    "linear",
    "padded",
    "swizzled",
    "predicate",
    "aligned",
    "raster_row",
    "raster_column",
    "raster_grouped",
    "raster_morton",
    "raster_hilbert",
)


def register_all() -> None:
    """Import every mechanism of the package; each registers itself."""
    for module in _MODULES:
        import_module(f"gemmgen.mechanisms.{module}")
