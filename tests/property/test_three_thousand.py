"""Three thousand random legal (schedule, shape, ld, offset, layout, alpha, beta), each right in three oracle modes."""

from __future__ import annotations

import pytest

from gemmgen.testing import coverage
from gemmgen.testing.check import check

SHARDS, EXAMPLES = 6, 500


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_legal_examples_have_no_fault(shard: int) -> None:
    report = check(examples=EXAMPLES, seed=7000 + shard, processes=1)
    assert report.failure is None, str(report.failure)
    assert (report.examples, report.schedules) == (EXAMPLES, EXAMPLES)
    # Single values of an integer may be missing among 500; every mechanism and every choice is there.
    missing = {axis for axis, value in coverage.unseen(report.coverage) if not value.isdigit()}
    assert missing == set()
