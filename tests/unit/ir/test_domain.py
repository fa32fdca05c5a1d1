"""Domains: what is legal, what is near, and that the two agree."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gemmgen.ir import problem, schedule
from gemmgen.ir.domain import Extents, IntChoice, Ints, Maybe, Names
from gemmgen.ir.registry import mechanisms

INTS = Ints(1, 32, typical=(8, 4))
TILE = Extents(("BM", "BN"), (Ints(1, 64), Ints(1, 16)), ((8, 8),))
JUNK = [
    None, True, False, -1, 0, 3, 10**5000, -(10**5000), 1.0, math.nan, math.inf, -math.inf, "", "128", "9" * 9000, "x",
    b"1", [], [1], (1, 2, 3), {}, {"a": 1}, {1}, object(), np.float32(3), np.array([1, 2]), np.bool_(1), [[1], [2]], 1j,
]  # fmt: skip


def every_domain():
    fields = {**problem.FIELDS, **schedule.FIELDS}
    found = {name: declared.domain for name, declared in fields.items()}
    for mechanism in mechanisms():
        found |= {f"{mechanism.name}.{p.name}": p.domain for p in mechanism.record.params()}
    return found


@pytest.mark.parametrize("name", every_domain())
def test_every_domain_keeps_its_promises(name):
    domain = every_domain()[name]
    assert domain.describe().isascii()
    for value in domain.typical:
        assert domain.check(value) is None
        assert domain.read(domain.write(value))[0] == domain.read(value)[0]
        assert domain.nearest(value) == domain.read(value)[0]
    for raw in JUNK:
        assert domain.check(domain.nearest(raw)) is None
        read, found = domain.read(raw)
        assert (found is None) or (read is None and found.isascii() and "\n" not in found)


def test_ints_are_no_bools_floats_or_text():
    assert INTS.read(5) == (5, None)
    for raw in (True, 5.0, "5", None, math.nan, np.float64(5), np.bool_(1)):
        assert INTS.check(raw) is not None
    assert INTS.check("5") == "'5' is not an integer from 1 to 32"
    assert INTS.check(10**5000) == f"<int of {(10**5000).bit_length()} bits> is not an integer from 1 to 32"


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64])
def test_numpy_integers_become_plain_ones(kind):
    value, found = INTS.read(kind(5))
    assert found is None
    assert type(value) is int
    assert type(IntChoice((1, 2, 4)).read(kind(2))[0]) is int


@pytest.mark.parametrize(
    ("raw", "near"),
    [
        (0, 1),
        (33, 32),
        (10**300, 32),
        (5.4, 5),
        ("31", 31),
        (True, 1),
        (math.inf, 32),
        (math.nan, 8),
        ("x", 8),
        ([], 8),
    ],
)
def test_nearest_integer(raw, near):
    assert INTS.nearest(raw) == near


def test_nearest_choice_is_the_smaller_of_two():
    choice = IntChoice((1, 2, 4))
    assert [choice.nearest(raw) for raw in (0, 3, 5, "2", None)] == [1, 2, 4, 2, 1]
    assert choice.describe() == "1, 2 or 4"


def test_extents_take_lists_and_name_the_culprit():
    assert TILE.read([8, 4]) == ((8, 4), None)
    assert TILE.check((8, 17)) == "(8, 17) has BN=17, which is not an integer from 1 to 16"
    assert TILE.check([8]) == "[8] is not 2 integers (BM, BN)"
    assert TILE.check("88") == "'88' is not 2 integers (BM, BN)"
    assert TILE.nearest((100,)) == (64, 8)
    assert TILE.nearest("x", (2, 2)) == (2, 2)
    assert TILE.changes("tile", (8, 8), (8, 4)) == "BN=4"
    assert TILE.changes("tile", (8, 8), (4, 4)) == "tile=(4, 4)"


def test_names_by_spelling():
    names = Names(("row", "col"))
    assert names.nearest("column") == "col"
    assert names.nearest("ROW") == "row"
    assert names.nearest("\ud800") == "row"
    assert names.check("\u00e9\n") == "'\\xe9\\n' is not 'row' or 'col'"


def test_maybe():
    maybe = Maybe(INTS, "nothing")
    assert maybe.read(None) == (None, None)
    assert maybe.nearest("junk") is None
    assert maybe.nearest(99) == 32
    assert maybe.describe() == "an integer from 1 to 32, or None (nothing)"
