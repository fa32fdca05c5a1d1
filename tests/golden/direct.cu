// SPDX-License-Identifier: 0BSD
//
// Written by gemmgen: do not edit. `gemmgen emit
// gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f.cu` reads the input below and writes this file
// and its header again.
//
// D = alpha * A * B + beta * C with A (M x K) row-major, B (K x N) row-major, C and D (M x N) row-major;
// elements float, accumulation float. Any M, N, K from 0 to 2147475455, any leading dimension from the width
// on, any element-aligned address. beta = 0 does not read C, alpha = 0 does not read A or B. Deterministic.
//
// Input:
//   {
//     "problem": {
//       "a": "f32",
//       "a_layout": "row",
//       "acc": "f32",
//       "b": "f32",
//       "b_layout": "row",
//       "c": "f32",
//       "c_layout": "row"
//     },
//     "schedule": {
//       "copy_a": "direct",
//       "copy_b": "direct",
//       "cta_tile": [32, 32, 8],
//       "edges": "predicate",
//       "fragment_buffers": 1,
//       "mma": "ffma",
//       "raster": "row",
//       "smem_a": "linear",
//       "smem_b": "linear",
//       "stages": 1,
//       "thread_layout": "contiguous",
//       "thread_tile": [1, 1],
//       "vector_a": 1,
//       "vector_b": 1,
//       "vector_c": 1,
//       "warp_tile": [32, 1]
//     },
//     "target": "sm_70"
//   }
// Derived:
//   registers: 1 accumulators + 2 fragments + 0 staged = 3 at least
//   threads per CTA: 1,024
//   shared memory per CTA: 0 bytes
//   accumulators per thread: 1 x 1 f32
//   arithmetic intensity of a CTA tile: 8.0 FLOP per byte loaded
//   templates: 704e93e389ce1b3a
// Compile:
//   nvcc -c -arch=sm_70 gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f.cu

#ifndef GEMMGEN_EMULATION
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif
namespace gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl {
namespace {
// Marks the head of a loop whose accesses are predicated lane by lane. It costs nothing on the GPU; the CPU
// emulator uses it to tell which lanes' accesses form one warp instruction.
__device__ __forceinline__ void warp_iteration(int) {}
}  // namespace
}  // namespace gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl
#endif  // GEMMGEN_EMULATION

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f needs compute capability 7.0 or above (-arch=sm_70)"
#endif

#ifndef GEMMGEN_gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_STATUS
#define GEMMGEN_gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_STATUS
enum gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_status {
  // success
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_success = 0,
  // a size that is negative or not this file's, a short leading dimension, or a null pointer
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument = 1,
  // a size whose indices or grid overflow
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_size_too_large = 2,
  // D overlaps A or B, or overlaps C without being C
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_overlapping_output = 3,
  // a pointer that is not aligned as the kernel requires
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_misaligned = 4,
  // a workspace smaller than _workspace_bytes says
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_workspace_too_small = 5,
  // the file was not compiled for this device
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_unsupported_device = 6,
  // CUDA refused the launch
  gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_launch_failed = 7
};
#endif

