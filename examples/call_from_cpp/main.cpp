// Calls a generated kernel, sgemm.cu, through its header: plain C++, no CUDA syntax in this file.
//
// Build without a GPU, with nvcc alone:
//     nvcc -arch=sm_75 -o call_from_cpp main.cpp sgemm.cu
// or with CMake (see CMakeLists.txt). Running it needs a GPU. Exit codes: 0 right, 1 wrong, 2 no GPU.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "sgemm.h"

namespace {

// Device memory of `count` floats, freed at the end of its scope.
class DeviceMatrix {
 public:
  explicit DeviceMatrix(const std::vector<float>& host) : bytes_(host.size() * sizeof(float)) {
    if (cudaMalloc(&data_, bytes_) != cudaSuccess) data_ = nullptr;
    if (data_ != nullptr) cudaMemcpy(data_, host.data(), bytes_, cudaMemcpyHostToDevice);
  }
  ~DeviceMatrix() { cudaFree(data_); }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  float* data() const { return static_cast<float*>(data_); }
  cudaError_t copy_to(std::vector<float>& host) const {
    return cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

std::vector<float> filled(long long count, int period) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (long long i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i % period - period / 2);
  return values;
}

// Runs one call and compares it with the host. The data are small integers, so that every order of adding gives the
// same bits and one wrong element shows.
bool is_right(long long M, long long N, long long K, long long lda, cudaStream_t stream) {
  const float alpha = 2.0f;
  const float beta = -1.0f;
  const std::vector<float> a = filled(M * lda, 7), b = filled(K * N, 5), c = filled(M * N, 3);
  std::vector<float> d(c.size());
  const DeviceMatrix device_a(a), device_b(b), device_c(c), device_d(d);

  // Nothing is allocated and nothing waits: the call returns when the kernel is in the stream.
  const int status = sgemm(M, N, K, alpha, device_a.data(), lda, device_b.data(), N, beta, device_c.data(), N,
                           device_d.data(), N, nullptr, 0, stream);
  if (status != sgemm_success) {
    std::printf("sgemm returned %d: %s\n", status, sgemm_status_string(status));
    return false;
  }
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess || device_d.copy_to(d) != cudaSuccess) {
    std::printf("the kernel failed: %s\n", cudaGetErrorString(error));
    return false;
  }
  long long wrong = 0;
  for (long long m = 0; m < M; ++m) {
    for (long long n = 0; n < N; ++n) {
      double sum = 0;
      for (long long k = 0; k < K; ++k) sum += static_cast<double>(a[m * lda + k]) * b[k * N + n];
      if (alpha * sum + beta * c[m * N + n] != d[m * N + n]) ++wrong;
    }
  }
  std::printf("M=%lld N=%lld K=%lld lda=%lld: %lld of %lld elements wrong\n", M, N, K, lda, wrong, M * N);
  return wrong == 0;
}

// What the launcher would refuse, asked without launching anything: an lda below K.
bool refuses_short_rows() {
  const float* nowhere = nullptr;
  float* output = nullptr;
  const int status = sgemm_can_implement(8, 8, 8, 1.0f, nowhere, 4, nowhere, 8, 0.0f, nowhere, 8, output, 8);
  std::printf("lda=4 with K=8: %s\n", sgemm_status_string(status));
  return status == sgemm_invalid_argument;
}

}  // namespace

int main() {
  if (!refuses_short_rows()) return 1;
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    std::printf("No GPU to run on: %s\n", cudaGetErrorString(error));
    return 2;
  }
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) return 1;
  // The first takes the kernel as scheduled; the other's rows are not aligned to 16 bytes, so it takes the scalar one.
  const bool right = is_right(256, 128, 64, 64, stream) && is_right(131, 77, 35, 37, stream);
  cudaStreamDestroy(stream);
  return right ? 0 : 1;
}
