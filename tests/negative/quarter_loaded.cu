// Only a quarter of the tile is loaded, all of it is used.
struct Shared {
  float tile[256];
};

extern "C" __global__ void quarter_loaded(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  shared.tile[t] = A[t / columns * lda + t % columns];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) sum += shared.tile[i * 64 + t];  // expect: uninitialised_shared
  D[t / columns * ldd + t % columns] = sum;
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(quarter_loaded, dim3(1), dim3(64), arguments, sizeof(Shared), nullptr);
}
