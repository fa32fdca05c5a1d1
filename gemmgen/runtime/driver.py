"""The calls of the CUDA driver library that PyCUDA does not offer as they are needed here, through ctypes.

PyCUDA launches on no stream that it did not create, does not tell which context is current when another library made
it so, and ties contexts and memory to the thread that made them (seen: freeing in another thread leaves an error behind
that ends a thread pool's worker). Working beside torch and CuPy takes all three.
"""

from __future__ import annotations

import ctypes
import functools

from gemmgen.errors import EnvironmentUnavailable, GemmgenError

_SUCCESS = 0
_MAX_DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_POINTER_CONTEXT = 1  # CU_POINTER_ATTRIBUTE_CONTEXT
_POINTER_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_EVENT_DISABLE_TIMING = 2  # CU_EVENT_DISABLE_TIMING
_BUFFER_POINTER, _BUFFER_SIZE, _BUFFER_END = 1, 2, 0  # CU_LAUNCH_PARAM_...

_STICKY = frozenset({700, 702, 710, 714, 715, 716, 717, 718, 719})
"""Errors of a kernel that faulted: illegal address, time-out, assertion, hardware stack, instruction, alignment ..."""

_Pointer = ctypes.c_void_p
_SIGNATURES: dict[str, tuple[object, ...]] = {
    "cuGetErrorName": (ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)),
    "cuGetErrorString": (ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)),
    "cuCtxGetCurrent": (ctypes.POINTER(_Pointer),),
    "cuCtxPushCurrent_v2": (_Pointer,),
    "cuCtxPopCurrent_v2": (ctypes.POINTER(_Pointer),),
    "cuCtxSynchronize": (),
    "cuDeviceGet": (ctypes.POINTER(ctypes.c_int), ctypes.c_int),
    "cuDevicePrimaryCtxRetain": (ctypes.POINTER(_Pointer), ctypes.c_int),
    "cuMemAlloc_v2": (ctypes.POINTER(ctypes.c_ulonglong), ctypes.c_size_t),
    "cuMemFree_v2": (ctypes.c_ulonglong,),
    "cuMemcpyHtoD_v2": (ctypes.c_ulonglong, _Pointer, ctypes.c_size_t),
    "cuMemcpyDtoH_v2": (_Pointer, ctypes.c_ulonglong, ctypes.c_size_t),
    "cuCtxGetDevice": (ctypes.POINTER(ctypes.c_int),),
    "cuCtxGetId": (_Pointer, ctypes.POINTER(ctypes.c_ulonglong)),
    "cuModuleLoadData": (ctypes.POINTER(_Pointer), ctypes.c_char_p),
    "cuModuleUnload": (_Pointer,),
    "cuModuleGetFunction": (ctypes.POINTER(_Pointer), _Pointer, ctypes.c_char_p),
    "cuFuncSetAttribute": (_Pointer, ctypes.c_int, ctypes.c_int),
    "cuLaunchKernel": (_Pointer, *(ctypes.c_uint,) * 7, _Pointer, ctypes.POINTER(_Pointer), ctypes.POINTER(_Pointer)),
    "cuStreamSynchronize": (_Pointer,),
    "cuEventCreate": (ctypes.POINTER(_Pointer), ctypes.c_uint),
    "cuEventRecord": (_Pointer, _Pointer),
    "cuStreamWaitEvent": (_Pointer, _Pointer, ctypes.c_uint),
    "cuEventDestroy_v2": (_Pointer,),
    "cuPointerGetAttribute": (_Pointer, ctypes.c_int, ctypes.c_ulonglong),
}


class DeviceFault(GemmgenError):
    """The driver refused a call, or a kernel faulted: the message says which, and with what configuration."""


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise EnvironmentUnavailable("There is no NVIDIA driver on this machine (no libcuda.so.1).") from None
    for name, arguments in _SIGNATURES.items():
        function = getattr(library, name, None)
        if function is None:
            raise EnvironmentUnavailable(
                f"The NVIDIA driver is too old: it lacks {name}. Install one for CUDA 12 or above."
            )
        function.argtypes = arguments
        function.restype = ctypes.c_int
    return library


def call(what: str, name: str, *arguments: object) -> None:
    """Calls a driver function; ``what`` it is for opens the message if it fails."""
    status = getattr(_library(), name)(*arguments)
    if status != _SUCCESS:
        lost = (
            " Everything else in this CUDA context fails from now on: start a new process." if status in _STICKY else ""
        )
        raise DeviceFault(f"{what}: {name} failed with {_explained(status)}.{lost}")


def _explained(status: int) -> str:
    name, text = ctypes.c_char_p(), ctypes.c_char_p()
    _library().cuGetErrorName(status, ctypes.byref(name))
    _library().cuGetErrorString(status, ctypes.byref(text))
    return f"{(name.value or b'error').decode()} ({status}: {(text.value or b'unknown').decode()})"


def current_context() -> int:
    """Handle of the calling thread's current context, 0 if there is none."""
    context = _Pointer()
    call("Asking for the current context", "cuCtxGetCurrent", ctypes.byref(context))
    return context.value or 0


