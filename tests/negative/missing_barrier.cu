// A tile is read by other threads than those that stored it, with no barrier in between.
struct Shared {
  float tile[64];
};

extern "C" __global__ void missing_barrier(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  shared.tile[t] = A[t / columns * lda + t % columns];  // expect: shared_race
  const int mirrored = 63 - t;
  D[t / columns * ldd + t % columns] = shared.tile[mirrored];  // expect: shared_race, uninitialised_shared
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(missing_barrier, dim3(1), dim3(64), arguments, sizeof(Shared), nullptr);
}
