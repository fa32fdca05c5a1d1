"""What to compute: D = alpha * A * B + beta * C."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gemmgen.errors import Diagnostic, ScheduleError
from gemmgen.ir.domain import Ints, Maybe, Names
from gemmgen.ir.record import Record, fill, param, read_fields, record, table, unknown_field
from gemmgen.ir.text import show

if TYPE_CHECKING:
    from collections.abc import Mapping

NOT_A_TABLE = "GG005"
LARGEST_SIZE = 2**31 - 1 - 8192
"""Sizes are 32-bit integers in the kernel, and a tile that begins inside a matrix may end up to 8192 beyond it."""


@dataclass(frozen=True, slots=True)
class DType:
    """An element type: its name here, in CUDA C++ and in NumPy, its size, and the types it may accumulate in."""

    name: str
    c_type: str
    bytes: int
    numpy_name: str
    accumulators: tuple[str, ...]


DTYPES: dict[str, DType] = {
    "f32": DType("f32", "float", 4, "float32", ("f32", "f64")),
    "f64": DType("f64", "double", 8, "float64", ("f64",)),
}


def dtype_names() -> tuple[str, ...]:
    """Every known element type."""
    return tuple(DTYPES)


_DTYPE = Names(dtype_names)
_LAYOUT = Names(("row", "col"))
_SIZE = Maybe(Ints(0, LARGEST_SIZE, typical=(1, 4, 7, 64, 127, 128, 1000)), "a run-time size")
_DTYPE_WHY = "A kernel is written for one element type"
_LAYOUT_WHY = "BLAS stores a matrix by rows or by columns"
_SIZE_WHY = "The kernel counts in 32-bit integers, with room for the tile that reaches over the end"


@record
class Operand(Record):
    """One matrix: element type and storage order. `layout` "row" is row-major, "col" column-major."""

    dtype: str = param(_DTYPE, why=_DTYPE_WHY, default="f32")
    layout: str = param(_LAYOUT, why=_LAYOUT_WHY, default="row")


@record
class Gemm(Record):
    """D = alpha * A * B + beta * C, with A (M, K), B (K, N), C and D (M, N).

    `a`, `b` and `c` are element types or `Operand`s; `a_layout` and so on override the operand's layout. C and D share
    theirs. `acc` is the type of the accumulator, alpha and beta. A size that is None is known at run time only; a
    fixed one is checked by the launcher. Raises `ScheduleError` listing all that is wrong.
    """

    a: Operand = param(_DTYPE, why=_DTYPE_WHY, default="f32")
    b: Operand = param(_DTYPE, why=_DTYPE_WHY, default="f32")
    c: Operand = param(_DTYPE, why=_DTYPE_WHY, default="f32")
    acc: str = param(_DTYPE, why=_DTYPE_WHY, default="f32")
    m: int | None = param(_SIZE, why=_SIZE_WHY, default=None)
    n: int | None = param(_SIZE, why=_SIZE_WHY, default=None)
    k: int | None = param(_SIZE, why=_SIZE_WHY, default=None)

    def __init__(
        self,
        a: str | Operand = "f32",
        b: str | Operand = "f32",
        c: str | Operand = "f32",
        acc: str = "f32",
        a_layout: str | None = None,
        b_layout: str | None = None,
        c_layout: str | None = None,
        m: int | None = None,
        n: int | None = None,
        k: int | None = None,
        **unknown: object,
    ) -> None:
        """Read raw values; see the class."""
        layouts = {"a_layout": a_layout, "b_layout": b_layout, "c_layout": c_layout}
        raw: dict[str, object] = {"a": a, "b": b, "c": c, "acc": acc, "m": m, "n": n, "k": k, **unknown}
        raw |= {name: layout for name, layout in layouts.items() if layout is not None}
        values, problems = read_problem(raw)
        if problems:
            raise ScheduleError(problems)
        fill(self, assemble(values))

    @property
    def a_layout(self) -> str:
        """Layout of A."""
        return self.a.layout

    @property
    def b_layout(self) -> str:
        """Layout of B."""
        return self.b.layout

    @property
    def c_layout(self) -> str:
        """Layout of C and D."""
        return self.c.layout

    def to_dict(self) -> dict[str, Any]:
        """The serial form, which is also the constructor's: sizes known at run time only are left out."""
        written: dict[str, Any] = {}
        for name in OPERANDS:
            operand = getattr(self, name)
            written |= {name: operand.dtype, f"{name}_layout": operand.layout}
        written["acc"] = self.acc
        written |= {name: getattr(self, name) for name in SIZES if getattr(self, name) is not None}
        return written

    @classmethod
    def from_dict(cls, raw: Mapping[str, object]) -> Gemm:
        """A problem from its serial form. Raises `ScheduleError`."""
        values, problems = read_problem(raw)
        if problems:
            raise ScheduleError(problems)
        self = cls.__new__(cls)
        fill(self, assemble(values))
        return self

    def __repr__(self) -> str:
        """An expression that evaluates to an equal problem."""
        return f"Gemm({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"


OPERANDS = ("a", "b", "c")
SIZES = ("m", "n", "k")
FIELDS = {
    **{name: Gemm.declared[name] for name in OPERANDS},
    "acc": Gemm.declared["acc"],
    **{f"{name}_layout": replace(Operand.declared["layout"], name=f"{name}_layout") for name in OPERANDS},
    **{name: Gemm.declared[name] for name in SIZES},
}
"""The fields of the serial form, by name."""


def assemble(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a `Gemm` from the flat values of `read_problem`; what is not sound stays unset."""
    built = {name: values[name] for name in ("acc", *SIZES) if name in values}
    for name in OPERANDS:
        operand = Operand.__new__(Operand)
        parts = {"dtype": name, "layout": f"{name}_layout"}
        fill(operand, {part: values[path] for part, path in parts.items() if path in values})
        built[name] = operand
    return built


def not_a_table(raw: object, path: str, fields: str) -> Diagnostic:
    """The diagnostic for a problem or schedule that holds no fields at all."""
    return Diagnostic(
        rule=NOT_A_TABLE,
        field=path,
        message=f"{path}={show(raw)} is not a table of fields",
        reason=f"A {path} is given by the names of its fields",
        suggestion=f"Use {path}={{}} for all defaults, or give {fields}.",
        fix={path: {}},
    )


def read_problem(raw: object) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Read raw input of any shape: (flat values of the sound fields, all that is wrong). Never raises."""
    given = table(raw)
    if given is None:
        return {}, [not_a_table(raw, "problem", ", ".join(FIELDS))]
    problems: list[Diagnostic] = []
    nested: dict[str, object] = {}
    for name in OPERANDS:
        if name in given and not isinstance(given[name], str):
            problems += _open_operand(name, given, nested)
    values, found = read_fields(FIELDS, {**nested, **given}, "problem")
    return values, found + problems


def _open_operand(name: str, given: dict[Any, object], nested: dict[str, object]) -> list[Diagnostic]:
    """Flatten an operand given as a table or an `Operand`; a layout beside it counts more than the one within."""
    value = given[name]
    inner = {"dtype": value.dtype, "layout": value.layout} if isinstance(value, Operand) else table(value)
    if inner is None:
        return []
    given[name] = inner.pop("dtype", "f32")
    if "layout" in inner:
        nested[f"{name}_layout"] = inner.pop("layout")
    return [unknown_field(key, Operand.declared, f"problem.{name}") for key in inner]
