"""What accesses cost: the native model against its Python twin, and which lanes' accesses form one instruction."""

from __future__ import annotations

import csv
import ctypes
from collections import Counter
from pathlib import Path

from gemmgen.emulator import Options, build
from gemmgen.model.transactions import (
    global_sectors,
    ideal_global_sectors,
    ideal_shared_wavefronts,
    shared_wavefronts,
)

from . import sgemm
from .conftest import Case

MEASURED = Path(__file__).parents[2] / "data" / "h200_transactions.csv"
PLAIN = {"b32": 4, "b64": 8, "v2.b32": 8, "v4.b32": 16, "u16": 2, "u8": 1}


def rows():
    with MEASURED.open(newline="") as file:
        for row in csv.DictReader(file):
            verb, _, rest = row["instruction"].partition(".")
            if verb in ("ld", "st"):
                offsets = [int(offset) for offset in row["lane_byte_offsets"].split()]
                yield row["instruction"], PLAIN[rest.partition(".")[2]], verb == "st", offsets, row


def native(offsets, size, store):
    result = (ctypes.c_int32 * 4)()
    build.runtime().count_access((ctypes.c_int64 * 32)(*offsets), size, store, result)
    return tuple(result)


def test_native_model_is_that_of_the_measurements_and_of_the_python_model():
    checked = Counter()
    for instruction, size, store, offsets, row in rows():
        wavefronts, passes, sectors, ideal = native(offsets, size, store)
        if ".shared." in instruction:
            assert wavefronts == int(row["shared_wavefronts"])
            assert (wavefronts, passes) == (
                shared_wavefronts(instruction, offsets), ideal_shared_wavefronts(instruction, offsets)
            )  # fmt: skip
        else:
            assert sectors == int(row["global_sectors"])
            assert (sectors, ideal) == (
                global_sectors(instruction, offsets), ideal_global_sectors(instruction, offsets)
            )  # fmt: skip
        checked[instruction] += 1
    assert sum(checked.values()) > 600


def test_counts_of_the_hand_written_kernel():
    emulation, _, _ = sgemm.run(128, 128, 16, options=Options(counts=True))
    assert emulation.clean, emulation.report()
    found = {}
    for count in emulation.counts:
        caller = count.call_chain[1].function if count.call_chain[0].function in ("load", "store") else None
        name = (caller or count.call_chain[0].function).partition("<")[0], count.instruction
        found[name] = [a + b for a, b in zip(found.get(name, [0] * 4), (
            count.requests, count.wavefronts, count.conflicts, count.sectors), strict=True)]  # fmt: skip
    # 8 warps, 2 tiles, 8 steps of k, 2 accesses of 16 bytes each: 256 requests.
    assert found["fragment_a", "ld.shared.v4.b32"] == [256, 512, 0, 0]
    assert found["fragment_b", "ld.shared.v4.b32"] == [256, 1024, 0, 0]
    assert found["store_a", "st.shared.b32"] == [64, 64, 0, 0]
    assert found["store_b", "st.shared.v4.b32"] == [16, 64, 0, 0]
    # Each thread stores 16 times; a quad of lanes covers 64 contiguous bytes of a row.
    requests, _, _, sectors = found["store_d", "st.global.v4.b32"]
    assert requests == 128
    assert sectors >= 128 * 128 * 4 // 32


def test_unpadded_transposed_store_conflicts():
    source = sgemm.SOURCE.replace("kPitchA = BM + 4", "kPitchA = BM").replace("BK * kPitchA]", "BK * (BM + 4)]")
    counts = sgemm.run(128, 128, 8, source=source, options=Options(counts=True))[0].counts
    (stores,) = [count for count in counts if count.instruction == "st.shared.b32"]
    assert stores.conflicts == stores.requests


MARKED = """
extern "C" __global__ void marked(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  for (int i = 0; i < rows; ++i) {
    MARK
    if (t % 8 != i) D[i * ldd + t] = 1.0f;
  }
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(marked, dim3(1), dim3(32), arguments, 0, nullptr);
}
"""


def test_marks_keep_predicated_lanes_in_step():
    """In step i all lanes but every eighth store into row i: four sectors each. Unmarked, rows mix."""
    counts = {}
    for mark in ("warp_iteration(i);", ""):
        emulation = Case(MARKED.replace("MARK", mark), rows=8, columns=32, ld=40).run(Options(counts=True))
        assert emulation.clean, emulation.report()
        (counts[mark],) = emulation.counts
    assert (counts["warp_iteration(i);"].requests, counts["warp_iteration(i);"].sectors) == (8, 8 * 4)
    assert counts[""].requests == 7
    assert counts[""].sectors > 7 * 4


NESTED = MARKED.replace(
    "    MARK\n    if (t % 8 != i) D[i * ldd + t] = 1.0f;\n",
    """    warp_iteration(i);
    for (int j = 0; j < 3; ++j) {
      warp_iteration(j);
      if ((t + j) % 4 != 0) D[i * ldd + t] = static_cast<float>(j);
    }
""",
)


def test_nested_marks_and_repeated_visits():
    case = Case(NESTED, rows=8, columns=32, ld=32)
    (count,) = case.run(Options(counts=True)).counts
    assert count.requests == 8 * 3
