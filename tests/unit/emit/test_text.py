"""What an emitted `.cu` and its header must hold, for any schedule."""

from __future__ import annotations

import re

import pytest
from kernel_variants import VARIANTS, emitted

import gemmgen as gg
from gemmgen.emit import emit
from gemmgen.emit.interface import STATUSES

TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def code_of(text: str) -> str:
    return re.sub(r"//[^\n]*", "", text)


@pytest.fixture(params=VARIANTS)
def kernel(request):
    return emitted(request.param)


def test_bytes_are_ascii_with_unix_line_ends(kernel) -> None:
    for text in (kernel.source, kernel.header):
        assert text.isascii()
        assert text.endswith("\n")
        assert not {"\r", "\t"} & set(text)
        assert all(line == line.rstrip() for line in text.split("\n"))


def test_only_the_runtime_is_included_and_never_the_header(kernel) -> None:
    assert re.findall(r"#\s*include.*", code_of(kernel.source)) == ["#include <cuda_runtime.h>"]
    assert re.findall(r"#\s*include.*", code_of(kernel.header)) == []


def test_nothing_is_used_that_another_compiler_lacks(kernel) -> None:
    words = set(TOKEN.findall(code_of(kernel.source) + code_of(kernel.header)))
    lacking = {"uint", "ulong", "M_PI", "__attribute__", "__cplusplus", "min", "max", "int64_t", "size_t", "asm"}
    assert words & lacking <= {"__cplusplus"}, "grep of CASES 66"
    assert "__cplusplus" not in code_of(kernel.source)
    assert "<<<" not in kernel.source


def test_the_only_macros_are_ours_and_no_two_kernels_share_one(kernel) -> None:
    defined = re.findall(r"#\s*define\s+(\S+)", kernel.source + kernel.header)
    assert {name.removeprefix(f"GEMMGEN_{kernel.symbol}_") for name in defined} == {"STATUS", "H"}


def test_names_that_differ_in_case_alone_do_not_share_a_guard() -> None:
    schedule = gg.Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2))
    guards = [set(re.findall(r"#define (\S+)", emit(gg.Gemm(), schedule, name=n).header)) for n in ("foo", "FOO")]
    assert not guards[0] & guards[1]


def test_global_names_begin_with_the_symbol(kernel) -> None:
    exported = re.findall(r'extern "C" [^(]*?\b([A-Za-z0-9_]+)\((?!.*kThreads)', code_of(kernel.source))
    launcher = {"", "_device_scalars", "_can_implement", "_workspace_bytes", "_status_string"}
    assert {kernel.symbol + suffix for suffix in launcher} <= set(exported)
    assert all(name == "__launch_bounds__" or name.startswith(kernel.symbol) for name in exported)
    assert {one.name for one in kernel.plan.launches[0].kernels} == set(
        re.findall(rf"\n({kernel.symbol}_kernel(?:_scalar)?)\(", kernel.source)
    )
    declared = set(re.findall(r"^(?:int|long long|const char\*) ([A-Za-z0-9_]+)\(", kernel.header, re.MULTILINE))
    assert declared == {kernel.symbol + suffix for suffix in launcher}


def test_every_kernel_has_launch_bounds(kernel) -> None:
    kernels = len(kernel.plan.launches[0].kernels)
    source = re.sub(r"\s+", "", kernel.source)
    assert source.count(f"__launch_bounds__({kernel.plan.namespace}::kThreads)") == kernels
    assert source.count('extern"C"__global__void') == kernels


def test_c_may_be_d_so_neither_is_restricted(kernel) -> None:
    restricted = set(re.findall(r"__restrict__ ([A-Z])\b", kernel.source))
    assert restricted == {"A", "B"}
    assert "__ldg" not in kernel.source


def test_products_are_explicit_so_that_no_compiler_contracts_them(kernel) -> None:
    body = code_of(kernel.source)
    fma, multiply = ("fma", "__dmul_rn") if kernel.problem.acc == "f64" else ("fmaf", "__fmul_rn")
    assert len(re.findall(rf"\b{fma}\(", body)) == 2
    assert len(re.findall(rf"\b{multiply}\(", body)) == 2
    assert not re.search(r"acc\[[^=]*\+=", body)


def test_statuses_are_the_same_everywhere(kernel) -> None:
    for status in STATUSES:
        line = rf"  {kernel.symbol}_{status.name} = {status.value}\b"
        assert len(re.findall(line, kernel.source)) == len(re.findall(line, kernel.header)) == 1
        assert f'      return "{status.meaning}";' in kernel.source


def test_a_fixed_size_is_no_parameter_of_the_kernel_but_stays_in_the_launcher(kernel) -> None:
    source = re.sub(r"\s+", " ", kernel.source)
    for name, value in kernel.plan.fixed_sizes.items():
        assert f"constexpr int kFixed{name} = {value};" in source
        assert f"|| {name} != kFixed{name}" in source
        assert not re.search(rf"{kernel.symbol}_kernel\( ?[^)]*int {name}\b", source)
    assert f"{kernel.symbol}( long long M, long long N, long long K" in source.replace("(long", "( long")


def test_shared_memory_above_48_kib_is_asked_for_on_every_call() -> None:
    large, small = emitted("large_shared"), emitted("shared")
    assert large.plan.launches[0].shared_bytes > 48 * 1024
    assert "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, " in large.source
    assert "cudaFuncSetAttribute" not in small.source
    assert "static bool" not in large.source, "nothing is remembered per process"


def test_exactly_48_kib_needs_no_request_and_one_more_line_does() -> None:
    exact = gg.Schedule(cta_tile=(64, 64, 96), thread_tile=(4, 4))
    assert emit(gg.Gemm(), exact).plan.launches[0].shared_bytes == 48 * 1024
    assert "cudaFuncSetAttribute" not in emit(gg.Gemm(), exact).source
    above = gg.Schedule(cta_tile=(64, 64, 96), thread_tile=(4, 4), smem_a="padded(4)")
    assert "cudaFuncSetAttribute" in emit(gg.Gemm(), above).source


def test_what_is_not_used_is_not_emitted() -> None:
    naive = emitted("direct").source
    for word in ("SharedStorage", "gemmgen_shared", "kStages", "__syncthreads", "divides", "float4", "kQuad"):
        assert word not in naive
    assert "kernel_scalar" not in naive


def test_helpers_of_the_launcher_are_functions_and_ceilings_are_parenthesised(kernel) -> None:
    source = re.sub(r"\s+", " ", code_of(kernel.source))
    assert "static_cast<unsigned>(((call.M + BM - 1) / BM) * ((call.N + BN - 1) / BN))" in source
    assert not re.findall(r"#\s*define[^\n]*\(", kernel.source)


def test_an_illegal_schedule_is_refused_before_anything_is_rendered(monkeypatch) -> None:
    monkeypatch.setattr("gemmgen.emit.render", None)
    with pytest.raises(gg.ScheduleError) as caught:
        emit(gg.Gemm(), gg.Schedule(cta_tile=(100, 128, 8), warp_tile=(64, 32), vector_c=4, thread_tile=(8, 3)))
    assert len(caught.value.diagnostics) >= 2


def test_an_architecture_specific_file_says_so() -> None:
    source = emitted("architecture_specific").source
    assert "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ != 900 || !defined(__CUDA_ARCH_FEAT_SM90_ALL))" in source
    assert "compute capability 9.0 with its specific features (-gencode=arch=compute_90a,code=sm_90a)" in source
