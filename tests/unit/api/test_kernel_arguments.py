"""What `generate` and `Kernel.run` refuse before anything is emitted or run."""

from __future__ import annotations

import numpy as np
import pytest

import gemmgen as gg

SMALL = gg.Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2))
KERNEL = gg.generate(gg.Gemm(), SMALL)


class Shaped:
    def __init__(self, shape: object) -> None:
        self.shape = shape


def f32(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def test_the_defaults_are_a_kernel() -> None:
    assert gg.generate().symbol == gg.generate(gg.Gemm(), gg.Schedule(), "sm_80").symbol


def test_the_texts_are_those_of_the_emitted_file() -> None:
    assert KERNEL.source == KERNEL.emitted.source
    assert KERNEL.header == KERNEL.emitted.header
    assert KERNEL.symbol == KERNEL.plan.symbol
    assert (KERNEL.problem, KERNEL.schedule, KERNEL.target.name) == (gg.Gemm(), SMALL, "sm_80")


def test_all_that_is_illegal_is_named_at_once() -> None:
    with pytest.raises(gg.ScheduleError) as caught:
        gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(128, 100, 8), thread_tile=(8, 8), vector_c=4), "sm_999")
    rules = {diagnostic.rule for diagnostic in caught.value.diagnostics}
    assert {"GG004", "GG011"} <= rules


@pytest.mark.parametrize("target", ["sm_999", "", None, 80, "SM_80\n"])
def test_an_unknown_target_is_refused(target) -> None:
    with pytest.raises(gg.ScheduleError, match="GG004"):
        gg.generate(gg.Gemm(), SMALL, target)


@pytest.mark.parametrize(("problem", "schedule"), [("f32", SMALL), (gg.Gemm(), "fast"), (3, None), (gg.Gemm(), 3)])
def test_what_is_no_problem_and_no_schedule_is_refused_and_never_crashes(problem, schedule) -> None:
    with pytest.raises(gg.ScheduleError):
        gg.generate(problem, schedule)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([[1.0]], [[1.0]]),
        (f32(3), f32(3, 4)),
        (f32(3, 5), None),
        (f32(2, 3, 5), f32(5, 4)),
        (Shaped(None), f32(5, 4)),
        (Shaped(3), f32(5, 4)),
        (Shaped(("x", "y")), f32(5, 4)),
        (Shaped((-1, 5)), f32(5, 4)),
        (f32(3, 5), Shaped((5, 1 << 62))),
    ],
    ids=["lists", "a vector", "None", "a batch", "shape None", "shape 3", "shape of words", "negative", "huge"],
)
def test_what_are_no_matrices_is_refused_before_an_output_is_made(a, b) -> None:
    with pytest.raises(gg.ArgumentError):
        KERNEL.run(a, b)


@pytest.mark.parametrize("on", ["gpu", "CPU", "", None, 0])
def test_an_unknown_place_is_refused(on) -> None:
    with pytest.raises(gg.ArgumentError, match='use "cpu" \\(the emulator\\) or "cuda"'):
        KERNEL.run(f32(3, 5), f32(5, 4), on=on)


def test_a_stream_needs_a_gpu() -> None:
    with pytest.raises(gg.ArgumentError, match='a stream needs on="cuda"'):
        KERNEL.run(f32(3, 5), f32(5, 4), stream=0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"beta": 1.0}, "needs C, and c is None"),
        ({"alpha": "1"}, "not a real number"),
        ({"out": f32(4, 3)}, "out is 4 x 3, not 3 x 4"),
        ({"c": f32(4, 3)}, "c is 4 x 3, not 3 x 4"),
        ({"out": [0.0]}, "out is a list"),
    ],
)
def test_run_and_count_say_what_does_not_fit(arguments, sentence: str) -> None:
    for call in (KERNEL.run, KERNEL.count):
        with pytest.raises(gg.ArgumentError, match=sentence):
            call(f32(3, 5), f32(5, 4), **arguments)
