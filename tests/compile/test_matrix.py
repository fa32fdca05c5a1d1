"""Every committed kernel for every architecture: no warning, no spill, no file of ours on the path."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from pathlib import Path

import pytest
from building import STRICT, check_clean, complaints, nvcc, run, spills
from nvrtc_compiler import Nvrtc

from gemmgen.emit.banner import read_banner
from gemmgen.target import resolve
from gemmgen.toolchain import find_nvrtc, nvcc_architectures, require_cxx

pytestmark = pytest.mark.compile_matrix

ROOT = Path(__file__).parents[2]
GENERATED = sorted((ROOT / "generated").rglob("*.cu"))
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
VOLTA = 70


def target_of(path: Path):
    return resolve(read_banner(path.read_text())["target"])


def architectures_of(path: Path) -> list[str]:
    """At or above the file's target; exactly the target if it is architecture-specific."""
    target = target_of(path)
    if target.arch_specific:
        return [target.name.removeprefix("sm_")]
    return [str(number) for number in ARCHITECTURES if number >= target.capability]


PAIRS = [(path, architecture) for path in GENERATED for architecture in architectures_of(path)]
OLDEST = [path for path in GENERATED if target_of(path).capability <= VOLTA]


def named(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


@pytest.fixture(scope="session")
def seconds():
    """Compile times by file and architecture, written to the temporary folder; nothing is asserted about them."""
    taken: dict[str, float] = {}
    yield taken
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    path = Path(tempfile.gettempdir()) / f"gemmgen_compile_seconds_{worker}.json"
    median = statistics.median(taken.values()) if taken else None
    path.write_text(json.dumps({"median": median, "seconds": taken}, indent=1, sort_keys=True))


def test_there_are_committed_kernels() -> None:
    assert GENERATED, "generated/ is empty: run `gemmgen regen`"


@pytest.mark.parametrize(("path", "architecture"), PAIRS, ids=named)
def test_a_committed_kernel_compiles_everywhere(path: Path, architecture: str, tmp_path, seconds) -> None:
    if f"sm_{architecture}" not in nvcc_architectures():
        pytest.skip(f"this nvcc does not know sm_{architecture}")
    gencode = f"-gencode=arch=compute_{architecture},code=sm_{architecture}"
    built = nvcc(tmp_path, "-c", gencode, *STRICT, "-Xptxas", "-v", str(path), "-o", "kernel.o")
    seconds[f"{path.stem} sm_{architecture}"] = round(built.seconds, 3)
    assert built.status == 0, built.said
    assert complaints(built.said) == []
    found = spills(built.said)
    assert found, "ptxas said nothing of spills: was the output's form changed?"
    assert set(found) == {0}, built.said


@pytest.mark.parametrize("path", [p for p in GENERATED if target_of(p).capability > ARCHITECTURES[0]], ids=named)
def test_a_committed_kernel_stops_below_its_target(path: Path, tmp_path) -> None:
    built = nvcc(tmp_path, "-c", f"-arch=sm_{ARCHITECTURES[0]}", str(path), "-o", "kernel.o")
    assert built.status != 0
    assert f"{path.stem} needs compute capability" in built.said


def test_all_committed_kernels_share_a_translation_unit_with_their_headers(tmp_path) -> None:
    together = [path for path in GENERATED if not target_of(path).arch_specific]
    for suffixes in ((".h", ".cu"), (".cu", ".h")):
        files = [path.with_suffix(suffix) for path in together for suffix in suffixes]
        (tmp_path / "all.cu").write_text("".join(f'#include "{file}"\n' for file in files))
        check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", *STRICT, "all.cu"))


def test_all_committed_headers_are_plain_cxx(tmp_path) -> None:
    headers = [path.with_suffix(".h") for path in GENERATED]
    (tmp_path / "all.cpp").write_text("".join(f'#include "{file}"\n' for file in headers * 2))
    flags = ("-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")
    check_clean(run((*require_cxx().command, *flags, "all.cpp"), tmp_path))


@pytest.fixture(scope="session")
def nvrtc13() -> Nvrtc:
    path = find_nvrtc(13)
    if path is None:
        pytest.skip("there is no NVRTC of CUDA 13: pip install 'gemmgen[nvrtc]'")
    return Nvrtc(path)


@pytest.mark.parametrize("path", GENERATED, ids=named)
def test_nvrtc_compiles_every_committed_kernel(path: Path, nvrtc13: Nvrtc) -> None:
    numbers = architectures_of(path)
    for architecture in dict.fromkeys((numbers[0], "90" if "90" in numbers else numbers[-1])):
        compiled = nvrtc13.compile(path.read_text(), f"-arch=sm_{architecture}")
        assert (compiled.status, compiled.log) == (0, "")


@pytest.fixture(scope="session")
def nvrtc12() -> Nvrtc:
    path = find_nvrtc(12)
    if path is None:
        pytest.skip("there is no NVRTC of CUDA 12, the last for sm_70: pip install 'gemmgen[nvrtc12]'")
    return Nvrtc(path)


@pytest.mark.parametrize("path", OLDEST, ids=named)
def test_a_kernel_for_sm_70_compiles_with_the_last_nvrtc_that_knows_it(path: Path, nvrtc12: Nvrtc) -> None:
    compiled = nvrtc12.compile(path.read_text(), "-arch=sm_70")
    said = [line for line in compiled.log.splitlines() if "are deprecated and may be removed" not in line]
    assert (compiled.status, said) == (0, [])
