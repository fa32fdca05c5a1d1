"""Emitted files through nvcc: alone, together, under every flag that a project may use."""

from __future__ import annotations

import pytest
from building import STRICT, check_clean, nvcc, write
from kernel_variants import emitted

import gemmgen as gg
from gemmgen.emit import emit

pytestmark = pytest.mark.compile

SMALL = gg.Schedule(cta_tile=(16, 16, 4), thread_tile=(2, 2))
STRICTLY_BUILT = ("direct_vector", "direct_a_shared_b", "transposed_to_k_major", "ragged", "fixed_k", "large_shared")


@pytest.mark.parametrize("variant", STRICTLY_BUILT)
def test_a_file_compiles_alone_without_a_warning(variant: str, tmp_path) -> None:
    (source,) = write(tmp_path, emitted(variant))
    check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", *STRICT, source))


def test_an_architecture_specific_file_compiles_for_just_that(tmp_path) -> None:
    (source,) = write(tmp_path, emitted("architecture_specific"))
    check_clean(nvcc(tmp_path, "-c", "-gencode=arch=compute_90a,code=sm_90a", *STRICT, source))
    for other in ("90", "100a"):
        built = nvcc(tmp_path, "-c", f"-gencode=arch=compute_{other},code=sm_{other}", source)
        assert built.status != 0
        assert "needs compute capability 9.0 with its specific features (-gencode=arch=compute_90a" in built.said


def test_below_its_target_a_file_stops_with_its_own_sentence(tmp_path) -> None:
    kernel = emitted("grouped")
    (source,) = write(tmp_path, kernel)
    built = nvcc(tmp_path, "-c", "-arch=sm_75", source)
    assert built.status != 0
    assert f"{kernel.symbol} needs compute capability 8.0 or above (-arch=sm_80)" in built.said


@pytest.mark.parametrize("standard", [14, 17, 20])
def test_any_standard_from_c_14_on_will_do(standard: int, tmp_path) -> None:
    if standard == 14:
        (source,) = write(tmp_path, emitted("ragged"))
    else:
        (source,) = write(tmp_path, emitted("double_quads" if standard == 17 else "columns"))
    check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", f"-std=c++{standard}", *STRICT, source))


def test_two_kernels_share_a_translation_unit_with_their_headers(tmp_path) -> None:
    kernels = emitted("double_quads"), emitted("shared"), emitted("direct"), emit(gg.Gemm(), SMALL, name="gemm")
    sources = write(tmp_path, *kernels)
    headers = [name.replace(".cu", ".h") for name in sources]
    for order in (headers + sources, sources + headers, [*headers, *headers, *reversed(sources)]):
        both = tmp_path / "both.cu"
        both.write_text("".join(f'#include "{name}"\n' for name in order))
        check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", *STRICT, "both.cu"))


def test_a_prototype_that_differs_from_its_definition_would_not_compile(tmp_path) -> None:
    kernel = emit(gg.Gemm(), SMALL, name="small")
    write(tmp_path, kernel)
    (tmp_path / "small.h").write_text(kernel.header.replace("long long M,", "int M,"))
    (tmp_path / "both.cu").write_text('#include "small.h"\n#include "small.cu"\n')
    assert nvcc(tmp_path, "-c", "-arch=sm_90", "both.cu").status != 0


CALLER = """\
#include "{first}.h"
#include "{second}.h"
int main() {{
  const int refused = {first}_can_implement(-1, 1, 1, 1, nullptr, 1, nullptr, 1, 0, nullptr, 1, nullptr, 1);
  const int empty = {second}(0, 1, 1, 1, nullptr, 1, nullptr, 1, 0, nullptr, 1, nullptr, 1, nullptr, 0, nullptr);
  return refused == {first}_invalid_argument && empty == {second}_success ? 0 : 1;
}}
"""


@pytest.mark.parametrize("separable", [True, False], ids=["rdc", "whole"])
def test_objects_link_with_and_without_device_code_of_their_own(separable: bool, tmp_path) -> None:
    kernels = emit(gg.Gemm(), SMALL, name="first"), emit(gg.Gemm(a_layout="col"), SMALL, name="second")
    sources = write(tmp_path, *kernels)
    (tmp_path / "main.cpp").write_text(CALLER.format(first="first", second="second"))
    device = ("-rdc=true",) if separable else ()
    objects = [name.replace(".cu", ".o") for name in sources]
    for source in sources:
        check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", *device, *STRICT, source))
    check_clean(nvcc(tmp_path, "-c", "main.cpp"))
    check_clean(nvcc(tmp_path, "-arch=sm_90", *device, *objects, "main.o", "-o", "program"))
    from building import run

    check_clean(run((str(tmp_path / "program"),), tmp_path))


def test_without_rdc_a_plain_linker_needs_no_device_link(tmp_path) -> None:
    (source,) = write(tmp_path, emit(gg.Gemm(), SMALL, name="first"))
    check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", source))
    assert nvcc(tmp_path, "-lib", "first.o", "-o", "libfirst.a").status == 0


def test_macros_of_windows_and_of_old_headers_do_no_harm(tmp_path) -> None:
    (source,) = write(tmp_path, emitted("double_quads"))
    lines = "#include <cuda_runtime.h>\n#define min(a, b) (((a) < (b)) ? (a) : (b))\n"
    (tmp_path / "macros.cu").write_text(f'{lines}#define max(a, b) (((a) > (b)) ? (a) : (b))\n#include "{source}"\n')
    check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", *STRICT, "macros.cu"))


def test_names_that_only_differ_in_case_and_names_of_inner_things_compile_together(tmp_path) -> None:
    names = (
        "M",
        "gemm",
        "Gemm",
        "launch",
        "Call",
        "kernel",
        "kThreads",
        "kVectorA",
        "BM",
        "Access",
        "first",
        "A",
        "status",
    )
    kernels = [emit(gg.Gemm(), SMALL, name=name) for name in names]
    for number, kernel in enumerate(kernels):
        (tmp_path / f"{number}.cu").write_text(kernel.source)
        (tmp_path / f"{number}.h").write_text(kernel.header)
    includes = [f'#include "{number}.{suffix}"\n' for suffix in ("h", "cu") for number in range(len(names))]
    (tmp_path / "all.cu").write_text("".join(includes))
    check_clean(nvcc(tmp_path, "-c", "-arch=sm_90", *STRICT, "all.cu"))


def test_a_path_with_spaces_quotes_and_other_letters_compiles(tmp_path) -> None:
    folder = tmp_path / "a b" / "c'd" / "ü"
    folder.mkdir(parents=True)
    (source,) = write(folder, emit(gg.Gemm(), SMALL, name="small"))
    check_clean(nvcc(folder, "-c", "-arch=sm_90", str(folder / source), "-o", str(folder / "small.o")))
