"""Runs the small kernels of tests/negative, all with one launcher signature."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gemmgen.emulator import Emulation, Options, Region, SharedMember, emulate

NEGATIVE = Path(__file__).parents[2] / "negative"
SIGNATURE = ("ptr", "i64", "ptr", "i64", "i32", "i32")


@dataclass
class Case:
    """A launcher `run(A, lda, D, ldd, rows, columns)` and its memory: A of ones, rows x columns, with padding."""

    source: str
    rows: int = 8
    columns: int = 8
    ld: int = 12
    members: tuple[SharedMember, ...] = ()
    d: Any = field(default=None)

    def _matrix(self, value: float) -> Any:
        """Filled with the value, at a multiple of 32 bytes as counts of sectors need it."""
        whole = np.full(self.rows * self.ld + 8, value, np.float32)
        skip = -whole.ctypes.data // 4 % 8
        return whole[skip : skip + self.rows * self.ld].reshape(self.rows, self.ld)

    def run(self, options: Options | None = None, **region: Any) -> Emulation:
        """Emulate it; `region` replaces fields of D's region."""
        a, self.d = self._matrix(1.0), self._matrix(np.nan)
        extent = (self.rows, self.columns * 4, self.ld * 4, 4)
        output = {"readable": True, "writable": True, "initialised": False, "must_write": False, **region}
        return emulate(
            self.source,
            function="run",
            signature=SIGNATURE,
            arguments=(a.ctypes.data, self.ld, self.d.ctypes.data, self.ld, self.rows, self.columns),
            regions=(Region("A", a.ctypes.data, *extent), Region("D", self.d.ctypes.data, *extent, **output)),
            shared_members=self.members,
            options=options or Options(context={"shape": f"{self.rows} x {self.columns}"}),
        )


_ARRAY = re.compile(r"^  (float|unsigned char|unsigned short) (\w+)((?:\[[^\]]+\])+);", re.MULTILINE)
_BYTES = {"float": 4, "unsigned char": 1, "unsigned short": 2}


def members_of(source: str) -> tuple[SharedMember, ...]:
    """Read the arrays of the text's `struct Shared`."""
    found: list[SharedMember] = []
    offset = 0
    for kind, name, extents in _ARRAY.findall(source.partition("};")[0]):
        size = _BYTES[kind]
        for extent in re.findall(r"\[([^\]]+)\]", extents):
            size *= int(np.prod([int(factor) for factor in extent.split("*")]))
        found.append(SharedMember(name, offset, size))
        offset += size
    return tuple(found)


def load(path: Path) -> Case:
    """Make a case of a file."""
    source = path.read_text(encoding="utf-8")
    return Case(source, members=members_of(source))


def expected(source: str) -> set[tuple[str, int]]:
    """Read which kinds of fault the text declares, and in which lines."""
    return {
        (kind.strip(), number)
        for number, line in enumerate(source.split("\n"), 1)
        if "// expect:" in line
        for kind in line.partition("// expect:")[2].split(",")
    }


@pytest.fixture(autouse=True, scope="session")
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Leave the user's cache alone, but let all tests of a run share one."""
    patch = pytest.MonkeyPatch()
    root = tmp_path_factory.getbasetemp()
    patch.setenv("GEMMGEN_CACHE_DIR", str((root.parent if root.name.startswith("popen-") else root) / "cache"))
    yield
    patch.undo()
