"""The launcher as emitted, its launches and its results."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gemmgen.emulator import CompileError, Options, Region, emulate
from gemmgen.errors import ArgumentError

from . import sgemm


@pytest.mark.parametrize(
    ("m", "n", "k", "pad"), [(1, 1, 1, 0), (128, 128, 8, 0), (130, 131, 33, 3), (260, 132, 40, 4), (5, 300, 0, 0)]
)
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.0), (0.5, -2.0), (0.0, 1.0)])
def test_hand_written_kernel_is_right_and_clean(m, n, k, pad, alpha, beta):
    emulation, d, reference = sgemm.run(m, n, k, pad=pad, alpha=alpha, beta=beta)
    assert emulation.clean, emulation.report()
    assert emulation.status == 0
    np.testing.assert_allclose(d, reference, atol=1e-5 * (k + 1))
    wide = all(size % 4 == 0 for size in (n, k, pad))
    assert k == 0 or emulation.launches[0].kernel == "sgemm_128x128x8_kernel" + ("" if wide else "_scalar")


def test_output_may_be_the_input():
    emulation, d, reference = sgemm.run(140, 133, 17, beta=3.0, in_place=True)
    assert emulation.clean, emulation.report()
    np.testing.assert_allclose(d, reference, atol=1e-4)


def test_results_do_not_depend_on_threads_checks_or_counts():
    runs = [
        sgemm.run(300, 260, 20, options=options)[1]
        for options in (Options(), Options(threads=1), Options(threads=5), Options(checks=False), Options(counts=True))
    ]
    assert all(np.array_equal(runs[0], other) for other in runs)


def test_launch_is_recorded():
    emulation, _, _ = sgemm.run(129, 128, 8)
    (launch,) = emulation.launches
    assert (launch.grid, launch.block, launch.shared_bytes) == ((2, 1, 1), (256, 1, 1), 16640)
    assert [int.from_bytes(value, "little") for value in launch.arguments[:3]] == [129, 128, 8]
    assert [len(value) for value in launch.arguments] == [4, 4, 4, 4, 8, 8, 8, 8, 4, 8, 8, 8, 8]


def test_missing_barrier_in_the_hand_written_kernel_is_a_race():
    source = sgemm.SOURCE.replace("    __syncthreads();\n  }\n  store_d", "  }\n  store_d")
    emulation, _, _ = sgemm.run(128, 128, 24, source=source, options=Options(context={"schedule": "two stages"}))
    assert {fault.kind for fault in emulation.faults} == {"shared_race", "uninitialised_shared"}
    text = emulation.report()
    assert "schedule: two stages" in text
    assert "fragment_a" in text
    line = next(i for i, part in enumerate(source.split("\n"), 1) if "tile[(k + v) * kPitchA + m]" in part)
    raced = [fault for fault in emulation.faults if fault.kind == "shared_race" and fault.line == line]
    assert raced
    assert raced[0].region == "a"
    assert raced[0].other.action == "read"


def test_elements_left_out_are_named():
    source = sgemm.SOURCE.replace("row < M && column < N", "row < M - 1 && column < N")
    emulation, _, _ = sgemm.run(20, 12, 4, source=source)
    (left,) = emulation.unwritten
    assert (left.region, left.elements, left.row, left.column) == ("D", 12, 19, 0)
    assert "12 elements of D were never written, [19, 0] first" in emulation.report()


def test_reading_c_when_beta_is_zero_is_seen():
    source = sgemm.SOURCE.replace("if (beta != 0.0f) Access", "Access")
    emulation, _, _ = sgemm.run(20, 12, 4, source=source)
    assert [fault.kind for fault in emulation.faults] == ["out_of_bounds"]


def test_reports_are_limited_and_each_line_is_told_once():
    body = "".join(f"  if (threadIdx.x > {i}) D[1000 + {i}] = 1.0f;\n" for i in range(40))
    source = LAUNCH.replace("BODY", body)
    emulation = call(source, options=Options(max_reports=3))
    assert len(emulation.faults) == 1  # the first is fatal to the only block
    many = call(
        source.replace("dim3(1)", "dim3(64)").replace("threadIdx.x > ", "blockIdx.x == "), Options(max_reports=3)
    )
    assert len(many.faults) == 3
    assert len({fault.line for fault in many.faults}) == 3


LAUNCH = """
extern "C" __global__ void kernel(float* D) {
BODY}

