"""Binding arrays and scalars to a kernel's contract: every refusal of a call is worded here, all at once."""

from __future__ import annotations

import numbers
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmgen.call.arrays import ArrayView, view_of
from gemmgen.call.overlap import Footprint, overlap
from gemmgen.errors import ArgumentError
from gemmgen.ir import DTYPES

if TYPE_CHECKING:
    from gemmgen.plan import Plan

__all__ = ["Call", "Matrix", "bind", "scalar"]

MATRIX_DIMENSIONS = 2
_KINDS = {"row": "row", "col": "column"}
_LARGEST = {"f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}
_SHOWN = 60

# What the emitted launcher refuses as well: see launcher_checks.cu.jinja.
MAX_OFFSET = 1 << 58
MAX_TILES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Matrix:
    """One matrix in memory: ``runs`` contiguous runs of ``width`` elements, ``ld`` elements apart."""

    name: str
    address: int
    runs: int
    width: int
    ld: int
    element_bytes: int

    @property
    def footprint(self) -> Footprint:
        """Its bytes."""
        return Footprint(self.address, self.runs, self.width * self.element_bytes, self.ld * self.element_bytes)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that may be launched. C is D where no C was given (it is then not read: beta is zero)."""

    m: int
    n: int
    k: int
    alpha: float
    beta: float
    a: Matrix
    b: Matrix
    c: Matrix
    d: Matrix
    owners: tuple[object, ...]

    @property
    def reads_a_and_b(self) -> bool:
        """Whether the product matters: BLAS does not read A or B when alpha is zero."""
        return self.k > 0 and self.alpha != 0

    @property
    def reads_c(self) -> bool:
        """Whether C matters: BLAS does not read it when beta is zero."""
        return self.beta != 0

    @property
    def sizes(self) -> dict[str, int]:
        """M, N and K by name."""
        return {"M": self.m, "N": self.n, "K": self.k}


def scalar(name: str, value: object, code: str, problems: list[str]) -> float:
    """``value`` as a scalar of the accumulator type, rounded to nearest; a complaint if it has no such value."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        problems.append(f"{name}={repr(value)[:_SHOWN]} is a {type(value).__name__}, not a real number")
        return 0.0
    try:
        converted = float(value)
        # Rounded here, so that whether it is zero, and C or A and B are read, is decided as the launcher does.
        (rounded,) = struct.unpack("<f", struct.pack("<f", converted)) if code == "f32" else (converted,)
    except OverflowError:
        problems.append(f"{name}={_shown(value)} does not fit {code}, whose largest value is {_LARGEST[code]:.8g}")
        return 1.0
    return float(rounded)


def _shown(value: object) -> str:
    try:
        return repr(value)[:_SHOWN]
    except ValueError:  # an int of thousands of digits
        return f"a {type(value).__name__} of very many digits"


def bind(
    plan: Plan,
    a: Any,
    b: Any,
    c: Any,
    d: Any,
    alpha: object = 1.0,
    beta: object = 0.0,
) -> Call:
    """Check a call against a plan's contract; ``ArgumentError`` lists everything that is wrong with it.

    ``a`` (M, K), ``b`` (K, N), ``c`` (M, N) or None, ``d`` (M, N): views with strides that fit the declared layouts.
    """
    problems: list[str] = []
    factors = (
        scalar("alpha", alpha, plan.accumulator_code, problems),
        scalar("beta", beta, plan.accumulator_code, problems),
    )
    views = {name: _view(plan, name, array, problems) for name, array in (("a", a), ("b", b), ("d", d))}
    views["c"] = None if c is None else _view(plan, "c", c, problems)
    if c is None and factors[1] != 0:
        problems.append(f"beta={factors[1]!r} needs C, and c is None")
    if views["d"] is not None and not views["d"].writable:
        problems.append("out is read-only")
    usable = {name: view for name, view in views.items() if view is not None}
    sizes = _sizes(plan, {name: view.shape for name, view in usable.items()}, problems)
    matrices = {name: _matrix(plan, name, view, problems) for name, view in usable.items()}
    if problems:
        raise ArgumentError("; ".join(problems))
    call = Call(
        *sizes,
        *factors,
        matrices["a"],
        matrices["b"],
        matrices.get("c", matrices["d"]),
        matrices["d"],
        tuple(view.owner for view in usable.values()),
    )
    _check_overlap(call)
    return call


def _view(plan: Plan, name: str, array: object, problems: list[str]) -> ArrayView | None:
    shown = "out" if name == "d" else name
    view = view_of(array)
    if isinstance(view, str):
        problems.append(f"{shown} {view}")
        return None
    expected = DTYPES[plan.dtypes[name]].numpy_name
    if view.dtype != expected:
        problems.append(f"{shown} is {view.dtype}, and this kernel takes {expected}")
    if len(view.shape) != MATRIX_DIMENSIONS:
        problems.append(f"{shown} has the shape {view.shape}, and a matrix has 2 dimensions")
        return None
    return view


def _sizes(plan: Plan, shapes: dict[str, tuple[int, ...]], problems: list[str]) -> tuple[int, int, int]:
    if "a" not in shapes or "b" not in shapes:
        return 0, 0, 0  # a complaint is made already
    m, k = shapes["a"]
    n = shapes["b"][1]
    if shapes["b"][0] != k:
        problems.append(f"a is {m} x {k} and b is {shapes['b'][0]} x {n}: the inner sizes differ")
    for name in ("c", "d"):
        if name in shapes and shapes[name] != (m, n):
            shown = "out" if name == "d" else name
            problems.append(f"{shown} is {shapes[name][0]} x {shapes[name][1]}, not {m} x {n}")
    for name, size in (("M", m), ("N", n), ("K", k)):
        fixed = plan.fixed_sizes.get(name)
        if fixed is not None and size != fixed:
            problems.append(f"{name}={size}, and this kernel was made for {name}={fixed}")
        if size > plan.max_extent:
            problems.append(f"{name}={size} is above {plan.max_extent}, the largest size whose indices fit")
    for launch in plan.launches:
        tiles = -(-m // launch.tile_m) * -(-n // launch.tile_n)
        if tiles > MAX_TILES:
            tile = f"{launch.tile_m} x {launch.tile_n}"
            problems.append(f"M={m} and N={n} make {tiles} tiles of {tile}, and a grid has at most {MAX_TILES}")
    return m, n, k


def _matrix(plan: Plan, name: str, view: ArrayView, problems: list[str]) -> Matrix:
    """The matrix in memory. The stride of a dimension of size 1 (or of an empty matrix) says nothing and is ignored."""
    layout = {"a": plan.layout_a, "b": plan.layout_b}.get(name, plan.layout_c)
    shown = "out" if name == "d" else name
    runs_axis, width_axis = (0, 1) if layout == "row" else (1, 0)
    runs, width = view.shape[runs_axis], view.shape[width_axis]
    step, pitch = view.strides[width_axis], view.strides[runs_axis]
    empty = runs == 0 or width == 0
    if view.item_bytes != DTYPES[plan.dtypes[name]].bytes:
        return Matrix(name, view.address, runs, width, max(1, width), view.item_bytes)  # a wrong dtype, said already
    if width > 1 and runs > 1 and pitch == view.item_bytes and step >= runs * view.item_bytes:
        problems.append(_other_layout(shown, layout, view.strides))
        return Matrix(name, view.address, runs, width, max(1, width), view.item_bytes)
    if width > 1 and not empty and step != view.item_bytes:
        kind = "rows" if layout == "row" else "columns"
        problems.append(f"{shown} has strides {view.strides}: {kind} of a {layout}-major matrix are contiguous")
    ld = max(1, width)
    if runs > 1 and not empty:
        if pitch % view.item_bytes != 0 or pitch < width * view.item_bytes:
            problems.append(
                f"{shown} has strides {view.strides}: its leading dimension must be whole and at least {ld} elements"
            )
        else:
            ld = pitch // view.item_bytes
    if runs * ld > MAX_OFFSET and not empty:
        problems.append(f"{shown} has strides {view.strides}, with which its offsets leave the address space")
    if not empty and view.address % view.item_bytes != 0:
        problems.append(
            f"{shown} is at address {view.address:#x}, which is not aligned to its {view.item_bytes}-byte elements"
        )
    return Matrix(name, view.address, runs, width, ld, view.item_bytes)


def _other_layout(shown: str, layout: str, strides: tuple[int, ...]) -> str:
    """The complaint about an array that has the other layout: the usual mistake, and its two remedies."""
    other, make = ("col", "ascontiguousarray") if layout == "row" else ("row", "asfortranarray")
    field = "c_layout" if shown in {"c", "out"} else f"{shown}_layout"
    copy = "" if shown == "out" else f", or pass np.{make}({shown})"
    return (
        f"{shown} has strides {strides} and so is {_KINDS[other]}-major, and this kernel was generated for a "
        f'{_KINDS[layout]}-major one: generate it with {field}="{other}"{copy}'
    )


def _check_overlap(call: Call) -> None:
    """The launcher's own rule: D may be C, and otherwise shares no byte with what is read."""
    if call.m == 0 or call.n == 0:
        return
    d = call.d.footprint
    found = []
    if call.reads_a_and_b:
        found += [name for name, matrix in (("a", call.a), ("b", call.b)) if overlap(d, matrix.footprint)]
    in_place = call.c.address == call.d.address and call.c.ld == call.d.ld
    if call.reads_c and not in_place and overlap(d, call.c.footprint):
        found.append("c")
    if found:
        message = f"out overlaps {' and '.join(found)}: the kernel would read what it writes; only out=c is allowed"
        raise ArgumentError(message)
