// Sixteen bytes are read at an address that is a multiple of four only.
extern "C" __global__ void misaligned_vector(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  if (t >= rows) return;
  const float4 v = *reinterpret_cast<const float4*>(A + t * lda + 1);  // expect: misaligned
  D[t * ldd] = v.x + v.w;
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(misaligned_vector, dim3(1), dim3(64), arguments, 0, nullptr);
}
