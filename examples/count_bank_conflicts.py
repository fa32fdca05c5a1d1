"""Count bank conflicts without a GPU: what padding the shared tile of A buys.

    python count_bank_conflicts.py

A is stored by rows, so a thread loads 4 elements along K; shared memory holds the tile with M contiguous, so they are
stored one below the other. Without padding the lanes of a warp meet in few banks.
"""

from __future__ import annotations

import numpy as np

import gemmgen as gg
from gemmgen.model import shared_wavefronts

BM, BK, WIDTH = 128, 8, 4
LANES = 32
FLOAT_BYTES = 4


def kernel_with(smem_a: str) -> gg.Kernel:
    schedule = gg.Schedule(
        cta_tile=(BM, 128, BK),
        warp_tile=(64, 32),
        thread_tile=(8, 8),
        thread_layout="quads",
        vector_a=WIDTH,
        vector_b=4,
        vector_c=4,
        smem_a=smem_a,
    )
    return gg.generate(gg.Gemm(), schedule)


def counted(kernel: gg.Kernel, function: str) -> tuple[int, int, int]:
    """Requests, wavefronts and conflicts of the shared accesses in one function of the emitted file."""
    a, b = np.ones((128, 32), np.float32), np.ones((32, 128), np.float32)
    begin = kernel.source[: kernel.source.index(f" {function}(")].count("\n") + 1
    end = begin + kernel.source.splitlines()[begin:].index("}")
    lines = [
        count
        for count in kernel.count(a, b)
        if ".shared." in count.instruction and any(begin <= frame.line <= end for frame in count.call_chain)
    ]
    return tuple(sum(getattr(line, name) for line in lines) for name in ("requests", "wavefronts", "conflicts"))


def predicted(padding: int) -> int:
    """Wavefronts of one store instruction of a warp, from the lanes' addresses alone."""
    per_row = BK // WIDTH  # lanes that share a row of A
    pitch = BM + padding
    offsets = [((lane % per_row * WIDTH) * pitch + lane // per_row) * FLOAT_BYTES for lane in range(LANES)]
    return shared_wavefronts("st.shared.b32", offsets)


def main() -> None:
    print("stores of A's tile     requests  wavefronts  conflicts   per store: counted  predicted")
    for padding in (0, 1, 2, 4, 8):
        smem_a = f"padded({padding})" if padding else "linear"
        kernel = kernel_with(smem_a)
        requests, wavefronts, conflicts = counted(kernel, "store_a")
        per_store = wavefronts // requests
        print(f"{smem_a:20} {requests:10} {wavefronts:11} {conflicts:10} {per_store:20} {predicted(padding):10}")
        assert per_store == predicted(padding)
    print()
    print("loads of A's fragments requests  wavefronts  conflicts")
    for smem_a in ("linear", "padded(1)", "padded(4)"):
        requests, wavefronts, conflicts = counted(kernel_with(smem_a), "fragment_a")
        print(f"{smem_a:20} {requests:10} {wavefronts:11} {conflicts:10}")
    print()
    print("The padding that helps the stores must keep the loads aligned: padded(1) makes them four times as many.")


if __name__ == "__main__":
    main()
