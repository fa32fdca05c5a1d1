"""Running all rules over raw input of any shape."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from gemmgen.ir import registry
from gemmgen.ir.problem import Gemm, assemble, read_problem
from gemmgen.ir.record import fill
from gemmgen.ir.schedule import Schedule, read_schedule
from gemmgen.ir.serial import decode_target
from gemmgen.rules import memory, tiles, types
from gemmgen.rules.base import FIELDS, Context, Finding, Rule
from gemmgen.target import DEFAULT_TARGET

if TYPE_CHECKING:
    from gemmgen.errors import Diagnostic
    from gemmgen.ir.slots import SlotRecord

CORE: tuple[Rule, ...] = (*types.RULES, *tiles.RULES, *memory.RULES)

_SLOTS = tuple(name for name, declared in Schedule.declared.items() if hasattr(declared.domain, "slot"))
_SOUND_PROBLEM = frozenset(path for path in FIELDS if path.startswith("problem."))
_SOUND_SCHEDULE = frozenset(path for path in FIELDS if path.startswith("schedule."))
_SOUND = _SOUND_PROBLEM | _SOUND_SCHEDULE | {"target"}


@lru_cache(maxsize=1024)
def _rules_of(records: tuple[type[SlotRecord], ...]) -> tuple[Rule, ...]:
    """The core's rules and those of the mechanisms that the records belong to, by id: `Rule.after` relies on that."""
    found = {rule.id: rule for rule in CORE}
    for record in records:
        mechanism = registry.of_type(record)
        found |= {rule.id: rule for rule in (mechanism.rules if mechanism else ()) if isinstance(rule, Rule)}
    return tuple(found[key] for key in sorted(found))


def known_rules() -> tuple[Rule, ...]:
    """Every rule of the core and of all registered mechanisms, by id."""
    return _rules_of(tuple(mechanism.record for mechanism in registry.mechanisms()))


registry.on_change(_rules_of.cache_clear)


class Outcome:
    """What the rules say about a context.

    `findings` holds each violation with its rule, `broken` their (rule id, field), `unsettled` the ids of rules that
    found something or could not run.
    """

    __slots__ = ("broken", "findings", "unsettled")

    def __init__(self) -> None:
        """Nothing found yet."""
        self.findings: list[tuple[Rule, Finding]] = []
        self.broken: set[tuple[str, str]] = set()
        self.unsettled: set[str] = set()


def evaluate(context: Context) -> Outcome:
    """Run every rule whose fields are sound and whose preconditions hold."""
    outcome = Outcome()
    schedule, sound = context.schedule, context.sound
    whole = len(sound) == len(_SOUND)
    names = _SLOTS if whole else tuple(name for name in _SLOTS if f"schedule.{name}" in sound)
    for rule in _rules_of(tuple([type(getattr(schedule, name)) for name in names])):
        runs = (whole or sound.issuperset(rule.needs)) and outcome.unsettled.isdisjoint(rule.after)
        if not runs:
            outcome.unsettled.add(rule.id)
            continue
        for finding in rule.check(context):
            outcome.findings.append((rule, finding))
            outcome.broken.add((rule.id, finding.field))
            outcome.unsettled.add(rule.id)
    return outcome


def decode(problem: object, schedule: object, target: object) -> tuple[Context, list[Diagnostic]]:
    """Raw input as a context of what is sound in it, and the diagnostics for what is not. Never raises."""
    diagnostics: list[Diagnostic] = []
    sound = _SOUND
    if not isinstance(problem, Gemm):
        values, found = read_problem(problem)
        problem = Gemm.__new__(Gemm)
        fill(problem, assemble(values))
        diagnostics += found
        sound = sound - _SOUND_PROBLEM | {f"problem.{name}" for name in values}
    if not isinstance(schedule, Schedule):
        values, found = read_schedule(schedule)
        schedule = Schedule.__new__(Schedule)
        fill(schedule, values)
        diagnostics += found
        sound = sound - _SOUND_SCHEDULE | {f"schedule.{name}" for name in values}
    known, found = decode_target(target)
    diagnostics += found
    sound = sound if known else sound - {"target"}
    distinct = {(diagnostic.rule, diagnostic.field): diagnostic for diagnostic in reversed(diagnostics)}
    return Context(problem, schedule, known, sound), list(reversed(distinct.values()))


def check_legal(problem: object, schedule: object, target: object = DEFAULT_TARGET) -> tuple[Diagnostic, ...]:
    """Every broken rule of a (problem, schedule, target); empty when a kernel may be generated.

    Takes `Gemm`, `Schedule` and `Target` objects or their raw form: mappings, and a target's name. Never raises. Fields
    that are missing have their defaults. Rules that read an unsound field wait until it is mended. Each diagnostic's
    `fix`, applied by `apply_fix`, makes its rule content with its field, where possible without breaking another rule.
    """
    context, diagnostics = decode(problem, schedule, target)
    outcome = evaluate(context)
    if not diagnostics and not outcome.findings:
        return ()
    from gemmgen.rules.repair import Repairs

    repairs = Repairs(context, outcome, schedule)
    refined = [repairs.refine(diagnostic) for diagnostic in diagnostics]
    return (*refined, *(repairs.diagnose(rule, finding) for rule, finding in outcome.findings))
