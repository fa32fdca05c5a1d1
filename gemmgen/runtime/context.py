"""The context that a kernel runs in: the caller's, or the device's primary one, which torch and CuPy use as well."""

from __future__ import annotations

import atexit
import contextlib
import threading
from typing import TYPE_CHECKING, Any

from gemmgen.errors import EnvironmentUnavailable
from gemmgen.runtime import driver
from gemmgen.runtime.availability import device_available

if TYPE_CHECKING:
    from collections.abc import Iterator

_lock = threading.Lock()
_primary: dict[int, Any] = {}
"""Retained primary context by device ordinal: kept to the end of the process, since arrays may outlive every call."""


def require_device() -> None:
    """Does nothing where a GPU can be used.

    Raises:
        EnvironmentUnavailable: it can not; one sentence says why.

    """
    reason = device_available()
    if reason is not None:
        raise EnvironmentUnavailable(reason)


@contextlib.contextmanager
def active_context(device: int | None = None) -> Iterator[int]:
    """Makes a context on a device current for PyCUDA and the driver, and afterwards the caller's again.

    A context that PyCUDA made and that is current is used as it is. Otherwise it is the primary one: of ``device``, or
    if that is None of the device that the caller uses, or of device 0.

    Yields:
        The device's ordinal.

    Raises:
        EnvironmentUnavailable: there is no GPU that can be used.

    """
    require_device()
    import pycuda.driver as cuda

    cuda.init()
    before = driver.current_context()
    if before != 0:
        here = driver.current_device()
        device = here if device is None else device
        own = cuda.Context.get_current()
        if own is not None and own.handle == before and here == device:
            yield device
            return
    device = 0 if device is None else device
    _primary_context(device).push()
    try:
        yield device
    finally:
        cuda.Context.pop()
        # PyCUDA brings back what was current for PyCUDA, which need not be what another library made current since.
        if driver.current_context() != before:
            driver.set_current_context(before)


def device_capability(device: int) -> tuple[int, int]:
    """Compute capability, (9, 0)."""
    require_device()
    import pycuda.driver as cuda

    major, minor = cuda.Device(device).compute_capability()
    return int(major), int(minor)


def _primary_context(device: int) -> Any:
    import pycuda.driver as cuda

    with _lock:
        if device not in _primary:
            if not _primary:
                atexit.register(_release)
            _primary[device] = cuda.Device(device).retain_primary_context()
        return _primary[device]


def _release() -> None:
    # While the interpreter still stands: later, PyCUDA's destructors would find their modules gone.
    with _lock:
        _primary.clear()
