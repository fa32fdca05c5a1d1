"""The processes of a check end with it, however it ends, and without a word."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_kernels as fakes
import pytest
from fake_kernels import fake_emit

from gemmgen.errors import InternalError
from gemmgen.testing.check import check

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SCRIPT = """
import sys
sys.path[:0] = [{here!r}, {root!r}]
import fake_kernels as fakes
from gemmgen.testing.check import check
if __name__ == "__main__":
    def progress(done, wanted):
        print(done, flush=True)
    check(examples=100000, processes=2, emit=fakes.fake_emit, backend=fakes.Numpy, progress=progress)
"""


def running(group: int) -> list[str]:
    """Processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            state, _, of_group = path.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state != "Z":
                found.append(path.parent.name)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL", "SIGINT"])
def test_no_process_outlives_the_check(how: str, tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(SCRIPT.format(here=str(HERE), root=str(ROOT)))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    while process.stdout.readline().strip() in {"0", "1"}:  # both have begun when there are two
        pass
    # Ctrl-C reaches every process of the terminal.
    (os.killpg if how == "SIGINT" else os.kill)(process.pid, signal.Signals[how])
    said = process.communicate(timeout=30)[1]
    deadline = time.monotonic() + 10
    while running(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(process.pid) == []
    assert said.count("Traceback") == (how == "SIGINT")  # the parent's own, as its caller did not catch it
    assert "leaked" not in said


@pytest.mark.parametrize("processes", [1, 2])
def test_a_breakdown_of_the_emulator_is_no_fault_of_the_kernel(processes: int) -> None:
    with pytest.raises(InternalError, match=r"the emulator broke down\n  running: \{"):
        check(examples=5, emit=fake_emit, backend=fakes.BreaksDown, processes=processes)
