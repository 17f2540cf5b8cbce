// SPDX-License-Identifier: BSD-3-Clause
// A plane or array that detects writes outside it, and planes of noise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "codec/util/types.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {

/// A plane of rows x cols inside a larger block. Memory around the plane and between its rows must not
/// change.
template <typename T>
class GuardedPlane {
 public:
  GuardedPlane(int rows, int cols, T fill = T{}, int padding = 5)
      : rows_(rows), cols_(cols), margin_(kMargin), stride_(cols + 2 * kMargin + padding) {
    const auto size = static_cast<size_t>(rows + 2 * kMargin) * static_cast<size_t>(stride_);
    block_.reserve(size);
    for (size_t i = 0; i < size; ++i) block_.push_back(guard(i));
    for (int r = 0; r < rows; ++r) std::fill_n(view().row(r), cols, fill);
  }
  explicit GuardedPlane(Extent extent, T fill = T{}) : GuardedPlane(extent.rows, extent.cols, fill) {}

  PlaneView<T> view() {
    return {block_.data() + margin_ * stride_ + margin_, rows_, cols_, static_cast<ptrdiff_t>(stride_)};
  }
  PlaneView<const T> view() const {
    return {block_.data() + margin_ * stride_ + margin_, rows_, cols_, static_cast<ptrdiff_t>(stride_)};
  }
  T& at(int r, int c) { return view().row(r)[c]; }
  const T& at(int r, int c) const { return view().row(r)[c]; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }

  /// The samples row by row, without the guards.
  std::vector<T> values() const {
    std::vector<T> out;
    out.reserve(static_cast<size_t>(rows_) * static_cast<size_t>(cols_));
    for (int r = 0; r < rows_; ++r) out.insert(out.end(), view().row(r), view().row(r) + cols_);
    return out;
  }
  /// True if the guards are unchanged.
  bool intact() const {
    for (size_t i = 0; i < block_.size(); ++i) {
      const int r = static_cast<int>(i / static_cast<size_t>(stride_)) - margin_;
      const int c = static_cast<int>(i % static_cast<size_t>(stride_)) - margin_;
      const bool inside = r >= 0 && r < rows_ && c >= 0 && c < cols_;
      if (!inside && !(block_[i] == guard(i))) return false;
    }
    return true;
  }

 private:
  static constexpr int kMargin = 7;
  static T guard(size_t i) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memset(&value, static_cast<int>(0x5a + i * 37) & 255, sizeof value);
    return value;
  }
  int rows_, cols_, margin_, stride_;
  std::vector<T> block_;
};

/// Uniform noise in [lo, hi].
template <typename T>
GuardedPlane<T> random_plane(int rows, int cols, int lo, int hi, uint64_t seed) {
  GuardedPlane<T> plane(rows, cols);
  Random random(seed);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) plane.at(r, c) = static_cast<T>(random.between(lo, hi));
  }
  return plane;
}

/// Extents that every stage must handle: one sample, odd extents, one block, a small picture.
inline const std::vector<Extent>& odd_extents() {
  static const std::vector<Extent> extents = {{1, 1},   {1, 7},   {5, 1},   {3, 5},   {16, 16},
                                              {17, 33}, {33, 17}, {97, 61}, {9, 601}, {240, 320}};
  return extents;
}

}  // namespace ctv::test
