"""What the main loop has to say about one operand, as values for templates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmgen.geometry import OperandGeometry
    from gemmgen.plan import Part

__all__ = ["Calls", "OperandSource", "operand_values"]

EXTENT = {"m": "M", "n": "N", "k": "K"}


def operand_values(operand: OperandGeometry, *, masked: bool) -> dict[str, object]:
    """The names that every template of one operand prints."""
    upper = operand.operand.upper()
    free = operand.free
    tile = f"B{free.upper()}"
    contiguous = operand.global_contiguous
    strided = free if contiguous == "k" else "k"
    elements = f"{tile} * BK"
    inside = [f"{free} < {EXTENT[free]}", "k < K"] if masked else []
    in_tile = [f"access < {elements} / kWidth"] if operand.ragged else []
    coordinates = (free, "k + v") if contiguous == "k" else (f"{free} + v", "k")
    return {
        "lower": operand.operand,
        "upper": upper,
        "article": "an" if upper == "A" else "a",
        "article_upper": "An" if upper == "A" else "A",
        "type": operand.c_type,
        "free": free,
        "extent": EXTENT[free],
        "tile": tile,
        "thread_tile": f"T{free.upper()}",
        "position": "tile_row" if free == "m" else "tile_column",
        "contiguous": contiguous,
        "contiguous_upper": contiguous.upper(),
        "contiguous_tile": f"B{contiguous.upper()}",
        "strided": strided,
        "major_upper": operand.smem_major.upper(),
        "ragged": operand.ragged,
        "masked": masked or operand.ragged,
        "load_guard": _guard([*in_tile, *inside]),
        "fragment_guard": _guard(inside),
        "outside": (
            f"Elements outside {upper} become zero, which adds nothing to a product."
            if masked
            else f"All of the tile lies inside {upper}: the launcher takes whole tiles only."
        ),
        "element_coordinates": ", ".join(coordinates),
        "load_arguments": f"{upper}, ld{operand.operand}, {free}0",
    }


def _guard(conditions: list[str]) -> str:
    return f"if ({' && '.join(conditions)}) " if conditions else ""


@dataclass(frozen=True, slots=True)
class Calls:
    """Argument lists of the fragment function: one fragment buffer, or the first and the next of two."""

    call: str
    first_call: str
    next_call: str


@dataclass(frozen=True, slots=True)
class OperandSource:
    """Where the fragments of one operand come from, and how the main loop asks for them."""

    values: dict[str, object]
    shared: bool
    parts: tuple[Part, ...]

    @property
    def parameters(self) -> str:
        """Parameters that ``multiply_tile`` needs for this operand."""
        lower, upper, kind = self.values["lower"], self.values["upper"], self.values["type"]
        if self.shared:
            return f"const {kind}* tile_{lower}"
        free, extent = self.values["free"], self.values["extent"]
        return f"const {kind}* __restrict__ {upper}, long long ld{lower}, int {free}0, int {extent}"

    def arguments(self, stage: str) -> str:
        """What the main loop passes for them; ``stage`` indexes the operand's shared buffers."""
        if self.shared:
            return f"shared.{self.values['lower']}[{stage}]"
        return f"{self.values['load_arguments']}, {self.values['extent']}"

    @property
    def calls(self) -> Calls:
        """The calls of the fragment function inside ``multiply_tile``."""
        lower = str(self.values["lower"])
        return Calls(
            call=self._call(lower, "k"),
            first_call=self._call(f"{lower}[0]", "0"),
            next_call=self._call(f"{lower}[(k + 1) % 2]", "k + 1"),
        )

    def _call(self, fragment: str, step: str) -> str:
        lower, upper = self.values["lower"], self.values["upper"]
        if self.shared:
            return f"({fragment}, tile_{lower}, thread, {step})"
        free, extent = self.values["free"], self.values["extent"]
        k = "k0" if step == "0" else f"k0 + {step}"
        return f"<kWidth{upper}>({fragment}, {upper}, ld{lower}, thread, {free}0, {k}, {extent}, K)"
