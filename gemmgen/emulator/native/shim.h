// What a generated kernel finds in CUDA's headers, for g++: force-included before the emitted text.
//
// It includes no header on purpose: a kernel compiles in about a tenth of a second, which standard headers would
// double. Functions that identify the running thread are `const`: a fiber never changes its place in the grid, so the
// compiler may ask once and keep the answer, and the answer is no memory access that the checks would see.
#pragma once

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define GEMMGEN_INLINE inline __attribute__((always_inline))

using size_t = decltype(sizeof 0);

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// ---- Vector types ------------------------------------------------------------------------------
// Copied through a compiler vector, so that one wide access stays one access in the instrumented code.

#define GEMMGEN_VECTOR2(name, scalar)                                                       \
  struct alignas(2 * sizeof(scalar)) name {                                                 \
    typedef scalar Whole __attribute__((vector_size(2 * sizeof(scalar))));                  \
    union {                                                                                 \
      Whole whole;                                                                          \
      struct {                                                                              \
        scalar x, y;                                                                        \
      };                                                                                    \
    };                                                                                      \
    name() = default;                                                                       \
    GEMMGEN_INLINE constexpr name(scalar x_, scalar y_) : whole{x_, y_} {}                  \
    GEMMGEN_INLINE name(const name& other) : whole(other.whole) {}                          \
    GEMMGEN_INLINE name& operator=(const name& other) {                                     \
      whole = other.whole;                                                                  \
      return *this;                                                                         \
    }                                                                                       \
  };                                                                                        \
  GEMMGEN_INLINE name make_##name(scalar x, scalar y) { return name(x, y); }

#define GEMMGEN_VECTOR4(name, scalar)                                                       \
  struct alignas(4 * sizeof(scalar)) name {                                                 \
    typedef scalar Whole __attribute__((vector_size(4 * sizeof(scalar))));                  \
    union {                                                                                 \
      Whole whole;                                                                          \
      struct {                                                                              \
        scalar x, y, z, w;                                                                  \
      };                                                                                    \
    };                                                                                      \
    name() = default;                                                                       \
    GEMMGEN_INLINE constexpr name(scalar x_, scalar y_, scalar z_, scalar w_)               \
        : whole{x_, y_, z_, w_} {}                                                          \
    GEMMGEN_INLINE name(const name& other) : whole(other.whole) {}                          \
    GEMMGEN_INLINE name& operator=(const name& other) {                                     \
      whole = other.whole;                                                                  \
      return *this;                                                                         \
    }                                                                                       \
  };                                                                                        \
  GEMMGEN_INLINE name make_##name(scalar x, scalar y, scalar z, scalar w) { return name(x, y, z, w); }

GEMMGEN_VECTOR2(float2, float)
GEMMGEN_VECTOR4(float4, float)
GEMMGEN_VECTOR2(double2, double)
GEMMGEN_VECTOR2(int2, int)
GEMMGEN_VECTOR4(int4, int)
GEMMGEN_VECTOR2(uint2, unsigned)
GEMMGEN_VECTOR4(uint4, unsigned)

// ---- Arithmetic: one rounding each, as on the device ------------------------------------------------

GEMMGEN_INLINE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GEMMGEN_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GEMMGEN_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GEMMGEN_INLINE float __fmul_rn(float a, float b) { return a * b; }
GEMMGEN_INLINE float __fadd_rn(float a, float b) { return a + b; }
GEMMGEN_INLINE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
GEMMGEN_INLINE double __dmul_rn(double a, double b) { return a * b; }
GEMMGEN_INLINE double __dadd_rn(double a, double b) { return a + b; }
GEMMGEN_INLINE constexpr int min(int a, int b) { return a < b ? a : b; }
GEMMGEN_INLINE constexpr int max(int a, int b) { return a < b ? b : a; }
GEMMGEN_INLINE constexpr unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
GEMMGEN_INLINE constexpr unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
GEMMGEN_INLINE constexpr long long min(long long a, long long b) { return a < b ? a : b; }
GEMMGEN_INLINE constexpr long long max(long long a, long long b) { return a < b ? b : a; }
template <class T>
GEMMGEN_INLINE T __ldg(const T* pointer) {
  return *pointer;
}

// ---- The running thread ----------------------------------------------------------------------------

extern "C" {
uint3 gemmgen_thread_index() __attribute__((const));
uint3 gemmgen_block_index() __attribute__((const));
uint3 gemmgen_block_size() __attribute__((const));
uint3 gemmgen_grid_size() __attribute__((const));
unsigned char* gemmgen_shared_memory() __attribute__((const));
void gemmgen_warp_iteration();
void gemmgen_block_barrier(int line);
void gemmgen_warp_barrier(unsigned mask, int line);
}

#define threadIdx (::gemmgen_thread_index())
#define blockIdx (::gemmgen_block_index())
#define blockDim (::gemmgen_block_size())
#define gridDim (::gemmgen_grid_size())
#define gemmgen_shared (::gemmgen_shared_memory())

GEMMGEN_INLINE void warp_iteration(int) { gemmgen_warp_iteration(); }
GEMMGEN_INLINE void __syncthreads(int line = __builtin_LINE()) { gemmgen_block_barrier(line); }
GEMMGEN_INLINE void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  gemmgen_warp_barrier(mask, line);
}

// ---- The runtime API that launchers use --------------------------------------------------------------

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef struct CUstream_st* cudaStream_t;

extern "C" {
typedef void (*gemmgen_invoker)(const void* kernel, void* const* arguments);
int gemmgen_launch(const void* kernel, const unsigned* grid, const unsigned* block, void* const* arguments,
                   const unsigned* argument_bytes, int argument_count, size_t shared_bytes, gemmgen_invoker invoke);
int gemmgen_set_shared_limit(const void* kernel, int bytes);
int gemmgen_last_error(int clear);
int gemmgen_device_attribute(int* value, int attribute, int device);
}

template <int... kIndex>
struct gemmgen_indices {};

// Calls a kernel with its arguments taken from the launcher's array. Not instrumented: it is no device code.
template <class... Parameters>
struct gemmgen_call {
  template <int... kIndex>
  __attribute__((no_sanitize("thread"))) static void unpack(gemmgen_indices<kIndex...>, const void* kernel,
                                                            void* const* arguments) {
    reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel))(
        *static_cast<Parameters*>(arguments[kIndex])...);
  }
  __attribute__((no_sanitize("thread"))) static void invoke(const void* kernel, void* const* arguments) {
    unpack(gemmgen_indices<__integer_pack(sizeof...(Parameters))...>{}, kernel, arguments);
  }
};

template <class... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes = 0, cudaStream_t = nullptr) {
  const unsigned argument_bytes[sizeof...(Parameters) + 1] = {unsigned(sizeof(Parameters))..., 0u};
  const unsigned grid_size[3] = {grid.x, grid.y, grid.z};
  const unsigned block_size[3] = {block.x, block.y, block.z};
  return cudaError_t(gemmgen_launch(reinterpret_cast<const void*>(kernel), grid_size, block_size, arguments,
                                    argument_bytes, int(sizeof...(Parameters)), shared_bytes,
                                    gemmgen_call<Parameters...>::invoke));
}

template <class... Parameters>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute, int value) {
  return cudaError_t(gemmgen_set_shared_limit(reinterpret_cast<const void*>(kernel), value));
}

inline cudaError_t cudaGetLastError() { return cudaError_t(gemmgen_last_error(1)); }
inline cudaError_t cudaPeekAtLastError() { return cudaError_t(gemmgen_last_error(0)); }
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return cudaError_t(gemmgen_device_attribute(value, attribute, device));
}
