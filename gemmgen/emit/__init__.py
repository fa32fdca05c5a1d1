"""From a plan to text: the `.cu`, its header, and the banner that says how to write them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.emit.render import render
from gemmgen.errors import ScheduleError
from gemmgen.ir import Gemm, Schedule
from gemmgen.lower import check_name, lower, symbol_for
from gemmgen.rules import check_legal
from gemmgen.target import Target, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemmgen.plan import Plan

__all__ = ["Emitted", "emit"]


@dataclass(frozen=True, slots=True)
class Emitted:
    """One kernel as text, with what it was made from. ``symbol`` is the launcher's name."""

    problem: Gemm
    schedule: Schedule
    target: Target
    symbol: str
    source: str
    header: str
    plan: Plan


def emit(
    problem: Gemm | Mapping[str, object],
    schedule: Schedule | Mapping[str, object],
    target: Target | str = "sm_80",
    name: str | None = None,
) -> Emitted:
    """Write the kernel of a problem, schedule and target.

    Problem and schedule may be in serial form. ``name`` replaces the generated symbol. Raises ``ScheduleError``, naming
    every broken rule, before anything is rendered if the schedule is not legal.
    """
    diagnostics = check_legal(problem, schedule, target)
    if diagnostics:
        raise ScheduleError(diagnostics)
    problem = problem if isinstance(problem, Gemm) else Gemm.from_dict(problem)
    schedule = schedule if isinstance(schedule, Schedule) else Schedule.from_dict(schedule)
    resolved = resolve(target) if isinstance(target, str) else target
    symbol = symbol_for(problem, schedule, resolved) if name is None else check_name(name)
    plan = lower(problem, schedule, resolved, symbol)
    source, header = render(plan, problem, schedule, resolved, name)
    return Emitted(problem, schedule, resolved, symbol, source, header, plan)
