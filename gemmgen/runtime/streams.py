"""The caller's stream as a driver handle."""

from __future__ import annotations

import operator

from gemmgen.errors import ArgumentError

LEGACY_DEFAULT = 1
"""What the array interfaces call the legacy default stream; as a handle it is 0 or 1, and both mean the same."""


def stream_handle(stream: object) -> int:
    """The ``CUstream`` of whatever names one.

    Args:
        stream: None (the legacy default stream), a handle as an int, or an object with ``__cuda_stream__`` (the
            protocol of cuda.core), ``cuda_stream`` (torch), ``ptr`` (CuPy) or ``handle`` (PyCUDA, numba).

    Raises:
        ArgumentError: none of these.

    """
    if stream is None:
        return 0
    protocol = getattr(stream, "__cuda_stream__", None)
    found: object = stream
    if protocol is not None:
        # (version, handle); a method by the protocol, an attribute in its first implementations
        found = (protocol() if callable(protocol) else protocol)[1]
    else:
        for attribute in ("cuda_stream", "ptr", "handle"):
            if hasattr(stream, attribute):
                found = getattr(stream, attribute)
                break
    found = getattr(found, "value", found)  # a ctypes pointer
    try:
        handle = 0 if found is None else operator.index(found)  # type: ignore[arg-type]
    except TypeError:
        handle = -1
    if handle < 0 or isinstance(found, bool):
        raise ArgumentError(
            f"stream={stream!r} is a {type(stream).__name__}; pass a handle as an int, or an object with "
            "__cuda_stream__, cuda_stream (torch), ptr (CuPy) or handle (PyCUDA)."
        )
    return int(handle)
