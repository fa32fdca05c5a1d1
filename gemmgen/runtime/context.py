"""The context that a kernel runs in: that of its arrays, or the device's primary one, which torch and CuPy use too."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

from gemmgen.errors import EnvironmentUnavailable
from gemmgen.runtime import driver
from gemmgen.runtime.availability import device_available

if TYPE_CHECKING:
    from collections.abc import Iterator


def require_device() -> None:
    """Does nothing where a GPU can be used.

    Raises:
        EnvironmentUnavailable: it can not; one sentence says why.

    """
    reason = device_available()
    if reason is not None:
        raise EnvironmentUnavailable(reason)


@contextlib.contextmanager
def active_context(device: int | None = None, context: int = 0) -> Iterator[int]:
    """Makes a context current, and afterwards the caller's again.

    Args:
        device: ordinal; None for the one that the caller uses, or device 0.
        context: handle of the context that the arrays live in; 0 for the caller's if it is one of ``device``, or else
            for the device's primary one.

    Yields:
        The device's ordinal.

    Raises:
        EnvironmentUnavailable: there is no GPU that can be used.

    """
    require_device()
    before = driver.current_context()
    if before != 0 and context in {0, before} and device in {None, driver.current_device()}:
        yield driver.current_device()
        return
    driver.push_context(context or _primary_context(device or 0))
    try:
        yield driver.current_device()
    finally:
        driver.pop_context()


@functools.cache
def device_capability(device: int) -> tuple[int, int]:
    """Compute capability, (9, 0)."""
    require_device()
    import pycuda.driver as cuda

    major, minor = cuda.Device(device).compute_capability()
    return int(major), int(minor)


@functools.cache
def _primary_context(device: int) -> int:
    return driver.primary_context(device)
