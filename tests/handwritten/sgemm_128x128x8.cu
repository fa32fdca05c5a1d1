// SPDX-License-Identifier: 0BSD
//
// D = alpha * A * B + beta * C in FP32 on CUDA cores; A, B, C and D row-major.
//
// Written by hand, before any template: the shape that the generator has to reproduce.
// CTA tile 128x128x8, warp tile 64x32, thread tile 8x8 in quads, 2 stages, 16-byte global accesses.

#ifndef GEMMGEN_EMULATION
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif
// One name, type and alignment in every generated file, so that several may share a translation unit.
extern __shared__ __align__(16) unsigned char gemmgen_shared[];
namespace sgemm_128x128x8_impl {
namespace {
// Marks the head of a loop whose accesses are predicated lane by lane. Costs nothing on the GPU; the CPU
// emulator uses it to tell which lanes' accesses form one warp instruction.
__device__ __forceinline__ void warp_iteration(int) {}
}  // namespace
}  // namespace sgemm_128x128x8_impl
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
#error "sgemm_128x128x8 needs compute capability 7.5 or above (-arch=sm_75)"
#endif

#ifndef GEMMGEN_SGEMM_128X128X8_STATUS
#define GEMMGEN_SGEMM_128X128X8_STATUS
enum sgemm_128x128x8_status {
  sgemm_128x128x8_success = 0,
  sgemm_128x128x8_invalid_argument = 1,
  sgemm_128x128x8_size_too_large = 2,
  sgemm_128x128x8_overlapping_output = 3,
  sgemm_128x128x8_misaligned = 4,
  sgemm_128x128x8_workspace_too_small = 5,
  sgemm_128x128x8_unsupported_device = 6,
  sgemm_128x128x8_launch_failed = 7
};
#endif

