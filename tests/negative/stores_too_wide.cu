// Four columns are stored at a time although the number of columns is no multiple of four.
extern "C" __global__ void stores_too_wide(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  const int t = threadIdx.x;
  const int groups = (columns + 3) / 4;
  if (t >= rows * groups) return;
  float4* target = reinterpret_cast<float4*>(D + t / groups * ldd + t % groups * 4);
  *target = make_float4(1.0f, 2.0f, 3.0f, 4.0f);  // expect: out_of_bounds
}

extern "C" int run(const float* A, long long lda, float* D, long long ldd, int rows, int columns) {
  void* arguments[] = {&A, &lda, &D, &ldd, &rows, &columns};
  return cudaLaunchKernel(stores_too_wide, dim3(1), dim3(256), arguments, 0, nullptr);
}
