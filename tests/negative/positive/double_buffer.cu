// Two buffers need only one barrier a step.
struct Shared {
  float tile[2][64];
};

extern "C" __global__ void double_buffer(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  float sum = 0.0f;
  shared.tile[0][t] = t < columns ? A[t] : 0.0f;
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    const int next = row + 1;
    if (next < rows) shared.tile[next % 2][t] = t < columns ? A[next * lda + t] : 0.0f;
    sum += shared.tile[row % 2][t ^ 33];
    __syncthreads();
  }
  for (int row = 0; row < rows; ++row) {
    if (t < columns) D[row * ldd + t] = sum;
  }
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(double_buffer, dim3(1), dim3(64), arguments, sizeof(Shared), nullptr);
}
