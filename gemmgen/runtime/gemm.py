"""One call of an emitted kernel on a GPU: the launcher's decisions made from the plan, the kernel as emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gemmgen.call import ArrayView, bind, choose_kernel, grid_size, kernel_arguments
from gemmgen.errors import ArgumentError
from gemmgen.ir import DTYPES
from gemmgen.runtime.arrays import DeviceArray, device_array
from gemmgen.runtime.launch import KernelLaunch, launch
from gemmgen.runtime.mirror import empty_device_matrix
from gemmgen.runtime.streams import stream_handle

if TYPE_CHECKING:
    from gemmgen.call import Call
    from gemmgen.emit import Emitted

__all__ = ["kernel_launches", "run_gemm"]


def _view(array: DeviceArray) -> ArrayView:
    return ArrayView(
        address=array.address,
        shape=array.shape,
        strides=array.strides,
        dtype=array.dtype,
        item_bytes=next((d.bytes for d in DTYPES.values() if d.numpy_name == array.dtype), 1),
        writable=not array.read_only,
        owner=array,
    )


def kernel_launches(emitted: Emitted, call: Call) -> tuple[KernelLaunch, ...]:
    """What the emitted launcher would launch for a call: nothing for an empty D."""
    if call.m == 0 or call.n == 0:
        return ()
    return tuple(
        KernelLaunch(
            kernel=choose_kernel(one, call).name,
            grid=grid_size(one, call),
            threads=one.threads,
            shared_bytes=one.shared_bytes,
            arguments=kernel_arguments(one, call),
        )
        for one in emitted.plan.launches
    )


def run_gemm(
    emitted: Emitted,
    a: Any,
    b: Any,
    c: Any,
    *,
    alpha: object = 1.0,
    beta: object = 0.0,
    out: Any = None,
    stream: object = None,
) -> Any:
    """D = alpha a b + beta c on the arrays' GPU, in the caller's context and on the caller's stream.

    Returns ``out``, or a new PyCUDA ``GPUArray`` of D's layout, before the kernel has run. Raises ``ArgumentError`` for
    arrays that do not fit, ``EnvironmentUnavailable`` without a GPU, ``DeviceFault`` if CUDA refuses the launch.
    """
    handle = stream_handle(stream)
    given = {"a": a, "b": b, "c": c, "out": out}
    arrays = {name: device_array(array, name, handle) for name, array in given.items() if array is not None}
    device = _common_device(arrays)
    result = out
    if out is None:
        result = _new_output(emitted, arrays, device)
        arrays["out"] = device_array(result, "out", handle)
    views = {name: _view(array) for name, array in arrays.items()}
    call = bind(emitted.plan, views["a"], views["b"], views.get("c"), views["out"], alpha, beta)
    producers = {array.producer for array in arrays.values() if array.producer is not None}
    launch(
        emitted.source,
        emitted.target.name,
        kernel_launches(emitted, call),
        device=device,
        stream=handle,
        after=sorted(producers),
    )
    return result


def _common_device(arrays: dict[str, DeviceArray]) -> int | None:
    devices = {name: array.device for name, array in arrays.items() if array.device is not None}
    if len(set(devices.values())) > 1:
        places = ", ".join(f"{name} on device {device}" for name, device in devices.items())
        raise ArgumentError(f"the arrays lie on different devices: {places}")
    return next(iter(devices.values()), None)


def _new_output(emitted: Emitted, arrays: dict[str, DeviceArray], device: int | None) -> Any:
    shapes = arrays["a"].shape, arrays["b"].shape
    if any(len(shape) != 2 for shape in shapes):  # noqa: PLR2004 - a matrix
        raise ArgumentError("a and b must be arrays of 2 dimensions")
    c = emitted.problem.c
    return empty_device_matrix(
        shapes[0][0], shapes[1][1], DTYPES[c.dtype].numpy_name, column_major=c.layout == "col", device=device
    )
