// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a decoder may hold. Memory that grows with the picture is counted where it is allocated:
// vectors as CountedVector, other memory with a Held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

class MemoryBudget {
 public:
  /// held: bytes that are counted nowhere else.
  MemoryBudget(uint64_t limit, uint64_t held) : limit_(limit), held_(held) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// CTV_ERROR_LIMIT: the limit would be exceeded; nothing was counted.
  Status take(uint64_t bytes) {
    uint64_t held = held_;
    do {
      if (held > limit_ || bytes > limit_ - held) {
        return {CTV_ERROR_LIMIT,
                "limits.max_memory: the decoder needs more than " + std::to_string(limit_) + " bytes"};
      }
    } while (!held_.compare_exchange_weak(held, held + bytes));
    return {};
  }
  void give(uint64_t bytes) { held_ -= bytes; }

  /// The budget that counts this thread's allocations; null: none.
  static MemoryBudget*& current();

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> held_;
};

/// Makes `budget` the current one of this thread during its lifetime.
class BudgetScope {
 public:
  explicit BudgetScope(MemoryBudget* budget) : before_(std::exchange(MemoryBudget::current(), budget)) {}
  ~BudgetScope() { MemoryBudget::current() = before_; }
  BudgetScope(const BudgetScope&) = delete;
  BudgetScope& operator=(const BudgetScope&) = delete;

 private:
  MemoryBudget* before_;
};

/// Bytes counted by the budget that was current at construction. The budget must outlive it.
class Held {
 public:
  Held() = default;
  /// Throws StatusError if the limit would be exceeded.
  explicit Held(uint64_t bytes, MemoryBudget* budget = MemoryBudget::current()) : budget_(budget) {
    if (Status status = resize(bytes); !status.ok()) throw StatusError(std::move(status));
  }
  ~Held() {
    if (budget_ != nullptr) budget_->give(bytes_);
  }
  Held(Held&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  /// On an error the size is unchanged.
  Status resize(uint64_t bytes) {
    if (budget_ == nullptr) return {};
    if (bytes > bytes_) CTV_RETURN_IF_ERROR(budget_->take(bytes - bytes_));
    if (bytes < bytes_) budget_->give(bytes_ - bytes);
    bytes_ = bytes;
    return {};
  }
  /// Keeps the bytes counted after destruction.
  void keep() { bytes_ = 0; }

 private:
  MemoryBudget* budget_ = MemoryBudget::current();
  uint64_t bytes_ = 0;
};

template <typename T>
struct CountedAllocator {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  CountedAllocator() = default;
  template <typename U>
  CountedAllocator(const CountedAllocator<U>& other) : budget(other.budget) {}  // NOLINT(*-explicit-*)
  T* allocate(size_t count) {
    Held held(count * sizeof(T), budget);
    T* const data = std::allocator<T>().allocate(count);
    held.keep();
    return data;
  }
  void deallocate(T* data, size_t count) {
    std::allocator<T>().deallocate(data, count);
    if (budget != nullptr) budget->give(count * sizeof(T));
  }
  friend bool operator==(const CountedAllocator&, const CountedAllocator&) = default;

  MemoryBudget* budget = MemoryBudget::current();
};
template <typename T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

}  // namespace ctv
