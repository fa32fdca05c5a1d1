"""Runs emitted kernels on an NVIDIA GPU: compiles the bytes as emitted, loads them and launches on the caller's stream.

The only room that imports PyCUDA, and only when a GPU is asked for. PyCUDA finds the devices; contexts, memory and
launches go to the driver library straight, for the reasons that `gemmgen.runtime.driver` gives. Contexts, arrays and
streams of PyCUDA are taken like those of any other library.
"""

from __future__ import annotations

from gemmgen.runtime.arrays import DeviceArray, device_array
from gemmgen.runtime.availability import device_available
from gemmgen.runtime.child import ChildFault, run_in_child
from gemmgen.runtime.compile import compile_cubin, device_architecture
from gemmgen.runtime.driver import DeviceFault
from gemmgen.runtime.gemm import kernel_launches, run_gemm
from gemmgen.runtime.launch import KernelLaunch, launch, synchronize
from gemmgen.runtime.launcher_library import LauncherLibrary
from gemmgen.runtime.matrix import DeviceMatrix, copy_to_device, empty_device_matrix
from gemmgen.runtime.mirror import Mirror
from gemmgen.runtime.packing import checked_scalar, pack_arguments
from gemmgen.runtime.streams import stream_handle

__all__ = [
    "ChildFault",
    "DeviceArray",
    "DeviceFault",
    "DeviceMatrix",
    "KernelLaunch",
    "LauncherLibrary",
    "Mirror",
    "checked_scalar",
    "compile_cubin",
    "copy_to_device",
    "device_architecture",
    "device_array",
    "device_available",
    "empty_device_matrix",
    "kernel_launches",
    "launch",
    "pack_arguments",
    "run_gemm",
    "run_in_child",
    "stream_handle",
    "synchronize",
]
