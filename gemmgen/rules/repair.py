"""Ways out of a violation, each tried with the same rules before it is suggested."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from gemmgen.errors import Diagnostic
from gemmgen.ir.record import REQUIRED
from gemmgen.ir.schedule import COPY
from gemmgen.rules.base import FIELDS, Changes, Context, Finding, Rule
from gemmgen.rules.check import Outcome, evaluate, known_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUDGET = 60
_CANDIDATES = 14
_ROUNDS = 3
_ENOUGH = 3
_COPIES = ("schedule.copy_a", "schedule.copy_b")

_TILES = ("schedule.cta_tile", "schedule.warp_tile", "schedule.thread_tile")
_SHARED = ("schedule.stages", "schedule.smem_a", "schedule.smem_b")
_WIDTHS = ("schedule.vector_a", "schedule.vector_b", "schedule.vector_c")


class Repairs:
    """Finds repairs for the violations of one context. `budget` bounds how many candidates are judged in all."""

    def __init__(self, context: Context, outcome: Outcome) -> None:
        """Remember what is broken already: a repair is not blamed for that."""
        self.context = context
        self.broken = outcome.broken
        self.budget = _BUDGET

    def diagnose(self, rule: Rule, finding: Finding) -> Diagnostic:
        """The diagnostic of a finding, with up to two ways out."""
        ways = self._ways(rule, finding)
        fix = {path: FIELDS[path].domain.write(value) for path, value in ways[0].items()}
        suggestion = f"Use {' or '.join(self._in_words(changes) for changes in ways)}."
        return Diagnostic(rule.id, finding.field, finding.message, rule.reason, suggestion, fix)

    def _in_words(self, changes: Changes) -> str:
        parts = []
        for path, value in changes.items():
            declared = FIELDS[path]
            parts.append(declared.domain.changes(declared.name, self.context.value(path), value))
        return " and ".join(parts)

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
        for changes in islice(_legal(finding.repairs()), _CANDIDATES):
            outcome = self._judge(changes, key)
            if outcome is not None:
                judged.append((len(outcome.broken - self.broken), len(outcome.broken), changes, outcome))
                perfect += not outcome.broken
            if perfect > _ENOUGH or (judged and self.budget < 0):
                break
        if not judged:
            return [self._defaults(rule)]
        judged.sort(key=lambda one: one[:2])
        added, _, changes, outcome = judged[0]
        if added:
            return [self._mend(key, added, changes, outcome)]
        # A second way is worth its words only where it turns another screw.
        others = (
            other for more, _, other, _ in judged[1:] if not more and self._screws(other) != self._screws(changes)
        )
        return [changes, *islice(others, 1)]

    def _screws(self, changes: Changes) -> list[str]:
        return [part.partition("=")[0] for part in self._in_words(changes).split(" and ")]

    def _mend(self, key: tuple[str, str], added: int, changes: Changes, outcome: Outcome) -> Changes:
        """Add repairs for what a repair breaks, as long as that helps; else start from the default tiles."""
        for _ in range(_ROUNDS):
            fresh = [pair for pair in outcome.findings if (pair[0].id, pair[1].field) not in self.broken]
            if not fresh or self.budget < 0:
                break
            for more in islice(_legal(fresh[0][1].repairs()), _CANDIDATES):
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
        if declared is None or diagnostic.fix.keys() != {path} or self.budget < 0:
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
