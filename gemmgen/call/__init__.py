"""One call of a kernel as plain data: which memory, which sizes, which kernel of the file, which arguments."""

from __future__ import annotations

from gemmgen.call.arrays import ArrayView, view_of
from gemmgen.call.bind import Call, Matrix, bind
from gemmgen.call.choose import choose_kernel, condition_holds, grid_size, kernel_arguments

__all__ = [
    "ArrayView",
    "Call",
    "Matrix",
    "bind",
    "choose_kernel",
    "condition_holds",
    "grid_size",
    "kernel_arguments",
    "view_of",
]
