// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/memory_budget.hpp"

namespace ctv {

MemoryBudget*& MemoryBudget::current() {
  thread_local MemoryBudget* budget = nullptr;
  return budget;
}

}  // namespace ctv
