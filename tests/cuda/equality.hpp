// SPDX-License-Identifier: BSD-3-Clause
// What the equality tests share: both backends, extents, and inputs that are drawn anew in every run;
// CTV_TEST_SEED=n repeats one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/support/backend_plane.hpp"
#include "tests/support/backends.hpp"

namespace ctv::test {

inline uint64_t run_seed() {
  static const uint64_t seed = [] {
    const char* text = std::getenv("CTV_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
  }();
  return seed;
}

// CTV_TEST_SMALL=1, 2: for the sanitizer, whose every access costs a thousand; 2 for the slowest of its
// tools.
inline int smallness() {
  const char* text = std::getenv("CTV_TEST_SMALL");
  return text == nullptr ? 0 : std::atoi(text);
}
inline bool only_small() { return smallness() > 0; }

inline std::vector<Extent> small_extents() {
  if (smallness() > 1) return {{64, 96}};
  if (only_small()) return {{1, 1}, {17, 33}, {64, 64}};
  return {{1, 1}, {3, 5}, {16, 16}, {17, 33}, {97, 61}};
}
inline std::vector<Extent> all_extents() {
  std::vector<Extent> extents = small_extents();
  if (smallness() < 2) extents.push_back(only_small() ? Extent{100, 256} : Extent{240, 320});
  if (!only_small()) extents.push_back({1080, 1920});
  return extents;
}

/// For the sanitizer: whether one of many alike cases is left out.
inline bool left_out(int& number) {
  constexpr int kOneIn[] = {1, 3, 12};
  return number++ % kOneIn[std::clamp(smallness(), 0, 2)] != 0;
}

inline std::string text(Extent e) { return std::to_string(e.rows) + "x" + std::to_string(e.cols); }

class CudaEquality : public testing::Test {
 protected:
  void SetUp() override {
    cuda_ = find_backend("cuda");
    cpu_ = find_backend("cpu5");
    if (cuda_ == nullptr) GTEST_SKIP() << "no CUDA device on this machine";
    RecordProperty("seed", std::to_string(run_seed()));
  }
  uint64_t next_seed() { return random_.next(); }
  int between(int lo, int hi) { return random_.between(lo, hi); }
  std::array<Backend*, 2> both() const { return {cpu_, cuda_}; }

 private:
  Random random_{run_seed()};
  Backend* cuda_ = nullptr;
  Backend* cpu_ = nullptr;
};

}  // namespace ctv::test
