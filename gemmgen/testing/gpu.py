"""A kernel under test on a GPU, in a process of its own that is replaced when a kernel faults.

After an illegal access every later call in the same CUDA context fails as well: without a new process the next example
would be blamed, and shrinking would end in nonsense.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from gemmgen.errors import ArgumentError, EnvironmentUnavailable
from gemmgen.testing.cases import Outcome
from gemmgen.testing.run import MISALIGNED

if TYPE_CHECKING:
    from gemmgen.emit import Emitted
    from gemmgen.testing.cases import Array, Kernel

__all__ = ["Gpu"]

_ALIGNMENT = 256
_DIED = "the process that held the GPU died"


@dataclass(frozen=True, slots=True)
class _View:
    """A matrix inside one of the buffers that travel."""

    buffer: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class _Job:
    """One call. ``buffers`` are whole allocations with their address modulo 256, so that alignment travels too."""

    emitted: Emitted
    buffers: list[tuple[int, bytes]]
    views: dict[str, _View]
    alpha: float
    beta: float


class Gpu:
    """Runs kernels through PyCUDA, each guarded allocation copied whole. Starts its process at the first call."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, kernel: Kernel, a: Array, b: Array, c: Array | None, d: Array, alpha: float, beta: float) -> Outcome:
        """Launch what the plan says; see `gemmgen.testing.cases.Backend`."""
        arrays = {"a": a, "b": b, "out": d} | ({} if c is None else {"c": c})
        job, owners = _packed(cast("Emitted", kernel), arrays, alpha, beta)
        kind, value = self._ask(job)
        if kind == "unavailable":
            raise EnvironmentUnavailable(str(value))
        if kind == "refused":
            return Outcome(MISALIGNED)
        if kind == "fault":
            self.close()
            return Outcome(0, (str(value),), "")
        path, contents = cast("tuple[str, list[bytes]]", value)
        for owner, content in zip(owners, contents, strict=True):
            owner.reshape(-1).view(np.uint8)[...] = np.frombuffer(content, np.uint8)
        return Outcome(0, (), path)

    def close(self) -> None:
        """End the process; the next call starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be half gone
            self.close()

    def _ask(self, job: _Job) -> tuple[str, object]:
        if self._process is None:
            command = [sys.executable, "-m", "gemmgen.testing.gpu"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        given, said = self._process.stdin, self._process.stdout
        try:
            pickle.dump(job, cast("BinaryIO", given))
            cast("BinaryIO", given).flush()
            return cast("tuple[str, object]", pickle.load(cast("BinaryIO", said)))  # noqa: S301  # our own child
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            return "fault", _DIED


def _packed(emitted: Emitted, arrays: dict[str, Array], alpha: float, beta: float) -> tuple[_Job, list[Array]]:
    from gemmgen.runtime.mirror import allocation_of

    owners: list[Array] = []
    views = {}
    for name, array in arrays.items():
        owner = allocation_of(array)
        index = next((i for i, known in enumerate(owners) if known is owner), len(owners))
        if index == len(owners):
            owners.append(owner)
        offset = _address(array) - _address(owner)
        views[name] = _View(index, offset, array.shape, array.strides, array.dtype.str)
    buffers = [(_address(owner) % _ALIGNMENT, owner.tobytes()) for owner in owners]
    return _Job(emitted, buffers, views, alpha, beta), owners


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


# ---- In the process that holds the GPU ---------------------------------------------------------------------------


def _serve(given: BinaryIO, said: BinaryIO) -> None:
    while True:
        try:
            job = pickle.load(given)  # noqa: S301  # from the process that started this one
        except EOFError:
            return
        pickle.dump(_answer(job), said)
        said.flush()


def _answer(job: _Job) -> tuple[str, object]:
    from gemmgen.runtime.driver import DeviceFault

    try:
        return "done", _run(job)
    except EnvironmentUnavailable as error:
        return "unavailable", str(error)
    except ArgumentError as error:  # what the emitted launcher answers with a status
        return "refused", str(error)
    except DeviceFault as error:
        return "fault", str(error)
    except Exception as error:  # noqa: BLE001  # PyCUDA's own errors, an out-of-memory ...
        return "fault", f"{type(error).__name__}: {error}"


def _run(job: _Job) -> tuple[str, list[bytes]]:
    from gemmgen.runtime.gemm import run_on_mirror
    from gemmgen.runtime.mirror import Mirror

    buffers = [_placed(residue, content) for residue, content in job.buffers]
    arrays: dict[str, np.ndarray[Any, Any]] = {
        name: np.ndarray(view.shape, view.dtype, buffers[view.buffer], view.offset, view.strides)
        for name, view in job.views.items()
    }
    mirror = Mirror(arrays, whole_allocations=True)
    launches = run_on_mirror(job.emitted, mirror, job.alpha, job.beta)
    for name in arrays:
        mirror.copy_back(name)
    return launches[0].kernel if launches else "", [buffer.tobytes() for buffer in buffers]


def _placed(residue: int, content: bytes) -> np.ndarray[Any, Any]:
    """The bytes in memory of their own, at an address with the same remainder."""
    room = np.empty(len(content) + _ALIGNMENT, np.uint8)
    start = (residue - _address(room)) % _ALIGNMENT
    room[start : start + len(content)] = np.frombuffer(content, np.uint8)
    return room[start : start + len(content)]


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
