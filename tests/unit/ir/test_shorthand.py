"""Shorthand strings for mechanism records."""

from __future__ import annotations

import pytest

from gemmgen.errors import InternalError
from gemmgen.ir import registry
from gemmgen.ir.record import param, record
from gemmgen.ir.shorthand import Slot, nearest_record, read_shorthand
from gemmgen.ir.slots import CopyRecord, RasterRecord
from gemmgen.mechanisms.padded import Padded
from gemmgen.mechanisms.raster_grouped import Grouped

FORMS = "linear(major=...), padded(n, major=...) or swizzled(bits, base, shift, major=...)"


@pytest.mark.parametrize("slot", ["copy", "smem", "thread_layout", "mma", "edges", "raster"])
def test_every_record_reads_back(slot):
    assert registry.names(slot)
    for value in Slot(slot).typical:
        assert read_shorthand(slot, str(value)) == (value, None)
        assert registry.of(value).slot == slot
        assert Slot(slot).read(value) == (value, None)


@pytest.mark.parametrize(
    "text", ["padded(4)", "padded (4)", " padded(n=4)", "padded(4,major=m)", "padded(major=m, n=4)", "padded(+4)"]
)
def test_spellings(text):
    value, problem = read_shorthand("smem", text)
    assert problem is None
    assert value in (Padded(4), Padded(4, "m"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("padded", "is not padded(n, major=...): n is missing; legal is an integer from 0 to 64"),
        ("padded(65)", "is not padded(n, major=...): n=65 is not an integer from 0 to 64"),
        ("padded(1,2,3)", "is not padded(n, major=...): argument 3 is one too many"),
        ("padded(1, n=1)", "is not padded(n, major=...): n is given twice"),
        ("padded(1.5)", "is not padded(n, major=...): '1.5' is neither a number nor a name"),
        ("padded(,)", "is not padded(n, major=...): '' is neither a number nor a name"),
        ("padded(4, w=1)", "is not padded(n, major=...): padded has no field 'w'"),
        ("twisted", f"is not one of {FORMS}"),
        ("", f"is not of the form {FORMS}"),
        ("padded(4", f"is not of the form {FORMS}"),
        ("x" * 1000, f"is not of the form {FORMS}"),
    ],
)
def test_refusals(text, problem):
    assert read_shorthand("smem", text) == (None, problem)


@pytest.mark.parametrize(
    ("slot", "raw", "near"),
    [
        ("smem", "paded(4)", Padded(4)),
        ("smem", "Padded(99, major=z)", Padded(64)),
        ("raster", "group(0)", Grouped(1)),
        ("raster", "zzzzzz", None),
        ("raster", 3, None),
    ],
)
def test_nearest(slot, raw, near):
    assert nearest_record(slot, raw) == near


def test_the_registry_guards_itself():
    sync = registry.lookup("copy", "sync")
    with pytest.raises(InternalError, match="registered already"):
        registry.register(sync)

    @record
    class Other(CopyRecord):
        """Not registered."""

    with pytest.raises(InternalError, match="fills slot 'copy', not 'raster'"):
        registry.register(registry.Mechanism("raster", "other", Other))
    with pytest.raises(InternalError, match="belongs to no registered mechanism"):
        registry.of(Other())
    assert registry.find(Other()) is None
    assert Slot("copy").check(Other()) is not None
    assert Slot("copy").check(Grouped(4)) == "Grouped(width=4) is not direct or sync"


def test_a_default_outside_its_domain_is_a_fault_of_the_code():
    from gemmgen.ir.domain import Ints

    with pytest.raises(TypeError, match="the default 9 is not an integer from 1 to 2"):

        @record
        class Wrong(RasterRecord):
            """Its default is illegal."""

            n: int = param(Ints(1, 2), why="", default=9)
