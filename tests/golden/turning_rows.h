// SPDX-License-Identifier: 0BSD
//
// Written by gemmgen beside gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e.cu, whose banner tells
// how to write both again: do not edit.
//
// D = alpha * A * B + beta * C with A (M x K) row-major, B (K x N) row-major, C and D (M x N) row-major;
// elements float, accumulation float. Any M, N, K from 0 to 2147475455, any leading dimension from the width
// on, any element-aligned address. beta = 0 does not read C, alpha = 0 does not read A or B. Deterministic.
//
// Every function that launches or checks returns one of the statuses below and may be called from any host
// thread. None allocates, waits for the device, or clears a CUDA error that it did not cause. Sizes and leading
// dimensions are in elements.
#ifndef GEMMGEN_gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_H
#define GEMMGEN_gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_H

struct CUstream_st;  // what the CUDA runtime's cudaStream_t points to

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GEMMGEN_gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_STATUS
#define GEMMGEN_gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_STATUS
enum gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_status {
  // success
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_success = 0,
  // a size that is negative or not this file's, a short leading dimension, or a null pointer
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_invalid_argument = 1,
  // a size whose indices or grid overflow
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_size_too_large = 2,
  // D overlaps A or B, or overlaps C without being C
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_overlapping_output = 3,
  // a pointer that is not aligned as the kernel requires
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_misaligned = 4,
  // a workspace smaller than _workspace_bytes says
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_workspace_too_small = 5,
  // the file was not compiled for this device
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_unsupported_device = 6,
  // CUDA refused the launch
  gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_launch_failed = 7
};
#endif

// D = alpha * A * B + beta * C on `stream`. C may be D; no other overlap with D is accepted. No workspace is
// needed.
int gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e(long long M, long long N, long long K,
                                                                float alpha, const float* A, long long lda,
                                                                const float* B, long long ldb, float beta,
                                                                const float* C, long long ldc, float* D,
                                                                long long ldd, void* workspace,
                                                                long long workspace_bytes,
                                                                struct CUstream_st* stream);

// The same with alpha and beta read from device memory when the kernel runs: neither may be null or lie in D.
// Since they are not known at the launch, A, B and C are checked as if all were read.
int gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_device_scalars(
    long long M, long long N, long long K, const float* alpha, const float* A, long long lda, const float* B,
    long long ldb, const float* beta, const float* C, long long ldc, float* D, long long ldd, void* workspace,
    long long workspace_bytes, struct CUstream_st* stream);

// What the call would answer before it launches anything.
int gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_can_implement(
    long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B,
    long long ldb, float beta, const float* C, long long ldc, float* D, long long ldd);

// Bytes of workspace that the call needs; negative sizes need none.
long long gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_workspace_bytes(
    long long M, long long N, long long K);

// A sentence for a status; never null.
const char* gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_status_string(int status);

#ifdef __cplusplus
}
#endif

#endif  // GEMMGEN_gemm_f32_nn_32x32x8_cta_4x4_s1_linear_sm80_61b24e5a4f24652e_H
