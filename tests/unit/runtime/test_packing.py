"""Scalars are converted to the declared type exactly, or refused."""

from __future__ import annotations

import fractions
import math
import struct

import numpy as np
import pytest

from gemmgen.errors import ArgumentError, InternalError
from gemmgen.runtime.packing import checked_scalar, pack_arguments


@pytest.mark.parametrize("value", [7, np.int64(7), np.int8(7), np.uint32(7)])
def test_integers_of_any_kind_are_taken(value):
    result = checked_scalar("M", "i64", value)
    assert result == 7
    assert type(result) is int


def test_an_extent_beyond_32_bits_keeps_its_value_in_64():
    assert checked_scalar("lda", "i64", 2**31 + 5) == 2**31 + 5
    assert checked_scalar("lda", "i64", np.int64(2**40)) == 2**40


def test_an_extent_beyond_32_bits_is_refused_for_32():
    with pytest.raises(ArgumentError) as caught:
        checked_scalar("M", "i32", 2**31)
    assert str(caught.value) == "M=2147483648 is outside -2147483648 to 2147483647, the range of i32."


@pytest.mark.parametrize("value", [7.0, np.float64(7), "7", None, True, np.bool_(1), fractions.Fraction(7)])
def test_what_is_no_integer_is_refused_for_one(value):
    with pytest.raises(ArgumentError, match=r"^M=.*; M takes an integer\.$"):
        checked_scalar("M", "i64", value)


@pytest.mark.parametrize("value", [0.1, np.float64(0.1), np.float32(0.1), fractions.Fraction(1, 10)])
def test_f32_rounds_to_nearest(value):
    assert checked_scalar("alpha", "f32", value) == float(np.float32(0.1))


def test_f64_keeps_all_digits():
    assert checked_scalar("alpha", "f64", np.float64(0.1)) == 0.1


def test_infinity_and_nan_pass_and_overflow_does_not_become_infinity():
    assert checked_scalar("alpha", "f32", math.inf) == math.inf
    assert math.isnan(checked_scalar("alpha", "f32", math.nan))
    with pytest.raises(ArgumentError) as caught:
        checked_scalar("alpha", "f32", 1e39)
    assert str(caught.value) == "alpha=1e+39 is beyond the range of f32, about ±3.4e38."
    with pytest.raises(ArgumentError, match="beyond the range of f64"):
        checked_scalar("alpha", "f64", 10**400)


@pytest.mark.parametrize("value", ["1", None, 1j, np.zeros(1), False])
def test_what_is_no_real_number_is_refused(value):
    with pytest.raises(ArgumentError, match="takes a real number"):
        checked_scalar("alpha", "f32", value)


def test_an_unknown_type_code_is_our_fault():
    with pytest.raises(InternalError):
        checked_scalar("alpha", "f16", 1.0)


def test_each_argument_stands_at_a_multiple_of_its_own_size():
    packed = pack_arguments([("i32", 1), ("ptr", 2), ("f32", 3.0), ("i64", -4), ("i32", 5), ("f32", 6.0)])
    assert packed == struct.pack("<i4xQf4xqif", 1, 2, 3.0, -4, 5, 6.0)


def test_no_arguments_pack_to_nothing():
    assert pack_arguments([]) == b""
