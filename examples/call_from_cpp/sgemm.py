"""The kernel that main.cpp calls. `gemmgen emit sgemm.py -o sgemm.cu` writes sgemm.cu and sgemm.h."""

import gemmgen as gg

name = "sgemm"  # of the launcher, the files and everything in them
target = "sm_75"  # the least that it runs on; -arch=sm_90 compiles the same file for an H100
problem = gg.Gemm(a="f32", b="f32", c="f32")
schedule = gg.Schedule(
    cta_tile=(128, 128, 8),
    warp_tile=(64, 32),
    thread_tile=(8, 8),
    thread_layout="quads",
    vector_a=4,
    vector_b=4,
    vector_c=4,
    smem_a="padded(4)",
    stages=2,
    fragment_buffers=2,
)
