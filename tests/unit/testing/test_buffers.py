"""Guard zones, padding and the names of changed bytes."""

from __future__ import annotations

import numpy as np
import pytest

from gemmgen.errors import ArgumentError
from gemmgen.testing.buffers import GUARD_BYTES, MatrixBuffer, allocate


def write(buffer: MatrixBuffer, byte: int) -> None:
    """Flips one byte at `byte` bytes from the first element."""
    buffer.storage[buffer.start + byte] ^= 0xFF


@pytest.mark.parametrize("layout", ["row", "col"])
@pytest.mark.parametrize("offset", [0, 1, 3])
@pytest.mark.parametrize("pad", [0, 1, 5])
def test_the_view_lies_where_it_says(layout: str, offset: int, pad: int) -> None:
    width = 7 if layout == "row" else 4
    buffer = allocate("A", (4, 7), layout=layout, ld=width + pad, offset=offset)
    assert buffer.view.shape == (4, 7)
    assert buffer.address == buffer.view.__array_interface__["data"][0]
    assert buffer.address % 256 == offset * 4
    assert buffer.misaligned_by == offset * 4 % 16
    line, step = (width + pad) * 4, 4
    assert buffer.view.strides == ((line, step) if layout == "row" else (step, line))


def test_everything_starts_as_nan_of_differing_payloads() -> None:
    one, two = allocate("C", (3, 3), ld=8), allocate("D", (3, 3), ld=8)
    words = one.storage.view(np.uint32)
    assert np.isnan(words.view(np.float32)).all()
    assert len(set(words.tolist())) > 0.99 * len(words)
    assert not (words == two.storage.view(np.uint32)).any()


def test_filling_leaves_guards_and_padding_alone() -> None:
    buffer = allocate("A", (3, 5), ld=9, offset=1)
    before = buffer.storage.copy()
    buffer.fill(np.ones((3, 5)))
    assert buffer.change() is None
    assert int((before != buffer.storage).sum()) <= 3 * 5 * 4
    assert np.array_equal(buffer.view, np.ones((3, 5)))


@pytest.mark.parametrize(
    ("layout", "byte", "text"),
    [
        ("row", 0, "D[0, 0], byte 0: "),
        ("row", 9 * 4 + 2 * 4 + 3, "D[1, 2], byte 3: "),
        ("row", 5 * 4 + 1, "D[0, 5], byte 1, in the padding of its leading dimension: "),
        ("row", 2 * 9 * 4 + 5 * 4, "D: 0 bytes after its last element (guard zone), "),
        ("row", -1, "D: 1 bytes before its first element (guard zone), "),
        ("col", 9 * 4 + 2 * 4, "D[2, 1], byte 0: "),
        ("col", 9 * 4 + 3 * 4, "D[3, 1], byte 0, in the padding of its leading dimension: "),
        ("col", 4 * 9 * 4 + 3 * 4 + 2, "D: 2 bytes after its last element (guard zone), "),
    ],
)
def test_a_changed_byte_is_named(layout: str, byte: int, text: str) -> None:
    buffer = allocate("D", (3, 5), layout=layout, ld=9)
    buffer.fill(np.zeros((3, 5)))
    write(buffer, byte)
    message = buffer.change()
    assert message is not None
    assert message.startswith(text)
    assert message.endswith("; 1 bytes changed")


def test_the_first_byte_is_named_and_all_are_counted() -> None:
    buffer = allocate("D", (2, 2))
    write(buffer, 5)
    write(buffer, 2)
    assert "D[0, 0], byte 2: " in str(buffer.change())
    assert "2 bytes changed" in str(buffer.change())


def test_elements_can_be_left_out() -> None:
    buffer = allocate("D", (2, 3), layout="col", ld=4)
    buffer.view[...] = 1.0
    assert buffer.change(outside_only=True) is None
    write(buffer, 2 * 4)
    assert "padding" in str(buffer.change(outside_only=True))


def test_unwritten_elements_are_listed() -> None:
    for layout in ("row", "col"):
        buffer = allocate("D", (2, 3), layout=layout, ld=5)
        buffer.view[...] = np.nan  # also a computed NaN is a written element
        buffer.view[1, 2] = buffer.pristine[buffer.start :].view(np.float32)[0]
        assert buffer.unwritten() == []
        buffer.poison()
        buffer.view[0, :] = 4.0
        assert buffer.unwritten() == [(1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (3, 0), (1, 1)])
@pytest.mark.parametrize("layout", ["row", "col"])
def test_empty_matrices_have_guards_too(shape: tuple[int, int], layout: str) -> None:
    buffer = allocate("C", shape, layout=layout, offset=2)
    assert buffer.view.shape == shape
    assert buffer.unwritten() == [(row, column) for row in range(shape[0]) for column in range(shape[1])]
    write(buffer, -GUARD_BYTES)
    assert f"{GUARD_BYTES} bytes before" in str(buffer.change())


def test_doubles_work_alike() -> None:
    buffer = allocate("A", (2, 2), dtype="float64", offset=1)
    assert np.isnan(buffer.view).all()
    assert buffer.misaligned_by == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": (2, 5), "ld": 4}, "A: the leading dimension is 4, but a line has 5 elements. Use 5."),
        (
            {"shape": (2, 5), "layout": "col", "ld": 1},
            "A: the leading dimension is 1, but a line has 2 elements. Use 2.",
        ),
        ({"shape": (-1, 5)}, "A: shape -1 x 5 and offset 0 must not be negative."),
        ({"shape": (1, 5), "offset": -1}, "A: shape 1 x 5 and offset -1 must not be negative."),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        allocate("A", **arguments)
    assert str(caught.value) == message
