// Two halves of the block wait at what is one line of the text, reached by two calls.
namespace {
__device__ __forceinline__ void wait_for_all() {
  __syncthreads();  // expect: barrier_divergence
}
}  // namespace

extern "C" __global__ void barrier_by_another_name(const float* A, long long lda, float* D, long long ldd, int rows,
                                                   int columns) {
  const int t = threadIdx.x;
  if (t < 32) {
    wait_for_all();
  } else {
    if (t < columns) D[t] = A[t];
    wait_for_all();
  }
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(barrier_by_another_name, dim3(1), dim3(64), arguments, 0, nullptr);
}
