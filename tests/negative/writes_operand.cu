// An operand is written to.
extern "C" __global__ void writes_operand(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  if (t < columns) const_cast<float*>(A)[t] = D == nullptr ? 0.0f : 1.0f;  // expect: write_to_read_only
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(writes_operand, dim3(1), dim3(64), arguments, 0, nullptr);
}
