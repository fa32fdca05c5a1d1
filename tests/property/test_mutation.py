"""Every planted fault of every mechanism is caught by the emulator or the oracle."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from gemmgen import Gemm, Schedule
from gemmgen.emit import emit
from gemmgen.emulator import CompileError
from gemmgen.ir import registry
from gemmgen.testing.mutation import applicable, caught, declared_mutants

if TYPE_CHECKING:
    from gemmgen.emit import Emitted
    from gemmgen.ir.registry import Mutant

# Small tiles, so that one mutant costs a compilation and some milliseconds; between them every template is in use.
HOSTS: tuple[tuple[Gemm, Schedule], ...] = (
    (
        Gemm(),
        Schedule(
            cta_tile=(32, 64, 8),
            warp_tile=(32, 64),
            thread_tile=(8, 8),
            vector_a=4,
            vector_b=4,
            vector_c=4,
            thread_layout="quads",
            smem_a="padded(4)",
            smem_b="padded(4)",
            stages=2,
            fragment_buffers=2,
            raster="grouped(2)",
        ),
    ),
    (
        Gemm(a_layout="col", b_layout="col"),
        Schedule(
            cta_tile=(16, 16, 8),
            warp_tile=(8, 16),
            thread_tile=(2, 2),
            vector_a=2,
            vector_b=2,
            vector_c=2,
            smem_a="padded(2)",
            raster="column",
        ),
    ),
    (Gemm(), Schedule(cta_tile=(16, 8, 4), thread_tile=(2, 2), copy="direct", fragment_buffers=2)),
    (Gemm(), Schedule(cta_tile=(8, 8, 4), thread_tile=(1, 1), copy="direct")),
    (Gemm(), Schedule(cta_tile=(8, 8, 4), thread_tile=(2, 4), mma="ffma(row_snake)")),
    (Gemm(), Schedule(cta_tile=(16, 8, 4), thread_tile=(2, 2), vector_a=4, vector_b=2, vector_c=2, edges="aligned")),
    (
        Gemm(a="f64", b="f64", c="f64", acc="f64"),
        Schedule(cta_tile=(16, 16, 4), thread_tile=(4, 4), mma="dfma", vector_a=2, vector_b=2, vector_c=2),
    ),
    (Gemm(c="f64", acc="f64"), Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2), mma="dfma")),
    (
        Gemm(),
        Schedule(
            cta_tile=(32, 32, 8), thread_tile=(4, 4), vector_b=4, smem_a="swizzled(2, 2, 5)", smem_b="swizzled(1, 2, 5)"
        ),
    ),
    (Gemm(), Schedule(cta_tile=(2, 4, 4), thread_tile=(1, 1), copy="direct", raster="morton")),
    (Gemm(), Schedule(cta_tile=(2, 4, 4), thread_tile=(1, 1), copy="direct", raster="hilbert")),
    (
        Gemm(a_layout="col", c_layout="col"),
        Schedule(cta_tile=(20, 12, 6), thread_tile=(5, 2), vector_b=2, smem_b="padded(2)", smem_a="padded(3)"),
    ),
    (
        Gemm(),
        Schedule(cta_tile=(12, 20, 6), thread_tile=(4, 4), thread_layout="quads", vector_a=2, vector_b=4, stages=2),
    ),
    (
        Gemm(),
        Schedule(cta_tile=(16, 16, 4), thread_tile=(4, 4), thread_layout="quads", vector_a=4, vector_b=4, vector_c=4),
    ),
    (Gemm(b_layout="col"), Schedule(cta_tile=(24, 20, 6), thread_tile=(4, 5), vector_a=2, vector_b=2)),
)


def noticed(emitted: Emitted, mutant: Mutant) -> bool:
    """Whether the checks see the fault; a text that does not compile is no test of them."""
    try:
        return caught(emitted, mutant) is not None
    except CompileError:
        return False


@functools.cache
def hosts() -> tuple[Emitted, ...]:
    return tuple(emit(problem, schedule) for problem, schedule in HOSTS)


MUTANTS = {f"{mechanism.slot}-{mechanism.name}-{mutant.name}": mutant for mechanism, mutant in declared_mutants()}


def test_there_are_enough_planted_faults() -> None:
    assert len(MUTANTS) >= 40


def test_every_mechanism_declares_some() -> None:
    assert [mechanism.name for mechanism in registry.mechanisms() if not mechanism.mutants] == []


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_planted_fault_is_caught(mutant: Mutant) -> None:
    places = [emitted for emitted in hosts() if applicable(emitted, mutant)]
    assert places, f"no host kernel has {mutant.pattern!r}: the fault is planted nowhere"
    assert any(noticed(emitted, mutant) for emitted in places), f"{mutant.description}: nobody noticed"
