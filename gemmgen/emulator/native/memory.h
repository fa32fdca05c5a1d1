// Lazily backed anonymous memory: large tables cost only the pages that are touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace gemmgen {

constexpr size_t kPage = 4096;

class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { release(); }

  // At least `bytes` bytes, zero when fresh; false when the system refuses.
  bool ensure(size_t bytes) {
    if (bytes <= size_) return true;
    release();
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    memory_ = memory;
    size_ = bytes;
    return true;
  }

  void clear() {
    if (size_ != 0) madvise(memory_, size_, MADV_DONTNEED);
  }

  void prefer_huge_pages() {
    if (size_ != 0) madvise(memory_, size_, MADV_HUGEPAGE);
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }
  size_t size() const { return size_; }

 private:
  void release() {
    if (size_ != 0) munmap(memory_, size_);
    size_ = 0;
    memory_ = nullptr;
  }

  void* memory_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gemmgen
