// The last element read lies behind the end of its row, in what the leading dimension pads.
extern "C" __global__ void reads_padding(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  if (t >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column <= columns; ++column) sum += A[t * lda + column];  // expect: out_of_bounds
  D[t * ldd] = sum;
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(reads_padding, dim3(1), dim3(64), arguments, 0, nullptr);
}
