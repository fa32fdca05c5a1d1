"""Compiles an emitted text, byte for byte, to a cubin for one device."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from gemmgen.errors import GemmgenError, InternalError
from gemmgen.runtime.cache import Cache, cache_folder, key_of
from gemmgen.toolchain import Compiler, compiler_environment, require_nvcc

_ARCHITECTURE = re.compile(r"sm_\d+a?")
_LOCAL_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"', re.MULTILINE)
_TIMEOUT_SECONDS = 600
_FLAGS = ("-std=c++17",)


class CompilationError(GemmgenError):
    """nvcc refused a text; the message ends with what it said."""


def device_architecture(capability: tuple[int, int], target: str) -> str:
    """What to compile for: the device's own architecture, with the ``a`` of the target if it has one.

    Args:
        capability: of the device, (9, 0).
        target: what the kernel was generated for, "sm_80" or "sm_90a".

    Raises:
        GemmgenError: the device is below the target, or is not the one that an ``a`` target names.

    """
    major, minor = capability
    device = f"sm_{major}{minor}"
    wanted = int(target.removeprefix("sm_").removesuffix("a"))
    if target.endswith("a"):
        if wanted == major * 10 + minor:
            return target
        raise GemmgenError(f"This kernel was generated for {target} and runs on exactly that; the device is {device}.")
    if major * 10 + minor < wanted:
        raise GemmgenError(f"This kernel was generated for {target} and above; the device is {device}.")
    return device


def compile_cubin(source: str, architecture: str, *, flags: tuple[str, ...] = (), cache: Cache | None = None) -> bytes:
    """The cubin of an emitted text.

    The result is kept in a cache keyed by the text, nvcc's version, the architecture and the flags. Nothing else can
    change it: emitted files include no header but the toolkit's, and a text that does is refused.

    Args:
        source: the emitted text; compiled as it is, under ``extern "C"`` only where it says so itself.
        architecture: "sm_90".
        flags: further arguments for nvcc, each one word of its command line.
        cache: where to keep the result; the user's cache folder if left out.

    Raises:
        EnvironmentUnavailable: no nvcc, or the cache folder is not private.
        CompilationError: nvcc refused the text.

    """
    if _LOCAL_INCLUDE.search(source):
        raise InternalError("An emitted text includes a local header, whose edits the cache would not see.")
    if not _ARCHITECTURE.fullmatch(architecture):
        raise InternalError(f"architecture={architecture!r} is no name such as sm_90.")
    compiler = require_nvcc()
    store = Cache(cache_folder("cubin")) if cache is None else cache
    key = key_of(source, compiler.version, architecture, *_FLAGS, *flags)
    found = store.load(key)
    if found is not None:
        return found
    cubin = run_nvcc(compiler, source, ("-cubin", f"-arch={architecture}", *_FLAGS, *flags), "kernel.cubin")
    store.store(key, cubin)
    return cubin


def run_nvcc(compiler: Compiler, source: str, arguments: tuple[str, ...], output: str) -> bytes:
    """Runs nvcc on a text in a folder of its own and returns the file ``output`` that it writes.

    Raises:
        CompilationError: it failed or took more than ten minutes.

    """
    with tempfile.TemporaryDirectory(prefix="gemmgen-") as folder:
        (Path(folder) / "kernel.cu").write_bytes(source.encode())
        command = [*compiler.command, *arguments, "-o", output, "kernel.cu"]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=compiler_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_TIMEOUT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise CompilationError(f"nvcc ran for more than {_TIMEOUT_SECONDS} s: {' '.join(command)}") from None
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip()
            raise CompilationError(f"nvcc failed with exit code {done.returncode}: {' '.join(command)}\n{said}")
        return (Path(folder) / output).read_bytes()
