// SPDX-License-Identifier: BSD-3-Clause
#include "cpu/motion/far_search.hpp"

#include <algorithm>
#include <array>

#include "codec/control/motion_decisions.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/motion/bounded_search.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/far_search.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Computes `count` quarter samples from 4 rows.
void FillQuarterRow(const uint8_t* in, ptrdiff_t stride, int count, uint8_t* __restrict out) {
  constexpr int kPiece = 128;
  for (int first = 0; first < count; first += kPiece, in += kPiece * kFarStep, out += kPiece) {
    const int n = min_of(kPiece, count - first);
    uint16_t columns[kPiece * kFarStep];
    for (int i = 0; i < n * kFarStep; ++i) {
      int sum = 0;
      for (int y = 0; y < kFarStep; ++y) sum += in[y * stride + i];
      columns[i] = static_cast<uint16_t>(sum);
    }
    for (int c = 0; c < n; ++c) {
      int sum = 0;
      for (int x = 0; x < kFarStep; ++x) sum += columns[kFarStep * c + x];
      out[c] = quarter_sample(sum);
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FillQuarterRow);

namespace {

constexpr int kVector = 64;  // bytes per read of the search, in whole blocks
constexpr int kSquare = 1 << kLog2Square;
constexpr int kWindowSide = 2 * kFarWindow + 1;
static_assert(kWindowSide == window_rows(kFarWindow));

std::vector<MotionVector> in_order(int range, int unit) {
  std::vector<MotionVector> all;
  for (int y = -range; y <= range; ++y) {
    for (int x = -range; x <= range; ++x)
      all.push_back({static_cast<int16_t>(y * unit), static_cast<int16_t>(x * unit)});
  }
  std::sort(all.begin(), all.end(), [&](MotionVector a, MotionVector b) {
    return candidate_rank(a.y / unit, a.x / unit, range) < candidate_rank(b.y / unit, b.x / unit, range);
  });
  return all;
}

MotionVector eighths(MotionVector whole) {
  return {static_cast<int16_t>(whole.y * kVectorUnit), static_cast<int16_t>(whole.x * kVectorUnit)};
}

}  // namespace

FarSearch::FarSearch(const MotionGrid& blocks, int range, int threads)
    : blocks_(blocks),
      squares_{kLog2QuarterSquare, ceil_div(blocks.rows << blocks.log2_block, kSquare),
               ceil_div(blocks.cols << blocks.log2_block, kSquare)},
      range_(range / kFarStep),
      threads_(threads),
      far_(in_order(range_, kFarStep)),
      window_(in_order(kFarWindow, 1)) {
  const int rows = squares_.rows << kLog2QuarterSquare;
  const int cols = round_up(squares_.cols << kLog2QuarterSquare, kVector);
  reference_.border = round_up(range_, kVector);
  for (Quarter* q : {&current_, &reference_}) {
    q->stride = cols + 2 * q->border;
    q->samples.resize(static_cast<size_t>(rows + 2 * q->border) * static_cast<size_t>(q->stride));
  }
  far_keys_.assign(window_size(range_), kNoKey);
  window_ranks_.resize(window_.size());
  for (size_t i = 0; i < window_.size(); ++i)
    window_ranks_[window_place(window_[i].y, window_[i].x, kFarWindow)] = static_cast<int64_t>(i);
  const size_t row = static_cast<size_t>(cols >> kLog2QuarterSquare);
  still_.resize(static_cast<size_t>(squares_.rows) * row);
  keys_.resize(still_.size());
  found_.resize(squares_.size());
  if (!BoundedCandidates::fit(kLog2QuarterSquare, range_)) return;
  sums_.resize(reference_.samples.size());
  costs_.assign(static_cast<size_t>((2 * range_ + 1) * BoundedCandidates::kPitch), UINT16_MAX);
}

// Fills quarter samples of the picture, whose planes repeat edge samples; then repeats the edge of the
// quarter samples.
void FarSearch::fill(const uint8_t* from, ptrdiff_t stride, Extent extent, Quarter& to) const {
  const int rows = ceil_div(extent.rows, kFarStep);
  const int cols = ceil_div(extent.cols, kFarStep);
  const int right = static_cast<int>(to.stride) - 2 * to.border;
  const int below = squares_.rows << kLog2QuarterSquare;
  uint8_t* const origin = to.samples.data() + to.border * to.stride + to.border;
  const auto row_of = [&](int r) { return origin + r * to.stride; };
  parallel_ranges(threads_, std::min(rows, below), 8, [&](int begin, int end) {
    for (int r = begin; r < end; ++r) {
      uint8_t* out = row_of(r);
      const uint8_t* in = from + ptrdiff_t{kFarStep} * r * stride;
      const int n = std::min(cols, right);
      HWY_DYNAMIC_DISPATCH(FillQuarterRow)(in, stride, n, out);
      std::fill(out - to.border, out, out[0]);
      std::fill(out + n, out + right + to.border, out[n - 1]);
    }
  });
  const int last = std::min(rows, below) - 1;
  for (int r = -std::min(to.border, range_); r < below + std::min(to.border, range_); ++r) {
    if (r >= 0 && r <= last) continue;
    std::copy_n(row_of(std::clamp(r, 0, last)) - to.border, to.stride, row_of(r) - to.border);
  }
}

void FarSearch::prepare(const SearchPlanes& planes, Extent current, Extent reference) {
  fill(planes.current, planes.current_stride, current, current_);
  fill(planes.reference, planes.reference_stride, reference, reference_);
}

void FarSearch::find(uint32_t lambda, const uint8_t* still, int stride) {
  for (size_t i = 0; i < far_.size(); ++i) {
    const MotionVector v = far_[i];
    const uint32_t cost = motion_cost(0, quarter_lambda(lambda), eighths(v));
    const int y = v.y / kFarStep;
    const int x = v.x / kFarStep;
    far_keys_[window_place(y, x, range_)] = search_key(cost, i);
    if (costs_.empty()) continue;
    costs_[static_cast<size_t>((y + range_) * BoundedCandidates::kPitch + x + range_)] =
        static_cast<uint16_t>(std::min<uint32_t>(cost / 16, UINT16_MAX));
  }
  const SearchPlanes quarters{current_.origin(), current_.stride, reference_.origin(), reference_.stride};
  uint16_t* sums = nullptr;
  if (!sums_.empty()) {
    sums = sums_.data() + reference_.border * reference_.stride + reference_.border;
    const int below = (squares_.rows << kLog2QuarterSquare) + 2 * range_;
    parallel_ranges(threads_, below, 16, [&](int begin, int end) {
      for (int row = begin - range_; row < end - range_; ++row) {
        sum_squares_row(quarters, kLog2QuarterSquare, row, -range_,
                        (squares_.cols << kLog2QuarterSquare) + range_, sums);
      }
    });
  }
  const int side = 1 << (kLog2Square - blocks_.log2_block);
  const auto row_size = keys_.size() / static_cast<size_t>(squares_.rows);
  parallel_for(threads_, squares_.rows, [&](int row) {
    uint8_t* squares = still_.data() + static_cast<size_t>(row) * row_size;
    std::fill_n(squares, row_size, uint8_t{1});
    for (int r = row * side; r < std::min((row + 1) * side, blocks_.rows); ++r) {
      for (int b = 0; b < blocks_.cols; ++b)
        squares[b / side] &= still[static_cast<ptrdiff_t>(r) * stride + b];
    }
    int64_t* keys = keys_.data() + static_cast<size_t>(row) * row_size;
    std::fill_n(keys, row_size, kNoKey);
    const SearchWindow window{range_, far_keys_.data()};
    if (sums == nullptr) {
      search_block_row(quarters, window, kLog2QuarterSquare, row, squares_.cols, squares, keys);
    } else {
      search_bounded_row(quarters, sums, {window, costs_.data()}, kLog2QuarterSquare, row, squares_.cols,
                         squares, keys);
    }
    for (int s = 0; s < squares_.cols; ++s) {
      found_[static_cast<size_t>(row * squares_.cols + s)] =
          squares[s] != 0 ? MotionVector{} : far_[index_of(keys[s])];
    }
  });
}

void FarSearch::refine_row(const SearchPlanes& planes, uint32_t lambda, int near, int row,
                           const uint8_t* still, MotionVector* vectors, uint32_t* costs) const {
  const int side = 1 << (kLog2Square - blocks_.log2_block);
  std::array<int64_t, window_size(kFarWindow)> window{};
  std::array<int64_t, kVector / 8> keys{};
  std::array<uint8_t, kVector / 8> still_blocks{};
  for (int s = 0; s < squares_.cols; ++s) {
    const MotionVector v = found_[static_cast<size_t>(row / side * squares_.cols + s)];
    if (is_near(v.y, v.x, near)) continue;
    const int count = std::min(side, blocks_.cols - s * side);
    const auto moved = [v](MotionVector w) {
      return MotionVector{static_cast<int16_t>(v.y + w.y), static_cast<int16_t>(v.x + w.x)};
    };
    // The cost of a vector is the sum of the costs of its coordinates.
    std::array<int64_t, kWindowSide> ys{}, xs{};
    for (int i = 0; i < kWindowSide; ++i) {
      const MotionVector m =
          eighths(moved({static_cast<int16_t>(i - kFarWindow), static_cast<int16_t>(i - kFarWindow)}));
      ys[static_cast<size_t>(i)] = search_key(motion_cost(0, lambda, {m.y, 0}), 0);
      xs[static_cast<size_t>(i)] = search_key(motion_cost(0, lambda, {0, m.x}), 0);
    }
    for (size_t x = 0; x < kWindowSide; ++x) {
      for (size_t y = 0; y < kWindowSide; ++y) {
        const size_t place = x * kWindowSide + y;
        window[place] = window_ranks_[place] + ys[y] + xs[x];
      }
    }
    still_blocks.fill(1);
    std::copy_n(still + s * side, count, still_blocks.begin());
    for (int i = 0; i < count; ++i) keys[static_cast<size_t>(i)] = search_key(costs[s * side + i], 0);
    const SearchPlanes here{planes.current + s * kSquare, planes.current_stride,
                            planes.reference + v.y * planes.reference_stride + v.x + s * kSquare,
                            planes.reference_stride};
    search_block_row(here, {kFarWindow, window.data()}, blocks_.log2_block, row, count, still_blocks.data(),
                     keys.data());
    for (int i = 0; i < count; ++i) {
      const int b = s * side + i;
      const int64_t key = keys[static_cast<size_t>(i)];
      if (still[b] != 0 || cost_of(key) >= costs[b]) continue;
      vectors[b] = eighths(moved(window_[index_of(key)]));
      costs[b] = cost_of(key);
    }
  }
}

}  // namespace ctv
#endif  // HWY_ONCE
