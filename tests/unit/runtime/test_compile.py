"""Compiling emitted bytes to a cubin, without a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemmgen import toolchain
from gemmgen.errors import EnvironmentUnavailable, GemmgenError, InternalError
from gemmgen.runtime import compile as compiling
from gemmgen.runtime.cache import Cache
from gemmgen.runtime.compile import CompilationError, compile_cubin, device_architecture

HANDWRITTEN = Path(__file__).parents[2] / "handwritten" / "sgemm_128x128x8.cu"
SMALL = 'extern "C" __global__ void kernel(float* d) { d[threadIdx.x] = 1.0f; }\n'


@pytest.mark.parametrize(
    ("capability", "target", "expected"),
    [
        ((9, 0), "sm_80", "sm_90"),
        ((9, 0), "sm_90a", "sm_90a"),
        ((8, 0), "sm_80", "sm_80"),
        ((12, 1), "sm_70", "sm_121"),
    ],
)
def test_a_kernel_is_compiled_for_the_device(capability, target, expected):
    assert device_architecture(capability, target) == expected


@pytest.mark.parametrize(("capability", "target"), [((7, 5), "sm_80"), ((10, 0), "sm_90a"), ((8, 9), "sm_90a")])
def test_a_device_that_the_target_excludes_is_refused(capability, target):
    with pytest.raises(GemmgenError, match=rf"generated for {target}.*the device is sm_{capability[0]}{capability[1]}"):
        device_architecture(capability, target)


@pytest.mark.compile
def test_the_handwritten_kernel_becomes_a_cubin_and_comes_from_the_cache_next(tmp_path, monkeypatch):
    cache = Cache(tmp_path / "a b" / "c'd é")
    source = HANDWRITTEN.read_text()
    cubin = compile_cubin(source, "sm_90", cache=cache)
    assert cubin.startswith(b"\x7fELF")
    assert b"sgemm_128x128x8_kernel" in cubin
    monkeypatch.setattr(compiling, "run_nvcc", lambda *_: pytest.fail("compiled again"))
    assert compile_cubin(source, "sm_90", cache=cache) == cubin


@pytest.mark.compile
def test_text_architecture_and_flags_each_make_another_entry(tmp_path):
    cache = Cache(tmp_path)
    compile_cubin(SMALL, "sm_80", cache=cache)
    compile_cubin(SMALL, "sm_90", cache=cache)
    compile_cubin(SMALL, "sm_90", flags=("-lineinfo",), cache=cache)
    compile_cubin(SMALL + "\n", "sm_90", cache=cache)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.compile
def test_nvccs_own_words_are_reported_and_nothing_is_kept(tmp_path):
    with pytest.raises(CompilationError, match=r"(?s)^nvcc failed with exit code \d+: .*-arch=sm_90.*undefined_thing"):
        compile_cubin(SMALL + "int x = undefined_thing;\n", "sm_90", cache=Cache(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.compile
def test_flags_smuggled_in_by_the_environment_do_not_reach_nvcc(tmp_path, monkeypatch):
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "--no-such-flag")
    assert compile_cubin(SMALL, "sm_90", cache=Cache(tmp_path)).startswith(b"\x7fELF")


def test_a_local_include_is_refused_since_the_cache_would_not_see_its_edits(tmp_path):
    with pytest.raises(InternalError, match="local header"):
        compile_cubin('#include "other.h"\n', "sm_90", cache=Cache(tmp_path))


@pytest.mark.parametrize("architecture", ["sm_90 -x", "-o/etc/passwd", "90", ""])
def test_an_architecture_that_is_none_never_reaches_the_command_line(architecture, tmp_path):
    with pytest.raises(InternalError, match="no name such as sm_90"):
        compile_cubin(SMALL, architecture, cache=Cache(tmp_path))


def test_a_missing_nvcc_is_one_sentence_with_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(toolchain, "find_nvcc", lambda: None)
    with pytest.raises(
        EnvironmentUnavailable, match=r"needs nvcc, which is not on this machine\. Install .*gemmgen\[nvcc\]"
    ):
        compile_cubin(SMALL, "sm_90", cache=Cache(tmp_path))
