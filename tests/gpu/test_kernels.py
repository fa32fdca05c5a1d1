"""Kernels on a GPU: right by the oracle, and the same bits as on the emulator."""

from __future__ import annotations

import concurrent.futures
import os

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from gemmgen.api.catalog import CATALOG
from gemmgen.emit import emit
from gemmgen.runtime.compile import compile_cubin, device_architecture
from gemmgen.runtime.context import device_capability
from gemmgen.testing import oracle
from gemmgen.testing.assertions import assert_correct, examine, standard_cases
from gemmgen.testing.backends import Emulator
from gemmgen.testing.gpu import Gpu
from gemmgen.testing.run import lay_out, passes_c, types_of
from gemmgen.testing.strategies import cases, problems, schedules

SCHEDULES, SHAPES = 50, 10

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def gpu():
    backend = Gpu()
    yield backend
    backend.close()


def same_bits(x: np.ndarray, y: np.ndarray) -> bool:
    """Equal bit for bit, NaN equal to NaN whatever its payload."""
    nan = np.isnan(x) & np.isnan(y)
    return bool(np.all((x.view(f"u{x.itemsize}") == y.view(f"u{y.itemsize}")) | nan))


def run_on(backend, kernel, case) -> np.ndarray:
    inputs = oracle.make_inputs(
        "bound",
        case.shape,
        np.random.default_rng(case.seed),
        alpha=case.alpha,
        beta=case.beta,
        types=types_of(kernel.problem),
    )
    memory = lay_out(kernel.problem, case)
    memory.a.fill(inputs.a)
    memory.b.fill(inputs.b)
    memory.c.fill(inputs.c)
    c = memory.c.view if passes_c(case, inputs.beta) else None
    outcome = backend.run(kernel, memory.a.view, memory.b.view, c, memory.d.view, inputs.alpha, inputs.beta)
    assert not outcome.faults
    return np.ascontiguousarray(memory.d.view)


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.title)
def test_every_committed_kernel_is_right_and_gives_the_emulators_bits(entry, gpu):
    kernel = entry.generate().emitted
    assert_correct(kernel, backend=gpu)
    for case in standard_cases(kernel.problem, kernel.schedule):
        assert same_bits(run_on(gpu, kernel, case), run_on(Emulator(), kernel, case)), str(case)


def drawn(strategy, count: int) -> list:
    """The first values that a strategy draws from the seed of the test run."""
    values = []

    @hypothesis.settings(
        max_examples=count,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(value):
        values.append(value)

    collect()
    return values[:count]


@st.composite
def pairs(draw):
    problem = draw(problems(fixed_sizes=False))
    return problem, draw(schedules(problem))


def compiles_soon(kernel) -> bool:
    """Loops over BK and over a thread's copies are unrolled: (3, 6, 256) over two threads takes nvcc a minute."""
    bm, bn, bk = kernel.schedule.cta_tile
    tm, tn = kernel.schedule.thread_tile
    return (bm + bn) * bk / kernel.plan.launches[0].threads <= 64 and tm * tn * bk <= 2048


def test_random_schedules_on_random_shapes_give_the_emulators_bits(gpu):
    unlike = {str(pair): pair for pair in drawn(pairs(), 4 * SCHEDULES)}
    kernels = [kernel for kernel in (emit(*pair) for pair in unlike.values()) if compiles_soon(kernel)][:SCHEDULES]
    assert len(kernels) == SCHEDULES
    architecture = device_architecture(device_capability(0), "sm_80")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda kernel: compile_cubin(kernel.source, architecture), kernels))
    for kernel in kernels:
        for case in drawn(cases(kernel.problem, kernel.schedule), SHAPES):
            failure = examine(gpu, kernel, [case]).failure
            assert failure is None, str(failure)
            assert same_bits(run_on(gpu, kernel, case), run_on(Emulator(), kernel, case)), f"{kernel.schedule} {case}"


def test_a_fault_is_reported_and_the_next_kernel_runs(gpu):
    """An illegal access must not be blamed on what comes after it."""
    kernel = CATALOG[0].generate().emitted
    case = next(iter(standard_cases(kernel.problem, kernel.schedule)))
    expected = run_on(gpu, kernel, case)
    broken = _breaking(kernel)
    memory = lay_out(kernel.problem, case)
    outcome = gpu.run(broken, memory.a.view, memory.b.view, None, memory.d.view, 1.0, 0.0)
    assert len(outcome.faults) == 1
    assert kernel.symbol in outcome.faults[0]
    assert "Everything else in this CUDA context fails from now on" in outcome.faults[0]
    assert same_bits(run_on(gpu, kernel, case), expected)


def _breaking(kernel):
    """The kernel with every store to D a terabyte away."""
    import dataclasses

    source = kernel.source.replace("D + ", "D + (1ll << 38) + ")
    assert source != kernel.source
    return dataclasses.replace(kernel, source=source)
