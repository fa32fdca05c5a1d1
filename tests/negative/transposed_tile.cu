// An 8 x 16 tile is stored transposed and read as if it were not: half of what is read was never stored.
struct Shared {
  float tile[16 * 20];
};

extern "C" __global__ void transposed_tile(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  const int k = t / 16;
  const int n = t % 16;
  shared.tile[n * 20 + k] = A[k * lda + n];
  __syncthreads();
  D[k * ldd + n] = shared.tile[k * 20 + n];  // expect: uninitialised_shared
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(transposed_tile, dim3(1), dim3(128), arguments, sizeof(Shared), nullptr);
}
