"""Array-like objects reduced to what a kernel needs to know: address, shape, strides, type, place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["ArrayView", "view_of"]

_CPU_DEVICES = (1, 3, 11)  # DLPack: kDLCPU, kDLCUDAHost, kDLROCMHost


@dataclass(frozen=True, slots=True)
class ArrayView:
    """Memory of an array: ``strides`` in bytes, ``dtype`` as in ``"float32"``, ``owner`` keeps it alive."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    item_bytes: int
    writable: bool
    owner: object


def view_of(array: Any) -> ArrayView | str:
    """The memory of ``array``, never a copy; a sentence saying why not if it cannot be used.

    Taken are NumPy arrays, anything with ``__array_interface__``, DLPack exporters of host memory, and views made
    already (which is how device memory comes here).
    """
    if isinstance(array, ArrayView):
        return array
    import numpy as np

    if isinstance(array, np.ndarray):
        return _numpy_view(array, array)
    if hasattr(array, "__cuda_array_interface__"):
        return 'is on a CUDA device; pass on="cuda", or copy it to the host'
    if hasattr(array, "__array_interface__"):
        return _numpy_view(np.asarray(array), array)
    if hasattr(array, "__dlpack__"):
        if next(iter(array.__dlpack_device__())) not in _CPU_DEVICES:
            return 'is not in host memory; pass on="cuda", or copy it to the host'
        try:
            return _numpy_view(np.from_dlpack(array), array)
        except (BufferError, RuntimeError, TypeError) as error:
            return f"cannot be shared through DLPack: {error}"
    return f"is a {type(array).__name__}, which has no memory to share; pass a NumPy array"


def _numpy_view(array: Any, owner: object) -> ArrayView:
    dtype = array.dtype
    name = dtype.name if dtype.isnative else f"{dtype.name} of foreign byte order"
    return ArrayView(
        address=int(array.__array_interface__["data"][0]),
        shape=tuple(map(int, array.shape)),
        strides=tuple(map(int, array.strides)),
        dtype=name,
        item_bytes=dtype.itemsize,
        writable=bool(array.flags.writeable),
        owner=(array, owner),
    )
