"""Finding compilers, in folders whose names a shell would trip over."""

from __future__ import annotations

import stat
import sys

import pytest

from gemmgen import toolchain
from gemmgen.errors import EnvironmentUnavailable

ODD = "a b/c'd é"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    found = (toolchain.find_cxx, toolchain.find_nvcc, toolchain.nvcc_architectures, toolchain.find_nvrtc)
    for name in ("CXX", "GEMMGEN_NVCC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    for function in found:
        function.cache_clear()
    yield
    for function in found:
        function.cache_clear()


def fake(folder, name, says):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys\nprint({says!r})\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_nvcc_is_taken_from_cuda_home_wherever_that_is(tmp_path, monkeypatch):
    path = fake(tmp_path / ODD / "bin", "nvcc", "Cuda compilation tools, release 12.8, V12.8.93")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / ODD))
    found = toolchain.require_nvcc()
    assert found.command == (str(path),)
    assert found.release == (12, 8)


def test_nvcc_can_be_named_with_arguments_or_spaces(tmp_path, monkeypatch):
    path = fake(tmp_path / ODD, "nvcc", "release 13.0")
    monkeypatch.setenv("GEMMGEN_NVCC", str(path))
    assert toolchain.require_nvcc().command == (str(path),)
    toolchain.find_nvcc.cache_clear()
    monkeypatch.setenv("GEMMGEN_NVCC", f'env "{path}"')
    assert toolchain.require_nvcc().command == ("env", str(path))


def test_a_cxx_that_is_a_path_with_spaces_or_a_command_with_arguments_is_taken(tmp_path, monkeypatch):
    path = fake(tmp_path / ODD, "g++", "g++ 12.2.0")
    for value, command in ((str(path), (str(path),)), (f'env "{path}"', ("env", str(path)))):
        monkeypatch.setenv("CXX", value)
        toolchain.find_cxx.cache_clear()
        assert toolchain.require_cxx().command == command


@pytest.mark.parametrize("value", ["no-such-compiler", "false", "true; touch pwned"])
def test_a_cxx_that_is_none_is_one_sentence(value, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", value)
    with pytest.raises(EnvironmentUnavailable) as caught:
        toolchain.require_cxx()
    assert str(caught.value).startswith(f"The emulator needs a C++17 compiler and CXX={value} is none. Install g++ 9")
    assert not list(tmp_path.iterdir())


def test_no_nvcc_is_one_sentence_with_the_remedy(monkeypatch):
    monkeypatch.setattr(toolchain, "_nvcc_candidates", list)
    with pytest.raises(EnvironmentUnavailable, match=r"pip install 'gemmgen\[nvcc\]'"):
        toolchain.require_nvcc()
    assert toolchain.nvcc_architectures() == frozenset()


def test_the_wheels_of_nvcc_are_found_and_told_where_their_libraries_lie(tmp_path, monkeypatch):
    root = tmp_path / ODD / "nvidia" / "cu13"
    path = fake(root / "bin", "nvcc", "release 13.0")
    (root / "lib").mkdir()
    (root / "lib" / "libcudart_static.a").touch()
    monkeypatch.setattr(toolchain, "_site_folders", lambda: [tmp_path / ODD])
    assert path in toolchain._nvcc_candidates()
    assert toolchain._link_arguments(path) == (f"-L{root / 'lib'}",)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("nvcc: NVIDIA (R)\nCuda compilation tools, release 13.0, V13.0.88", (13, 0)),
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", (12, 2)),
        ("nonsense", (0, 0)),
    ],
)
def test_a_release_is_read_from_what_a_compiler_says(text, release):
    assert toolchain.Compiler(("x",), text).release == release
