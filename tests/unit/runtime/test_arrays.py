"""Descriptions of GPU arrays and of host arrays' spans; what can be tested with no GPU."""

from __future__ import annotations

import numpy as np
import pytest

from gemmgen.errors import ArgumentError, EnvironmentUnavailable
from gemmgen.runtime import arrays, availability, context, driver
from gemmgen.runtime.arrays import contiguous_strides, device_array
from gemmgen.runtime.mirror import merged_spans, span


class Fake:
    def __init__(self, **interface):
        self.__cuda_array_interface__ = {"version": 3, **interface}


@pytest.fixture(autouse=True)
def _no_driver(monkeypatch):
    monkeypatch.setattr(driver, "pointer_place", lambda name, address: (1, 99))


def test_an_interface_is_read_without_a_copy():
    owner = Fake(data=(4096, True), shape=(2, 3), typestr="<f4", strides=(32, 4), stream=7)
    found = device_array(owner, "a")
    assert (found.address, found.shape, found.strides, found.dtype) == (4096, (2, 3), (32, 4), "float32")
    assert (found.read_only, found.device, found.context, found.producer, found.owner) == (True, 1, 99, 7, owner)


def test_an_interface_without_strides_is_row_major():
    assert device_array(Fake(data=(4096, False), shape=(2, 3), typestr="<f8"), "a").strides == (24, 8)
    assert contiguous_strides((0, 3), 4) == (12, 4)


def test_an_empty_array_asks_the_driver_nothing():
    found = device_array(Fake(data=(0, False), shape=(0, 3), typestr="<f4", strides=None), "a")
    assert (found.address, found.device) == (0, None)


def test_a_masked_array_is_refused():
    with pytest.raises(ArgumentError, match="a is a masked array"):
        device_array(Fake(data=(1, False), shape=(1,), typestr="<f4", mask=object()), "a")


@pytest.mark.parametrize("array", [np.zeros(3, np.float32), [1.0], None, 5])
def test_what_is_not_on_a_gpu_is_refused(array):
    with pytest.raises(ArgumentError, match=r"^a is a .* and not on a GPU; pass an object with"):
        device_array(array, "a")


def test_a_librarys_own_refusal_is_passed_on():
    class NeedsGradient:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("use var.detach()")

    with pytest.raises(ArgumentError, match=r"a can not be read as a GPU array: use var\.detach\(\)"):
        device_array(NeedsGradient(), "a")


class OnFakeGpu:
    """A NumPy array that claims to lie on CUDA device 1, to read a real DLPack capsule."""

    def __init__(self, array):
        self.array = array
        self.streams = []

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream):
        self.streams.append(stream)
        return self.array.__dlpack__()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "complex64", "bool"])
def test_a_dlpack_capsule_is_read_without_a_copy(dtype):
    base = np.zeros((6, 8), dtype)
    view = base[1::2, 2:5].T
    fake = OnFakeGpu(view)
    found = device_array(fake, "a", stream=77)
    assert found.address == view.__array_interface__["data"][0]
    assert (found.shape, found.strides, found.dtype) == (view.shape, view.strides, dtype)
    assert fake.streams == [77]


def test_the_default_stream_goes_by_its_dlpack_number():
    fake = OnFakeGpu(np.zeros((2, 2)))
    device_array(fake, "a")
    assert fake.streams == [1]
    assert arrays.is_device_array(fake)


def test_a_span_covers_every_element_and_no_more():
    base = np.zeros((10, 16), np.float32)
    start = base.__array_interface__["data"][0]
    assert span(base[2:5, 3:7]) == (start + (2 * 16 + 3) * 4, start + (4 * 16 + 7) * 4)
    assert span(base[4:1:-1, :1]) == (start + 2 * 64, start + 4 * 64 + 4)
    low, high = span(base[:0])
    assert low == high


def test_overlapping_spans_become_one():
    assert merged_spans([(10, 20), (0, 0), (15, 30), (30, 31), (0, 5)]) == [(0, 5), (10, 30), (30, 31)]


def test_what_is_missing_is_one_sentence(monkeypatch):
    availability.device_available.cache_clear()
    monkeypatch.setattr(availability.importlib.util, "find_spec", lambda name: None)
    reason = availability.device_available()
    availability.device_available.cache_clear()
    assert reason == "PyCUDA is not installed: pip install 'gemmgen[cuda]' (building it needs the CUDA toolkit)."
    monkeypatch.setattr(context, "device_available", lambda: reason)
    with pytest.raises(EnvironmentUnavailable) as caught:
        context.require_device()
    assert str(caught.value) == reason
