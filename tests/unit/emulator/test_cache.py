"""Compiled kernels are kept, shared safely and repaired; a missing compiler is said in one sentence."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gemmgen.emulator import CompileError, build, cache, emulate, toolchain
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
    with pytest.raises(EnvironmentUnavailable, match=r"CXX=no-such-compiler-17 is none\. Install g\+\+"):
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


@pytest.fixture
def fresh_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "_built", 1)
    return cache.folder()


def aged(path, seconds):
    path.write_bytes(b"")
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_what_was_used_longest_ago_is_pruned_and_never_the_runtime(fresh_folder, monkeypatch):
    monkeypatch.setattr(cache, "_MOST_FILES", 3)
    runtime = aged(fresh_folder / "runtime-1.so", 500_000)
    forsaken = aged(fresh_folder / "runtime-0.so", 100 * 24 * 3600)
    old, used, new = (
        cache.provide(f"{name}.so", lambda path: path.write_bytes(b"content")) for name in ("old", "used", "new")
    )
    for path, seconds in ((old, 300), (used, 400), (new, 200)):
        os.utime(path, (time.time() - seconds,) * 2)
    cache.provide("used.so", lambda _: pytest.fail("built again"))
    cache._prune(fresh_folder)
    assert runtime.exists()
    assert {path.name for path in fresh_folder.iterdir()} == {"runtime-1.so", "used.so", "new.so"}
    assert not forsaken.exists()


def test_leftovers_go_at_the_first_build(fresh_folder, monkeypatch):
    stale, young = aged(fresh_folder / ".new-1", 4000), aged(fresh_folder / ".new-2", 60)
    cache.provide("1.so", lambda path: path.write_bytes(b""))
    assert stale.exists()
    monkeypatch.setattr(cache, "_built", 0)
    cache.provide("2.so", lambda path: path.write_bytes(b""))
    assert not stale.exists()
    assert young.exists()


def test_a_runtime_that_vanishes_is_made_again(monkeypatch):
    """Somebody removes it between the look at the cache and the linker's."""
    run(50)
    compiled, removed = build._compile, []

    def unlucky(source, runtime_path, output):
        if not removed:
            removed.append(runtime_path)
            runtime_path.unlink()
        compiled(source, runtime_path, output)

    monkeypatch.setattr(build, "_compile", unlucky)
    assert run(f"{time.time_ns() % 1_000_000} * 0 + 51") == 52
    assert removed[0].exists()


def test_a_kernel_that_vanishes_is_made_again(monkeypatch):
    loaded, removed = build.ctypes.CDLL, []

    def unlucky(path, *arguments):
        if not removed and "runtime" not in path:
            removed.append(Path(path))
            Path(path).unlink()
        return loaded(path, *arguments)

    run(60)
    monkeypatch.setattr(build.ctypes, "CDLL", unlucky)
    assert run(61) == 62
    assert removed[0].exists()


@pytest.mark.parametrize(
    "said", ["collect2: error: ld returned 1", "kernel.cu:3: fatal error: No space left on device"]
)
def test_a_failure_that_is_not_the_texts_is_no_compile_error(monkeypatch, said):
    run(70)
    done = subprocess.CompletedProcess((), 1, "", said)
    monkeypatch.setattr(toolchain, "run", lambda *_: done)
    with pytest.raises(EnvironmentUnavailable, match="compiling a kernel failed and not for its text"):
        run(71)


def test_what_the_text_does_not_define_is_its_fault():
    source = 'extern "C" int missing(); extern "C" int run(int value) { return missing() + value; }'
    with pytest.raises(CompileError, match=r"does not define.*undefined symbol: missing"):
        emulate(source, function="run", signature=("i32",), arguments=(1,), regions=())


@pytest.mark.parametrize("command", ["/bin/true", "gcc"])
def test_a_compiler_that_can_not_do_it_is_said(monkeypatch, tmp_path, command):
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not here")
    monkeypatch.setenv("CXX", command)
    monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(EnvironmentUnavailable, match=rf"needs g\+\+ 9 or above and can not use {command} .*CXX"):
        run(80)


def test_the_compilers_path_may_hold_spaces(monkeypatch, tmp_path):
    link = tmp_path / "my tools" / "g++"
    link.parent.mkdir()
    link.symlink_to(shutil.which("g++"))
    monkeypatch.setenv("CXX", str(link))
    assert run(81) == 82


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_closes_is_said(fresh_folder):
    fresh_folder.chmod(0o500)
    with pytest.raises(EnvironmentUnavailable, match="GEMMGEN_CACHE_DIR"):
        cache.provide("1.so", lambda path: path.write_bytes(b""))
