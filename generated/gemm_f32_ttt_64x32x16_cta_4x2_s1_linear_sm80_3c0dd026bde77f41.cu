// SPDX-License-Identifier: 0BSD
//
// Written by gemmgen: do not edit. `gemmgen emit
// gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41.cu` reads the input below and writes this file
// and its header again.
//
// D = alpha * A * B + beta * C with A (M x K) column-major, B (K x N) column-major, C and D (M x N)
// column-major; elements float, accumulation float. Any M, N, K from 0 to 2147475455, any leading dimension
// from the width on, any element-aligned address. beta = 0 does not read C, alpha = 0 does not read A or B.
// Deterministic.
//
// Input:
//   {
//     "problem": {
//       "a": "f32",
//       "a_layout": "col",
//       "acc": "f32",
//       "b": "f32",
//       "b_layout": "col",
//       "c": "f32",
//       "c_layout": "col"
//     },
//     "schedule": {
//       "copy_a": "sync",
//       "copy_b": "sync",
//       "cta_tile": [64, 32, 16],
//       "edges": "predicate",
//       "fragment_buffers": 1,
//       "mma": "ffma",
//       "raster": "column",
//       "smem_a": "linear",
//       "smem_b": "linear",
//       "stages": 1,
//       "thread_layout": "contiguous",
//       "thread_tile": [4, 2],
//       "vector_a": 4,
//       "vector_b": 2,
//       "vector_c": 4
//     },
//     "target": "sm_80"
//   }
// Derived:
//   registers: 8 accumulators + 6 fragments + 6 staged = 20 at least
//   threads per CTA: 256
//   shared memory per CTA: 6,144 bytes
//   accumulators per thread: 4 x 2 f32
//   arithmetic intensity of a CTA tile: 10.7 FLOP per byte loaded
//   templates: 0c41551cb29ccbcc
// Compile:
//   nvcc -c -arch=sm_80 gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41.cu

#ifndef GEMMGEN_EMULATION
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif
// One name, type and alignment in every generated file, so that several may share a translation unit.
extern __shared__ __align__(16) unsigned char gemmgen_shared[];
namespace gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl {
namespace {
// Marks the head of a loop whose accesses are predicated lane by lane. It costs nothing on the GPU; the CPU
// emulator uses it to tell which lanes' accesses form one warp instruction.
__device__ __forceinline__ void warp_iteration(int) {}
}  // namespace
}  // namespace gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl
#endif  // GEMMGEN_EMULATION

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41 needs compute capability 8.0 or above (-arch=sm_80)"
#endif

#ifndef GEMMGEN_gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_STATUS
#define GEMMGEN_gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_STATUS
enum gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_status {
  // success
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_success = 0,
  // a size that is negative or not this file's, a short leading dimension, or a null pointer
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument = 1,
  // a size whose indices or grid overflow
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_size_too_large = 2,
  // D overlaps A or B, or overlaps C without being C
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_overlapping_output = 3,
  // a pointer that is not aligned as the kernel requires
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_misaligned = 4,
  // a workspace smaller than _workspace_bytes says
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_workspace_too_small = 5,
  // the file was not compiled for this device
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_unsupported_device = 6,
  // CUDA refused the launch
  gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_launch_failed = 7
};
#endif

