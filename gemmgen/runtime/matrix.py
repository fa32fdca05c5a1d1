"""Matrices that live on a GPU."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from gemmgen.runtime import driver
from gemmgen.runtime.arrays import contiguous_strides
from gemmgen.runtime.context import active_context

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Allocation", "DeviceMatrix", "copy_to_device", "empty_device_matrix"]


class Allocation:
    """Memory on a GPU, freed in its own context whichever thread lets go of it.

    Args:
        size: bytes.

    Attributes:
        address: of the first byte, a multiple of 256.
        context: the context that was current, in which it lives.
        device: ordinal.

    """

    def __init__(self, size: int) -> None:
        self.address = 0
        self.context = driver.current_context()
        self.device = driver.current_device()
        self.address = driver.allocate(size)

    def __del__(self) -> None:
        # The context may be gone, and the memory with it; or the interpreter may be half gone.
        with contextlib.suppress(Exception):
            if self.address:
                with active_context(self.device, self.context):
                    driver.free(self.address)


class DeviceMatrix:
    """A dense array on a GPU, for any library that takes ``__cuda_array_interface__`` (torch, CuPy, PyCUDA, numba).

    ``torch.as_tensor(d, device="cuda")`` and ``cupy.asarray(d)`` share its memory; `get` copies it to the host.
    """

    def __init__(self, shape: tuple[int, ...], dtype: str, *, column_major: bool = False) -> None:
        import numpy as np

        self.shape = shape
        self.dtype = np.dtype(dtype)
        order = shape[::-1] if column_major else shape
        strides = contiguous_strides(order, self.dtype.itemsize)
        self.strides = strides[::-1] if column_major else strides
        self.nbytes = int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize
        self._allocation = Allocation(self.nbytes)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array's description, version 3. There is nothing to wait for: the caller knows the stream."""
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._allocation.address if self.nbytes else 0, False),
            "strides": self.strides,
            "stream": None,
        }

    def get(self) -> np.ndarray[Any, Any]:
        """Waits for the device and returns a copy on the host, of the same layout.

        Raises:
            DeviceFault: a kernel faulted.

        """
        import numpy as np

        column_major = self.strides != contiguous_strides(self.shape, self.dtype.itemsize)
        host = np.empty(self.shape, self.dtype, order="F" if column_major else "C")
        if self.nbytes:
            with active_context(self._allocation.device, self._allocation.context):
                driver.copy_out(host.ctypes.data, self._allocation.address, self.nbytes)
        return host

    def _fill(self, host: np.ndarray[Any, Any]) -> None:
        if self.nbytes:
            driver.copy_in(self._allocation.address, host.ctypes.data, self.nbytes)


def empty_device_matrix(
    rows: int, columns: int, dtype: str, *, column_major: bool, device: int | None = None, context: int = 0
) -> DeviceMatrix:
    """A new matrix of undefined content whose rows, or columns, follow each other closely.

    Raises:
        EnvironmentUnavailable: there is no GPU that can be used.

    """
    with active_context(device, context):
        return DeviceMatrix((rows, columns), dtype, column_major=column_major)


def copy_to_device(array: np.ndarray[Any, Any], device: int | None = None) -> DeviceMatrix:
    """A copy of a NumPy array on a GPU, row-major, or column-major if the array is.

    Raises:
        EnvironmentUnavailable: there is no GPU that can be used.

    """
    import numpy as np

    column_major = bool(array.flags.f_contiguous and not array.flags.c_contiguous)
    host = np.asarray(array, order="F" if column_major else "C")
    with active_context(device):
        matrix = DeviceMatrix(host.shape, host.dtype.name, column_major=column_major)
        matrix._fill(host)  # noqa: SLF001  # a friend: the class does not know of host arrays
    return matrix
