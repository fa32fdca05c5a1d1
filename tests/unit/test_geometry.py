"""Derived integers, compared with what they promise, thread by thread and element by element."""

from __future__ import annotations

import random

import pytest

import gemmgen as gg
from gemmgen.geometry import compute_geometry, widest
from gemmgen.rules import check_legal

HANDWRITTEN = gg.Schedule(
    cta_tile=(128, 128, 8),
    warp_tile=(64, 32),
    thread_tile=(8, 8),
    thread_layout="quads",
    vector_a=4,
    vector_b=4,
    vector_c=4,
    smem_a="padded(4)",
    stages=2,
)


def test_the_handwritten_kernel():
    g = compute_geometry(gg.Gemm(), HANDWRITTEN)
    assert (g.lm, g.ln, g.warps_m, g.warps_n, g.threads) == (8, 4, 2, 4, 256)
    assert (g.run_m, g.run_n, g.quad) == (4, 4, 4)
    assert (g.a.pitch, g.b.pitch) == (132, 128)
    assert (g.a.load_width, g.a.store_width) == (4, 1)
    assert (g.b.load_width, g.b.store_width) == (4, 4)
    assert (g.a.accesses_per_thread, g.a.ragged) == (1, False)
    assert g.shared_bytes_total == 2 * 8 * (132 + 128) * 4


def test_without_a_warp_tile_all_threads_are_lanes():
    g = compute_geometry(gg.Gemm(), gg.Schedule(cta_tile=(20, 15, 3), thread_tile=(4, 5)))
    assert (g.wm, g.wn, g.lm, g.ln, g.threads) == (20, 15, 5, 3, 15)
    assert (g.warps_m, g.warps_n) == (1, 1)
    assert (g.a.accesses, g.a.accesses_per_thread, g.a.ragged) == (60, 4, False)
    assert g.b.ragged is False
    # Members of the shared storage begin on 16-byte boundaries: 60 and 45 floats are 240 and 180 -> 192 bytes.
    assert (g.a.shared_bytes, g.b.shared_bytes, g.shared_bytes_total) == (240, 180, 432)


def test_a_direct_operand_uses_no_shared_memory():
    g = compute_geometry(gg.Gemm(), gg.Schedule(copy_a="direct", smem_a="padded(4)"))
    assert (g.a.copies_shared, g.a.pitch, g.a.shared_elements, g.a.shared_bytes) == (False, 0, 0, 0)
    assert (g.a.load_width, g.a.store_width) == (1, 1)
    assert g.shared_bytes_total == g.b.shared_bytes == 4096


@pytest.mark.parametrize(
    ("layouts", "contiguous"),
    [
        (("row", "row"), ("k", "n")),
        (("col", "row"), ("m", "n")),
        (("row", "col"), ("k", "k")),
        (("col", "col"), ("m", "k")),
    ],
)
def test_contiguous_axes(layouts, contiguous):
    g = compute_geometry(gg.Gemm(a_layout=layouts[0], b_layout=layouts[1]), gg.Schedule())
    assert (g.a.global_contiguous, g.b.global_contiguous) == contiguous


def test_k_major_tiles():
    g = compute_geometry(gg.Gemm(), gg.Schedule(smem_a="padded(1, major=k)", smem_b="linear(major=k)", vector_a=4))
    assert (g.a.smem_major, g.a.pitch, g.a.shared_elements) == ("k", 9, 9 * 128)
    assert (g.b.smem_major, g.b.pitch, g.b.shared_elements) == ("k", 8, 8 * 128)
    assert (g.a.load_width, g.b.load_width) == (1, 1)
    # 9 elements a line keep no 16-byte store aligned.
    assert (g.a.store_width, g.b.store_width) == (1, 1)


def test_widest():
    assert [widest(8, 12), widest(6), widest(5), widest(8, most=2), widest(8, most=1)] == [4, 2, 1, 2, 1]


def random_legal(rng):
    while True:
        schedule = gg.Schedule(
            cta_tile=(
                rng.choice([8, 12, 16, 20, 24, 32]),
                rng.choice([8, 12, 16, 24, 40]),
                rng.choice([1, 2, 3, 4, 6, 8]),
            ),
            thread_tile=(rng.choice([1, 2, 3, 4, 8]), rng.choice([1, 2, 4, 5, 8])),
            warp_tile=rng.choice([None, None, (8, 16), (16, 8), (4, 8)]),
            thread_layout=rng.choice(["quads", "contiguous"]),
            vector_a=rng.choice([1, 2, 4]),
            vector_b=rng.choice([1, 2, 4]),
            smem_a=rng.choice(
                ["linear", "padded(1)", "padded(2)", "padded(4)", "padded(2, major=k)", "linear(major=k)"]
            ),
            smem_b=rng.choice(["linear", "padded(3)", "padded(2)", "padded(4, major=k)"]),
            stages=rng.choice([1, 2]),
        )
        problem = gg.Gemm(a_layout=rng.choice(["row", "col"]), b_layout=rng.choice(["row", "col"]))
        if not check_legal(problem, schedule, "sm_80"):
            return problem, schedule


def rows_of(lane, i, lanes, operand, quads):
    return (i // 4) * lanes * 4 + lane * 4 + i % 4 if quads else lane * operand.thread_tile + i


def test_shared_accesses_are_aligned_and_cover_the_tile():
    rng = random.Random(7)  # noqa: S311 - a seed, not a secret
    for _ in range(200):
        problem, schedule = random_legal(rng)
        g = compute_geometry(problem, schedule)
        quads = str(schedule.thread_layout) == "quads"
        for operand, step, warps in ((g.a, g.wm, g.warps_m), (g.b, g.wn, g.warps_n)):
            seen = []
            for warp in range(warps):
                for lane in range(operand.lanes):
                    rows = [
                        warp * step + rows_of(lane, i, operand.lanes, operand, quads)
                        for i in range(operand.thread_tile)
                    ]
                    seen += rows
                    check_fragment_loads(operand, rows, g)
            assert sorted(seen) == list(range(operand.free_tile))
            check_stores(operand, g)


def check_fragment_loads(operand, rows, g):
    width = operand.load_width
    for first in range(0, len(rows), width):
        piece = rows[first : first + width]
        assert piece == list(range(piece[0], piece[0] + width))
        if operand.smem_major != "k":
            for stage in range(g.stages):
                for k in range(g.bk):
                    assert (stage * operand.shared_elements + k * operand.pitch + piece[0]) % width == 0


def check_stores(operand, g):
    """The copy's accesses cover the tile, and each stays in one line, aligned to its width."""
    extents = {operand.free: operand.free_tile, "k": g.bk}
    line = extents[operand.global_contiguous]
    assert operand.accesses * operand.vector == operand.free_tile * g.bk
    assert operand.accesses_per_thread == -(-operand.accesses // g.threads)
    assert line % operand.vector == 0
    if operand.smem_major == operand.global_contiguous:
        assert operand.vector % operand.store_width == 0
        for stage in range(g.stages):
            for start in range(0, operand.shared_elements, operand.pitch):
                assert (stage * operand.shared_elements + start) % operand.store_width == 0
    else:
        assert operand.store_width == 1
