"""Scalars and addresses as a kernel's parameters: converted exactly, or refused."""

from __future__ import annotations

import math
import numbers
import operator
import struct
from typing import TYPE_CHECKING

from gemmgen.errors import ArgumentError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable

_FORMATS = {"i32": "i", "i64": "q", "f32": "f", "f64": "d", "ptr": "Q"}
_INTEGER_RANGES = {"i32": (-(2**31), 2**31 - 1), "i64": (-(2**63), 2**63 - 1), "ptr": (0, 2**64 - 1)}


def checked_scalar(name: str, code: str, value: object) -> int | float:
    """A Python or NumPy scalar as the declared type of a parameter.

    An integer parameter takes integers alone, within its range. A floating-point parameter takes any real number;
    what ``f32`` can not hold exactly is rounded to nearest, as a C compiler would, but a finite value never becomes
    infinite.

    Args:
        name: of the parameter, for the message.
        code: "i32", "i64", "f32", "f64" or "ptr".
        value: the scalar.

    Raises:
        ArgumentError: not such a number, or out of range.

    """
    if code in _INTEGER_RANGES:
        return _checked_integer(name, code, value)
    if code not in _FORMATS:
        raise InternalError(f"{code!r} is no parameter type.")
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ArgumentError(f"{name}={value!r} is a {type(value).__name__}; {name} takes a real number.")
    try:
        number = float(value)
        if code == "f32" and math.isfinite(number):
            number = float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        largest = "3.4e38" if code == "f32" else "1.8e308"
        raise ArgumentError(f"{name}={value} is beyond the range of {code}, about ±{largest}.") from None
    return number


def _checked_integer(name: str, code: str, value: object) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what has no __index__ is refused here
    except TypeError:
        raise ArgumentError(f"{name}={value!r} is a {type(value).__name__}; {name} takes an integer.") from None
    if isinstance(value, bool):
        raise ArgumentError(f"{name}={value!r} is a bool; {name} takes an integer.")
    low, high = _INTEGER_RANGES[code]
    if not low <= number <= high:
        raise ArgumentError(f"{name}={number} is outside {low} to {high}, the range of {code}.")
    return number


def pack_arguments(arguments: Iterable[tuple[str, int | float]]) -> bytes:
    """A kernel's parameter block: each value at the next multiple of its own size, as the CUDA ABI lays them out.

    Args:
        arguments: (code, value) in the kernel's order; codes as for `checked_scalar`.

    """
    block = bytearray()
    for position, (code, value) in enumerate(arguments):
        number = checked_scalar(f"argument {position}", code, value)
        packed = struct.pack("<" + _FORMATS[code], number)
        block += bytes(-len(block) % len(packed))
        block += packed
    return bytes(block)
