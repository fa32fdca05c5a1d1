"""Arrays on a GPU, of any library that speaks ``__cuda_array_interface__`` or DLPack, without a copy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
_DLPACK_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
_LEGACY_STREAM = 1  # the legacy default stream, as both protocols call it


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """What a kernel needs to know of an array on a GPU.

    Attributes:
        address: of the element at index 0.
        shape: in elements.
        strides: in bytes, one for each dimension.
        dtype: NumPy's name, "float32".
        read_only: whether its owner forbids writing.
        device: ordinal, None if the array is empty and its owner does not say.
        context: handle of the context that the memory lives in, 0 if in none in particular.
        producer: stream that the array's last work was given to, None if there is nothing to wait for.
        owner: keeps the memory alive as long as this record is.

    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    read_only: bool
    device: int | None
    context: int
    producer: int | None
    owner: object


def is_device_array(array: object) -> bool:
    """Whether an array says that it lies on a GPU."""
    ask = getattr(array, "__dlpack_device__", None)
    if ask is not None:
        return ask()[0] in _DLPACK_CUDA
    try:
        return hasattr(array, "__cuda_array_interface__")
    except RuntimeError:  # it does, and refuses to be read: `device_array` passes on why
        return True


def device_array(array: object, name: str, stream: int = 0) -> DeviceArray:
    """Reads an array's description; copies nothing.

    Args:
        array: an object with ``__cuda_array_interface__`` or ``__dlpack__`` (torch, CuPy, PyCUDA, numba, JAX ...).
        name: of the argument, for the message.
        stream: handle of the stream that the kernel will run on; a DLPack producer orders its own work before it.

    Raises:
        ArgumentError: not on a GPU, or of a kind that no kernel takes (masked, or one that needs a gradient).

    """
    try:
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            return _from_interface(array, interface, name)
        if is_device_array(array):
            return _from_dlpack(array, name, stream)
    except ArgumentError:
        raise
    except (RuntimeError, TypeError, ValueError, BufferError, AttributeError) as error:
        # torch, say, refuses both protocols for a tensor that requires a gradient, and says what to do.
        raise ArgumentError(f"{name} can not be read as a GPU array: {error}") from error
    raise ArgumentError(
        f"{name} is a {type(array).__module__}.{type(array).__qualname__} and not on a GPU; "
        "pass an object with __cuda_array_interface__ or DLPack on CUDA, or use on='cpu'."
    )


def _from_interface(array: object, interface: dict[str, Any], name: str) -> DeviceArray:
    import numpy as np

    if interface.get("mask") is not None:
        raise ArgumentError(f"{name} is a masked array; a kernel reads every element. Pass one without a mask.")
    address, read_only = interface["data"]
    shape = tuple(int(extent) for extent in interface["shape"])
    dtype = np.dtype(interface["typestr"])
    given = interface.get("strides")
    strides = contiguous_strides(shape, dtype.itemsize) if given is None else tuple(int(stride) for stride in given)
    producer = interface.get("stream")
    device, context = _place(name, int(address or 0), None)
    return DeviceArray(
        address=int(address or 0),
        shape=shape,
        strides=strides,
        dtype=dtype.name,
        read_only=bool(read_only),
        device=device,
        context=context,
        producer=None if producer is None else int(producer),
        owner=array,
    )


def _place(name: str, address: int, device: int | None) -> tuple[int | None, int]:
    from gemmgen.runtime import driver

    return driver.pointer_place(name, address) if address else (device, 0)


def contiguous_strides(shape: Sequence[int], item_bytes: int) -> tuple[int, ...]:
    """Strides in bytes of a row-major array."""
    strides = []
    step = item_bytes
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def _from_dlpack(array: Any, name: str, stream: int) -> DeviceArray:
    capsule = array.__dlpack__(stream=stream or _LEGACY_STREAM)
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _Tensor.from_address(get_pointer(capsule, b"dltensor"))
    shape = tuple(tensor.shape[: tensor.dimensions])
    item_bytes = tensor.bits * tensor.lanes // 8
    if tensor.strides:
        strides = tuple(stride * item_bytes for stride in tensor.strides[: tensor.dimensions])
    else:
        strides = contiguous_strides(shape, item_bytes)
    kind = _DLPACK_KINDS.get(tensor.kind, f"kind{tensor.kind}_")
    address = (tensor.data or 0) + tensor.byte_offset if 0 not in shape else 0
    device, context = _place(name, address, int(tensor.device_id))
    return DeviceArray(
        address=address,
        shape=shape,
        strides=strides,
        dtype="bool" if kind == "bool" else f"{kind}{tensor.bits}" + (f"x{tensor.lanes}" if tensor.lanes > 1 else ""),
        read_only=False,  # the unversioned capsule can not say
        device=device,
        context=context,
        producer=None,  # __dlpack__(stream=...) has ordered the producer's work before ours
        owner=(array, capsule),  # the capsule, unconsumed, frees the tensor when it goes
    )
