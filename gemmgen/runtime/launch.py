"""Loads compiled kernels, once for each context, and launches them."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.runtime import driver
from gemmgen.runtime.compile import compile_cubin, device_architecture
from gemmgen.runtime.context import active_context, device_capability
from gemmgen.runtime.packing import pack_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

_lock = threading.Lock()
_modules: dict[tuple[int, bytes], int] = {}
"""Module handle by context and cubin. A module lives as long as its context: a kernel of it may still be running."""
_functions: dict[tuple[int, int, str], int] = {}
"""Kernel handle by context, module and name."""
_allowed: dict[tuple[int, int], int] = {}
"""The most dynamic shared memory that a kernel may take, by context and handle."""
_WITHOUT_ASKING = 48 * 1024
"""Bytes of shared memory that any kernel may take."""


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """One launch, as plain values.

    Attributes:
        kernel: its ``extern "C"`` name.
        grid: CTAs, linear in x.
        threads: of a CTA, linear in x.
        shared_bytes: dynamic shared memory of a CTA.
        arguments: (code, value) in the kernel's order, codes as for `gemmgen.runtime.checked_scalar`.

    """

    kernel: str
    grid: int
    threads: int
    shared_bytes: int
    arguments: tuple[tuple[str, int | float], ...]

    @property
    def configuration(self) -> str:
        """How it is launched, for a message."""
        return f"{self.kernel}, grid {self.grid}, {self.threads} threads, {self.shared_bytes} bytes of shared memory"


def launch(
    source: str,
    target: str,
    launches: Sequence[KernelLaunch],
    *,
    device: int | None = None,
    context: int = 0,
    stream: int = 0,
    after: Sequence[int] = (),
) -> None:
    """Launches kernels of one emitted text, in order, and returns before they have run.

    Args:
        source: the emitted text.
        target: what it was generated for, "sm_80".
        launches: what to launch.
        device: ordinal of the device on which the arrays lie; None for the caller's.
        context: handle of the context in which they live; 0 for the caller's, or the device's primary one.
        stream: handle of the caller's stream, 0 for the default one.
        after: handles of the streams whose work so far the kernels wait for (`DeviceArray.producer`).

    Raises:
        EnvironmentUnavailable: no GPU, no PyCUDA or no nvcc.
        GemmgenError: the device is below the target.
        DeviceFault: the driver refused a launch, or an earlier kernel in this context faulted.

    """
    with active_context(device, context) as ordinal:
        if not launches:
            return
        cubin = compile_cubin(source, device_architecture(device_capability(ordinal), target))
        for producer in after:
            driver.order_after(stream, producer)
        for one in launches:
            _launch_one(cubin, one, stream, ordinal)


def _launch_one(cubin: bytes, one: KernelLaunch, stream: int, device: int) -> None:
    # Not the context's handle, which may come back for a later context, but its identity, which never does.
    context = driver.context_identity()
    function = _function(context, _module(context, cubin), one.kernel, one.shared_bytes)
    what = f"Launching {one.configuration}, stream {stream:#x}, device {device}"
    driver.launch_kernel(what, function, one.grid, one.threads, one.shared_bytes, stream, pack_arguments(one.arguments))


def synchronize(what: str, *, device: int | None = None, context: int = 0, stream: int = 0) -> None:
    """Waits for a stream. A fault of any kernel on it is raised here, as a `DeviceFault` that opens with ``what``."""
    with active_context(device, context):
        driver.synchronize_stream(what, stream)


def _module(context: int, cubin: bytes) -> int:
    key = (context, cubin)
    with _lock:
        if key not in _modules:
            _modules[key] = driver.load_module(cubin)
        return _modules[key]


def _function(context: int, module: int, kernel: str, shared_bytes: int) -> int:
    key = (context, module, kernel)
    with _lock:
        if key not in _functions:
            _functions[key] = driver.get_function(module, kernel)
        function = _functions[key]
        # The limit is the kernel's, not the launch's: it only ever rises.
        if shared_bytes > _allowed.get((context, function), _WITHOUT_ASKING):
            driver.allow_shared_bytes(function, kernel, shared_bytes)
            _allowed[context, function] = shared_bytes
        return function
