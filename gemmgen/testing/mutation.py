"""Planted faults: a kernel's text with one thing wrong in it, and whether the checks see it.

Every mechanism declares the faults that its part of the file could have. A test that passes with one of them planted
tests nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gemmgen.ir import registry
from gemmgen.testing.assertions import default_backend, examine, examine_table, standard_cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemmgen.emit import Emitted
    from gemmgen.ir.registry import Mechanism, Mutant
    from gemmgen.testing.cases import Backend, Case, Failure

__all__ = ["applicable", "caught", "declared_mutants", "mutated"]


def declared_mutants() -> Iterator[tuple[Mechanism, Mutant]]:
    """Every planted fault of every registered mechanism."""
    for mechanism in registry.mechanisms():
        for mutant in mechanism.mutants:
            yield mechanism, mutant


def applicable(emitted: Emitted, mutant: Mutant) -> bool:
    """Whether the kernel's text has the place where the fault would be planted."""
    return mutant.pattern in emitted.source


def mutated(emitted: Emitted, mutant: Mutant) -> Emitted:
    """The kernel with the fault planted wherever its pattern stands; ``ValueError`` if it stands nowhere."""
    if not applicable(emitted, mutant):
        message = f"{mutant.name}: {mutant.pattern!r} is not in {emitted.symbol}"
        raise ValueError(message)
    return replace(emitted, source=emitted.source.replace(mutant.pattern, mutant.replacement))


def caught(
    emitted: Emitted,
    mutant: Mutant,
    *,
    backend: Backend | None = None,
    cases: Iterable[Case] | None = None,
) -> Failure | None:
    """The first failure that gives a planted fault away, or None if it survives every case."""
    chosen = default_backend() if backend is None else backend
    planted = mutated(emitted, mutant)
    tried = standard_cases(emitted.problem, emitted.schedule) if cases is None else cases
    failure = examine(chosen, planted, tried).failure
    return failure if failure is not None or cases is not None else examine_table(chosen, planted).failure
