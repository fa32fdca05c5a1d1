"""The emitted text through NVRTC, as it is: no include path, no host compiler."""

from __future__ import annotations

import pytest
from kernel_variants import VARIANTS, emitted
from nvrtc_compiler import Nvrtc

from gemmgen.toolchain import find_nvrtc


@pytest.fixture(scope="module")
def nvrtc() -> Nvrtc:
    path = find_nvrtc(13)
    if path is None:
        pytest.skip("there is no NVRTC of CUDA 13: pip install 'gemmgen[nvrtc]'")
    return Nvrtc(path)


@pytest.mark.parametrize("variant", VARIANTS)
def test_nvrtc_compiles_the_same_bytes_and_finds_every_kernel(variant: str, nvrtc: Nvrtc) -> None:
    kernel = emitted(variant)
    architecture = "sm_90a" if kernel.target.arch_specific else "sm_90"
    compiled = nvrtc.compile(kernel.source, f"--gpu-architecture={architecture}", "-default-device")
    assert (compiled.status, compiled.log) == (0, "")
    for one in kernel.plan.launches[0].kernels:
        assert one.name.encode() + b"\0" in compiled.cubin, "extern C keeps the name as it is"


@pytest.mark.parametrize("standard", ["c++14", "c++17", "c++20"])
def test_nvrtc_takes_any_standard(standard: str, nvrtc: Nvrtc) -> None:
    compiled = nvrtc.compile(emitted("double_quads").source, "-arch=sm_90", f"-std={standard}")
    assert (compiled.status, compiled.log) == (0, "")


def test_below_its_target_nvrtc_stops_with_our_sentence(nvrtc: Nvrtc) -> None:
    kernel = emitted("double_quads")
    compiled = nvrtc.compile(kernel.source, "-arch=sm_75")
    assert compiled.status != 0
    assert f"{kernel.symbol} needs compute capability 8.0 or above (-arch=sm_80)" in compiled.log


def test_two_kernels_in_one_program(nvrtc: Nvrtc) -> None:
    both = emitted("double_quads").source + emitted("shared").source
    compiled = nvrtc.compile(both, "-arch=sm_90")
    assert (compiled.status, compiled.log) == (0, "")
