// SPDX-License-Identifier: BSD-3-Clause
// A buffer that only grows and leaves elements uninitialised, for scratch memory that frames reuse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace ctv {

template <typename T>
class Growing {
 public:
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t capacity() const { return capacity_; }

  /// Makes room for `count` elements and keeps the first `keep`. A reallocation has room for at least 2 *
  /// keep.
  T* reserve(size_t count, size_t keep = 0) {
    if (count > capacity_) {
      const size_t capacity = std::max(count, 2 * keep);
      auto larger = std::make_unique_for_overwrite<T[]>(capacity);
      std::copy_n(data_.get(), keep, larger.get());
      data_ = std::move(larger);
      capacity_ = capacity;
    }
    return data_.get();
  }

 private:
  std::unique_ptr<T[]> data_;
  size_t capacity_ = 0;
};

}  // namespace ctv
