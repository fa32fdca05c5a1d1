"""What PyCUDA would launch is what the emitted launcher launches: kernel, grid, block, shared bytes, every argument."""

from __future__ import annotations

import itertools
import struct

import numpy as np
import pytest

import gemmgen as gg
from gemmgen.api.catalog import CATALOG
from gemmgen.call import bind
from gemmgen.emulator.gemm import emulate_gemm
from gemmgen.errors import ArgumentError, EnvironmentUnavailable
from gemmgen.ir import DTYPES
from gemmgen.runtime import context, gemm
from gemmgen.runtime.gemm import kernel_launches, run_gemm
from gemmgen.runtime.packing import pack_arguments

FORMATS = {"i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d", "ptr": "<Q"}


def matrix(rows: int, columns: int, operand: gg.Operand, *, padding: int, offset: int) -> np.ndarray:
    """A matrix of a layout with a leading dimension and an element offset from a 64-byte aligned base."""
    lines, width = (rows, columns) if operand.layout == "row" else (columns, rows)
    kind = np.dtype(DTYPES[operand.dtype].numpy_name)
    room = np.zeros(lines * (width + padding) + offset + 16, kind)
    start = (-room.ctypes.data % 64) // kind.itemsize + offset
    view = np.lib.stride_tricks.as_strided(
        room[start:], (lines, width), (kind.itemsize * (width + padding), kind.itemsize)
    )
    return view if operand.layout == "row" else view.T


CALLS = [
    *itertools.product([(8, 8, 8), (1, 1, 1), (33, 36, 20)], [0, 1], [0, 1], [(1.0, 0.0), (1.5, -0.5)]),
    ((0, 5, 3), 0, 0, (1.0, 0.0)),
    ((5, 6, 0), 0, 0, (1.0, 2.0)),
    ((5, 8, 4), 0, 0, (0.0, 2.0)),
]


@pytest.mark.parametrize("entry", [e for e in CATALOG if e.problem.m is None], ids=lambda entry: entry.title)
def test_the_plans_launches_are_the_emitted_launchers(entry):
    emitted = entry.generate().emitted
    problem = entry.problem
    for (m, n, k), padding, offset, (alpha, beta) in CALLS:
        shapes = (
            (m, k, problem.a),
            (k, n, problem.b),
            (m, n, problem.c),
            (m, n, problem.c),
        )
        a, b, c, d = (matrix(*shape, padding=padding, offset=offset) for shape in shapes)
        call = bind(emitted.plan, a, b, c, d, alpha, beta)
        ours = kernel_launches(emitted, call)
        theirs = emulate_gemm(emitted, call).launches
        assert [(one.kernel, (one.grid, 1, 1), (one.threads, 1, 1), one.shared_bytes) for one in ours] == [
            (one.kernel, one.grid, one.block, one.shared_bytes) for one in theirs
        ]
        for mine, other in zip(ours, theirs, strict=True):
            packed = tuple(struct.pack(FORMATS[code], value) for code, value in mine.arguments)
            assert packed == other.arguments
            assert pack_arguments(mine.arguments)


KERNEL = gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(16, 16, 8), thread_tile=(2, 2)))
HOST = np.zeros((4, 4), np.float32)


class OnGpu:
    def __init__(self, place=0, dtype="<f4", shape=(4, 4)):
        self.__cuda_array_interface__ = {"data": (4096 + place, False), "shape": shape, "typestr": dtype, "version": 3}


@pytest.fixture
def _pretend_gpu(monkeypatch):
    monkeypatch.setattr(gemm, "require_device", lambda: None)
    places = {4096: (0, 8), 4097: (1, 8), 4098: (0, 9)}
    monkeypatch.setattr("gemmgen.runtime.driver.pointer_place", lambda name, address: places[address])
    monkeypatch.setattr(gemm, "launch", lambda *_, **__: pytest.fail("launched"))


@pytest.mark.usefixtures("_pretend_gpu")
@pytest.mark.parametrize(
    ("a", "b", "out", "message"),
    [
        (OnGpu(), HOST, None, "a on a GPU and b not: put all of them on one side."),
        (
            OnGpu(),
            OnGpu(1),
            OnGpu(),
            "the arrays lie on different devices: a on device 0, b on device 1, out",
        ),
        (OnGpu(), OnGpu(2), OnGpu(), "a and b and out live in different CUDA contexts, which share no memory"),
        (OnGpu(), OnGpu(dtype="<f8"), OnGpu(), "b is float64, and this kernel takes float32"),
        (OnGpu(shape=(4,)), OnGpu(), None, "a and b must be arrays of 2 dimensions"),
        ([[1.0]], HOST, None, "a is a list: pass arrays with __cuda_array_interface__ or DLPack on CUDA, or NumPy"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_anything_runs(a, b, out, message):
    with pytest.raises(ArgumentError) as caught:
        run_gemm(KERNEL.emitted, a, b, out=out)
    assert str(caught.value).startswith(message)


def test_without_a_gpu_run_is_one_sentence(monkeypatch):
    monkeypatch.setattr(context, "device_available", lambda: "There is no GPU.")
    with pytest.raises(EnvironmentUnavailable) as caught:
        KERNEL.run(HOST, HOST, on="cuda")
    assert str(caught.value) == "There is no GPU."


def test_a_stream_that_is_none_is_refused():
    with pytest.raises(ArgumentError, match="stream='x' is a str"):
        KERNEL.run(HOST, HOST, on="cuda", stream="x")
