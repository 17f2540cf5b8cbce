// SPDX-License-Identifier: BSD-3-Clause
// An owned block of a backend's memory.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "codec/util/memory_budget.hpp"

namespace ctv {

/// Memory in a backend's address space, freed with the handle. Initially undefined. held: counts it.
class Memory {
 public:
  Memory() = default;
  Memory(void* data, size_t size, void (*release)(void*), Held held)
      : held_(std::move(held)), data_(data, release), size_(size) {}
  void* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  Held held_;
  std::unique_ptr<void, void (*)(void*)> data_{nullptr, [](void*) {}};
  size_t size_ = 0;
};

}  // namespace ctv
