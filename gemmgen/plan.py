"""The plan: what a template needs to print one file, as plain frozen data.

A plan is made by :mod:`gemmgen.lower` and read by :mod:`gemmgen.emit`, the emulator and the CUDA runtime. It holds
resolved integers, names, booleans and C expressions that a reader of the emitted file is meant to see. Sizes are in
elements unless a name says bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Condition",
    "Constant",
    "Kernel",
    "Launch",
    "Parameter",
    "Part",
    "Plan",
    "SharedArray",
    "StaticAssert",
]


@dataclass(frozen=True, slots=True)
class Constant:
    """One ``constexpr int`` of the emitted file: its expression is printed, its value is what it comes to."""

    name: str
    expression: str
    value: int
    comment: str = ""

    @property
    def is_derived(self) -> bool:
        """Whether the expression is more than the bare number, so that the number is worth a comment."""
        return self.expression != str(self.value)


@dataclass(frozen=True, slots=True)
class StaticAssert:
    """A rule of the schedule restated for the C++ compiler, with the sentence it prints."""

    condition: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel, in order: its C type and name, and its type code for a caller in Python.

    ``code`` is one of ``i32``, ``i64``, ``ptr`` or the accumulator's type name (``f32``).
    """

    c_type: str
    name: str
    code: str

    @property
    def declaration(self) -> str:
        """The parameter as it stands in a C++ signature."""
        return f"{self.c_type} {self.name}"


@dataclass(frozen=True, slots=True)
class SharedArray:
    """One member of ``SharedStorage``: ``name[stages][elements]``, at ``offset_bytes`` from its start."""

    name: str
    stages: int
    element_type: str
    extent: str
    elements: int
    element_bytes: int
    offset_bytes: int
    comment: str

    @property
    def size_bytes(self) -> int:
        """Bytes of the whole member, all stages."""
        return self.stages * self.elements * self.element_bytes


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the emitted file: a template and the values it prints.

    ``constants``, ``asserts`` and ``accesses`` (C types and widths in elements that the part's functions use) go to the
    sections of the file that collect them.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    constants: tuple[Constant, ...] = ()
    asserts: tuple[StaticAssert, ...] = ()
    accesses: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of the table that chooses between the scheduled path and the one whose widths are all 1.

    ``subject`` is what must divide by ``divisor``: ``"address"`` (bytes), ``"ld"`` or ``"extent"`` (elements) of
    ``matrix``. ``extent`` names the size (``"M"``, ``"N"``, ``"K"``) when the subject is one. A condition on C does
    not count when C is not read.
    """

    matrix: str
    subject: str
    divisor: int
    extent: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One ``__global__`` function: its widths in elements for A, B and C/D."""

    name: str
    vector_a: int
    vector_b: int
    vector_c: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch of the plan: the kernel to use when every condition holds, and the one that always may.

    With ``refuses`` there is no such other: a call for which a condition fails gets a status and no launch.

    The grid is linear in x: one CTA for each tile of ``tile_m`` x ``tile_n`` elements of D.
    """

    scheduled: Kernel
    fallback: Kernel
    conditions: tuple[Condition, ...]
    tile_m: int
    tile_n: int
    threads: int
    shared_bytes: int
    parameters: tuple[Parameter, ...]
    refuses: bool = False

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that the file holds, each once."""
        return (self.scheduled,) if self.scheduled == self.fallback else (self.scheduled, self.fallback)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is printed in, or has to be known about, one emitted file."""

    symbol: str
    namespace: str
    capability: int
    architecture: str
    architecture_specific: bool
    type_a: str
    type_b: str
    type_c: str
    accumulator_type: str
    accumulator_code: str
    dtypes: Mapping[str, str]
    layout_a: str
    layout_b: str
    layout_c: str
    fixed_sizes: Mapping[str, int]
    max_extent: int
    constants: tuple[Constant, ...]
    asserts: tuple[StaticAssert, ...]
    accesses: tuple[tuple[str, int], ...]
    shared: tuple[SharedArray, ...]
    parts: tuple[Part, ...]
    launches: tuple[Launch, ...]
    facts: tuple[tuple[str, str], ...]
