// Half of the block skips the barrier.
extern "C" __global__ void divergent_barrier(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  if (t < 32) __syncthreads();  // expect: barrier_divergence
  if (t < columns) D[t] = A[t];
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(divergent_barrier, dim3(1), dim3(64), arguments, 0, nullptr);
}
