// The first element of the first array is stored one place too early: before shared memory.
struct Shared {
  float first[64];
  float second[64];
};

extern "C" __global__ void before_shared_memory(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  shared.second[t] = 0.0f;
  __syncthreads();
  float* first = shared.first;
  first[t - 1] = A[t / columns * lda + t % columns];  // expect: out_of_bounds
  __syncthreads();
  D[t / columns * ldd + t % columns] = shared.second[t];
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(before_shared_memory, dim3(1), dim3(64), arguments, sizeof(Shared), nullptr);
}
