"""The emitted launcher, built by nvcc and called from Python: what it refuses, it refuses without a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemmgen.errors import ArgumentError, InternalError
from gemmgen.runtime.cache import Cache
from gemmgen.runtime.launcher_library import LauncherLibrary

HANDWRITTEN = Path(__file__).parents[2] / "handwritten" / "sgemm_128x128x8.cu"
SIGNATURE = ["i64"] * 3 + ["f32", "ptr", "i64", "ptr", "i64", "f32"] + ["ptr", "i64"] * 3 + ["ptr"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    cache = Cache(tmp_path_factory.mktemp("cache"))
    built = LauncherLibrary(HANDWRITTEN.read_text(), "sm_90", cache=cache)
    assert len(list(cache.folder.iterdir())) == 1
    return built


def arguments(m, n, k, lda):
    return [m, n, k, 1.0, 256, lda, 512, n, 0.0, 0, n, 1024, n, 0, 0, 0]


pytestmark = pytest.mark.compile


def test_bad_arguments_are_refused_before_any_device_is_touched(library):
    assert library.call("sgemm_128x128x8", SIGNATURE, arguments(-1, 8, 8, 8)) == 1
    assert library.call("sgemm_128x128x8", SIGNATURE, arguments(8, 8, 8, 7)) == 1
    assert library.call("sgemm_128x128x8", SIGNATURE, arguments(2**40, 8, 8, 8)) == 2


def test_nothing_to_do_is_success_without_a_device(library):
    assert library.call("sgemm_128x128x8", SIGNATURE, arguments(0, 8, 8, 8)) == 0


def test_values_are_checked_against_their_types(library):
    with pytest.raises(ArgumentError, match=r"argument 0 of sgemm_128x128x8=8\.0 is a float"):
        library.call("sgemm_128x128x8", SIGNATURE, arguments(8.0, 8, 8, 8))
    with pytest.raises(InternalError, match="16 parameter types for 1 values"):
        library.call("sgemm_128x128x8", SIGNATURE, [1])
    with pytest.raises(InternalError, match="no function nothing"):
        library.call("nothing", [], [])
