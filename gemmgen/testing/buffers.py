"""Matrices in memory that tell when anything outside them was touched.

A `MatrixBuffer` is one matrix with its leading dimension and base offset inside an allocation of its own. All bytes
that are not elements (guard zones on both sides, padding between the width and the leading dimension) hold NaN of a
payload that depends on matrix and place, so that neither a stray write nor a padding copied from elsewhere goes
unseen.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Bytes = NDArray[np.uint8]

Layout = Literal["row", "col"]

# A stray vector access from any element ends inside a guard zone, and so does a row of a small tile.
GUARD_BYTES = 1024
# Alignment of an allocation, as cudaMalloc gives it.
BASE_ALIGNMENT = 256


@dataclass(frozen=True, slots=True)
class MatrixBuffer:
    """One matrix: `view` is (rows, columns) onto `storage`, which also holds padding and guard zones."""

    name: str
    layout: Layout
    ld: int  # elements from one row (column, for "col") to the next
    offset: int  # elements from the aligned base to the first element
    view: Array
    storage: Bytes
    start: int  # byte of the first element in `storage`
    pristine: Bytes  # `storage` as last sealed

    @property
    def item_bytes(self) -> int:
        """Bytes of one element."""
        return int(self.view.dtype.itemsize)

    @property
    def address(self) -> int:
        """Of the first element, in bytes."""
        return int(self.storage.ctypes.data) + self.start

    @property
    def lines(self) -> tuple[int, int]:
        """Number of lines (rows, or columns for "col") and the elements of each."""
        rows, columns = self.view.shape
        return (rows, columns) if self.layout == "row" else (columns, rows)

    @property
    def misaligned_by(self) -> int:
        """Bytes by which the first element misses 16-byte alignment."""
        return self.address % 16

    def poison(self) -> None:
        """Fill the elements, too, with the poison: what is not written afterwards is NaN, and known to be ours."""
        poisoned = _poison(self.storage.size, self.view.dtype, self.name)
        self.view[...] = _view(poisoned, self.view.dtype, self.view.shape, self.layout, self.ld, self.start)
        self.seal()

    def fill(self, values: Array) -> None:
        """Copy `values`, of the matrix's shape, into the elements."""
        self.view[...] = values
        self.seal()

    def seal(self) -> None:
        """Make what the allocation holds now what `change` compares with."""
        self.pristine[...] = self.storage

    def change(self, *, outside_only: bool = False) -> str | None:
        """Name the first byte that differs from the sealed state, or None.

        `outside_only` leaves out the elements.
        """
        different = self.storage != self.pristine
        if outside_only:
            self._elements(different)[...] = False
        if not different.any():
            return None
        return self._describe(int(np.argmax(different)), int(np.count_nonzero(different)))

    def unwritten(self) -> list[tuple[int, int]]:
        """List row and column of the elements that still hold the bits sealed, in logical order."""
        changed = self._elements(self.storage != self.pristine).any(axis=-1)
        return [(int(row), int(column)) for row, column in np.argwhere(~changed)]

    def _elements(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """View the flags of the elements' bytes: (rows, columns, bytes of an element)."""
        size = self.item_bytes
        line, step = self.ld * size, size
        strides = (line, step, 1) if self.layout == "row" else (step, line, 1)
        return np.ndarray((*self.view.shape, size), np.bool_, flags.data, self.start, strides)

    def _describe(self, byte: int, count: int) -> str:
        position = byte - self.start
        lines, width = self.lines
        size = self.item_bytes
        extent = ((lines - 1) * self.ld + width) * size if lines and width else 0
        bits = f"0x{int(self.pristine[byte]):02x} became 0x{int(self.storage[byte]):02x}; {count} bytes changed"
        if position < 0:
            return f"{self.name}: {-position} bytes before its first element (guard zone), {bits}"
        if position >= extent:
            return f"{self.name}: {position - extent} bytes after its last element (guard zone), {bits}"
        line, rest = divmod(position, self.ld * size)
        row, column = (line, rest // size) if self.layout == "row" else (rest // size, line)
        where = "" if rest // size < width else ", in the padding of its leading dimension"
        return f"{self.name}[{row}, {column}], byte {rest % size}{where}: {bits}"


def allocate(
    name: str,
    shape: tuple[int, int],
    *,
    layout: Layout = "row",
    ld: int | None = None,
    offset: int = 0,
    dtype: str = "float32",
) -> MatrixBuffer:
    """Allocate a poisoned matrix of `shape` (rows, columns).

    `ld` is the leading dimension in elements, by default the smallest; `offset` the elements between a 256-byte
    aligned base and the first element. As in BLAS, the last line has no padding behind it: what follows it is guard
    zone. Raises ArgumentError for a negative shape or offset, or an `ld` below the width.
    """
    rows, columns = shape
    lines, width = (rows, columns) if layout == "row" else (columns, rows)
    ld = max(1, width) if ld is None else ld
    if rows < 0 or columns < 0 or offset < 0:
        raise ArgumentError(f"{name}: shape {rows} x {columns} and offset {offset} must not be negative.")
    if ld < max(1, width):
        raise ArgumentError(f"{name}: the leading dimension is {ld}, but a line has {width} elements. Use {width}.")
    kind = np.dtype(dtype)
    extent = ((lines - 1) * ld + width) * kind.itemsize if lines and width else 0
    start = GUARD_BYTES + offset * kind.itemsize
    size = start + extent + GUARD_BYTES
    raw = np.empty(size + BASE_ALIGNMENT, np.uint8)
    skip = -int(raw.ctypes.data) % BASE_ALIGNMENT
    storage = raw[skip : skip + size]
    storage[...] = _poison(size, kind, name)
    return MatrixBuffer(
        name, layout, ld, offset, _view(storage, kind, shape, layout, ld, start), storage, start, storage.copy()
    )


def _view(storage: Bytes, dtype: np.dtype[Any], shape: tuple[int, ...], layout: Layout, ld: int, start: int) -> Array:
    line, step = ld * dtype.itemsize, dtype.itemsize
    return np.ndarray(shape, dtype, storage.data, start, (line, step) if layout == "row" else (step, line))


def _poison(size: int, dtype: np.dtype[Any], name: str) -> Bytes:
    """Make `size` bytes of quiet NaN whose payloads differ from place to place and from matrix to matrix."""
    info = np.finfo(dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    quiet = np.array(np.nan, dtype).view(bits)
    payload = (1 << (int(info.nmant) - 1)) - 1
    places = np.arange(-(-size // dtype.itemsize), dtype=np.uint64)
    # A multiplicative hash (Knuth's golden ratio constant) scatters the place over the payload bits.
    mixed = ((places + np.uint64(zlib.crc32(name.encode()))) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    words = (mixed & np.uint64(payload)).astype(bits) | quiet
    return np.asarray(words.view(np.uint8)[:size])
