"""What shared layouts of equal lines have in common: an offset that is line times pitch plus place in the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmgen.plan import Constant, Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.geometry import OperandGeometry

__all__ = ["pitched_part", "pitched_values"]


def pitched_values(
    side: OperandGeometry, values: Mapping[str, object], padding: int
) -> tuple[dict[str, object], Constant]:
    """What such a layout's template prints, and the pitch of the operand's tile as a constant."""
    upper, free, major = side.operand.upper(), side.free, side.smem_major
    extent = f"B{major.upper()}"
    expression = f"{extent} + {padding}" if padding else extent
    pitch = Constant(f"kPitch{upper}", expression, side.pitch, f"elements from one line of {upper}'s tile to the next")
    line = free if major == "k" else "k"
    return {**values, "offset": f"{line} * kPitch{upper} + {major}"}, pitch


def pitched_part(side: OperandGeometry, values: Mapping[str, object], padding: int) -> Part:
    """The part of the file that says where an element of a pitched tile lies."""
    shown, pitch = pitched_values(side, values, padding)
    elements = "1 element" if padding == 1 else f"{padding} elements"
    note = f", and {elements} of padding after each line, which moves the next one to other banks" if padding else ""
    return Part("smem_pitched.cu.jinja", {**shown, "padding_comment": note}, (pitch,))
