"""An empty matrix has no memory: its offset says nothing, wherever the kernel runs."""

from __future__ import annotations

import gemmgen as gg
from gemmgen.testing.backends import Emulator
from gemmgen.testing.cases import Case
from gemmgen.testing.paths import breaking_cases, expected_kernel
from gemmgen.testing.run import lay_out, run_case

SCHEDULE = gg.Schedule(cta_tile=(16, 16, 8), thread_tile=(4, 4), vector_a=4, vector_b=4, vector_c=4)


def test_the_offset_of_an_empty_matrix_chooses_no_path() -> None:
    kernel = gg.generate(gg.Gemm(a_layout="col"), SCHEDULE)
    case = Case(4, 8, 0, (0, 0, 0, 0), (1, 3, 0, 0), beta=2.0)
    assert expected_kernel(kernel, case, 2.0) == kernel.plan.launches[0].scheduled.name
    memory = lay_out(kernel.problem, case)
    assert memory.a.view.__array_interface__["data"][0] % 16 == 0
    assert run_case(Emulator(), kernel.emitted, case, "exact").failure is None


def test_the_address_of_an_empty_matrix_is_not_what_breaks_a_contract() -> None:
    kernel = gg.generate(gg.Gemm(a_layout="col"), SCHEDULE)
    for broken in breaking_cases(kernel, Case(4, 8, 0, beta=2.0)):
        assert broken.offsets[:2] == (0, 0)
