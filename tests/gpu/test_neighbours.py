"""Beside torch, CuPy and PyCUDA's own contexts: their arrays, their streams, their current context."""

from __future__ import annotations

import concurrent.futures
import ctypes
import gc
import subprocess
import sys

import numpy as np
import pytest

import gemmgen as gg
from gemmgen.runtime import driver

pytestmark = pytest.mark.cuda

KERNEL = gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(64, 64, 8), thread_tile=(4, 4)))
RNG = np.random.default_rng(7)
A, B, C = (RNG.integers(-3, 4, (96, 96)).astype(np.float32) for _ in range(3))
EXPECTED = A @ B


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="cuda: torch is not installed")


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy", reason="cuda: CuPy is not installed")


def test_numpy_in_numpy_out():
    d = KERNEL.run(A, B, on="cuda")
    assert type(d) is np.ndarray
    assert np.array_equal(d, EXPECTED)
    c = C.copy()
    assert KERNEL.run(A, B, c, alpha=2.0, beta=3.0, out=c, on="cuda") is c
    assert np.array_equal(c, 2 * EXPECTED + 3 * C)


def test_torchs_context_survives_ten_turns(torch):
    for turn in range(10):
        a, b = torch.tensor(A, device="cuda"), torch.tensor(B, device="cuda")
        before = driver.current_context()
        d = torch.as_tensor(KERNEL.run(a, b, on="cuda"), device="cuda")
        assert driver.current_context() == before
        assert np.array_equal((d + turn).cpu().numpy(), EXPECTED + turn)
        assert np.array_equal((a @ b).cpu().numpy(), EXPECTED)


def test_work_on_torchs_stream_keeps_its_order(torch):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        a = torch.full((4096, 4096), 1.0, device="cuda")
        for _ in range(50):
            a = a @ torch.eye(4096, device="cuda")
        a = a + 1
        out = torch.empty((4096, 64), device="cuda")
        b = torch.ones((4096, 64), device="cuda")
        KERNEL.run(a, b, out=out, on="cuda", stream=stream)
        total = out.sum()
    stream.synchronize()
    assert float(total) == 2.0 * 4096 * 4096 * 64


def test_a_tensor_that_needs_a_gradient_is_refused_with_torchs_own_advice(torch):
    a = torch.tensor(A, device="cuda", requires_grad=True)
    with pytest.raises(gg.ArgumentError, match="detach"):
        KERNEL.run(a, torch.tensor(B, device="cuda"), on="cuda")


def test_cupys_arrays_and_stream(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        a, b = cupy.asarray(A), cupy.asarray(B)
        out = cupy.empty((96, 96), cupy.float32)
        assert KERNEL.run(a, b, out=out, on="cuda", stream=stream) is out
        total = out + 1
    stream.synchronize()
    assert np.array_equal(cupy.asnumpy(total), EXPECTED + 1)


def test_views_are_taken_where_they_lie(torch):
    base = torch.zeros((200, 200), device="cuda")
    base[3:99, 5:101] = torch.tensor(A, device="cuda")
    d = torch.as_tensor(KERNEL.run(base[3:99, 5:101], torch.tensor(B, device="cuda"), on="cuda"), device="cuda")
    assert np.array_equal(d.cpu().numpy(), EXPECTED)


def test_host_and_gpu_arrays_do_not_mix(torch):
    with pytest.raises(gg.ArgumentError, match="a on a GPU and b not"):
        KERNEL.run(torch.tensor(A, device="cuda"), B, on="cuda")


def test_a_context_that_pycuda_made_is_used_and_left_current():
    import pycuda.driver as cuda
    from pycuda import gpuarray

    cuda.init()
    context = cuda.Device(0).make_context()
    try:
        for _ in range(3):
            d = KERNEL.run(gpuarray.to_gpu(A), gpuarray.to_gpu(B), on="cuda")
            assert driver.current_context() == context.handle
            assert np.array_equal(d.get(), EXPECTED)
        del d
        gc.collect()
    finally:
        context.pop()
        context.detach()
    assert np.array_equal(KERNEL.run(A, B, on="cuda"), EXPECTED)


def test_a_module_is_not_taken_for_one_of_a_context_that_is_gone():
    import pycuda.driver as cuda
    from pycuda import gpuarray

    cuda.init()
    for _ in range(3):
        context = cuda.Device(0).make_context()
        try:
            assert np.array_equal(KERNEL.run(gpuarray.to_gpu(A), gpuarray.to_gpu(B), on="cuda").get(), EXPECTED)
            gc.collect()
        finally:
            context.pop()
            context.detach()


def test_threads_share_a_kernel():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: KERNEL.run(A, B, on="cuda"), range(20)))
    assert all(np.array_equal(result, EXPECTED) for result in results)


def test_a_launch_that_is_refused_says_with_what_configuration():
    from gemmgen.runtime import KernelLaunch, launch

    wrong = KernelLaunch(f"{KERNEL.symbol}_kernel", grid=1, threads=4096, shared_bytes=0, arguments=())
    with pytest.raises(gg.GemmgenError, match=r"Launching .*_kernel, grid 1, 4096 threads, .*cuLaunchKernel failed"):
        launch(KERNEL.source, "sm_80", [wrong])
    assert np.array_equal(KERNEL.run(A, B, on="cuda"), EXPECTED)


def test_a_process_that_used_the_runtime_ends_cleanly():
    program = (
        "import numpy as np, gemmgen as gg\n"
        "k = gg.generate(gg.Gemm(), gg.Schedule(cta_tile=(64, 64, 8), thread_tile=(4, 4)))\n"
        "from gemmgen.runtime import copy_to_device\n"
        "a = copy_to_device(np.ones((96, 96), np.float32))\n"
        "d = k.run(a, a, on='cuda'); print(d.get()[0, 0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "96.0\n", "")


def test_the_emitted_launcher_gives_the_same_bits(tmp_path):
    from gemmgen.call import bind
    from gemmgen.emulator.gemm import launcher_arguments, launcher_signature
    from gemmgen.runtime import LauncherLibrary, Mirror, device_architecture
    from gemmgen.runtime.cache import Cache
    from gemmgen.runtime.context import active_context, device_capability
    from gemmgen.runtime.gemm import _view

    library = LauncherLibrary(KERNEL.source, device_architecture(device_capability(0), "sm_80"), cache=Cache(tmp_path))
    a, b, d = RNG.standard_normal((97, 33)), RNG.standard_normal((33, 65)), np.zeros((97, 65))
    a, b, d = (array.astype(np.float32) for array in (a, b, d))
    mirror = Mirror({"a": a, "b": b, "out": d})
    views = {name: _view(array) for name, array in mirror.arrays.items()}
    call = bind(KERNEL.plan, views["a"], views["b"], None, views["out"], 1.5, 0.0)
    with active_context(0):
        status = library.call(KERNEL.symbol, launcher_signature("f32"), launcher_arguments(call))
        driver.synchronize_stream("Running the launcher", 0)
    mirror.copy_back("out")
    assert status == 0
    assert np.array_equal(d, KERNEL.run(a, b, alpha=1.5, on="cuda"))
    assert np.array_equal(d, KERNEL.run(a, b, alpha=1.5, on="cpu"))


def test_the_null_handle_is_the_default_stream():
    assert np.array_equal(KERNEL.run(A, B, on="cuda", stream=0), EXPECTED)
    assert np.array_equal(KERNEL.run(A, B, on="cuda", stream=ctypes.c_void_p(None)), EXPECTED)
