// SPDX-License-Identifier: BSD-3-Clause
// Workspace of the stages: zeroed memory, aligned to a cache line, allocated once. Rows are padded to whole
// blocks of kBlock elements, so kernels need no scalar tail. Elements written beyond a row's end belong to a
// margin, which is refreshed before it is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "codec/util/host_device.hpp"
#include "codec/util/memory_budget.hpp"
#include "cpu/runtime/huge_pages.hpp"

// Placed before a loop: tells the compiler that the iterations are independent.
#if defined(__clang__)
#define CTV_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CTV_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace ctv {

inline constexpr int kBlock = 32;

template <typename T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size) : held_(size * sizeof(T)), size_(size) {
    if (size == 0) return;
    data_.reset(static_cast<T*>(::operator new[](size * sizeof(T), std::align_val_t{64})));
    prefer_huge_pages(data_.get(), size * sizeof(T));
    std::fill_n(data_.get(), size, T{});
  }
  T* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Delete {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  Held held_;
  std::unique_ptr<T[], Delete> data_;
  size_t size_ = 0;
};

}  // namespace ctv
