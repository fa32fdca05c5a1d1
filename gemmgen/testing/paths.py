"""Which kernel of a file a call gets, and the nearest call that gets the other one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gemmgen.ir import DTYPES
from gemmgen.testing.cases import MATRICES, Case, Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemmgen.ir import Gemm
    from gemmgen.plan import Condition


REFUSED = "refused"
"""Stands for a kernel's name where the launcher has to refuse a call."""


def matrix_index(case: Case, matrix: str) -> int:
    """Find where a matrix stands in a case's paddings and offsets; in place, D is C."""
    return MATRICES.index("C" if case.in_place and matrix == "D" else matrix)


def line_extents(problem: Gemm, case: Case, matrix: str) -> tuple[int, int]:
    """Count a matrix's contiguous lines, and the elements of one."""
    rows, columns = {"A": (case.m, case.k), "B": (case.k, case.n)}.get(matrix, (case.m, case.n))
    operand = {"A": problem.a, "B": problem.b}.get(matrix, problem.c)
    return (rows, columns) if operand.layout == "row" else (columns, rows)


def expected_kernel(kernel: Kernel, case: Case, beta: float) -> str:
    """Name the kernel that the plan's table of conditions picks; "" when nothing is launched."""
    if case.m == 0 or case.n == 0:
        return ""
    launch = kernel.plan.launches[0]
    held = all(_holds(kernel.problem, case, condition, beta) for condition in launch.conditions)
    if launch.refuses and not held:
        return REFUSED
    return launch.scheduled.name if held else launch.fallback.name


def _holds(problem: Gemm, case: Case, condition: Condition, beta: float) -> bool:
    if condition.matrix == "C" and beta == 0:
        return True
    index = matrix_index(case, condition.matrix)
    if condition.subject == "address":
        # Allocations begin at a multiple of 256 bytes; an empty matrix has no memory, and on a GPU a null address.
        if 0 in line_extents(problem, case, condition.matrix):
            return True
        return case.offsets[index] * _item_bytes(problem, condition.matrix) % condition.divisor == 0
    if condition.subject == "ld":
        lines, width = line_extents(problem, case, condition.matrix)
        # A single line has no next one: its stride says nothing, and callers take the least leading dimension.
        padding = case.paddings[index] if lines > 1 and width else 0
        return (max(1, width) + padding) % condition.divisor == 0
    return _extent(case, condition.extent) % condition.divisor == 0


def both_paths(kernel: Kernel, case: Case) -> tuple[Case, ...]:
    """Pair a case with the nearest one that takes the other path of the file, if there is one.

    Towards the vector path everything is rounded up to what the table of conditions asks for; away from it, one
    condition, picked by the seed, is broken and all others hold.
    """
    launch = kernel.plan.launches[0]
    if not launch.conditions or not case.m or not case.n:
        return (case,)
    if launch.refuses:
        admitted = align(kernel, case)
        return () if admitted is None else (admitted, *filter(None, (_break_one(kernel, admitted, case.seed),)))
    scheduled = _is_scheduled(kernel, case)
    other = _break_one(kernel, case, case.seed) if scheduled else align(kernel, case)
    return (case,) if other is None else (case, other)


def broken_variants(kernel: Kernel, case: Case, count: int) -> tuple[Case, ...]:
    """Give up to `count` neighbours of a case, each of which breaks another condition of the table, and only that.

    Which ones, the seed says: those after the one that `both_paths` takes.
    """
    if not kernel.plan.launches[0].conditions or not case.m or not case.n:
        return ()
    aligned = case if _is_scheduled(kernel, case) else align(kernel, case)
    if aligned is None:
        return ()
    chosen = (_break_one(kernel, aligned, case.seed + 1 + index) for index in range(count))
    return tuple(dict.fromkeys(broken for broken in chosen if broken is not None))


