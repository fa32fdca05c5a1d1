// A warp waits for a lane that never comes.
extern "C" __global__ void warp_deadlock(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  if (t == 5) {
    __syncthreads();
  } else {
    __syncwarp();  // expect: deadlock
    __syncthreads();
  }
  if (t < columns) D[t] = A[t];
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(warp_deadlock, dim3(1), dim3(32), arguments, 0, nullptr);
}
