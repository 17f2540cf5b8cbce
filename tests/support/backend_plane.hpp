// SPDX-License-Identifier: BSD-3-Clause
// 16-bit planes and arrays in a backend's memory, surrounded by guards, so that one test body runs on every
// backend.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {

class BackendPlane {
 public:
  /// Random values in [lo, hi].
  BackendPlane(Backend& backend, Extent extent, int lo, int hi, uint64_t seed)
      : BackendPlane(backend, extent) {
    Random random(seed);
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) at(r, c) = static_cast<int16_t>(random.between(lo, hi));
    }
    upload();
  }
  /// Values that the output must overwrite.
  BackendPlane(Backend& backend, Extent extent)
      : backend_(backend), rows_(extent.rows), cols_(extent.cols), stride_(extent.cols + 2 * kMargin + 3) {
    const size_t size = static_cast<size_t>(rows_ + 2 * kMargin) * static_cast<size_t>(stride_);
    for (size_t i = 0; i < size; ++i) block_.push_back(guard(i));
    Result<Memory> memory = backend.allocate(size * sizeof(int16_t));
    if (!memory.ok()) {
      ADD_FAILURE() << "no memory for a plane";
      return;
    }
    memory_ = std::move(*memory);
    upload();
  }

  void upload() {
    EXPECT_TRUE(ok(backend_.upload(memory_.data(), block_.data(), block_.size() * sizeof(int16_t))));
  }
  void download() {
    EXPECT_TRUE(ok(backend_.download(block_.data(), memory_.data(), block_.size() * sizeof(int16_t))));
  }

  PlaneView<Sample> view() const { return {data() + origin(), rows_, cols_, stride_}; }
  PlaneView<const Sample> const_view() const { return view(); }
  int16_t& at(int r, int c) { return block_[static_cast<size_t>(origin() + r * stride_ + c)]; }
  int16_t at(int r, int c) const { return block_[static_cast<size_t>(origin() + r * stride_ + c)]; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }

  /// Whether the guards of the host copy are unchanged.
  bool intact() const {
    for (size_t i = 0; i < block_.size(); ++i) {
      const ptrdiff_t r = static_cast<ptrdiff_t>(i) / stride_ - kMargin;
      const ptrdiff_t c = static_cast<ptrdiff_t>(i) % stride_ - kMargin;
      if ((r < 0 || r >= rows_ || c < 0 || c >= cols_) && block_[i] != guard(i)) return false;
    }
    return true;
  }

 private:
  static constexpr int kMargin = 6;
  static int16_t guard(size_t i) { return static_cast<int16_t>(0x5a5a + static_cast<int>(i % 8191)); }
  ptrdiff_t origin() const { return kMargin * stride_ + kMargin; }
  int16_t* data() const { return static_cast<int16_t*>(memory_.data()); }

  Backend& backend_;
  int rows_, cols_;
  ptrdiff_t stride_;
  std::vector<int16_t> block_;
  Memory memory_;
};

inline std::vector<int16_t> row_of(const BackendPlane& plane) {
  std::vector<int16_t> out;
  for (int r = 0; r < plane.rows(); ++r) {
    for (int c = 0; c < plane.cols(); ++c) out.push_back(plane.at(r, c));
  }
  return out;
}

/// An array of vectors in a backend's memory. A single row, because a plane of two columns would have gaps.
class BackendVectors {
 public:
  BackendVectors(Backend& backend, const MotionGrid& grid)
      : plane_(backend, {1, 2 * static_cast<int>(grid.size())}), grid_(grid) {}

  MotionVector* device() const { return reinterpret_cast<MotionVector*>(plane_.view().data); }
  void set(int row, int col, MotionVector v) {
    plane_.at(0, 2 * (row * grid_.cols + col)) = v.y;
    plane_.at(0, 2 * (row * grid_.cols + col) + 1) = v.x;
  }
  MotionVector get(int row, int col) const {
    return {plane_.at(0, 2 * (row * grid_.cols + col)), plane_.at(0, 2 * (row * grid_.cols + col) + 1)};
  }
  std::vector<MotionVector> all() const {
    std::vector<MotionVector> out;
    for (int r = 0; r < grid_.rows; ++r) {
      for (int c = 0; c < grid_.cols; ++c) out.push_back(get(r, c));
    }
    return out;
  }
  void upload() { plane_.upload(); }
  void download() { plane_.download(); }
  bool intact() const { return plane_.intact(); }

 private:
  BackendPlane plane_;
  MotionGrid grid_;
};

/// The grid of blocks of 2^log2_block samples that covers a plane.
inline MotionGrid grid_for(Extent padded, int log2_block) {
  return {log2_block, ceil_div(padded.rows, 1 << log2_block), ceil_div(padded.cols, 1 << log2_block)};
}

}  // namespace ctv::test
