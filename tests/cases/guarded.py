"""Matrices in memory whose every byte outside the matrix is a known pattern."""

from __future__ import annotations

import numpy as np

GUARD = 512  # bytes on either side


class Guarded:
    """A float32 matrix of a layout and a leading dimension; ``untouched`` compares everything around its elements."""

    def __init__(self, values: np.ndarray, layout: str = "row", ld: int = 0, offset: int = 0) -> None:
        rows, columns = values.shape
        runs, width = (rows, columns) if layout == "row" else (columns, rows)
        pitch = max(1, ld, width)
        span = 4 * (max(0, runs - 1) * pitch + width) if runs else 0
        self.storage = np.full(2 * GUARD + 4 * offset + span, 0xA5, np.uint8)
        strides = (4 * pitch, 4) if layout == "row" else (4, 4 * pitch)
        self.array = np.ndarray(values.shape, np.float32, self.storage.data, GUARD + 4 * offset, strides)
        self.array[...] = values
        self._before = self.storage.copy()
        mask = np.zeros(self.storage.shape, bool)
        inside = np.ndarray((rows, columns, 4), bool, mask.data, GUARD + 4 * offset, (*strides, 1))
        inside[...] = True
        self._inside = mask

    @property
    def untouched(self) -> bool:
        """Whether every byte outside of the matrix is as it was."""
        return np.array_equal(self.storage[~self._inside], self._before[~self._inside])

    @property
    def unchanged(self) -> bool:
        """Whether the matrix too is as it was, bit for bit."""
        return np.array_equal(self.storage, self._before)


def integers(seed: int, *shape: int) -> np.ndarray:
    """Small integers, with which every order of summation gives the same float32."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def filled(value: float, *shape: int) -> np.ndarray:
    return np.full(shape, value, np.float32)
