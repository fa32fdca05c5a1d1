"""One call of an emitted kernel on a GPU: the launcher's decisions made from the plan, the kernel as emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gemmgen.call import ArrayView, bind, choose_kernel, grid_size, kernel_arguments
from gemmgen.errors import ArgumentError
from gemmgen.ir import DTYPES
from gemmgen.runtime.arrays import DeviceArray, device_array, is_device_array
from gemmgen.runtime.context import require_device
from gemmgen.runtime.launch import KernelLaunch, launch, synchronize
from gemmgen.runtime.matrix import empty_device_matrix
from gemmgen.runtime.mirror import Mirror
from gemmgen.runtime.streams import stream_handle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.call import Call
    from gemmgen.emit import Emitted

__all__ = ["kernel_launches", "run_gemm", "run_on_mirror"]

_Place = tuple[int | None, int]
"""Device ordinal (None: the caller's) and context handle (0: the caller's, or the primary one)."""


def run_gemm(
    emitted: Emitted,
    a: Any,
    b: Any,
    c: Any = None,
    *,
    alpha: object = 1.0,
    beta: object = 0.0,
    out: Any = None,
    stream: object = None,
) -> Any:
    """D = alpha a b + beta c on the arrays' GPU, in the caller's context and on the caller's stream.

    Arrays on a GPU are used where they lie: ``out``, or a new `DeviceMatrix` of D's layout, is returned before the
    kernel has run. If all of them are NumPy arrays they are copied to the GPU and D back, and the call waits.

    Raises:
        ArgumentError: arrays, scalars or a stream that do not fit.
        EnvironmentUnavailable: no GPU, no PyCUDA or no nvcc.
        DeviceFault: CUDA refused the launch, or a kernel faulted.

    """
    handle = stream_handle(stream)
    given = {name: array for name, array in (("a", a), ("b", b), ("c", c), ("out", out)) if array is not None}
    on_device = [name for name, array in given.items() if is_device_array(array)]
    require_device()
    if not on_device:
        return _run_host_arrays(emitted, given, alpha, beta, handle)
    on_host = [name for name in given if name not in on_device]
    if on_host:
        raise ArgumentError(
            f"{' and '.join(on_device)} on a GPU and {' and '.join(on_host)} not: put all of them on one side."
        )
    arrays = {name: device_array(array, name, handle) for name, array in given.items()}
    place = _common_place(arrays)
    if out is None:
        out = _new_output(emitted, arrays, place)
        arrays["out"] = device_array(out, "out", handle)
    _launch(emitted, arrays, alpha, beta, place, handle)
    return out


def run_on_mirror(
    emitted: Emitted, mirror: Mirror, alpha: object, beta: object, stream: int = 0
) -> tuple[KernelLaunch, ...]:
    """Runs a kernel on the device copies of "a", "b", "out" and, if it is there, "c"; waits, and copies nothing back.

    Raises:
        ArgumentError: arrays or scalars that do not fit.
        DeviceFault: CUDA refused the launch, or the kernel faulted.

    """
    place = (mirror.device, mirror.context)
    launches = _launch(emitted, mirror.arrays, alpha, beta, place, stream)
    what = "; ".join(one.configuration for one in launches)
    synchronize(f"Running {what or 'nothing'}", device=mirror.device, context=mirror.context, stream=stream)
    return launches


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


def _launch(
    emitted: Emitted, arrays: Mapping[str, DeviceArray], alpha: object, beta: object, place: _Place, stream: int
) -> tuple[KernelLaunch, ...]:
    views = {name: _view(array) for name, array in arrays.items()}
    call = bind(emitted.plan, views["a"], views["b"], views.get("c"), views["out"], alpha, beta)
    launches = kernel_launches(emitted, call)
    producers = {array.producer for array in arrays.values() if array.producer is not None}
    device, context = place
    launch(
        emitted.source,
        emitted.target.name,
        launches,
        device=device,
        context=context,
        stream=stream,
        after=sorted(producers),
    )
    return launches


def _run_host_arrays(emitted: Emitted, given: dict[str, Any], alpha: object, beta: object, stream: int) -> Any:
    import numpy as np

    for name, array in given.items():
        if not isinstance(array, np.ndarray):
            raise ArgumentError(
                f"{name} is a {type(array).__name__}: pass arrays with __cuda_array_interface__ or DLPack on CUDA, or "
                "NumPy arrays, which are copied to the GPU."
            )
    if "out" not in given:
        c = emitted.problem.c
        order: Any = "C" if c.layout == "row" else "F"
        given["out"] = np.empty(_output_shape(given), DTYPES[c.dtype].numpy_name, order=order)
    mirror = Mirror(given)
    run_on_mirror(emitted, mirror, alpha, beta, stream)
    mirror.copy_back("out")
    return given["out"]


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


def _common_place(arrays: Mapping[str, DeviceArray]) -> _Place:
    devices = {name: array.device for name, array in arrays.items() if array.device is not None}
    if len(set(devices.values())) > 1:
        places = ", ".join(f"{name} on device {device}" for name, device in devices.items())
        raise ArgumentError(f"the arrays lie on different devices: {places}")
    contexts = {name: array.context for name, array in arrays.items() if array.context != 0}
    if len(set(contexts.values())) > 1:
        raise ArgumentError(f"{' and '.join(contexts)} live in different CUDA contexts, which share no memory")
    return next(iter(devices.values()), None), next(iter(contexts.values()), 0)


def _new_output(emitted: Emitted, arrays: Mapping[str, DeviceArray], place: _Place) -> Any:
    c = emitted.problem.c
    rows, columns = _output_shape(arrays)
    device, context = place
    return empty_device_matrix(
        rows,
        columns,
        DTYPES[c.dtype].numpy_name,
        column_major=c.layout == "col",
        device=device,
        context=context,
    )


def _output_shape(arrays: Mapping[str, Any]) -> tuple[int, int]:
    """(M, N) on trust; `bind` checks every shape."""
    shapes = arrays["a"].shape, arrays["b"].shape
    if any(len(shape) != 2 for shape in shapes):  # noqa: PLR2004  # a matrix
        raise ArgumentError("a and b must be arrays of 2 dimensions")
    return int(shapes[0][0]), int(shapes[1][1])