def _is_scheduled(kernel: Kernel, case: Case) -> bool:
    return expected_kernel(kernel, case, case.beta) == kernel.plan.launches[0].scheduled.name


def align(kernel: Kernel, case: Case) -> Case | None:
    """Find the nearest larger case for which the plan's whole table holds; None if a fixed size forbids."""
    changed = case
    conditions = kernel.plan.launches[0].conditions
    for condition in conditions:
        if condition.subject == "extent":
            changed = _with_extent(
                changed, condition.extent, _up(_extent(changed, condition.extent), condition.divisor)
            )
    if any(getattr(kernel.problem, size) not in {None, getattr(changed, size)} for size in ("m", "n", "k")):
        return None
    changed = _align_pitches(kernel, changed)
    for condition in conditions:
        if condition.subject == "address":
            index = matrix_index(changed, condition.matrix)
            item = _item_bytes(kernel.problem, condition.matrix)
            offset = _up(changed.offsets[index] * item, condition.divisor) // item
            changed = replace(changed, offsets=_set(changed.offsets, index, offset))
    return changed if _is_scheduled(kernel, changed) else None


def breaking_cases(kernel: Kernel, case: Case) -> Iterator[Case]:
    """Yield, for each condition of the table, cases in which it does not hold and as few others as can be.

    First by half of its divisor, which a condition that is half as strict would admit; then by one element.
    """
    conditions = kernel.plan.launches[0].conditions
    tried = [_break(kernel, case, condition, half=half) for half in (True, False) for condition in conditions]
    for broken in dict.fromkeys(tried):
        if broken is not None and not _is_scheduled(kernel, broken):
            yield broken


def _break_one(kernel: Kernel, case: Case, turn: int) -> Case | None:
    """Break one condition of the table, another one each turn. None if none can be broken."""
    broken = list(breaking_cases(kernel, case))
    return broken[turn % len(broken)] if broken else None


def _break(kernel: Kernel, case: Case, condition: Condition, *, half: bool) -> Case | None:
    index = matrix_index(case, condition.matrix)
    if condition.subject == "address":
        step = max(1, condition.divisor // 2 // _item_bytes(kernel.problem, condition.matrix)) if half else 1
        return replace(case, offsets=_set(case.offsets, index, case.offsets[index] + step))
    step = max(1, condition.divisor // 2) if half else 1
    if condition.subject == "ld":
        return replace(case, paddings=_set(case.paddings, index, case.paddings[index] + step))
    if getattr(kernel.problem, condition.extent.lower()) is not None:
        return None
    longer = _with_extent(case, condition.extent, _extent(case, condition.extent) + step)
    return _align_pitches(kernel, longer)


def _align_pitches(kernel: Kernel, case: Case) -> Case:
    """Pad every matrix up to the pitch that the table asks for."""
    changed = case
    for condition in kernel.plan.launches[0].conditions:
        if condition.subject == "ld":
            index = matrix_index(changed, condition.matrix)
            width = max(1, line_extents(kernel.problem, changed, condition.matrix)[1])
            padding = _up(width + changed.paddings[index], condition.divisor) - width
            changed = replace(changed, paddings=_set(changed.paddings, index, padding))
    return changed


def _item_bytes(problem: Gemm, matrix: str) -> int:
    return DTYPES[{"A": problem.a, "B": problem.b}.get(matrix, problem.c).dtype].bytes


def _up(value: int, divisor: int) -> int:
    return -(-value // divisor) * divisor


def _set(values: tuple[int, int, int, int], index: int, value: int) -> tuple[int, int, int, int]:
    a, b, c, d = (value if place == index else old for place, old in enumerate(values))
    return a, b, c, d


def _extent(case: Case, name: str) -> int:
    return dict(zip("MNK", case.shape, strict=True))[name]


def _with_extent(case: Case, name: str, value: int) -> Case:
    return {"M": replace(case, m=value), "N": replace(case, n=value), "K": replace(case, k=value)}[name]
