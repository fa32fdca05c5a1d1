// Two halves of the block wait at different barriers.
extern "C" __global__ void two_barriers(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  if (t < 32) {
    __syncthreads();  // expect: barrier_divergence
  } else {
    if (t < columns) D[t] = A[t];
    __syncthreads();
  }
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(two_barriers, dim3(1), dim3(64), arguments, 0, nullptr);
}
