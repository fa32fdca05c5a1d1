"""The command line: ``gemmgen`` and ``python -m gemmgen``."""

from __future__ import annotations

from gemmgen.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
