"""Ctrl-C ends a launch in the middle of a block, and the process goes on."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[3]

SCRIPT = """
    import os, signal, threading, time
    from gemmgen.emulator import emulate

    SOURCE = '''
    __global__ void spin(long long n) {
      volatile int* shared = reinterpret_cast<volatile int*>(gemmgen_shared);
      for (long long i = 0; i < n; ++i) shared[0] = 1;
    }
    extern "C" int run(long long n) {
      void* arguments[] = {&n};
      return cudaLaunchKernel(spin, dim3(3), dim3(1), arguments, 4, nullptr);
    }
    '''

    def run(n):
        return emulate(SOURCE, function="run", signature=("i64",), arguments=(n,), regions=())

    def interrupt():
        time.sleep(0.5)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    assert run(3).status == 0
    for _ in range(3):
        sent = []
        threading.Thread(target=interrupt).start()
        try:
            run(1 << 60)
        except KeyboardInterrupt:
            print("took", time.perf_counter() - sent[0])
        assert run(3).status == 0
"""


def test_ctrl_c_ends_a_launch_at_once() -> None:
    source = textwrap.dedent(SCRIPT)
    ran = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    took = [float(line.split()[1]) for line in ran.stdout.splitlines()]
    assert len(took) == 3
    assert max(took) < 1.0
