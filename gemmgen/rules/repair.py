"""Ways out of a violation, each tried with the same rules before it is suggested."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from gemmgen.errors import REMOVE, Diagnostic
from gemmgen.ir.record import REQUIRED, table
from gemmgen.ir.schedule import CONTRADICTION, COPY, Schedule
from gemmgen.rules.base import FIELDS, Changes, Context, Finding, Rule
from gemmgen.rules.check import Outcome, evaluate, known_rules
from gemmgen.rules.near import effort

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUDGET = 60
_CANDIDATES = 60
_JUDGED = 12
_ROUNDS = 3
_ENOUGH = 3
_COPIES = ("schedule.copy_a", "schedule.copy_b")

_TILES = ("schedule.cta_tile", "schedule.warp_tile", "schedule.thread_tile")
_SHARED = ("schedule.stages", "schedule.smem_a", "schedule.smem_b")
_WIDTHS = ("schedule.vector_a", "schedule.vector_b", "schedule.vector_c")


class Repairs:
    """Finds repairs for the violations of one context. `budget` bounds how many candidates are judged in all."""

    def __init__(self, context: Context, outcome: Outcome, schedule: object) -> None:
        """Remember what is broken already: a repair is not blamed for that. `schedule` is the raw one."""
        self.context = context
        given = None if isinstance(schedule, Schedule) else table(schedule)
        self.copied = given is not None and given.get(COPY.name) is not None
        self.broken = outcome.broken
        self.budget = _BUDGET

    def diagnose(self, rule: Rule, finding: Finding) -> Diagnostic:
        """The diagnostic of a finding, with up to two ways out."""
        ways = self._ways(rule, finding)
        fix = {path: FIELDS[path].domain.write(value) for path, value in self._spelt(ways[0]).items()}
        suggestion = f"Use {' or '.join(self._in_words(changes) for changes in ways)}."
        return Diagnostic(rule.id, finding.field, finding.message, rule.reason, suggestion, self._without_copy(fix))

    def _spelt(self, changes: Changes) -> Changes:
        """Changes of `copy_a` or `copy_b` name both where the input has them from `copy`, which has to go then."""
        if not self.copied or changes.keys().isdisjoint(_COPIES):
            return changes
        known = {path: self.context.value(path) for path in _COPIES if path in self.context.sound}
        return {**known, **changes}

    def _without_copy(self, fix: Changes) -> Changes:
        spelt = self.copied and not fix.keys().isdisjoint(_COPIES)
        return {"schedule.copy": REMOVE, **fix} if spelt else fix

    def _in_words(self, changes: Changes) -> str:
        parts = []
        spelt = self._spelt(changes)
        for path, value in spelt.items():
            declared = FIELDS[path]
            parts.append(declared.domain.changes(declared.name, self.context.value(path), value))
        return " and ".join(parts) + (" instead of copy" if len(self._without_copy(spelt)) > len(spelt) else "")

    def _judge(self, changes: Changes, key: tuple[str, str]) -> Outcome | None:
        """What the rules say after `changes`; None when (rule, field) `key` is still broken or can not be judged."""
        self.budget -= 1
        outcome = evaluate(self.context.changed(changes))
        if key in outcome.broken:
            return None
        waits = key[0] in outcome.unsettled and all(rule != key[0] for rule, _ in outcome.broken)
        return None if waits else outcome

    def _ways(self, rule: Rule, finding: Finding) -> list[Changes]:
        """One or two repairs: those that break nothing else if there are any, the nearest first."""
        key = (rule.id, finding.field)
        judged: list[tuple[int, int, Changes, Outcome]] = []
        perfect = 0
        for changes in self._nearest(finding.repairs()):
            outcome = self._judge(changes, key)
            if outcome is not None:
                judged.append((len(outcome.broken - self.broken), len(outcome.broken), changes, outcome))
                perfect += not outcome.broken
            if perfect > _ENOUGH or (judged and (self.budget < 0 or (not judged[-1][0] and len(judged) > _JUDGED))):
                break
        if not judged:
            return [self._defaults(rule)]
        judged.sort(key=lambda one: one[:2])
        added, _, changes, outcome = judged[0]
        if added:
            return [self._mend(key, added, changes, outcome)]
        # A second way is worth its words only where it turns another screw.
        others = (
            other
            for more, _, other, _ in judged[1:]
            if not more and not self._screws(changes).issubset(self._screws(other))
        )
        return [changes, *islice(others, 1)]

    def _screws(self, changes: Changes) -> set[str]:
        return {part.partition("=")[0] for part in self._in_words(changes).split(" and ")}

    def _nearest(self, candidates: Iterable[Changes]) -> list[Changes]:
        """The candidates without what changes nothing, each once, the nearest first."""
        context, found = self.context, {}
        for candidate in islice(_legal(candidates), _CANDIDATES):
            changes = {p: new for p, new in candidate.items() if p not in context.sound or context.value(p) != new}
            if changes:
                found[tuple(sorted(changes.items(), key=itemgetter(0)))] = changes
        return sorted(found.values(), key=self._effort)

    def _effort(self, changes: Changes) -> tuple[int, tuple[int, float, int, float]]:
        """The order of repairs: a schedule gives way before the problem does, which says what is wanted."""
        wanted = sum(path.startswith("problem.") for path in changes)
        return wanted, effort([(self.context.value(path), new) for path, new in changes.items()])

    def _mend(self, key: tuple[str, str], added: int, changes: Changes, outcome: Outcome) -> Changes:
        """Add repairs for what a repair breaks, as long as that helps; else start from the default tiles."""
        for _ in range(_ROUNDS):
            fresh = [pair for pair in outcome.findings if (pair[0].id, pair[1].field) not in self.broken]
            if not fresh or self.budget < 0:
                break
            for more in self._nearest(fresh[0][1].repairs())[:_JUDGED]:
                judged = self._judge({**changes, **more}, key)
                if judged is not None and len(judged.broken - self.broken) < added:
                    added, changes, outcome = len(judged.broken - self.broken), {**changes, **more}, judged
                    break
            else:
                break
        if not added:
            return changes
        return next((reset for reset in self._resets() if self._harmless(reset, key)), changes)

    @staticmethod
    def _resets() -> Iterable[Changes]:
        """Default tiles fit together and, with the other defaults, everywhere."""
        for paths in (_TILES, (*_TILES, *_WIDTHS), (*_TILES, *_SHARED), (*_TILES, *_WIDTHS, *_SHARED)):
            yield from _legal([{path: FIELDS[path].default for path in paths}])

    def _harmless(self, changes: Changes, key: tuple[str, str]) -> bool:
        outcome = self._judge(changes, key)
        return outcome is not None and outcome.broken <= self.broken

    @staticmethod
    def _defaults(rule: Rule) -> Changes:
        """What no rule objects to: the defaults of all the fields that the rule reads."""
        needs = set(rule.needs).union(*(found.needs for found in known_rules() if found.id in rule.after))
        changes = {path: FIELDS[path].default for path in FIELDS if path in needs}
        return next(iter(_legal([changes])))

    def refine(self, diagnostic: Diagnostic) -> Diagnostic:
        """A diagnostic of one unsound field, with the nearest replacement that breaks no rule, if there is one."""
        path = diagnostic.field
        declared = COPY if path == "schedule.copy" else FIELDS.get(path)
        alone = diagnostic.fix.keys() == {path} and diagnostic.rule != CONTRADICTION
        if declared is None or not alone or self.budget < 0:
            return diagnostic
        spare = [] if declared.default is REQUIRED else [declared.default]
        candidates = [diagnostic.fix[path], *spare, *declared.domain.typical[:4]]
        for raw in candidates:
            value, problem = declared.domain.read(raw)
            changes = dict.fromkeys(_COPIES if declared is COPY else (path,), value)
            if problem is None and not evaluate(self.context.changed(changes)).broken - self.broken:
                written = None if value is None else declared.domain.write(value)
                suggestion = f"Use {declared.domain.changes(declared.name, None, value)}."
                return replace(diagnostic, suggestion=suggestion, fix={path: written})
            self.budget -= 1
        return diagnostic


def _legal(candidates: Iterable[Changes]) -> Iterable[Changes]:
    """The candidates whose values all lie in their domains, in canonical form; those that change something."""
    for candidate in candidates:
        read = {path: FIELDS[path].domain.read(value) for path, value in candidate.items()}
        if read and all(problem is None for _, problem in read.values()):
            yield {path: value for path, (value, _) in read.items()}
