// Blocks overlap by one column, which both write.
extern "C" __global__ void overlapping_blocks(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int column = blockIdx.x * 7 + threadIdx.x;
  if (column < columns) D[column] = A[column];  // expect: global_race
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(overlapping_blocks, dim3(2), dim3(8), arguments, 0, nullptr);
}
