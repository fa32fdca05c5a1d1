"""Whether a kernel can run on a GPU here, and if not, the one thing that is missing."""

from __future__ import annotations

import functools
import importlib.util


@functools.cache
def device_available() -> str | None:
    """None if a GPU can be used, else one sentence that says what is missing and how to get it."""
    if importlib.util.find_spec("pycuda") is None:
        return "PyCUDA is not installed: pip install 'gemmgen[cuda]' (building it needs the CUDA toolkit)."
    try:
        import pycuda.driver as cuda
    except ImportError as error:
        if "libcuda.so" in str(error):
            return "There is no NVIDIA driver on this machine (no libcuda.so.1)."
        return f"PyCUDA is installed and can not be loaded: {error}."
    try:
        cuda.init()
        count = cuda.Device.count()
    except cuda.Error as error:
        return f"The NVIDIA driver found no GPU that it can use: {error}."
    if count == 0:
        return "The NVIDIA driver found no GPU on this machine."
    return _missing_compiler()


def _missing_compiler() -> str | None:
    from gemmgen.toolchain import find_nvcc

    if find_nvcc() is None:
        return "There is a GPU and no nvcc to compile for it: set CUDA_HOME, or pip install 'gemmgen[nvcc]'."
    return None
