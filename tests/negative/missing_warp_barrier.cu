// Lanes exchange through shared memory without __syncwarp(): lanes of one warp need not run together.
struct Shared {
  float tile[32];
};

extern "C" __global__ void missing_warp_barrier(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  shared.tile[t] = A[t / columns * lda + t % columns];
  __syncwarp();
  const float neighbour = shared.tile[t ^ 1];  // expect: shared_race
  shared.tile[t] = neighbour * 2.0f;  // expect: shared_race
  __syncwarp();
  D[t / columns * ldd + t % columns] = shared.tile[t ^ 2];
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(missing_warp_barrier, dim3(1), dim3(32), arguments, sizeof(Shared), nullptr);
}
