"""Shared tiles whose groups of elements are exchanged by XOR, so that a column of them spreads over the banks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gemmgen.geometry import FREE_AXIS, OperandGeometry, shared_tile, smem_record, through_shared
from gemmgen.ir.domain import Ints
from gemmgen.ir.record import param, record
from gemmgen.ir.registry import Mechanism, register
from gemmgen.ir.slots import MAJOR, MAJOR_WHY, SmemRecord
from gemmgen.mechanisms.faults import for_both_operands
from gemmgen.mechanisms.pitched import pitched_values
from gemmgen.plan import Constant, Part
from gemmgen.rules.base import Changes, Context, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@record
class Swizzled(SmemRecord):
    """Bits [base + shift, base + shift + bits) of an element's offset are XORed onto bits [base, base + bits).

    Groups of 2^base elements stay together. No memory is added; the exchange stays within blocks of 2^(base + bits).
    """

    bits: int = param(Ints(1, 5, typical=(1, 2, 3)), why="five bits number all 32 banks")
    base: int = param(Ints(0, 5, typical=(2, 1, 0)), why="a group of more than 32 elements is wider than the banks")
    shift: int = param(Ints(1, 10, typical=(3, 4, 5)), why="a shared tile's line has at most 1024 elements")
    major: str | None = param(MAJOR, why=MAJOR_WHY, default=None)

    @property
    def granule(self) -> int:
        """See `SmemRecord.granule`."""
        return min(4, 1 << self.base)


def lower(record: Swizzled, side: OperandGeometry, values: Mapping[str, object]) -> Part:
    """The part of the file that says where an element of the tile lies."""
    upper = side.operand.upper()
    shown, pitch = pitched_values(side, values, 0)
    constants = tuple(
        Constant(f"kSwizzle{name.title()}{upper}", str(value), value, comment)
        for name, value, comment in (
            ("bits", record.bits, "bits of the line's number that are XORed"),
            ("base", record.base, "bits of an offset that stay: a group's elements"),
            ("shift", record.shift, "from the bits that are read to those that change"),
        )
    )
    return Part("smem_swizzled.cu.jinja", {**shown, "granule": 2**record.base}, (pitch, *constants))


def _records(context: Context) -> Iterator[tuple[str, Swizzled]]:
    for operand in FREE_AXIS:
        layout = smem_record(context.schedule, operand)
        if isinstance(layout, Swizzled) and through_shared(context.schedule, operand):
            yield operand, layout


def _check_shift(context: Context) -> Iterator[Finding]:
    for operand, layout in _records(context):
        if layout.shift < layout.bits:
            message = f"smem_{operand}={layout}: shift={layout.shift} is less than bits={layout.bits}"
            yield Finding(f"schedule.smem_{operand}", message, partial(_repair_shift, operand, layout))


def _repair_shift(operand: str, layout: Swizzled) -> Iterable[Changes]:
    yield {f"schedule.smem_{operand}": Swizzled(layout.bits, layout.base, layout.bits, layout.major)}


SHIFT = Rule(
    id="GG022",
    title="a swizzle reads no bit that it changes",
    reason="An XOR of bits with themselves maps two elements to one place",
    needs=("schedule.smem_a", "schedule.smem_b", "schedule.copy_a", "schedule.copy_b"),
    check=_check_shift,
)


def _check_block(context: Context) -> Iterator[Finding]:
    for operand, layout in _records(context):
        elements = shared_tile(context.schedule, operand)[2]
        block = 2 ** (layout.base + layout.bits)
        if elements % block:
            message = f"smem_{operand}={layout} exchanges within blocks of {block} elements, and a stage has {elements}"
            yield Finding(f"schedule.smem_{operand}", message, partial(_repair_block, operand, layout, elements))


def _repair_block(operand: str, layout: Swizzled, elements: int) -> Iterable[Changes]:
    path = f"schedule.smem_{operand}"
    for bits in range(layout.bits - 1, 0, -1):
        if elements % 2 ** (layout.base + bits) == 0:
            yield {path: Swizzled(bits, layout.base, layout.shift, layout.major)}
    yield {path: "linear" if layout.major is None else f"linear(major={layout.major})"}


BLOCK = Rule(
    id="GG023",
    title="a swizzle stays inside its stage",
    reason="The XOR moves an element anywhere within an aligned block of 2^(base + bits)",
    needs=("schedule.smem_a", "schedule.smem_b", "schedule.copy_a", "schedule.copy_b", "schedule.cta_tile"),
    check=_check_block,
    after=("GG007", "GG022"),
)

MUTANTS = (
    *for_both_operands(
        "swizzle_on_one_side",
        "the store swizzles, the fragment does not",
        "tile + shared_offset_<x>(tile_",
        "tile + k * kPitch<X> + (tile_",
    ),
    *for_both_operands(
        "split_groups",
        "the XOR reaches into a group, whose elements part",
        "- 1)) << kSwizzleBase<X>)",
        "- 1)) << (kSwizzleBase<X> - 1))",
    ),
)

MECHANISM = register(
    Mechanism(
        slot="smem",
        name="swizzled",
        record=Swizzled,
        rules=(SHIFT, BLOCK),
        lower=lower,
        mutants=MUTANTS,
        doc="groups of elements exchanged by XOR with the line's number",
    )
)
