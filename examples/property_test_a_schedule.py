"""Property-test a schedule on a machine without a GPU.

    pytest property_test_a_schedule.py        or        python property_test_a_schedule.py

Needs the extra gemmgen[test]. `assert_correct` runs a call in three ways (against a float64 bound, on small integers
where every bit counts, and on data that carry one operand through unchanged), on both paths of the file, with guard
zones round every matrix. `gemmgen check FILE` does the same from the command line.
"""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gemmgen as gg
from gemmgen.testing import NearMiss, assert_correct, near_misses, schedules, shapes

PROBLEM = gg.Gemm(b_layout="col")
SCHEDULE = gg.Schedule(cta_tile=(32, 24, 8), thread_tile=(4, 3), vector_a=4, vector_b=2, smem_a="padded(4)", stages=2)
KERNEL = gg.generate(PROBLEM, SCHEDULE)

# Seeded, so that a run can be repeated; leave derandomize out to see new examples every time.
few = settings(max_examples=6, deadline=None, derandomize=True, database=None)


def test_the_kernel_is_right_where_kernels_usually_go_wrong() -> None:
    assert_correct(KERNEL)


@few
@given(shape=shapes(SCHEDULE), alpha=st.sampled_from((1.0, 0.0, -2.5)), beta=st.sampled_from((0.0, 1.0, 0.5)))
def test_the_kernel_is_right_for_any_shape(shape: tuple[int, int, int], alpha: float, beta: float) -> None:
    m, n, k = shape
    assert_correct(KERNEL, m=m, n=n, k=k, alpha=alpha, beta=beta)


@few
@given(schedule=schedules(PROBLEM, "sm_80"))
def test_every_legal_schedule_is_right(schedule: gg.Schedule) -> None:
    assert_correct(gg.generate(PROBLEM, schedule), m=37, n=21, k=11, beta=1.0)


@few
@given(miss=near_misses(PROBLEM, "sm_80"))
def test_a_near_miss_is_refused_by_the_rule_it_breaks(miss: NearMiss) -> None:
    assert {diagnostic.rule for diagnostic in gg.check_legal(PROBLEM, miss.schedule, "sm_80")} == {miss.rule}


def test_a_lost_barrier_is_noticed() -> None:
    source = "".join(
        line for line in KERNEL.source.splitlines(keepends=True) if not line.startswith("    __syncthreads();")
    )
    broken = dataclasses.replace(KERNEL.emitted, source=source)
    with pytest.raises(AssertionError, match="shared_race"):
        assert_correct(broken)


if __name__ == "__main__":
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    sys.exit(subprocess.run(command, check=False).returncode)
