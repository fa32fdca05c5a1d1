"""Host arrays for a kernel on a GPU: the same bytes, pitches and alignments in device memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmgen.runtime import driver
from gemmgen.runtime.arrays import DeviceArray
from gemmgen.runtime.context import active_context
from gemmgen.runtime.matrix import Allocation

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

_ALIGNMENT = 256
"""What device allocations are aligned to: an address keeps its remainder, so the same path is chosen as on the host."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Host memory [low, high) and where its copy begins."""

    low: int
    high: int
    start: int
    allocation: Allocation


class Mirror:
    """Device copies of NumPy arrays.

    Each array's whole span, the padding between its rows included, is copied as it lies. Arrays that overlap on the
    host overlap on the device likewise, so that in-place use and aliasing mean the same there.

    Args:
        arrays: by name.
        device: ordinal; None for the caller's.
        whole_allocations: copy all of the memory that a view was cut from, so that a stray write beside it shows.

    Raises:
        EnvironmentUnavailable: there is no GPU that can be used.

    """

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray[Any, Any]],
        device: int | None = None,
        *,
        whole_allocations: bool = False,
    ) -> None:
        self._arrays = dict(arrays)
        self._spans = {
            name: span(allocation_of(array) if whole_allocations else array) for name, array in arrays.items()
        }
        with active_context(device) as self.device:
            self.context = driver.current_context()
            self._blocks = [_copied(low, high) for low, high in merged_spans(list(self._spans.values()))]

    def __getitem__(self, name: str) -> DeviceArray:
        """The device copy of an array."""
        array = self._arrays[name]
        host = array.__array_interface__["data"][0]
        return DeviceArray(
            address=self._device_address(host) if array.size else 0,
            shape=array.shape,
            strides=array.strides,
            dtype=array.dtype.name,
            read_only=not array.flags.writeable,
            device=self.device,
            context=self.context,
            producer=None,
            owner=self,
        )

    @property
    def arrays(self) -> dict[str, DeviceArray]:
        """The device copy of every array, by name."""
        return {name: self[name] for name in self._arrays}

    def copy_back(self, name: str) -> None:
        """Waits for the device and writes back all that was copied for an array, so that stray writes show as well.

        Raises:
            DeviceFault: a kernel faulted.

        """
        low, high = self._spans[name]
        if low < high:
            with active_context(self.device, self.context):
                driver.copy_out(low, self._device_address(low), high - low)

    def _device_address(self, host: int) -> int:
        return next(block.start + host - block.low for block in self._blocks if block.low <= host < block.high)


def _copied(low: int, high: int) -> _Block:
    allocation = Allocation(high - low + _ALIGNMENT)
    start = allocation.address + (low - allocation.address) % _ALIGNMENT
    driver.copy_in(start, low, high - low)
    return _Block(low, high, start, allocation)


def allocation_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that owns the memory of a view."""
    import numpy as np

    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def span(array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """First address of an array's elements and one past the last; both the same if it has none."""
    low = high = array.__array_interface__["data"][0]
    if array.size == 0:
        return low, high
    for extent, stride in zip(array.shape, array.strides, strict=True):
        low += min(0, (extent - 1) * stride)
        high += max(0, (extent - 1) * stride)
    return low, high + array.itemsize


def merged_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap as one; empty ones left out."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if low == high:
            continue
        if merged and low < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged
