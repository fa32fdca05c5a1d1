"""The header alone, from plain C and C++, by a compiler that knows nothing of CUDA."""

from __future__ import annotations

import shutil

import pytest
from building import check_clean, run, write
from kernel_variants import VARIANTS, emitted

from gemmgen.toolchain import require_cxx

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")
USE = """\
#include "{symbol}.h"
int use(void);
int use(void) {{
  enum {symbol}_status status = {symbol}_success;
  const char* sentence = {symbol}_status_string({symbol}_invalid_argument);
  return (int)status + (sentence != 0) + (int){symbol}_workspace_bytes(1, 2, 3) +
         {symbol}(0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0);
}}
"""


@pytest.mark.parametrize("variant", VARIANTS)
def test_plain_c_takes_every_header(variant: str, tmp_path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    kernel = emitted(variant)
    write(tmp_path, kernel)
    (tmp_path / "use.c").write_text(USE.format(symbol=kernel.symbol))
    check_clean(run((compiler, "-std=c99", *WARNINGS, "-c", "use.c"), tmp_path))


@pytest.mark.parametrize("standard", [11, 14, 17, 20])
def test_cxx_takes_the_headers_together_and_twice(standard: int, tmp_path) -> None:
    kernels = [emitted(variant) for variant in ("double_quads", "named", "fixed_size")]
    write(tmp_path, *kernels)
    twice = "".join(f'#include "{kernel.symbol}.h"\n' for kernel in kernels * 2)
    (tmp_path / "use.cpp").write_text(twice + USE.format(symbol=kernels[0].symbol))
    check_clean(run((*require_cxx().command, f"-std=c++{standard}", *WARNINGS, "-c", "use.cpp"), tmp_path))