namespace gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl {
namespace {

// ---- Constants and shared memory -------------------------------------------------------------------------

constexpr int BM = 32;  // CTA tile: rows of D
constexpr int BN = 32;  // CTA tile: columns of D
constexpr int BK = 8;  // depth of one main loop step
constexpr int WM = 32;  // warp tile: rows
constexpr int WN = 1;  // warp tile: columns
constexpr int TM = 1;  // thread tile: rows
constexpr int TN = 1;  // thread tile: columns
constexpr int LM = WM / TM;  // 32: lanes down the warp tile
constexpr int LN = WN / TN;  // 1: lanes across it
constexpr int kThreads = (BM / WM) * (BN / WN) * LM * LN;  // 1024: threads per CTA
constexpr int kVectorA = 1;  // elements per global access of A
constexpr int kVectorB = 1;  // elements per global access of B
constexpr int kVectorC = 1;  // elements per global access of C and D
static_assert(BM % WM == 0 && BN % WN == 0, "the warp tiles must cover the CTA tile");
static_assert(WM % TM == 0 && WN % TN == 0, "the thread tiles must cover the warp tile");
static_assert(kThreads <= 1024, "a CTA has at most 1024 threads");
static_assert(LM * LN == 32, "the 32 lanes of a warp must cover its warp tile");
static_assert(TN % kVectorC == 0, "accesses of D must not straddle thread tiles");

// One access of kWidth consecutive elements: a single load or store instruction between memory and an array
// that lives in registers, from its element `first` on.
template <typename Element, int kWidth>
struct Access;

template <typename Element>
struct Access<Element, 1> {
  template <int kCount>
  static __device__ __forceinline__ void load(Element (&registers)[kCount], int first, const Element* memory) {
    registers[first] = *memory;
  }
  template <int kCount>
  static __device__ __forceinline__ void store(Element* memory, const Element (&registers)[kCount], int first) {
    *memory = registers[first];
  }
};

// Which tile of D a CTA computes, in units of tiles.
struct TileIndex {
  int m;
  int n;
};

// Consecutive CTAs walk N, so that those in flight together share rows of A in L2.
__device__ __forceinline__ TileIndex rasterize(int cta, int /* tiles_m */, int tiles_n) {
  return {cta / tiles_n, cta % tiles_n};
}

// Where a thread's part of the CTA tile lies: its warp tile's first row and column, and its lane in that.
struct ThreadPosition {
  int warp_m;
  int warp_n;
  int lane_m;
  int lane_n;
};

// Warps cover the CTA tile row by row, and the 32 x 1 lanes of a warp its warp tile row by row.
__device__ __forceinline__ ThreadPosition thread_position() {
  const int warp = static_cast<int>(threadIdx.x) / (LM * LN);
  const int lane = static_cast<int>(threadIdx.x) % (LM * LN);
  return {warp / (BN / WN) * WM, warp % (BN / WN) * WN, lane / LN, lane % LN};
}

// Row i and column j of the thread tile, within the CTA tile: a thread owns TM x TN neighbouring elements.
__device__ __forceinline__ int tile_row(const ThreadPosition& thread, int i) {
  return thread.warp_m + thread.lane_m * TM + i;
}
__device__ __forceinline__ int tile_column(const ThreadPosition& thread, int j) {
  return thread.warp_n + thread.lane_n * TN + j;
}

// An A fragment, the TM elements of step k that a thread multiplies: global memory -> registers, with no shared
// memory between, so that reuse is left to the caches. Elements outside A become zero, which adds nothing to a
// product.
template <int kWidth>
__device__ __forceinline__ void fragment_a(float (&fragment)[TM], const float* __restrict__ A, long long lda,
                                           const ThreadPosition& thread, int m0, int k, int M, int K) {
#pragma unroll
  for (int i = 0; i < TM; i += kWidth) {
    warp_iteration(i);
    const int m = m0 + tile_row(thread, i);
#pragma unroll
    for (int v = 0; v < kWidth; ++v) fragment[i + v] = 0;
    if (m < M && k < K) Access<float, kWidth>::load(fragment, i, A + m * lda + k);
  }
}

// A B fragment, the TN elements of step k that a thread multiplies: global memory -> registers, with no shared
// memory between, so that reuse is left to the caches. Elements outside B become zero, which adds nothing to a
// product.
template <int kWidth>
__device__ __forceinline__ void fragment_b(float (&fragment)[TN], const float* __restrict__ B, long long ldb,
                                           const ThreadPosition& thread, int n0, int k, int N, int K) {
#pragma unroll
  for (int i = 0; i < TN; i += kWidth) {
    warp_iteration(i);
    const int n = n0 + tile_column(thread, i);
#pragma unroll
    for (int v = 0; v < kWidth; ++v) fragment[i + v] = 0;
    if (n < N && k < K) Access<float, kWidth>::load(fragment, i, B + k * ldb + n);
  }
}

// The outer product of the two fragments, added to the accumulators. Each step is one explicit FMA, so that the
// result does not depend on what a compiler contracts.
__device__ __forceinline__ void multiply_accumulate(float (&acc)[TM][TN], const float (&a)[TM],
                                                    const float (&b)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
  }
}

// One tile's contribution: for each k of the tile, load the two fragments, then multiply them.
template <int kWidthA, int kWidthB>
__device__ __forceinline__ void multiply_tile(float (&acc)[TM][TN], const ThreadPosition& thread,
                                              const float* __restrict__ A, long long lda, int m0, int M,
                                              const float* __restrict__ B, long long ldb, int n0, int N, int k0,
                                              int K) {
#pragma unroll
  for (int k = 0; k < BK; ++k) {
    float a[TM];
    float b[TN];
    fragment_a<kWidthA>(a, A, lda, thread, m0, k0 + k, M, K);
    fragment_b<kWidthB>(b, B, ldb, thread, n0, k0 + k, N, K);
    multiply_accumulate(acc, a, b);
  }
}

// alpha * acc + beta * c with each rounding spelled out. Without a product (alpha == 0) the sum is beta * c
// alone, so that even the sign of a zero is BLAS's.
__device__ __forceinline__ float scale_and_add(float alpha, float acc, float beta, float c) {
  const float scaled_c = __fmul_rn(beta, c);
  if (alpha == 0) return scaled_c;
  return beta != 0 ? fmaf(alpha, acc, scaled_c) : __fmul_rn(alpha, acc);
}

// D = alpha * acc + beta * C, rows of D contiguous. C is read only if beta is not zero, so that whatever it
// holds then, NaN included, cannot reach D; nothing outside the M x N elements is touched.
template <int kWidth>
__device__ __forceinline__ void store_d(const float (&acc)[TM][TN], const ThreadPosition& thread, int m0,
                                        int n0, int M, int N, float alpha, float beta, const float* C,
                                        long long ldc, float* D, long long ldd) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += kWidth) {
      warp_iteration(i * TN + j);
      const int m = m0 + tile_row(thread, i);
      const int n = n0 + tile_column(thread, j);
      if (m < M && n < N) {
        float c[kWidth];
        float d[kWidth];
        if (beta != 0) Access<float, kWidth>::load(c, 0, C + m * ldc + n);
#pragma unroll
        for (int v = 0; v < kWidth; ++v) d[v] = scale_and_add(alpha, acc[i][j + v], beta, beta != 0 ? c[v] : 0);
        Access<float, kWidth>::store(D + m * ldd + n, d, 0);
      }
    }
  }
}

