// SPDX-License-Identifier: BSD-3-Clause
// Vectors and skips in a backend's memory, and fields of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/backend_plane.hpp"

namespace ctv::test {

class BackendSide {
 public:
  BackendSide(Backend& backend, const MotionGrid& grid)
      : vectors(backend, grid), backend_(backend), skips_(grid.size() + kGuards, kGuard) {
    Result<Memory> memory = backend.allocate(skips_.size());
    EXPECT_TRUE(ok(memory));
    if (memory.ok()) memory_ = std::move(*memory);
    upload();
  }

  SideInfo device() const { return {vectors.device(), static_cast<uint8_t*>(memory_.data())}; }
  void upload() {
    vectors.upload();
    EXPECT_TRUE(ok(backend_.upload(memory_.data(), skips_.data(), skips_.size())));
  }
  void download() {
    vectors.download();
    EXPECT_TRUE(ok(backend_.download(skips_.data(), memory_.data(), skips_.size())));
  }
  bool intact() const {
    return vectors.intact() &&
           std::all_of(skips_.end() - kGuards, skips_.end(), [](uint8_t byte) { return byte == kGuard; });
  }
  std::vector<uint8_t> skips() const { return {skips_.begin(), skips_.end() - kGuards}; }
  void set_skip(size_t cell, bool skipped) { skips_[cell] = skipped ? 1 : 0; }

  BackendVectors vectors;

 private:
  static constexpr int kGuards = 8;
  static constexpr uint8_t kGuard = 0xA5;
  Backend& backend_;
  std::vector<uint8_t> skips_;
  Memory memory_;
};

/// Draws vectors: most cells move like their block of 4x4 cells, the others individually. one_in: one of this
/// many cells is skipped; 0: none.
inline void draw_side(const MotionGrid& grid, int limit, int one_in, uint64_t seed, BackendSide& side) {
  Random random(seed);
  const auto draw = [&] {
    return MotionVector{static_cast<int16_t>(random.between(-limit, limit)),
                        static_cast<int16_t>(random.between(-limit, limit))};
  };
  std::vector<MotionVector> blocks(grid.size());
  for (MotionVector& v : blocks) v = random.between(0, 2) == 0 ? MotionVector{} : draw();
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c) {
      const auto block = static_cast<size_t>(r / 4 * grid.cols + c / 4);
      side.vectors.set(r, c, random.between(0, 5) == 0 ? draw() : blocks[block]);
      side.set_skip(static_cast<size_t>(r * grid.cols + c), one_in != 0 && random.between(1, one_in) == 1);
    }
  }
  side.upload();
}

}  // namespace ctv::test
