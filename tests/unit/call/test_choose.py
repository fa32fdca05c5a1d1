"""Which kernel, which grid, which arguments."""

from __future__ import annotations

import itertools

import pytest
from kernel_variants import emitted

from gemmgen.call import ArrayView, bind, choose_kernel, grid_size, kernel_arguments

VECTOR = emitted("double_quads")
BASE = {"a": 1 << 40, "b": 1 << 41, "c": 1 << 42, "d": 1 << 43}


def view(name: str, rows: int, columns: int, ld: int = 0, shift: int = 0) -> ArrayView:
    pitch = 4 * max(1, columns, ld)
    return ArrayView(BASE[name] + shift, (rows, columns), (pitch, 4), "float32", 4, writable=True, owner=None)


def call_of(kernel=VECTOR, m=8, n=8, k=8, beta=1.0, lds=None, shifts=None):
    lds, shifts = lds or {}, shifts or {}
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}
    views = [view(name, *shape, lds.get(name, 0), shifts.get(name, 0)) for name, shape in shapes.items()]
    return bind(kernel.plan, *views, beta=beta)


def chosen(**fields) -> str:
    kernel = choose_kernel(VECTOR.plan.launches[0], call_of(**fields)).name
    return kernel.removeprefix(VECTOR.symbol)


def test_an_aligned_call_gets_the_kernel_as_scheduled() -> None:
    assert chosen() == "_kernel"
    assert chosen(m=7) == "_kernel", "no row-major matrix is contiguous along M"


@pytest.mark.parametrize("matrix", "abcd")
@pytest.mark.parametrize("change", [{"shifts": 4}, {"shifts": 8}, {"lds": 9}, {"lds": 10}])
def test_one_misaligned_matrix_is_enough_for_the_scalar_kernel(matrix: str, change: dict[str, int]) -> None:
    assert chosen(**{name: {matrix: value} for name, value in change.items()}) == "_kernel_scalar"


@pytest.mark.parametrize("size", ["n", "k"])
def test_a_size_that_a_vector_would_straddle_gets_the_scalar_kernel(size: str) -> None:
    assert chosen(**{size: 6}, lds={"a": 8, "b": 8, "c": 8, "d": 8}) == "_kernel_scalar"


def test_c_does_not_count_when_it_is_not_read() -> None:
    assert chosen(shifts={"c": 4}, lds={"c": 9}, beta=0.0) == "_kernel"


def test_a_short_pitch_never_gets_a_vector_kernel() -> None:
    assert chosen(k=1) == "_kernel_scalar"
    assert chosen(n=1) == "_kernel_scalar"


@pytest.mark.parametrize(("m", "n"), list(itertools.product([1, 127, 128, 129, 256, 257], [1, 128, 129])))
def test_the_grid_covers_d_once(m: int, n: int) -> None:
    launch = VECTOR.plan.launches[0]
    tiles = sum(1 for _ in itertools.product(range(0, m, launch.tile_m), range(0, n, launch.tile_n)))
    assert grid_size(launch, call_of(m=m, n=n)) == tiles


def test_the_arithmetic_of_the_grid_does_not_overflow() -> None:
    # Cases 38: the usual rounding up, at the top of the range.
    largest = VECTOR.plan.max_extent
    assert grid_size(VECTOR.plan.launches[0], call_of(m=largest, n=1, k=1)) == (largest + 127) // 128


def test_arguments_follow_the_kernel_s_parameters() -> None:
    call = call_of(m=8, n=12, k=16, beta=0.5, lds={"a": 20, "b": 24, "c": 28, "d": 32})
    expected = {"M": 8, "N": 12, "K": 16, "alpha": 1.0, "alpha_device": 0, "beta": 0.5, "beta_device": 0}
    expected |= {"A": BASE["a"], "B": BASE["b"], "C": BASE["c"], "D": BASE["d"]}
    expected |= {"lda": 20, "ldb": 24, "ldc": 28, "ldd": 32}
    launch = VECTOR.plan.launches[0]
    found = kernel_arguments(launch, call)
    assert {p.name: value for p, (_, value) in zip(launch.parameters, found, strict=True)} == expected
    assert [code for code, _ in found] == [p.code for p in launch.parameters]


def test_a_fixed_size_is_no_argument() -> None:
    kernel = emitted("fixed_size")
    call = call_of(kernel, m=256, n=256, k=64)
    assert len(kernel_arguments(kernel.plan.launches[0], call)) == 12


def test_without_c_the_kernel_gets_d() -> None:
    shapes = {"a": (8, 8), "b": (8, 8)}
    views = [view(name, *shape) for name, shape in shapes.items()]
    call = bind(VECTOR.plan, *views, None, view("d", 8, 8))
    values = dict(
        zip(
            [p.name for p in VECTOR.plan.launches[0].parameters],
            kernel_arguments(VECTOR.plan.launches[0], call),
            strict=True,
        )
    )
    assert values["C"] == values["D"]
