"""Every refusal of a call: worded, by name and value, all at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_variants import emitted

import gemmgen as gg
from gemmgen.call import ArrayView, bind
from gemmgen.emit import emit

ROWS = emitted("shared").plan
COLUMNS = emitted("columns").plan
FIXED = emitted("fixed_size").plan
THREAD_PER_ELEMENT = emit(gg.Gemm(), gg.Schedule(cta_tile=(1, 1, 1), thread_tile=(1, 1))).plan


def f32(*shape: int, order: str = "C") -> np.ndarray:
    return np.zeros(shape, np.float32, order=order)


def good(m: int = 3, n: int = 4, k: int = 5, **changed) -> dict[str, object]:
    return {"plan": ROWS, "a": f32(m, k), "b": f32(k, n), "c": None, "d": f32(m, n)} | changed


def refusal(**changed) -> str:
    with pytest.raises(gg.ArgumentError) as caught:
        bind(**good(**changed))
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_a_good_call_is_bound_as_it_is() -> None:
    arguments = good(c=f32(3, 4), alpha=2, beta=0.5)
    call = bind(**arguments)
    assert (call.m, call.n, call.k, call.alpha, call.beta) == (3, 4, 5, 2.0, 0.5)
    assert [matrix.ld for matrix in (call.a, call.b, call.c, call.d)] == [5, 4, 4, 4]
    assert call.a.address == arguments["a"].ctypes.data
    assert call.reads_a_and_b
    assert call.reads_c


# ---- Arrays ----------------------------------------------------------------------------------------------------

ARRAYS = {
    "another dtype": ({"a": np.zeros((3, 5))}, "a is float64, and this kernel takes float32"),
    "an integer dtype": ({"b": np.zeros((5, 4), np.int32)}, "b is int32, and this kernel takes float32"),
    "half": ({"d": np.zeros((3, 4), np.float16)}, "out is float16, and this kernel takes float32"),
    "complex": ({"a": np.zeros((3, 5), np.complex64)}, "a is complex64, and this kernel takes float32"),
    "another byte order": (
        {"a": np.zeros((3, 5), ">f4")},
        "a is float32 of foreign byte order, and this kernel takes float32",
    ),
    "objects": ({"a": np.zeros((3, 5), object)}, "a is object, and this kernel takes float32"),
    "a record": ({"a": np.zeros((3, 5), "f4,f4")}, "a is void64, and this kernel takes float32"),
    "a vector": ({"a": f32(5)}, "a has the shape (5,), and a matrix has 2 dimensions"),
    "a batch": ({"b": f32(2, 5, 4)}, "b has the shape (2, 5, 4), and a matrix has 2 dimensions"),
    "a scalar": ({"b": np.float32(1).reshape(())}, "b has the shape (), and a matrix has 2 dimensions"),
    "a list": ({"a": [[1.0]]}, "a is a list, which has no memory to share; pass a NumPy array"),
    "None": ({"b": None}, "b is a NoneType, which has no memory to share; pass a NumPy array"),
    "a string": ({"d": "out"}, "out is a str, which has no memory to share; pass a NumPy array"),
    "inner sizes": ({"b": f32(6, 4)}, "a is 3 x 5 and b is 6 x 4: the inner sizes differ"),
    "the output's shape": ({"d": f32(4, 3)}, "out is 4 x 3, not 3 x 4"),
    "the shape of c": ({"c": f32(3, 5)}, "c is 3 x 5, not 3 x 4"),
    "the other layout": (
        {"a": f32(3, 5, order="F")},
        'generate it with a_layout="col", or pass np.ascontiguousarray(a)',
    ),
    "every second column": ({"a": f32(3, 10)[:, ::2]}, "a has strides (40, 8): rows of a row-major matrix are contig"),
    "columns backwards": ({"a": f32(3, 5)[:, ::-1]}, "a has strides (20, -4): rows of a row-major matrix are contigu"),
    "rows backwards": (
        {"d": f32(3, 4)[::-1]},
        "out has strides (-16, 4): its leading dimension must be whole and at least 4 elements",
    ),
    "one row for all": (
        {"a": np.broadcast_to(f32(1, 5), (3, 5))},
        "a has strides (0, 4): its leading dimension must be whole and at least 5 elements",
    ),
    "rows that overlap": (
        {"a": np.lib.stride_tricks.as_strided(f32(20), (3, 5), (8, 4))},
        "a has strides (8, 4): its leading dimension must be whole and at least 5 elements",
    ),
    "a pitch that is no whole number of elements": (
        {"a": np.ndarray((3, 5), np.float32, bytearray(70), 0, (22, 4))},
        "a has strides (22, 4): its leading dimension must be whole and at least 5 elements",
    ),
    "a read-only output": ({"d": np.broadcast_to(f32(3, 4), (3, 4))}, "out is read-only"),
}


@pytest.mark.parametrize(("changed", "sentence"), ARRAYS.values(), ids=ARRAYS)
def test_an_array_that_does_not_fit_is_refused(changed, sentence: str) -> None:
    assert sentence in refusal(**changed)


def test_a_transposed_output_is_refused_for_rows_and_taken_for_columns() -> None:
    assert refusal(d=f32(4, 3).T).endswith('generate it with c_layout="col"')
    call = bind(COLUMNS, f32(5, 3).T, f32(4, 5).T, None, f32(4, 3).T)
    assert (call.m, call.n, call.k) == (3, 4, 5)
    assert [matrix.ld for matrix in (call.a, call.b, call.d)] == [3, 5, 3]
    with pytest.raises(gg.ArgumentError, match='generate it with a_layout="row"'):
        bind(COLUMNS, f32(3, 5), f32(4, 5).T, None, f32(4, 3).T)


def test_a_base_that_is_not_aligned_to_an_element_is_refused() -> None:
    storage = np.zeros(3 * 5 * 4 + 1, np.uint8)
    crooked = storage[1:].view(np.float32).reshape(3, 5)
    assert f"a is at address {crooked.ctypes.data:#x}, which is not aligned to its 4-byte elements" in refusal(
        a=crooked
    )


def test_everything_that_is_wrong_is_listed() -> None:
    message = refusal(
        a=np.zeros((3, 5)), b=f32(6, 8)[:, ::2], c=[1], d=np.broadcast_to(f32(4, 4), (4, 4)), alpha="1", beta=None
    )
    for part in (
        "alpha='1' is a str",
        "beta=None is a NoneType",
        "a is float64",
        "the inner sizes differ",
        "b has strides (32, 8)",
        "c is a list",
        "out is read-only",
        "out is 4 x 4, not 3 x 4",
    ):
        assert part in message
    assert message.count("; ") >= 7


# ---- Dimensions of size 1 and 0 --------------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [0, 4, -4, 1, 7, -1, 1 << 40])
def test_the_stride_of_a_dimension_of_size_1_is_ignored(stride: int) -> None:
    def with_stride(shape: tuple[int, int], axis: int) -> np.ndarray:
        strides = [stride, 4] if axis == 0 else [4, stride]
        return np.lib.stride_tricks.as_strided(f32(*shape), shape, strides)

    row, column = with_stride((1, 5), 0), with_stride((5, 1), 1)
    call = bind(ROWS, row, column, None, with_stride((1, 1), 0))
    assert (call.m, call.n, call.k) == (1, 1, 5)
    assert [matrix.ld for matrix in (call.a, call.b, call.d)] == [5, 1, 1]
    call = bind(ROWS, with_stride((5, 1), 1), with_stride((1, 4), 0), None, f32(5, 4))
    assert [matrix.ld for matrix in (call.a, call.b)] == [1, 4]


def test_a_column_of_a_larger_matrix_keeps_its_pitch() -> None:
    call = bind(ROWS, f32(3, 9)[:, 2:3], f32(1, 4), None, f32(3, 4))
    assert call.a.ld == 9


@pytest.mark.parametrize(("m", "n", "k"), [(0, 4, 5), (3, 0, 5), (3, 4, 0), (0, 0, 0), (1, 1, 0)])
def test_empty_matrices_are_bound(m: int, n: int, k: int) -> None:
    call = bind(**good(m, n, k, c=f32(m, n), beta=1))
    assert (call.m, call.n, call.k) == (m, n, k)
    assert call.reads_a_and_b == (k > 0)
    assert all(matrix.ld >= 1 for matrix in (call.a, call.b, call.c, call.d))


# ---- Sizes -----------------------------------------------------------------------------------------------------


def view(rows: int, columns: int, address: int = 1 << 40, ld: int | None = None) -> ArrayView:
    """A row-major matrix that needs no memory."""
    pitch = 4 * max(1, columns if ld is None else ld)
    return ArrayView(address, (rows, columns), (pitch, 4), "float32", 4, writable=True, owner=None)


@pytest.mark.parametrize(("m", "n", "k", "name"), [(2**31, 1, 1, "M"), (1, 2**31, 1, "N"), (1, 1, 2**31, "K")])
def test_a_size_whose_indices_overflow_is_refused(m: int, n: int, k: int, name: str) -> None:
    a, b, d = view(m, k), view(k, n, 1 << 44), view(m, n, 1 << 45)
    with pytest.raises(gg.ArgumentError, match=f"{name}=2147483648 is above 2147475455, the largest size"):
        bind(ROWS, a, b, None, d)


def test_the_largest_sizes_are_bound() -> None:
    largest = ROWS.max_extent
    assert bind(ROWS, view(largest, 1), view(1, 1, 1 << 44), None, view(largest, 1, 1 << 45)).m == largest


def test_a_grid_that_overflows_is_refused_with_both_numbers() -> None:
    a, b, d = view(65536, 1), view(1, 65536, 1 << 44), view(65536, 65536, 1 << 45)
    with pytest.raises(gg.ArgumentError, match="4294967296 tiles of 1 x 1, and a grid has at most 2147483647"):
        bind(THREAD_PER_ELEMENT, a, b, None, d)
    assert bind(ROWS, a, b, None, d).m == 65536


def test_a_pitch_that_leaves_the_address_space_is_refused() -> None:
    with pytest.raises(gg.ArgumentError, match=r"a has strides .* leave the address space"):
        bind(ROWS, view(2, 1, ld=1 << 58), view(1, 1, 1 << 44), None, view(2, 1, 1 << 45))


def test_a_fixed_size_takes_no_other() -> None:
    with pytest.raises(gg.ArgumentError) as caught:
        bind(FIXED, f32(256, 63), f32(63, 255), None, f32(256, 255))
    assert "N=255, and this kernel was made for N=256; K=63, and this kernel was made for K=64" in str(caught.value)
    assert bind(FIXED, f32(256, 64), f32(64, 256), None, f32(256, 256)).k == 64


# ---- Overlap ---------------------------------------------------------------------------------------------------


def test_an_output_that_overlaps_an_input_is_refused() -> None:
    a, b = f32(4, 4), f32(4, 4)
    for out, named in ((a, "a"), (b, "b")):
        with pytest.raises(gg.ArgumentError, match=f"out overlaps {named}: .* only out=c is allowed"):
            bind(ROWS, a, b, None, out)
    with pytest.raises(gg.ArgumentError, match="out overlaps a and b"):
        bind(ROWS, a, a, None, a)


def test_an_output_that_overlaps_c_without_being_c_is_refused() -> None:
    storage = f32(5, 4)
    with pytest.raises(gg.ArgumentError, match="out overlaps c"):
        bind(ROWS, f32(4, 4), f32(4, 4), storage[:4], storage[1:], beta=1)
    assert bind(ROWS, f32(4, 4), f32(4, 4), storage[:4], storage[1:], beta=0).reads_c is False
    other_pitch = np.lib.stride_tricks.as_strided(storage, (2, 4), (32, 4))
    with pytest.raises(gg.ArgumentError, match="out overlaps c"):
        bind(ROWS, f32(2, 4), f32(4, 4), storage[:2], other_pitch, beta=1)


def test_what_is_not_read_may_overlap() -> None:
    a, b = f32(4, 4), f32(4, 4)
    assert not bind(ROWS, a, b, None, a, alpha=0).reads_a_and_b
    assert not bind(ROWS, f32(4, 0), f32(0, 4), None, f32(4, 4)).reads_a_and_b


def test_out_may_be_c() -> None:
    c = f32(3, 4)
    call = bind(**good(c=c, d=c, beta=1))
    assert call.c.address == call.d.address


def test_blocks_of_one_larger_matrix_lie_side_by_side() -> None:
    whole = f32(8, 12)
    a, b, c, d = whole[:4, :4], whole[:4, 4:8], whole[4:, 4:8], whole[4:, 8:]
    call = bind(ROWS, a, b, c, d, beta=1)
    assert {matrix.ld for matrix in (call.a, call.b, call.c, call.d)} == {12}
    with pytest.raises(gg.ArgumentError, match="out overlaps c"):
        bind(ROWS, a, b, c, whole[4:, 7:11], beta=1)


# ---- Scalars ---------------------------------------------------------------------------------------------------

BAD_SCALARS = {
    "a bool": (True, "alpha=True is a bool, not a real number"),
    "a NumPy bool": (np.bool_(1), "is a bool, not a real number"),
    "a string": ("1.0", "alpha='1.0' is a str, not a real number"),
    "a complex": (1 + 0j, "is a complex, not a real number"),
    "None": (None, "alpha=None is a NoneType, not a real number"),
    "an array": (np.ones(1), "is a ndarray, not a real number"),
    "a large float": (1e39, "alpha=1e+39 does not fit f32, whose largest value is 3.4028235e+38"),
    "minus it": (-1e39, "alpha=-1e+39 does not fit f32"),
    "a large int": (10**39, "alpha=1000000000000000000000000000000000000000 does not fit f32"),
    "a larger int": (10**400, "does not fit f32"),
    "an int that has no text": (10**5000, "alpha=a int of very many digits does not fit f32"),
}


@pytest.mark.parametrize(("value", "sentence"), BAD_SCALARS.values(), ids=BAD_SCALARS)
def test_a_scalar_that_has_no_value_is_refused(value, sentence: str) -> None:
    message = refusal(alpha=value)
    assert sentence in message.replace("bool_", "bool")
    assert len(message) < 200


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2.0),
        (np.int64(-3), -3.0),
        (np.float32(1.5), 1.5),
        (np.float16(0.5), 0.5),
        (np.float64(0.1), float(np.float32(0.1))),
        (0.1, float(np.float32(0.1))),
        (2**31 + 1, float(2**31)),
        (math.inf, math.inf),
        (-math.inf, -math.inf),
        (1e-60, 0.0),
        (1e-45, float(np.float32(1e-45))),
        (3.4028235e38, float(np.finfo(np.float32).max)),
    ],
)
def test_a_scalar_is_rounded_to_the_accumulator_type(value, expected: float) -> None:
    call = bind(**good(c=f32(3, 4), alpha=value, beta=value))
    assert (call.alpha, call.beta) == (expected, expected)
    assert type(call.alpha) is float


def test_a_scalar_that_rounds_to_zero_reads_nothing() -> None:
    call = bind(**good(alpha=1e-60, beta=-1e-60))
    assert not call.reads_a_and_b
    assert not call.reads_c
    assert math.copysign(1, call.beta) == -1


def test_nan_is_a_scalar_like_any_other() -> None:
    call = bind(**good(c=f32(3, 4), alpha=math.nan, beta=math.nan))
    assert math.isnan(call.alpha)
    assert call.reads_a_and_b
    assert call.reads_c


def test_beta_needs_c() -> None:
    assert refusal(beta=1) == "beta=1.0 needs C, and c is None"
    assert bind(**good(beta=-0.0)).reads_c is False


# ---- Sources of memory -----------------------------------------------------------------------------------------


class WithInterface:
    def __init__(self, array: np.ndarray) -> None:
        self.__array_interface__ = array.__array_interface__
        self.array = array


class WithDlpack:
    def __init__(self, array: np.ndarray, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class OnDevice:
    __cuda_array_interface__ = {"shape": (3, 5)}  # noqa: RUF012 - the protocol asks for a dict


@pytest.mark.parametrize("wrap", [WithInterface, WithDlpack])
def test_memory_is_shared_and_never_copied(wrap) -> None:
    a = f32(3, 5)
    call = bind(**good(a=wrap(a)))
    assert call.a.address == a.ctypes.data


def test_arrays_on_a_device_are_refused_with_what_to_do() -> None:
    assert 'a is on a CUDA device; pass on="cuda"' in refusal(a=OnDevice())
    assert 'b is not in host memory; pass on="cuda"' in refusal(b=WithDlpack(f32(5, 4), (2, 0)))


def test_the_call_keeps_its_arrays_alive() -> None:
    import gc
    import weakref

    class Owner(np.ndarray):
        pass

    a = f32(3, 5).view(Owner)
    alive = weakref.ref(a)
    call = bind(**good(a=a))
    del a
    gc.collect()
    assert alive() is not None
    del call
    gc.collect()
    assert alive() is None
