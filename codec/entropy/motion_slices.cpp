// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_slices.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ctv {
namespace {

// Cells that differ from the one to the left and from the one above, beyond which a slice is divided. They
// take 400 bytes or so, and a thread some 50 microseconds.
constexpr uint32_t kMostWork = 250;

// differs[c] = whether cell c of a row, of those from `first` on, differs from the one so far back.
void find_differences(const MotionVector* vectors, const uint8_t* skips, int first, int cols, ptrdiff_t back,
                      uint8_t* differs) {
  for (int c = first; c < cols; ++c)
    differs[c] = std::bit_cast<uint32_t>(vectors[c]) != std::bit_cast<uint32_t>(vectors[c - back]) ? 1 : 0;
  if (skips == nullptr) return;
  for (int c = first; c < cols; ++c)
    differs[c] = static_cast<uint8_t>(differs[c] | (skips[c] != skips[c - back] ? 1 : 0));
}

}  // namespace

MotionSlices::MotionSlices(const MotionGrid& grid)
    : grid_(grid), slices_{{0, 0, grid.root_rows(), grid.root_cols()}} {
  slices_.reserve(most(grid));
  areas_.reserve(2 * most(grid));
  splits_.reserve(2 * most(grid));
}

size_t MotionSlices::most(const MotionGrid& grid) {
  return grid.roots() < kLeastDivided ? 1 : std::min(grid.roots(), kMost);
}

// Halves of the longer side, the first not the shorter.
template <typename Split>
void MotionSlices::divide(Split split) {
  slices_.clear();
  splits_.clear();
  areas_.assign(1, {0, 0, grid_.root_rows(), grid_.root_cols()});
  for (size_t i = 0; i < areas_.size(); ++i) {
    const RootArea area = areas_[i];
    const size_t others = slices_.size() + areas_.size() - i - 1;
    bool divided = false;
    if (most(grid_) > 1 && area.roots() > 1 && others + 2 <= kMost) {
      divided = split(area);
      splits_.push_back(divided ? 1 : 0);
    }
    if (!divided) {
      slices_.push_back(area);
      continue;
    }
    RootArea first = area;
    RootArea second = area;
    if (area.rows < area.cols) {
      first.cols = (area.cols + 1) / 2;
      second.col += first.cols;
      second.cols -= first.cols;
    } else {
      first.rows = (area.rows + 1) / 2;
      second.row += first.rows;
      second.rows -= first.rows;
    }
    areas_.push_back(first);
    areas_.push_back(second);
  }
}

// Cells of the first row and column are taken to differ from what is outside.
void MotionSlices::find_work(const ConstSideInfo& side) {
  constexpr size_t kSide = 1 << kRootLevel;
  const auto pitch = static_cast<size_t>(grid_.root_cols()) + 1;
  const size_t padded = kSide * (pitch - 1);
  work_.assign(pitch * (static_cast<size_t>(grid_.root_rows()) + 1), 0);
  from_left_.assign(padded, 0);
  from_above_.assign(padded, 1);
  from_left_[0] = 1;
  for (int r = 0; r < grid_.rows; ++r) {
    const ptrdiff_t first = static_cast<ptrdiff_t>(r) * grid_.cols;
    const MotionVector* const vectors = side.vectors + first;
    const uint8_t* const skips = side.skips == nullptr ? nullptr : side.skips + first;
    find_differences(vectors, skips, 1, grid_.cols, 1, from_left_.data());
    if (r > 0) find_differences(vectors, skips, 0, grid_.cols, grid_.cols, from_above_.data());
    uint32_t* const work = work_.data() + (static_cast<size_t>(r >> kRootLevel) + 1) * pitch + 1;
    for (size_t c = 0; c < padded; c += kSide) {
      uint64_t left, above;
      std::memcpy(&left, from_left_.data() + c, sizeof(left));
      std::memcpy(&above, from_above_.data() + c, sizeof(above));
      work[c / kSide] += static_cast<uint32_t>(std::popcount(left & above));
    }
  }
  for (size_t i = pitch; i < work_.size(); ++i) {
    if (i % pitch != 0) work_[i] += work_[i - 1] + work_[i - pitch] - work_[i - pitch - 1];
  }
}

size_t MotionSlices::work_of(const RootArea& area) const {
  const auto before = [&](int row, int col) {
    return work_[static_cast<size_t>(row) * (static_cast<size_t>(grid_.root_cols()) + 1) +
                 static_cast<size_t>(col)];
  };
  const int row = area.row + area.rows;
  const int col = area.col + area.cols;
  return before(row, col) - before(area.row, col) - before(row, area.col) + before(area.row, area.col);
}

void MotionSlices::choose(const ConstSideInfo& side) {
  find_work(side);
  divide([this](const RootArea& area) { return work_of(area) > kMostWork; });
}

void MotionSlices::write(FieldWriter& writer) const {
  for (const uint8_t split : splits_) writer.bits("split of a slice", split, 1);
  if (splits_.size() % 8 != 0) writer.bits("end of splits", 0, 8 - splits_.size() % 8);
}

void MotionSlices::read(FieldReader& reader) {
  divide([&](const RootArea&) {
    uint8_t split = 0;
    reader.bits("split of a slice", split, 1, 0, 1);
    return split != 0;
  });
  uint8_t end = 0;
  if (splits_.size() % 8 != 0)
    reader.bits("end of splits", end, static_cast<unsigned>(8 - splits_.size() % 8), 0, 0);
}

}  // namespace ctv