// The algorithm: one CTA computes one 32 x 32 tile of D.
template <int kWidthA, int kWidthB, int kWidthC>
__device__ __forceinline__ void gemm(int M, int N, int K, float alpha, const float* alpha_device,
                                     const float* __restrict__ A, long long lda, const float* __restrict__ B,
                                     long long ldb, float beta, const float* beta_device, const float* C,
                                     long long ldc, float* D, long long ldd) {
  const ThreadPosition thread = thread_position();
  const TileIndex tile = rasterize(static_cast<int>(blockIdx.x), (M + BM - 1) / BM, (N + BN - 1) / BN);
  const int m0 = tile.m * BM;
  const int n0 = tile.n * BN;
  if (alpha_device != nullptr) alpha = *alpha_device;
  if (beta_device != nullptr) beta = *beta_device;
  if (K == 0) alpha = 0;  // no product: D is beta * C, whatever alpha holds
  const int depth = alpha == 0 ? 0 : K;  // A and B are not read when alpha is zero
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < depth; k0 += BK) multiply_tile<kWidthA, kWidthB>(
      acc, thread, A, lda, m0, M, B, ldb, n0, N, k0, depth);
  store_d<kWidthC>(acc, thread, m0, n0, M, N, alpha, beta, C, ldc, D, ldd);
}

}  // namespace
}  // namespace gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl

extern "C" __global__ void __launch_bounds__(
    gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl::kThreads)
gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_kernel(
    int M, int N, int K, float alpha, const float* alpha_device, const float* __restrict__ A, long long lda,
    const float* __restrict__ B, long long ldb, float beta, const float* beta_device, const float* C,
    long long ldc, float* D, long long ldd) {
  namespace impl = gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl;
  impl::gemm<impl::kVectorA, impl::kVectorB, impl::kVectorC>(M, N, K, alpha, alpha_device, A, lda, B, ldb, beta,
                                                             beta_device, C, ldc, D, ldd);
}


#ifndef __CUDACC_RTC__

