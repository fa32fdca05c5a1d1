// The next step's store may overtake the reads of this one: no barrier at the loop's back edge.
struct Shared {
  float tile[64];
};

extern "C" __global__ void missing_back_edge_barrier(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  Shared& shared = *reinterpret_cast<Shared*>(gemmgen_shared);
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) {
    shared.tile[t] = A[row * lda + t];  // expect: shared_race
    __syncthreads();
    sum += shared.tile[t ^ 33];  // expect: shared_race
  }
  if (t < columns) D[t] = sum;
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(missing_back_edge_barrier, dim3(1), dim3(64), arguments, sizeof(Shared), nullptr);
}