def push_context(context: int) -> None:
    """Makes a context current on top of the one that is."""
    call("Making a context current", "cuCtxPushCurrent_v2", context)


def pop_context() -> None:
    """Makes current again what was before `push_context`."""
    call("Restoring the caller's context", "cuCtxPopCurrent_v2", ctypes.byref(_Pointer()))


def primary_context(device: int) -> int:
    """The primary context of a device, retained to the end of the process: arrays in it may outlive every call."""
    handle, context = ctypes.c_int(), _Pointer()
    what = f"Retaining the primary context of device {device}"
    call(what, "cuDeviceGet", ctypes.byref(handle), device)
    call(what, "cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
    return context.value or 0


def current_device() -> int:
    """Ordinal of the current context's device."""
    device = ctypes.c_int()
    call("Asking for the current device", "cuCtxGetDevice", ctypes.byref(device))
    return device.value


def context_identity() -> int:
    """A number of the current context that no later context gets, even at the same address."""
    identity = ctypes.c_ulonglong()
    call("Asking for the current context", "cuCtxGetId", None, ctypes.byref(identity))
    return identity.value


def load_module(cubin: bytes) -> int:
    """Loads a cubin into the current context."""
    module = _Pointer()
    call("Loading a compiled kernel", "cuModuleLoadData", ctypes.byref(module), cubin)
    return module.value or 0


def get_function(module: int, name: str) -> int:
    """A kernel of a module."""
    function = _Pointer()
    call(f"Looking for kernel {name}", "cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    return function.value or 0


def allow_shared_bytes(function: int, name: str, shared_bytes: int) -> None:
    """Lets a kernel take that much dynamic shared memory from now on."""
    what = f"Allowing kernel {name} {shared_bytes} bytes of shared memory"
    call(what, "cuFuncSetAttribute", function, _MAX_DYNAMIC_SHARED_BYTES, shared_bytes)


def launch_kernel(
    what: str, function: int, grid: int, threads: int, shared_bytes: int, stream: int, block: bytes
) -> None:
    """Launches a grid that is linear in x with a packed parameter block; returns before it has run."""
    buffer = ctypes.create_string_buffer(block, len(block))
    size = ctypes.c_size_t(len(block))
    extra = (_Pointer * 5)(_BUFFER_POINTER, ctypes.addressof(buffer), _BUFFER_SIZE, ctypes.addressof(size), _BUFFER_END)
    call(what, "cuLaunchKernel", function, grid, 1, 1, threads, 1, 1, shared_bytes, stream or None, None, extra)


def synchronize_stream(what: str, stream: int) -> None:
    """Waits until all work of a stream is done; a fault of any of it shows here."""
    call(what, "cuStreamSynchronize", stream or None)


def order_after(stream: int, producer: int) -> None:
    """Makes all later work of ``stream`` wait for what ``producer`` was given so far; the host does not wait."""
    if stream == producer:
        return
    event = _Pointer()
    what = "Ordering the kernel after the stream that filled its arrays"
    call(what, "cuEventCreate", ctypes.byref(event), _EVENT_DISABLE_TIMING)
    try:
        call(what, "cuEventRecord", event, producer or None)
        call(what, "cuStreamWaitEvent", stream or None, event, 0)
    finally:
        call(what, "cuEventDestroy_v2", event)


def synchronize_context(what: str) -> None:
    """Waits until all work of the current context is done; a fault of any of it shows here."""
    call(what, "cuCtxSynchronize")


def pointer_place(name: str, address: int) -> tuple[int, int]:
    """Ordinal of the device that an address belongs to, and the context, 0 if it belongs to none in particular.

    Raises:
        DeviceFault: it is no address of CUDA's.

    """
    device, context = ctypes.c_int(-1), _Pointer()
    what = f"{name} at address {address:#x} is no CUDA memory"
    call(what, "cuPointerGetAttribute", ctypes.byref(device), _POINTER_DEVICE_ORDINAL, address)
    # Memory of a pool has no context: it can be used in any of its device's.
    if _library().cuPointerGetAttribute(ctypes.byref(context), _POINTER_CONTEXT, address) != _SUCCESS:
        return device.value, 0
    return device.value, context.value or 0


def allocate(size: int) -> int:
    """Address of new memory in the current context, aligned to 256 bytes."""
    address = ctypes.c_ulonglong()
    call(f"Allocating {size} bytes on the GPU", "cuMemAlloc_v2", ctypes.byref(address), max(size, 1))
    return address.value


def free(address: int) -> None:
    """Frees memory of the current context, once the work that was given to the device is done."""
    call("Freeing memory on the GPU", "cuMemFree_v2", address)


def copy_in(address: int, host: int, size: int) -> None:
    """Copies host memory to the device and waits until it has arrived."""
    call("Copying to the GPU", "cuMemcpyHtoD_v2", address, host, size)
    # From pageable memory the copy may return early, and the kernel may run on a stream that does not wait for it.
    synchronize_context("Copying to the GPU")


def copy_out(host: int, address: int, size: int) -> None:
    """Waits for the device and copies its memory to the host."""
    synchronize_context("Waiting for the GPU")
    call("Copying from the GPU", "cuMemcpyDtoH_v2", host, address, size)
