// The launch reserves less shared memory than the kernel uses.
struct Shared {
  float tile[128];
};

extern "C" __global__ void little_shared_memory(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  shared.tile[t + 64] = A[t / columns * lda + t % columns];  // expect: out_of_bounds
  D[t / columns * ldd + t % columns] = shared.tile[t + 64];
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(little_shared_memory, dim3(1), dim3(64), arguments, sizeof(Shared) / 2 + 128, nullptr);
}
