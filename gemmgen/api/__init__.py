"""What a program calls: ``generate`` a kernel, look at it, run it."""

from __future__ import annotations

from gemmgen.api.kernel import Kernel, generate

__all__ = ["Kernel", "generate"]