namespace sgemm_128x128x8_impl {
namespace {

// ---- Constants ---------------------------------------------------------------------------------

constexpr int BM = 128;  // CTA tile, rows of D
constexpr int BN = 128;  // CTA tile, columns of D
constexpr int BK = 8;    // depth of one main loop step
constexpr int WM = 64;   // warp tile, rows
constexpr int WN = 32;   // warp tile, columns
constexpr int TM = 8;    // thread tile, rows
constexpr int TN = 8;    // thread tile, columns
constexpr int LM = WM / TM;  // 8 lanes down the warp tile
constexpr int LN = WN / TN;  // 4 lanes across it
constexpr int kThreads = (BM / WM) * (BN / WN) * LM * LN;  // 256
constexpr int kStages = 2;
constexpr int kVectorA = 4;
constexpr int kVectorB = 4;
constexpr int kVectorC = 4;
constexpr int kQuad = 4;
constexpr int kPitchA = BM + 4;
constexpr int kPitchB = BN;

static_assert(LM * LN == 32, "a warp tile is covered by 32 lanes");

struct SharedStorage {
  alignas(16) float a[kStages][BK * kPitchA];  // [stage][k][m]
  alignas(16) float b[kStages][BK * kPitchB];  // [stage][k][n]
};

__device__ __forceinline__ SharedStorage& shared_storage() {
  return *reinterpret_cast<SharedStorage*>(gemmgen_shared);
}

// ---- Vector access -----------------------------------------------------------------------------

// One access of kWidth consecutive elements, between memory and registers.
template <int kWidth>
struct Access;

template <>
struct Access<1> {
  static __device__ __forceinline__ void load(float* registers, const float* memory) { registers[0] = *memory; }
  static __device__ __forceinline__ void store(float* memory, const float* registers) { *memory = registers[0]; }
};

template <>
struct Access<4> {
  static __device__ __forceinline__ void load(float* registers, const float* memory) {
    const float4 v = *reinterpret_cast<const float4*>(memory);
    registers[0] = v.x;
    registers[1] = v.y;
    registers[2] = v.z;
    registers[3] = v.w;
  }
  static __device__ __forceinline__ void store(float* memory, const float* registers) {
    *reinterpret_cast<float4*>(memory) = make_float4(registers[0], registers[1], registers[2], registers[3]);
  }
};

// ---- Tile order and thread map -----------------------------------------------------------------

struct TileIndex {
  int m, n;
};

// Consecutive CTAs walk N, so that they share rows of A in L2.
__device__ __forceinline__ TileIndex rasterize(int cta, int tiles_n) {
  return {cta / tiles_n, cta % tiles_n};
}

// Row i of the thread tile, as a row of the warp tile: quads of 4 rows, LM quads apart, so that the lanes of a
// warp read neighbouring 16-byte words of shared memory.
__device__ __forceinline__ int thread_row(int lane_m, int i) { return (i / kQuad) * LM * kQuad + lane_m * kQuad + i % kQuad; }
__device__ __forceinline__ int thread_column(int lane_n, int j) { return (j / kQuad) * LN * kQuad + lane_n * kQuad + j % kQuad; }

// ---- Copies: global memory -> registers -> shared memory ---------------------------------------

// Accesses that one thread makes to copy a tile.
template <int kWidth>
constexpr int kAccessesA = (BM * BK / kWidth + kThreads - 1) / kThreads;
template <int kWidth>
constexpr int kAccessesB = (BK * BN / kWidth + kThreads - 1) / kThreads;

// Loads this thread's share of an A tile; consecutive threads walk K, the contiguous axis. Zero outside A.
template <int kWidth>
__device__ __forceinline__ void load_a(float* staged, const float* __restrict__ A, long long lda, int m0, int k0, int M,
                                       int K) {
#pragma unroll
  for (int i = 0; i < kAccessesA<kWidth>; ++i) {
    warp_iteration(i);
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int m = m0 + access / (BK / kWidth);
    const int k = k0 + access % (BK / kWidth) * kWidth;
    const bool in_bounds = m < M && k < K;
#pragma unroll
    for (int v = 0; v < kWidth; ++v) staged[i * kWidth + v] = 0.0f;
    if (in_bounds) Access<kWidth>::load(staged + i * kWidth, A + m * lda + k);
  }
}

// Stores it to shared memory transposed, so that M is contiguous there.
template <int kWidth>
__device__ __forceinline__ void store_a(float* tile, const float* staged) {
#pragma unroll
  for (int i = 0; i < kAccessesA<kWidth>; ++i) {
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int m = access / (BK / kWidth);
    const int k = access % (BK / kWidth) * kWidth;
    warp_iteration(i);
#pragma unroll
    for (int v = 0; v < kWidth; ++v) tile[(k + v) * kPitchA + m] = staged[i * kWidth + v];
  }
}

template <int kWidth>
__device__ __forceinline__ void load_b(float* staged, const float* __restrict__ B, long long ldb, int n0, int k0, int N,
                                       int K) {
#pragma unroll
  for (int i = 0; i < kAccessesB<kWidth>; ++i) {
    warp_iteration(i);
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int k = k0 + access / (BN / kWidth);
    const int n = n0 + access % (BN / kWidth) * kWidth;
    const bool in_bounds = n < N && k < K;
#pragma unroll
    for (int v = 0; v < kWidth; ++v) staged[i * kWidth + v] = 0.0f;
    if (in_bounds) Access<kWidth>::load(staged + i * kWidth, B + k * ldb + n);
  }
}

template <int kWidth>
__device__ __forceinline__ void store_b(float* tile, const float* staged) {
#pragma unroll
  for (int i = 0; i < kAccessesB<kWidth>; ++i) {
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int k = access / (BN / kWidth);
    const int n = access % (BN / kWidth) * kWidth;
    warp_iteration(i);
    Access<kWidth>::store(tile + k * kPitchB + n, staged + i * kWidth);
  }
}

// ---- Fragments and multiply --------------------------------------------------------------------

__device__ __forceinline__ void fragment_a(float* fragment, const float* tile, int warp_m, int lane_m, int k) {
#pragma unroll
  for (int i = 0; i < TM; i += 4) Access<4>::load(fragment + i, tile + k * kPitchA + warp_m + thread_row(lane_m, i));
}

__device__ __forceinline__ void fragment_b(float* fragment, const float* tile, int warp_n, int lane_n, int k) {
#pragma unroll
  for (int j = 0; j < TN; j += 4) Access<4>::load(fragment + j, tile + k * kPitchB + warp_n + thread_column(lane_n, j));
}

__device__ __forceinline__ void multiply_accumulate(float (&acc)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
  }
}

// ---- Epilogue: D = alpha * acc + beta * C ------------------------------------------------------

template <int kWidth>
__device__ __forceinline__ void store_d(const float (&acc)[TM][TN], int m, int lane_m, int n, int lane_n, int M, int N,
                                        float alpha, float beta, const float* C, long long ldc, float* D, long long ldd) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = m + thread_row(lane_m, i);
#pragma unroll
    for (int j = 0; j < TN; j += kWidth) {
      const int column = n + thread_column(lane_n, j);
      warp_iteration(i * TN + j);
      if (row < M && column < N) {
        float d[kWidth];
        float c[kWidth];
        if (beta != 0.0f) Access<kWidth>::load(c, C + row * ldc + column);
#pragma unroll
        for (int v = 0; v < kWidth; ++v) {
          d[v] = beta != 0.0f ? fmaf(alpha, acc[i][j + v], __fmul_rn(beta, c[v])) : __fmul_rn(alpha, acc[i][j + v]);
        }
        Access<kWidth>::store(D + row * ldd + column, d);
      }
    }
  }
}

// ---- The algorithm -----------------------------------------------------------------------------