namespace gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl {
namespace {

// ---- Constants and shared memory -------------------------------------------------------------------------

constexpr int BM = 64;  // CTA tile: rows of D
constexpr int BN = 32;  // CTA tile: columns of D
constexpr int BK = 16;  // depth of one main loop step
constexpr int WM = BM;  // 64: warp tile: rows
constexpr int WN = BN;  // 32: warp tile: columns
constexpr int TM = 4;  // thread tile: rows
constexpr int TN = 2;  // thread tile: columns
constexpr int LM = WM / TM;  // 16: lanes down the warp tile
constexpr int LN = WN / TN;  // 16: lanes across it
constexpr int kThreads = (BM / WM) * (BN / WN) * LM * LN;  // 256: threads per CTA
constexpr int kVectorA = 4;  // elements per global access of A
constexpr int kVectorB = 2;  // elements per global access of B
constexpr int kVectorC = 4;  // elements per global access of C and D
constexpr int kStages = 1;  // shared-memory buffers in flight
constexpr int kPitchA = BM;  // 64: elements from one line of A's tile to the next
constexpr int kStoreA = 4;  // elements per shared store of A, at most
constexpr int kLoadA = 4;  // elements per shared load of A
constexpr int kPitchB = BN;  // 32: elements from one line of B's tile to the next
constexpr int kLoadB = 2;  // elements per shared load of B
static_assert(BM % WM == 0 && BN % WN == 0, "the warp tiles must cover the CTA tile");
static_assert(WM % TM == 0 && WN % TN == 0, "the thread tiles must cover the warp tile");
static_assert(kThreads <= 1024, "a CTA has at most 1024 threads");
static_assert(BM % kVectorA == 0, "accesses of A must not straddle rows of its tile");
static_assert(BK % kVectorB == 0, "accesses of B must not straddle rows of its tile");
static_assert(TM % kVectorC == 0, "accesses of D must not straddle thread tiles");

struct SharedStorage {
  alignas(16) float a[kStages][BK * kPitchA];  // [stage][k][m]
  alignas(16) float b[kStages][BK * kPitchB];  // [stage][k][n]
};
static_assert(sizeof(SharedStorage) == 6144, "the compiler lays shared memory out as planned");

__device__ __forceinline__ SharedStorage& shared_storage() {
  return *reinterpret_cast<SharedStorage*>(gemmgen_shared);
}

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

template <>
struct Access<float, 2> {
  template <int kCount>
  static __device__ __forceinline__ void load(float (&registers)[kCount], int first, const float* memory) {
    const float2 vector = *reinterpret_cast<const float2*>(memory);
    registers[first + 0] = vector.x;
    registers[first + 1] = vector.y;
  }
  template <int kCount>
  static __device__ __forceinline__ void store(float* memory, const float (&registers)[kCount], int first) {
    *reinterpret_cast<float2*>(memory) = make_float2(registers[first + 0], registers[first + 1]);
  }
};

template <>
struct Access<float, 4> {
  template <int kCount>
  static __device__ __forceinline__ void load(float (&registers)[kCount], int first, const float* memory) {
    const float4 vector = *reinterpret_cast<const float4*>(memory);
    registers[first + 0] = vector.x;
    registers[first + 1] = vector.y;
    registers[first + 2] = vector.z;
    registers[first + 3] = vector.w;
  }
  template <int kCount>
  static __device__ __forceinline__ void store(float* memory, const float (&registers)[kCount], int first) {
    *reinterpret_cast<float4*>(memory) = make_float4(registers[first + 0], registers[first + 1],
                                                     registers[first + 2], registers[first + 3]);
  }
};

// Which tile of D a CTA computes, in units of tiles.
struct TileIndex {
  int m;
  int n;
};

// Consecutive CTAs walk M, so that those in flight together share columns of B in L2.
__device__ __forceinline__ TileIndex rasterize(int cta, int tiles_m, int /* tiles_n */) {
  return {cta % tiles_m, cta / tiles_m};
}

// Where a thread's part of the CTA tile lies: its warp tile's first row and column, and its lane in that.
struct ThreadPosition {
  int warp_m;
  int warp_n;
  int lane_m;
  int lane_n;
};

// No warp tiles: the threads cover the CTA tile row by row, 16 to a row.
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

// Where element (m, k) of an A tile lies in its stage of shared memory: M contiguous.
__device__ __forceinline__ int shared_offset_a(int m, int k) { return k * kPitchA + m; }

// Accesses that one thread makes to copy its share of an A tile.
template <int kWidth>
constexpr int kAccessesA = (BM * BK / kWidth + kThreads - 1) / kThreads;

// Global memory -> registers: consecutive threads walk M, along which A is contiguous, so that a warp's
// accesses fall into whole sectors. Elements outside A become zero, which adds nothing to a product.
template <int kWidth>
__device__ __forceinline__ void load_a(float (&staged)[kAccessesA<kWidth> * kWidth],
                                       const float* __restrict__ A, long long lda, int m0, int k0, int M,
                                       int K) {
#pragma unroll
  for (int i = 0; i < kAccessesA<kWidth>; ++i) {
    warp_iteration(i);
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int k = k0 + access / (BM / kWidth);
    const int m = m0 + access % (BM / kWidth) * kWidth;
#pragma unroll
    for (int v = 0; v < kWidth; ++v) staged[i * kWidth + v] = 0;
    if (m < M && k < K) Access<float, kWidth>::load(staged, i * kWidth, A + k * lda + m);
  }
}

// Registers -> shared memory, in the order it was loaded: M stays contiguous.
template <int kWidth>
__device__ __forceinline__ void store_a(float* tile, const float (&staged)[kAccessesA<kWidth> * kWidth]) {
  constexpr int kStore = kWidth < kStoreA ? kWidth : kStoreA;
#pragma unroll
  for (int i = 0; i < kAccessesA<kWidth>; ++i) {
    warp_iteration(i);
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int k = access / (BM / kWidth);
    const int m = access % (BM / kWidth) * kWidth;
#pragma unroll
    for (int v = 0; v < kWidth; v += kStore) {
      Access<float, kStore>::store(tile + shared_offset_a(m + v, k), staged, i * kWidth + v);
    }
  }
}

// An A fragment, the TM elements of step k that a thread multiplies: shared memory -> registers.
__device__ __forceinline__ void fragment_a(float (&fragment)[TM], const float* tile,
                                           const ThreadPosition& thread, int k) {
#pragma unroll
  for (int i = 0; i < TM; i += kLoadA) {
    Access<float, kLoadA>::load(fragment, i, tile + shared_offset_a(tile_row(thread, i), k));
  }
}

// Where element (n, k) of a B tile lies in its stage of shared memory: N contiguous.
__device__ __forceinline__ int shared_offset_b(int n, int k) { return k * kPitchB + n; }

// Accesses that one thread makes to copy its share of a B tile.
template <int kWidth>
constexpr int kAccessesB = (BN * BK / kWidth + kThreads - 1) / kThreads;

// Global memory -> registers: consecutive threads walk K, along which B is contiguous, so that a warp's
// accesses fall into whole sectors. Elements outside B become zero, which adds nothing to a product.
template <int kWidth>
__device__ __forceinline__ void load_b(float (&staged)[kAccessesB<kWidth> * kWidth],
                                       const float* __restrict__ B, long long ldb, int n0, int k0, int N,
                                       int K) {
#pragma unroll
  for (int i = 0; i < kAccessesB<kWidth>; ++i) {
    warp_iteration(i);
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int n = n0 + access / (BK / kWidth);
    const int k = k0 + access % (BK / kWidth) * kWidth;
#pragma unroll
    for (int v = 0; v < kWidth; ++v) staged[i * kWidth + v] = 0;
    if (n < N && k < K) Access<float, kWidth>::load(staged, i * kWidth, B + n * ldb + k);
  }
}

// Registers -> shared memory, transposed: K is contiguous in global memory, N in shared memory.
template <int kWidth>
__device__ __forceinline__ void store_b(float* tile, const float (&staged)[kAccessesB<kWidth> * kWidth]) {
#pragma unroll
  for (int i = 0; i < kAccessesB<kWidth>; ++i) {
    warp_iteration(i);
    const int access = static_cast<int>(threadIdx.x) + i * kThreads;
    const int n = access / (BK / kWidth);
    const int k = access % (BK / kWidth) * kWidth;
#pragma unroll
    for (int v = 0; v < kWidth; ++v) tile[shared_offset_b(n, k + v)] = staged[i * kWidth + v];
  }
}

// A B fragment, the TN elements of step k that a thread multiplies: shared memory -> registers.
__device__ __forceinline__ void fragment_b(float (&fragment)[TN], const float* tile,
                                           const ThreadPosition& thread, int k) {
#pragma unroll
  for (int i = 0; i < TN; i += kLoadB) {
    Access<float, kLoadB>::load(fragment, i, tile + shared_offset_b(tile_column(thread, i), k));
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
__device__ __forceinline__ void multiply_tile(float (&acc)[TM][TN], const ThreadPosition& thread,
                                              const float* tile_a, const float* tile_b) {
#pragma unroll
  for (int k = 0; k < BK; ++k) {
    float a[TM];
    float b[TN];
    fragment_a(a, tile_a, thread, k);
    fragment_b(b, tile_b, thread, k);
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

// D = alpha * acc + beta * C, columns of D contiguous. C is read only if beta is not zero, so that whatever it
// holds then, NaN included, cannot reach D; nothing outside the M x N elements is touched.
template <int kWidth>
__device__ __forceinline__ void store_d(const float (&acc)[TM][TN], const ThreadPosition& thread, int m0,
                                        int n0, int M, int N, float alpha, float beta, const float* C,
                                        long long ldc, float* D, long long ldd) {
#pragma unroll
  for (int j = 0; j < TN; ++j) {
#pragma unroll
    for (int i = 0; i < TM; i += kWidth) {
      warp_iteration(j * TM + i);
      const int m = m0 + tile_row(thread, i);
      const int n = n0 + tile_column(thread, j);
      if (m < M && n < N) {
        float c[kWidth];
        float d[kWidth];
        if (beta != 0) Access<float, kWidth>::load(c, 0, C + n * ldc + m);
#pragma unroll
        for (int v = 0; v < kWidth; ++v) d[v] = scale_and_add(alpha, acc[i + v][j], beta, beta != 0 ? c[v] : 0);
        Access<float, kWidth>::store(D + n * ldd + m, d, 0);
      }
    }
  }
}

// The algorithm: one CTA computes one 64 x 32 tile of D.
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
  SharedStorage& shared = shared_storage();
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < depth; k0 += BK) {
    float staged_a[kAccessesA<kWidthA> * kWidthA];
    load_a<kWidthA>(staged_a, A, lda, m0, k0, M, depth);
    store_a<kWidthA>(shared.a[0], staged_a);
    float staged_b[kAccessesB<kWidthB> * kWidthB];
    load_b<kWidthB>(staged_b, B, ldb, n0, k0, N, depth);
    store_b<kWidthB>(shared.b[0], staged_b);
    __syncthreads();  // the tile is whole before any thread reads it
    multiply_tile(acc, thread, shared.a[0], shared.b[0]);
    __syncthreads();  // every thread has read the tile before any overwrites it
  }
  store_d<kWidthC>(acc, thread, m0, n0, M, N, alpha, beta, C, ldc, D, ldd);
}

}  // namespace
}  // namespace gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl

extern "C" __global__ void __launch_bounds__(
    gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl::kThreads)
gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_kernel(
    int M, int N, int K, float alpha, const float* alpha_device, const float* __restrict__ A, long long lda,
    const float* __restrict__ B, long long ldb, float beta, const float* beta_device, const float* C,
    long long ldc, float* D, long long ldd) {
  namespace impl = gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl;
  impl::gemm<impl::kVectorA, impl::kVectorB, impl::kVectorC>(M, N, K, alpha, alpha_device, A, lda, B, ldb, beta,
                                                             beta_device, C, ldc, D, ldd);
}

extern "C" __global__ void __launch_bounds__(
    gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl::kThreads)
gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_kernel_scalar(
    int M, int N, int K, float alpha, const float* alpha_device, const float* __restrict__ A, long long lda,
    const float* __restrict__ B, long long ldb, float beta, const float* beta_device, const float* C,
    long long ldc, float* D, long long ldd) {
  namespace impl = gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl;
  impl::gemm<1, 1, 1>(M, N, K, alpha, alpha_device, A, lda, B, ldb, beta, beta_device, C, ldc, D, ldd);
}


#ifndef __CUDACC_RTC__

namespace gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl {
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

bool divides(const void* pointer, unsigned long long bytes) {
  return reinterpret_cast<unsigned long long>(pointer) % bytes == 0;
}

// Whether every access of the kernel as scheduled is aligned and inside its matrix, line by line. A call for
// which one line fails goes to the kernel whose accesses are all of one element.
bool can_use_scheduled_widths(const Call& call) {
  if (!divides(call.A, 16)) return false;  // A: aligned base
  if (call.lda % 4 != 0) return false;  // A: aligned pitch
  if (call.M % 4 != 0) return false;  // A: no access across its edge
  if (!divides(call.B, 8)) return false;  // B: aligned base
  if (call.ldb % 2 != 0) return false;  // B: aligned pitch
  if (call.K % 2 != 0) return false;  // B: no access across its edge
  if (call.reads_c() && !divides(call.C, 16)) return false;  // C: aligned base
  if (call.reads_c() && call.ldc % 4 != 0) return false;  // C: aligned pitch
  if (!divides(call.D, 16)) return false;  // D: aligned base
  if (call.ldd % 4 != 0) return false;  // D: aligned pitch
  if (call.M % 4 != 0) return false;  // D: no access across its edge
  return true;
}

// Everything that can be known of a call before it is launched.
int check(const Call& call) {
  const long long M = call.M;
  const long long N = call.N;
  const long long K = call.K;
  if (M < 0 || N < 0 || K < 0)
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (call.lda < 1 || call.lda < M)
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (call.ldb < 1 || call.ldb < K)
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (call.reads_c() && (call.ldc < 1 || call.ldc < M))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (call.ldd < 1 || call.ldd < M)
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (M > kMaxExtent || N > kMaxExtent || K > kMaxExtent)
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_size_too_large;
  if (M == 0 || N == 0) return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_success;
  if (call.D == nullptr || (call.reads_c() && call.C == nullptr))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (call.reads_a_and_b() && (call.A == nullptr || call.B == nullptr))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  if (((M + BM - 1) / BM) > kMaxTiles / ((N + BN - 1) / BN))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_size_too_large;
  if (too_far(N, call.ldd) || (call.reads_c() && too_far(N, call.ldc)))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_size_too_large;
  const Footprint d = footprint(call.D, N, M, call.ldd);
  if (call.reads_a_and_b()) {
    if (too_far(K, call.lda) || too_far(N, call.ldb))
      return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_size_too_large;
    if (overlap(d, footprint(call.A, K, M, call.lda)))
      return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_overlapping_output;
    if (overlap(d, footprint(call.B, N, K, call.ldb)))
      return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_overlapping_output;
  }
  const bool in_place = call.C == call.D && (call.ldc == call.ldd || N == 1);
  const bool reads_other_c = call.reads_c() && !in_place;
  if (reads_other_c && overlap(d, footprint(call.C, N, M, call.ldc)))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_overlapping_output;
  const float* const scalars[] = {call.alpha_device, call.beta_device};
  for (const float* scalar : scalars) {
    if (scalar == nullptr) continue;
    if (overlap(d, footprint(scalar, 1, 1, 1)))
      return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_overlapping_output;
    if (!is_aligned(scalar)) return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_misaligned;
  }
  if (!is_aligned(call.D) || (call.reads_c() && !is_aligned(call.C)))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_misaligned;
  if (call.reads_a_and_b() && !(is_aligned(call.A) && is_aligned(call.B)))
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_misaligned;
  return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_success;
}

template <typename KernelFunction>
int launch_kernel(KernelFunction* kernel, unsigned grid, void** arguments, cudaStream_t stream) {
  // An error that was pending before this call stays pending; one that this launch causes is returned and
  // cleared.
  const cudaError_t pending = cudaPeekAtLastError();
  const cudaError_t error = cudaLaunchKernel(kernel, dim3(grid), dim3(kThreads), arguments,
                                             sizeof(SharedStorage), stream);
  if (error == cudaSuccess) return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_success;
  if (pending == cudaSuccess) static_cast<void>(cudaGetLastError());
  const bool no_code = error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction;
  if (no_code) return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_unsupported_device;
  return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_launch_failed;
}

int launch(Call call, long long workspace_bytes, cudaStream_t stream) {
  const int status = workspace_bytes < 0
      ? gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_workspace_too_small : check(call);
  if (status != gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_success || call.M == 0
      || call.N == 0) return status;
  int M = static_cast<int>(call.M);
  int N = static_cast<int>(call.N);
  int K = static_cast<int>(call.K);
  void* arguments[] = {&M, &N, &K, &call.alpha, &call.alpha_device, &call.A, &call.lda, &call.B, &call.ldb,
                       &call.beta, &call.beta_device, &call.C, &call.ldc, &call.D, &call.ldd};
  const unsigned grid = static_cast<unsigned>(((call.M + BM - 1) / BM) * ((call.N + BN - 1) / BN));
  if (!can_use_scheduled_widths(call))
    return launch_kernel(::gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_kernel_scalar, grid,
                         arguments, stream);
  return launch_kernel(::gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_kernel, grid, arguments,
                       stream);
}

}  // namespace
}  // namespace gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl

extern "C" int gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41(
    long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B,
    long long ldb, float beta, const float* C, long long ldc, float* D, long long ldd, void* workspace,
    long long workspace_bytes, cudaStream_t stream) {
  static_cast<void>(workspace);  // this plan needs none
  return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl::launch(
      {M, N, K, alpha, nullptr, A, lda, B, ldb, beta, nullptr, C, ldc, D, ldd}, workspace_bytes, stream);
}

extern "C" int gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_device_scalars(
    long long M, long long N, long long K, const float* alpha, const float* A, long long lda, const float* B,
    long long ldb, const float* beta, const float* C, long long ldc, float* D, long long ldd, void* workspace,
    long long workspace_bytes, cudaStream_t stream) {
  static_cast<void>(workspace);  // this plan needs none
  if (alpha == nullptr || beta == nullptr)
    return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument;
  return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl::launch(
      {M, N, K, 0, alpha, A, lda, B, ldb, 0, beta, C, ldc, D, ldd}, workspace_bytes, stream);
}

extern "C" int gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_can_implement(
    long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B,
    long long ldb, float beta, const float* C, long long ldc, float* D, long long ldd) {
  return gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_impl::check(
      {M, N, K, alpha, nullptr, A, lda, B, ldb, beta, nullptr, C, ldc, D, ldd});
}

extern "C" long long gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_workspace_bytes(
    long long, long long, long long) { return 0; }

extern "C" const char* gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_status_string(int status) {
  switch (status) {
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_success:
      return "success";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_invalid_argument:
      return "a size that is negative or not this file's, a short leading dimension, or a null pointer";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_size_too_large:
      return "a size whose indices or grid overflow";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_overlapping_output:
      return "D overlaps A or B, or overlaps C without being C";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_misaligned:
      return "a pointer that is not aligned as the kernel requires";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_workspace_too_small:
      return "a workspace smaller than _workspace_bytes says";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_unsupported_device:
      return "the file was not compiled for this device";
    case gemm_f32_ttt_64x32x16_cta_4x2_s1_linear_sm80_3c0dd026bde77f41_launch_failed:
      return "CUDA refused the launch";
    default:
      return "unknown status";
  }
}

#endif  // __CUDACC_RTC__