namespace gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl {
namespace {

// A host-side view of one call. Alpha and beta count only where their device pointers are null.
struct Call {
  long long M, N, K;
  float alpha;
  const float* alpha_device;
  const float* A;
  long long lda;
  const float* B;
  long long ldb;
  float beta;
  const float* beta_device;
  const float* C;
  long long ldc;
  float* D;
  long long ldd;

  bool reads_a_and_b() const { return K > 0 && (alpha_device != nullptr || alpha != 0); }
  bool reads_c() const { return beta_device != nullptr || beta != 0; }
};

// Sizes for which every index inside a kernel fits its type.
constexpr long long kMaxExtent = 2147475455;
constexpr long long kMaxOffset = 1LL << 58;
constexpr long long kMaxTiles = 2147483647;  // CUDA's limit on a grid in x

// The bytes of a matrix: `runs` contiguous runs of `width` bytes, `pitch` bytes apart.
struct Footprint {
  unsigned long long begin, runs, width, pitch;
  unsigned long long end() const { return begin + (runs - 1) * pitch + width; }
};

template <typename Element>
Footprint footprint(const Element* matrix, long long runs, long long width, long long ld) {
  constexpr unsigned long long kBytes = sizeof(Element);
  return {reinterpret_cast<unsigned long long>(matrix), static_cast<unsigned long long>(runs),
          static_cast<unsigned long long>(width) * kBytes, static_cast<unsigned long long>(ld) * kBytes};
}

// Whether two matrices share a byte. Exact for equal pitches (blocks of one larger matrix may lie side by
// side); with different pitches, interleaved matrices count as overlapping.
bool overlap(Footprint x, Footprint y) {
  if (x.end() <= y.begin || y.end() <= x.begin) return false;
  if (x.runs == 1) x.pitch = y.pitch;
  if (y.runs == 1) y.pitch = x.pitch;
  if (x.pitch != y.pitch || x.width > x.pitch || y.width > y.pitch) return true;
  const bool y_first = y.begin < x.begin;
  const unsigned long long apart = (y_first ? x.begin - y.begin : y.begin - x.begin) % x.pitch;
  const unsigned long long offset = y_first && apart != 0 ? x.pitch - apart : apart;
  return offset < x.width || offset + y.width > x.pitch;
}

template <typename Element>
bool is_aligned(const Element* pointer) {
  return reinterpret_cast<unsigned long long>(pointer) % alignof(Element) == 0;
}

bool too_far(long long runs, long long ld) { return ld > kMaxOffset / runs; }

// Everything that can be known of a call before it is launched.
int check(const Call& call) {
  const long long M = call.M;
  const long long N = call.N;
  const long long K = call.K;
  if (M < 0 || N < 0 || K < 0)
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (call.lda < 1 || call.lda < K)
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (call.ldb < 1 || call.ldb < N)
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (call.reads_c() && (call.ldc < 1 || call.ldc < N))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (call.ldd < 1 || call.ldd < N)
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (M > kMaxExtent || N > kMaxExtent || K > kMaxExtent)
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_size_too_large;
  if (M == 0 || N == 0) return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_success;
  if (call.D == nullptr || (call.reads_c() && call.C == nullptr))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (call.reads_a_and_b() && (call.A == nullptr || call.B == nullptr))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  if (((M + BM - 1) / BM) > kMaxTiles / ((N + BN - 1) / BN))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_size_too_large;
  if (too_far(M, call.ldd) || (call.reads_c() && too_far(M, call.ldc)))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_size_too_large;
  const Footprint d = footprint(call.D, M, N, call.ldd);
  if (call.reads_a_and_b()) {
    if (too_far(M, call.lda) || too_far(K, call.ldb))
      return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_size_too_large;
    if (overlap(d, footprint(call.A, M, K, call.lda)))
      return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_overlapping_output;
    if (overlap(d, footprint(call.B, K, N, call.ldb)))
      return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_overlapping_output;
  }
  const bool in_place = call.C == call.D && (call.ldc == call.ldd || M == 1);
  const bool reads_other_c = call.reads_c() && !in_place;
  if (reads_other_c && overlap(d, footprint(call.C, M, N, call.ldc)))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_overlapping_output;
  const float* const scalars[] = {call.alpha_device, call.beta_device};
  for (const float* scalar : scalars) {
    if (scalar == nullptr) continue;
    if (overlap(d, footprint(scalar, 1, 1, 1)))
      return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_overlapping_output;
    if (!is_aligned(scalar)) return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_misaligned;
  }
  if (!is_aligned(call.D) || (call.reads_c() && !is_aligned(call.C)))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_misaligned;
  if (call.reads_a_and_b() && !(is_aligned(call.A) && is_aligned(call.B)))
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_misaligned;
  return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_success;
}

template <typename KernelFunction>
int launch_kernel(KernelFunction* kernel, unsigned grid, void** arguments, cudaStream_t stream) {
  // An error that was pending before this call stays pending; one that this launch causes is returned and
  // cleared.
  const cudaError_t pending = cudaPeekAtLastError();
  const cudaError_t error = cudaLaunchKernel(kernel, dim3(grid), dim3(kThreads), arguments, 0, stream);
  if (error == cudaSuccess) return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_success;
  if (pending == cudaSuccess) static_cast<void>(cudaGetLastError());
  const bool no_code = error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction;
  if (no_code) return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_unsupported_device;
  return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_launch_failed;
}

int launch(Call call, long long workspace_bytes, cudaStream_t stream) {
  const int status = workspace_bytes < 0
      ? gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_workspace_too_small : check(call);
  if (status != gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_success || call.M == 0
      || call.N == 0) return status;
  int M = static_cast<int>(call.M);
  int N = static_cast<int>(call.N);
  int K = static_cast<int>(call.K);
  void* arguments[] = {&M, &N, &K, &call.alpha, &call.alpha_device, &call.A, &call.lda, &call.B, &call.ldb,
                       &call.beta, &call.beta_device, &call.C, &call.ldc, &call.D, &call.ldd};
  const unsigned grid = static_cast<unsigned>(((call.M + BM - 1) / BM) * ((call.N + BN - 1) / BN));
  return launch_kernel(::gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_kernel, grid, arguments,
                       stream);
}

}  // namespace
}  // namespace gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl

