// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_slices.hpp"

#include <algorithm>
#include <cstring>

namespace ctv {
namespace {

// Slices are divided while they have more cells than this that differ from both the left and the upper cell.
// That many take about 300 bytes, and 50 microseconds of a thread.
constexpr uint32_t kMostWork = 200;

constexpr size_t kSide = 1 << kRootLevel;

// Adds to counts[c] whether cell c of a row differs from both the left and the upper cell.
void count_busy(const uint32_t* __restrict cells, const uint32_t* __restrict above, size_t count,
                uint32_t* __restrict counts) {
  for (size_t c = 0; c < count; ++c) {
    counts[c] += static_cast<uint32_t>(cells[c] != cells[static_cast<ptrdiff_t>(c) - 1]) &
                 static_cast<uint32_t>(cells[c] != above[c]);
  }
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

// Divides slices into halves of the longer side; the first half is not the shorter one.
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

// A cell's key is its vector, with the skip in a bit that no vector uses. Cells outside the grid differ from
// all others.
void MotionSlices::find_work(const ConstSideInfo& side) {
  constexpr uint32_t kOutside = 0x7fff7fff;
  const auto pitch = static_cast<size_t>(grid_.root_cols()) + 1;
  const auto cols = static_cast<size_t>(grid_.cols);
  work_.assign(pitch * (static_cast<size_t>(grid_.root_rows()) + 1), 0);
  above_.assign(cols + 1, kOutside);
  row_.assign(cols + 1, kOutside);
  counts_.assign(cols, 0);
  for (size_t r = 0; r < static_cast<size_t>(grid_.rows); ++r) {
    uint32_t* const own = row_.data() + 1;  // the element before is outside the grid
    std::memcpy(own, side.vectors + r * cols, cols * sizeof(*own));
    for (size_t c = 0; side.skips != nullptr && c < cols; ++c)
      own[c] ^= uint32_t{side.skips[r * cols + c]} << 15;
    count_busy(own, above_.data() + 1, cols, counts_.data());
    row_.swap(above_);
    if ((r + 1) % kSide != 0 && r + 1 < static_cast<size_t>(grid_.rows)) continue;
    uint32_t* const work = work_.data() + (r / kSide + 1) * pitch + 1;
    for (size_t c = 0; c < cols; ++c) work[c / kSide] += counts_[c];
    std::fill(counts_.begin(), counts_.end(), 0);
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
