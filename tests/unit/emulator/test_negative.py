"""Every planted fault of tests/negative is found, at its line; what is allowed is not reported."""

from __future__ import annotations

import numpy as np
import pytest

from gemmgen.emulator import Options

from .conftest import NEGATIVE, expected, load

FAULTY = sorted(NEGATIVE.glob("*.cu"))
SHAPES = {
    "stores_too_wide": (8, 7, 12),
    "missing_back_edge_barrier": (8, 64, 64),
    "transposed_tile": (8, 16, 20),
}
ALLOWED = sorted((NEGATIVE / "positive").glob("*.cu"))


@pytest.mark.parametrize("path", FAULTY, ids=lambda path: path.stem)
def test_fault_is_found_at_its_line(path):
    case = load(path)
    case.rows, case.columns, case.ld = SHAPES.get(path.stem, (case.rows, case.columns, case.ld))
    emulation = case.run(Options(timeout=0.3 if path.stem == "endless_loop" else None))
    assert {(fault.kind, fault.line) for fault in emulation.faults} == expected(case.source), emulation.report()
    assert all(fault.kernel == path.stem for fault in emulation.faults)


@pytest.mark.parametrize("path", ALLOWED, ids=lambda path: path.stem)
def test_nothing_is_reported_that_is_allowed(path):
    case = load(path)
    emulation = case.run(readable=False, must_write=True)
    assert emulation.clean, emulation.report()
    assert emulation.status == 0
    assert not np.isnan(case.d[:, : case.columns]).any()
    assert np.isnan(case.d[:, case.columns :]).all()