extern "C" int run(float* D) {
  void* arguments[] = {&D};
  return cudaLaunchKernel(kernel, dim3(1), dim3(64), arguments, 0, nullptr);
}
"""


def call(source, options=None, elements=64):
    d = np.zeros(elements, np.float32)
    output = Region(
        "D", d.ctypes.data, 1, elements * 4, elements * 4, 4, readable=False, writable=True, must_write=False
    )
    return emulate(
        source, function="run", signature=("ptr",), arguments=(d.ctypes.data,), regions=(output,), options=options
    )


@pytest.mark.parametrize(
    ("launch", "error"),
    [
        ("dim3(1), dim3(1024), arguments, 0", 0),
        ("dim3(1), dim3(1025), arguments, 0", 9),
        ("dim3(1), dim3(32, 33), arguments, 0", 9),
        ("dim3(1), dim3(1, 1, 65), arguments, 0", 9),
        ("dim3(0), dim3(32), arguments, 0", 9),
        ("dim3(1, 65536), dim3(32), arguments, 0", 9),
        ("dim3(2147483648u), dim3(32), arguments, 0", 9),
        ("dim3(1), dim3(32), arguments, 48 * 1024", 0),
        ("dim3(1), dim3(32), arguments, 48 * 1024 + 1", 1),
    ],
)
def test_launch_limits_are_those_of_the_device(launch, error):
    source = LAUNCH.replace("BODY", "").replace("dim3(1), dim3(64), arguments, 0", launch)
    emulation = call(source)
    assert emulation.status == error
    assert emulation.launches[0].error == error


OPT_IN = """
extern "C" __global__ void kernel(float* D) { D[0] = 1.0f; }

extern "C" int run(float* D) {
  void* arguments[] = {&D};
  const int set = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  if (set != cudaSuccess) return 100 + cudaGetLastError() * 10 + cudaPeekAtLastError();
  return cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, BYTES, nullptr);
}
"""


def test_large_shared_memory_needs_the_attribute_and_has_a_limit():
    assert call(OPT_IN.replace("BYTES", "232448")).status == 0
    assert call(OPT_IN.replace("BYTES", "232449")).status == 110
    assert call(OPT_IN.replace("BYTES", "101377"), Options(shared_bytes_per_block_optin=101376)).status == 110


def test_device_attributes_are_the_options():
    source = """
extern "C" int run(float*) {
  int device, major, minor, shared;
  if (cudaGetDevice(&device) != cudaSuccess) return -1;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return major * 100 + minor + (shared == 101376 ? 0 : 10000);
}
"""
    options = Options(capability=89, shared_bytes_per_block_optin=101376)
    assert call(source, options).status == 809


def test_what_does_not_compile_is_said_with_the_line():
    with pytest.raises(CompileError, match=r"kernel\.cu:3:.*nonsense"):
        call(LAUNCH.replace("BODY", "  nonsense;\n"))


def test_misfitting_arguments_are_refused():
    source = LAUNCH.replace("BODY", "")
    with pytest.raises(ArgumentError, match="no extern \"C\" function 'walk'"):
        emulate(source, function="walk", signature=(), arguments=(), regions=())
    with pytest.raises(ArgumentError, match="1 parameters and arguments has 0"):
        emulate(source, function="run", signature=("ptr",), arguments=(), regions=())
    with pytest.raises(ArgumentError, match="unknown types f16"):
        emulate(source, function="run", signature=("f16",), arguments=(0,), regions=())
    with pytest.raises(ArgumentError, match="4294967296 does not fit i32"):
        emulate(source, function="run", signature=("i32",), arguments=(1 << 32,), regions=())


def test_thread_and_block_indices_have_three_dimensions():
    body = """  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  D[block * blockDim.x * blockDim.y * blockDim.z + thread] = 1.0f;
"""
    source = LAUNCH.replace("BODY", body).replace("dim3(1), dim3(64)", "dim3(2, 3, 4), dim3(4, 2, 3)")
    d = np.zeros(24 * 24, np.float32)
    output = Region("D", d.ctypes.data, 24, 96, 96, 4, readable=False, writable=True)
    emulation = emulate(source, function="run", signature=("ptr",), arguments=(d.ctypes.data,), regions=(output,))
    assert emulation.clean, emulation.report()
    assert (d == 1).all()


def test_transposed_region_names_row_and_column_of_the_matrix():
    d = np.zeros((4, 8), np.float32)
    output = Region("D", d.ctypes.data, 4, 24, 32, 4, writable=True, transposed=True, must_write=False)
    source = LAUNCH.replace("BODY", "  if (threadIdx.x == 0) D[2 * 8 + 6] = 1.0f;\n")
    emulation = emulate(source, function="run", signature=("ptr",), arguments=(d.ctypes.data,), regions=(output,))
    (fault,) = emulation.faults
    assert (fault.row, fault.column) == (6, 2)
    assert "D[6, 2], outside its 6 x 4 elements, in what lies between two columns" in fault.message


def test_what_follows_from_a_refusal_or_a_fault_is_not_told_as_well():
    source = sgemm.SOURCE.replace("if (M == 0 || N == 0)", "if (K == 4)").replace(
        "return sgemm_128x128x8_success;", "return 3;", 1
    )
    refused, _, _ = sgemm.run(20, 12, 4, source=source)
    assert (refused.status, refused.clean) == (3, True)
    broken, _, _ = sgemm.run(
        20, 12, 4, pad=4, source=sgemm.SOURCE.replace("row < M && column < N", "row < M && column <= N")
    )
    assert [fault.kind for fault in broken.faults] == ["out_of_bounds"]
    assert not broken.unwritten


def test_emulations_run_side_by_side():
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda size: sgemm.run(size, 140, 24), range(100, 116)))
    for emulation, d, reference in runs:
        assert emulation.clean, emulation.report()
        np.testing.assert_allclose(d, reference, atol=1e-4)
