"""What `generate` and `run` take beside the usual, and what they say to a newcomer's mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import gemmgen as gg

FIELDS = {"cta_tile": [16, 16, 4], "thread_tile": [2, 2]}


def test_problem_and_schedule_may_be_in_serial_form():
    plain = gg.generate(gg.Gemm(c_layout="col"), gg.Schedule.from_dict(FIELDS))
    assert gg.generate({"c_layout": "col"}, FIELDS) == plain


def test_what_is_not_legal_in_serial_form_is_refused_whole():
    with pytest.raises(gg.ScheduleError) as refused:
        gg.generate({"a": "f99"}, {"cta_tile": [15, 16, 4], "thread_tile": [2, 2], "stage": 1})
    assert {diagnostic.rule for diagnostic in refused.value.diagnostics} == {"GG001", "GG002", "GG011"}


def test_a_kernel_is_shown_on_one_line():
    kernel = gg.generate({}, FIELDS, "sm_75", name="sgemm")
    assert repr(kernel) == f"<Kernel sgemm for sm_75, {len(kernel.source.splitlines())} lines>"


def test_a_list_is_no_array():
    kernel = gg.generate({}, FIELDS)
    with pytest.raises(gg.ArgumentError, match=r"a is a list, .*; b has 1 dimensions, not 2"):
        kernel.run([[1.0]], np.ones(3, np.float32))
