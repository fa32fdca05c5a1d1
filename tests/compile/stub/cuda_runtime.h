// A CUDA runtime that launches nothing and remembers what it was asked to launch: enough for g++ to build an emitted
// file as ordinary C++, so that a test can call its launcher and look. Written for these tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct dim3 {
  unsigned x, y, z;
  explicit dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline void __syncthreads() {}
const dim3 threadIdx, blockIdx;
__attribute__((aligned(16))) unsigned char gemmgen_shared[1 << 18];

typedef struct CUstream_st* cudaStream_t;
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoKernelImageForDevice = 209,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

extern "C" {
struct Recorded {
  long long launches;
  const void* kernel;
  long long grid[3];
  long long block[3];
  long long shared_bytes;
  const void* stream;
  long long attribute_calls;
  long long attribute_bytes;
  const void* attribute_kernel;
  unsigned char arguments[32][8];
} recorded;
int argument_bytes[32];  // set by the caller: 0 ends the list
int error_of_launch;     // what the next launches answer
int error_of_attribute;
int last_error;  // CUDA's sticky-until-read error
}

inline cudaError_t remembered(int error) {
  if (error != cudaSuccess) last_error = error;
  return static_cast<cudaError_t>(error);
}
inline cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(last_error); }
inline cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

template <typename Function>
cudaError_t cudaFuncSetAttribute(Function* kernel, cudaFuncAttribute, int value) {
  recorded.attribute_calls += 1;
  recorded.attribute_bytes = value;
  recorded.attribute_kernel = reinterpret_cast<const void*>(kernel);
  return remembered(error_of_attribute);
}

template <typename Function>
cudaError_t cudaLaunchKernel(
    Function* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes, cudaStream_t stream) {
  recorded.launches += 1;
  recorded.kernel = reinterpret_cast<const void*>(kernel);
  const long long grid_[] = {grid.x, grid.y, grid.z}, block_[] = {block.x, block.y, block.z};
  std::memcpy(recorded.grid, grid_, sizeof grid_);
  std::memcpy(recorded.block, block_, sizeof block_);
  recorded.shared_bytes = static_cast<long long>(shared_bytes);
  recorded.stream = stream;
  for (int i = 0; i < 32 && argument_bytes[i] > 0; ++i) {
    std::memset(recorded.arguments[i], 0, 8);
    std::memcpy(recorded.arguments[i], arguments[i], static_cast<std::size_t>(argument_bytes[i]));
  }
  return remembered(error_of_launch);
}
