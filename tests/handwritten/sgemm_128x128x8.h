// SPDX-License-Identifier: 0BSD
#ifndef GEMMGEN_SGEMM_128X128X8_H
#define GEMMGEN_SGEMM_128X128X8_H

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
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

int sgemm_128x128x8(long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B,
                    long long ldb, float beta, const float* C, long long ldc, float* D, long long ldd, void* workspace,
                    long long workspace_bytes, struct CUstream_st* stream);

#ifdef __cplusplus
}
#endif

#endif
