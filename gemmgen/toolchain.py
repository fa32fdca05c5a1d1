"""Finds the compilers of the machine: a C++17 compiler, nvcc and NVRTC.

Compilers are always run as argument lists, never through a shell, so that a path may hold spaces, quotes or non-ASCII
letters. Nothing is searched at import; a found compiler is remembered for the life of the process.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from gemmgen.errors import EnvironmentUnavailable

_VERSION_TIMEOUT_SECONDS = 60
_WHEEL_FOLDERS = ("cu13", "cuda_nvcc")
"""Folders of ``site-packages/nvidia`` in which the PyPI wheels of CUDA 13, and of the releases before it, keep nvcc."""

_CXX17_PROBE = '#if __cplusplus < 201703L\n#error "no C++17"\n#endif\n#include <optional>\nint main() { return 0; }\n'


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler that was found and answered.

    ``command`` is the start of an argument list. ``version`` is what it says about itself, whole: part of every cache
    key. ``link_arguments`` are needed when it links (the wheels of nvcc do not know where their own libraries lie).
    """

    command: tuple[str, ...]
    version: str
    link_arguments: tuple[str, ...] = ()

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor version, (0, 0) if the text names none: (13, 0) for nvcc 13.0, (12, 2) for g++ 12.2."""
        for word in self.version.replace(",", " ").split():
            parts = word.removeprefix("V").split(".")
            if len(parts) > 1 and parts[0].isdigit() and parts[1].isdigit():
                return int(parts[0]), int(parts[1])
        return 0, 0


def split_command(value: str) -> tuple[str, ...]:
    """Reads a compiler from an environment variable: a path (which may hold spaces), or a command with arguments."""
    if Path(value).is_file():
        return (value,)
    return tuple(shlex.split(value))


@functools.cache
def find_cxx(chosen: str | None = None) -> Compiler | None:
    """The C++17 compiler: ``chosen`` if it names one, else g++, clang++ or c++ from the path; None if none answers.

    Left out, ``chosen`` is ``$CXX``.
    """
    chosen = os.environ.get("CXX", "").strip() if chosen is None else chosen
    candidates = [split_command(chosen)] if chosen else [("g++",), ("clang++",), ("c++",)]
    for command in candidates:
        version = _version_of(command)
        if version is not None and _accepts_cxx17(command):
            return Compiler(command, version)
    return None


def require_cxx() -> Compiler:
    """The C++17 compiler.

    Raises:
        EnvironmentUnavailable: there is none.
    """
    # Asked for by its value, since that may change while the process lives.
    chosen = os.environ.get("CXX", "").strip()
    compiler = find_cxx(chosen)
    if compiler is None:
        found = f"CXX={chosen} is none" if chosen else "neither g++ nor clang++ is one here"
        raise EnvironmentUnavailable(
            f"The emulator needs a C++17 compiler and {found}. "
            "Install g++ 9 or above (Debian, Ubuntu: apt-get install g++) or set CXX to one."
        )
    return compiler


@functools.cache
def find_nvcc() -> Compiler | None:
    """nvcc: ``$GEMMGEN_NVCC``, ``$CUDA_HOME``, ``$CUDA_PATH``, the path, /usr/local/cuda, the wheels of ``[nvcc]``."""
    chosen = os.environ.get("GEMMGEN_NVCC", "").strip()
    if chosen:
        command = split_command(chosen)
        version = _version_of(command)
        return None if version is None else Compiler(command, version)
    for path in _nvcc_candidates():
        if (version := _version_of((str(path),))) is not None:
            return Compiler((str(path),), version, _link_arguments(path))
    return None


def require_nvcc() -> Compiler:
    """nvcc.

    Raises:
        EnvironmentUnavailable: there is none.
    """
    compiler = find_nvcc()
    if compiler is None:
        raise EnvironmentUnavailable(
            "Compiling for a GPU needs nvcc, which is not on this machine. "
            "Install the CUDA toolkit and set CUDA_HOME, or: pip install 'gemmgen[nvcc]'."
        )
    return compiler


@functools.cache
def nvcc_architectures() -> frozenset[str]:
    """Names that the machine's nvcc takes after ``-arch=`` ("sm_90", "sm_90a" ...); empty without nvcc."""
    compiler = find_nvcc()
    if compiler is None:
        return frozenset()
    output = _run((*compiler.command, "--list-gpu-code")) or ""
    return frozenset(word for word in output.split() if word.startswith("sm_"))


@functools.cache
def find_nvrtc(major: int | None = None) -> Path | None:
    """The NVRTC library, of one CUDA major release if ``major`` is given: the PyPI wheels', else the toolkit's.

    The 12.9 wheel (extra ``nvrtc12``) is the last that compiles for sm_70.
    """
    pattern = "libnvrtc.so*" if major is None else f"libnvrtc.so.{major}*"
    folders = [folder / "nvidia" / name / "lib" for folder in _site_folders() for name in ("cu13", "cuda_nvrtc")]
    folders += [root / "lib64" for root in _cuda_roots()]
    for folder in folders:
        for path in sorted(folder.glob(pattern)):
            return path
    return None


def compiler_environment() -> dict[str, str]:
    """The environment for a compiler: the process's, with messages in English and no flags smuggled into nvcc."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"):
        environment.pop(name, None)
    return environment


def _nvcc_candidates() -> list[Path]:
    candidates = [root / "bin" / "nvcc" for root in _cuda_roots(only_named=True)]
    on_path = shutil.which("nvcc")
    if on_path is not None:
        candidates.append(Path(on_path))
    candidates.append(Path("/usr/local/cuda/bin/nvcc"))
    candidates += [folder / "nvidia" / name / "bin" / "nvcc" for folder in _site_folders() for name in _WHEEL_FOLDERS]
    return [path for path in candidates if path.is_file()]


def _cuda_roots(*, only_named: bool = False) -> list[Path]:
    named = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    return named if only_named else [*named, Path("/usr/local/cuda")]


def _site_folders() -> list[Path]:
    return [Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))]


def _link_arguments(nvcc: Path) -> tuple[str, ...]:
    # The wheels keep their libraries in lib, and nvcc.profile names lib64 and targets only.
    root = nvcc.resolve().parent.parent
    if (root / "lib" / "libcudart_static.a").is_file() and not (root / "lib64").exists():
        return (f"-L{root / 'lib'}",)
    return ()


def _accepts_cxx17(command: tuple[str, ...]) -> bool:
    return _run((*command, "-std=c++17", "-fsyntax-only", "-x", "c++", "-"), given=_CXX17_PROBE) is not None


def _version_of(command: tuple[str, ...]) -> str | None:
    return _run((*command, "--version")) if command else None


def _run(command: tuple[str, ...], given: str = "") -> str | None:
    """What a command prints, or None if it cannot be run or fails."""
    import subprocess

    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            check=True,
            timeout=_VERSION_TIMEOUT_SECONDS,
            env=compiler_environment(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
