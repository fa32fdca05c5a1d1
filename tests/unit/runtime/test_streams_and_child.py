"""Streams of every library, and jobs that fault in a process of their own."""

from __future__ import annotations

import ctypes
import os
import signal
import time
import types

import pytest

from gemmgen.errors import ArgumentError
from gemmgen.runtime.child import ChildFault, run_in_child
from gemmgen.runtime.streams import stream_handle


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 0),
        (0, 0),
        (81985, 81985),
        (types.SimpleNamespace(cuda_stream=5), 5),
        (types.SimpleNamespace(ptr=6), 6),
        (types.SimpleNamespace(handle=7), 7),
        (types.SimpleNamespace(handle=ctypes.c_void_p(8)), 8),
        (types.SimpleNamespace(handle=ctypes.c_void_p(None)), 0),
        (types.SimpleNamespace(__cuda_stream__=lambda: (0, 9)), 9),
        (types.SimpleNamespace(__cuda_stream__=(0, 10), ptr=11), 10),
    ],
)
def test_a_stream_of_any_library_is_taken(stream, handle):
    assert stream_handle(stream) == handle


@pytest.mark.parametrize("stream", ["0", 1.5, -1, True, object(), types.SimpleNamespace(ptr="x")])
def test_what_is_no_stream_is_refused(stream):
    with pytest.raises(ArgumentError, match=r"^stream=.*pass a handle as an int"):
        stream_handle(stream)


def add(a, b):
    return a + b


def refuse():
    raise ValueError("no luck")


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def hang():
    time.sleep(600)


def unpicklable():
    return lambda: None


def test_a_job_returns_its_value():
    assert run_in_child(add, 2, 3) == 5


@pytest.mark.parametrize(
    ("job", "kind", "message"),
    [
        (refuse, "raised", "ValueError: no luck"),
        (crash, "died", "The process of the job died with exit code -11 and no word."),
        (unpicklable, "raised", "The job's result can not be sent back"),
    ],
)
def test_a_fault_of_the_job_is_reported_and_this_process_goes_on(job, kind, message):
    with pytest.raises(ChildFault) as caught:
        run_in_child(job)
    assert caught.value.kind == kind
    assert str(caught.value).startswith(message)


def test_a_job_that_does_not_end_is_killed():
    begin = time.monotonic()
    with pytest.raises(ChildFault, match="did not end within 1 s") as caught:
        run_in_child(hang, timeout_seconds=1)
    assert caught.value.kind == "timeout"
    assert time.monotonic() - begin < 30