template <int kWidthA, int kWidthB, int kWidthC>
__device__ __forceinline__ void gemm(int M, int N, int K, float alpha, const float* __restrict__ A, long long lda,
                                     const float* __restrict__ B, long long ldb, float beta, const float* C,
                                     long long ldc, float* D, long long ldd) {
  SharedStorage& shared = shared_storage();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_m = warp / (BN / WN) * WM;
  const int warp_n = warp % (BN / WN) * WN;
  const int lane_m = lane / LN;
  const int lane_n = lane % LN;
  const TileIndex tile = rasterize(static_cast<int>(blockIdx.x), (N + BN - 1) / BN);
  const int m0 = tile.m * BM;
  const int n0 = tile.n * BN;

  float acc[TM][TN] = {};
  float staged_a[kAccessesA<kWidthA> * kWidthA];
  float staged_b[kAccessesB<kWidthB> * kWidthB];
  const int k_tiles = (K + BK - 1) / BK;
  if (k_tiles > 0) {
    load_a<kWidthA>(staged_a, A, lda, m0, 0, M, K);
    load_b<kWidthB>(staged_b, B, ldb, n0, 0, N, K);
    store_a<kWidthA>(shared.a[0], staged_a);
    store_b<kWidthB>(shared.b[0], staged_b);
  }
  __syncthreads();
  for (int t = 0; t < k_tiles; ++t) {
    const bool more = t + 1 < k_tiles;
    if (more) {
      load_a<kWidthA>(staged_a, A, lda, m0, (t + 1) * BK, M, K);
      load_b<kWidthB>(staged_b, B, ldb, n0, (t + 1) * BK, N, K);
    }
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM];
      float b[TN];
      fragment_a(a, shared.a[t % kStages], warp_m, lane_m, k);
      fragment_b(b, shared.b[t % kStages], warp_n, lane_n, k);
      multiply_accumulate(acc, a, b);
    }
    if (more) {
      store_a<kWidthA>(shared.a[(t + 1) % kStages], staged_a);
      store_b<kWidthB>(shared.b[(t + 1) % kStages], staged_b);
    }
    __syncthreads();
  }
  store_d<kWidthC>(acc, m0 + warp_m, lane_m, n0 + warp_n, lane_n, M, N, alpha, beta, C, ldc, D, ldd);
}

}  // namespace
}  // namespace sgemm_128x128x8_impl

extern "C" __global__ void __launch_bounds__(256)
sgemm_128x128x8_kernel(int M, int N, int K, float alpha, const float* __restrict__ A, long long lda,
                       const float* __restrict__ B, long long ldb, float beta, const float* C, long long ldc, float* D,
                       long long ldd) {
  sgemm_128x128x8_impl::gemm<sgemm_128x128x8_impl::kVectorA, sgemm_128x128x8_impl::kVectorB,
                             sgemm_128x128x8_impl::kVectorC>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, D, ldd);
}

extern "C" __global__ void __launch_bounds__(256)
sgemm_128x128x8_kernel_scalar(int M, int N, int K, float alpha, const float* __restrict__ A, long long lda,
                              const float* __restrict__ B, long long ldb, float beta, const float* C, long long ldc,
                              float* D, long long ldd) {
  sgemm_128x128x8_impl::gemm<1, 1, 1>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, D, ldd);
}

// ---- Launcher ----------------------------------------------------------------------------------

#ifndef __CUDACC_RTC__

extern "C" int sgemm_128x128x8(long long M, long long N, long long K, float alpha, const float* A, long long lda,
                               const float* B, long long ldb, float beta, const float* C, long long ldc, float* D,
                               long long ldd, void* workspace, long long workspace_bytes, cudaStream_t stream) {
  using namespace sgemm_128x128x8_impl;
  static_cast<void>(workspace);
  static_cast<void>(workspace_bytes);
  if (M < 0 || N < 0 || K < 0 || lda < K || ldb < N || ldc < N || ldd < N) return sgemm_128x128x8_invalid_argument;
  if (M > 2147480000 || N > 2147480000 || K > 2147480000) return sgemm_128x128x8_size_too_large;
  if (M == 0 || N == 0) return sgemm_128x128x8_success;
  const long long tiles = ((M + BM - 1) / BM) * ((N + BN - 1) / BN);
  if (tiles > 2147483647) return sgemm_128x128x8_size_too_large;
  const bool wide = reinterpret_cast<unsigned long long>(A) % 16 == 0 && lda % 4 == 0 && K % 4 == 0 &&
                    reinterpret_cast<unsigned long long>(B) % 16 == 0 && ldb % 4 == 0 && N % 4 == 0 &&
                    reinterpret_cast<unsigned long long>(C) % 16 == 0 && ldc % 4 == 0 &&
                    reinterpret_cast<unsigned long long>(D) % 16 == 0 && ldd % 4 == 0;
  int rows = static_cast<int>(M);
  int columns = static_cast<int>(N);
  int depth = static_cast<int>(alpha == 0.0f ? 0 : K);
  void* arguments[] = {&rows, &columns, &depth, &alpha, &A, &lda, &B, &ldb, &beta, &C, &ldc, &D, &ldd};
  const dim3 grid(static_cast<unsigned>(tiles));
  const cudaError_t error = wide ? cudaLaunchKernel(sgemm_128x128x8_kernel, grid, dim3(kThreads), arguments,
                                                    sizeof(SharedStorage), stream)
                                 : cudaLaunchKernel(sgemm_128x128x8_kernel_scalar, grid, dim3(kThreads), arguments,
                                                    sizeof(SharedStorage), stream);
  return error == cudaSuccess ? sgemm_128x128x8_success : sgemm_128x128x8_launch_failed;
}

#endif  // __CUDACC_RTC__
