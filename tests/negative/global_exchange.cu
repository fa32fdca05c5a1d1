// One thread of the block reads what another wrote to global memory, with no barrier in between.
extern "C" __global__ void global_exchange(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  D[t] = A[t];
  if (t > 0) D[ldd + t] = D[t - 1];  // expect: global_race
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(global_exchange, dim3(1), dim3(8), arguments, 0, nullptr);
}