extern "C" int gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f(
    long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B,
    long long ldb, float beta, const float* C, long long ldc, float* D, long long ldd, void* workspace,
    long long workspace_bytes, cudaStream_t stream) {
  static_cast<void>(workspace);  // this plan needs none
  return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl::launch(
      {M, N, K, alpha, nullptr, A, lda, B, ldb, beta, nullptr, C, ldc, D, ldd}, workspace_bytes, stream);
}

extern "C" int gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_device_scalars(
    long long M, long long N, long long K, const float* alpha, const float* A, long long lda, const float* B,
    long long ldb, const float* beta, const float* C, long long ldc, float* D, long long ldd, void* workspace,
    long long workspace_bytes, cudaStream_t stream) {
  static_cast<void>(workspace);  // this plan needs none
  if (alpha == nullptr || beta == nullptr)
    return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument;
  return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl::launch(
      {M, N, K, 0, alpha, A, lda, B, ldb, 0, beta, C, ldc, D, ldd}, workspace_bytes, stream);
}

extern "C" int gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_can_implement(
    long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B,
    long long ldb, float beta, const float* C, long long ldc, float* D, long long ldd) {
  return gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_impl::check(
      {M, N, K, alpha, nullptr, A, lda, B, ldb, beta, nullptr, C, ldc, D, ldd});
}

extern "C" long long gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_workspace_bytes(
    long long, long long, long long) { return 0; }

extern "C" const char* gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_status_string(int status) {
  switch (status) {
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_success:
      return "success";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_invalid_argument:
      return "a size that is negative or not this file's, a short leading dimension, or a null pointer";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_size_too_large:
      return "a size whose indices or grid overflow";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_overlapping_output:
      return "D overlaps A or B, or overlaps C without being C";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_misaligned:
      return "a pointer that is not aligned as the kernel requires";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_workspace_too_small:
      return "a workspace smaller than _workspace_bytes says";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_unsupported_device:
      return "the file was not compiled for this device";
    case gemm_f32_nn_32x32x8_32x1_1x1_s1_linear_sm70_2872bb97f5a5e28f_launch_failed:
      return "CUDA refused the launch";
    default:
      return "unknown status";
  }
}

#endif  // __CUDACC_RTC__
