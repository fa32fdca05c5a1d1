"""Compiled kernels are kept, shared safely and repaired; a missing compiler is said in one sentence."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gemmgen.emulator import build, cache, emulate, toolchain
from gemmgen.errors import EnvironmentUnavailable

SOURCE = """
extern "C" int run(int value) { return value + NUMBER; }
"""
ROOT = Path(__file__).parents[3]


def run(number):
    source = SOURCE.replace("NUMBER", str(number))
    return emulate(source, function="run", signature=("i32",), arguments=(1,), regions=()).status


def entry(number):
    key = cache.key_of(SOURCE.replace("NUMBER", str(number)), build._runtime_key(), *toolchain.KERNEL_FLAGS)
    return cache.folder() / f"{key}.so"


def test_second_use_does_not_compile(monkeypatch):
    assert run(11) == 12
    build._modules.clear()
    monkeypatch.setattr(build, "_compile", lambda *_: pytest.fail("compiled again"))
    assert run(11) == 12


@pytest.mark.parametrize("damage", [b"", b"\x7fELF", None])
def test_damaged_file_is_made_again(damage):
    run(20)
    path = entry(20)
    whole = path.read_bytes()
    build._modules.clear()
    path.unlink()  # a new file, as another process or a full disk would leave it: the old one is still mapped
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert not cache.intact(path)
    assert run(20) == 21
    assert cache.intact(path)


def test_key_tells_where_one_part_ends():
    assert cache.key_of("ab", "c") != cache.key_of("a", "bc")


def test_folder_is_private(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(tmp_path / "new"))
    assert stat.S_IMODE(cache.folder().stat().st_mode) == 0o700


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_unusable_folder_is_said(tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(closed))
    with pytest.raises(EnvironmentUnavailable, match="GEMMGEN_CACHE_DIR"):
        cache.folder()


def test_file_in_the_folders_place_is_said(tmp_path, monkeypatch):
    (tmp_path / "emulator").write_text("")
    monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(EnvironmentUnavailable, match="can not be used"):
        cache.folder()


def test_missing_compiler_is_said(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler-17")
    with pytest.raises(EnvironmentUnavailable, match=r"'no-such-compiler-17' is not on the PATH; install g\+\+"):
        run(30)


def test_compiler_may_have_arguments_and_never_meets_a_shell(monkeypatch, tmp_path):
    trap = tmp_path / "trap"
    monkeypatch.setenv("CXX", f"g++ -DGIVEN=1 '-DNOTE=;touch {trap}'")
    assert run("GIVEN") == 2
    assert not trap.exists()


def test_many_modules_are_unloaded_again(monkeypatch):
    monkeypatch.setattr(build, "_MOST_MODULES", 2)
    assert [run(number) for number in (40, 41, 42, 40)] == [41, 42, 43, 41]
    assert len(build._modules) == 2


def test_processes_share_an_empty_cache(tmp_path):
    """Four at once build runtime and kernel; one of them is killed while it works."""
    script = (
        "from gemmgen.emulator import emulate;"
        f"print(emulate({SOURCE.replace('NUMBER', '5')!r}, function='run', signature=('i32',), arguments=(1,),"
        " regions=()).status)"
    )
    env = {**os.environ, "GEMMGEN_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen([sys.executable, "-c", script], env=env, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    try:
        running[0].wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        running[0].kill()
    assert [process.communicate(timeout=120)[0].strip() for process in running[1:]] == ["6", "6", "6"]
    running[0].communicate()
