// SPDX-License-Identifier: BSD-3-Clause
// For each scale: a lifting of the whole scale with each slope, whose coefficients are only summed; the
// decision (slope_decisions.hpp); and the lowpass of the lifting with the chosen slopes, for the next scale.
// Each lifting runs on one thread. The finest one also gives HL and LH, whose cost is measured for each
// number of directions.
#include "cpu/transform/slope_estimator.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "codec/control/slope_decisions.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/picture/sample_rows.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/directional.hpp"
#include "cpu/transform/wavelet.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/slope_estimator.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

void AddMagnitudes(const Coefficient* row, uint32_t* sums, int n) {
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i) sums[i] += static_cast<uint32_t>(row[i] < 0 ? -row[i] : row[i]);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {
namespace {

HWY_EXPORT(AddMagnitudes);

using Bands = std::array<uint32_t, 3>;  // of HL, LH, HH

struct Input {
  Extent extent;
  PlaneView<const Sample> samples;  // of the finest scale
  int dc_offset = 0;
  int shift = 0;
  PlaneView<const Coefficient> lowpass;  // of the other scales
};

class ForwardRows : public WaveletRows {
 public:
  explicit ForwardRows(const Input& input) : in_(input) {}
  BlockMask read_picture(int row, Coefficient* even, Coefficient* odd) override {
    if (in_.samples.data != nullptr) {
      split_difference(in_.samples.row(row), nullptr, in_.dc_offset, in_.shift, even, odd,
                       in_.extent.cols / 2, 0);
    } else {
      split_row(in_.lowpass.row(row), even, odd, in_.extent.cols / 2);
    }
    return kAllBlocks;
  }
  void write_picture(int, Coefficient*, Coefficient*, BlockMask) override {}
  BlockMask read_band(int, int, Coefficient*, BlockMask) override { return kAllBlocks; }

 protected:
  Input in_;
};

// Sums the coefficients of cells by columns, and the costs of cells by blocks. Rows come in order.
class CostRows final : public ForwardRows {
 public:
  CostRows(const Input& input, const Bands& steps, std::vector<uint32_t>& sums, uint32_t* costs)
      : ForwardRows(input), steps_(steps), sums_(sums), costs_(costs), half_(in_.extent.cols / 2) {
    std::fill(sums_.begin(), sums_.end(), 0U);
  }
  void write_band(int orientation, int row, const Coefficient* band, BlockMask) override {
    if (orientation == 0) return;
    uint32_t* const sums = sums_.data() + static_cast<ptrdiff_t>(orientation - 1) * half_;
    HWY_DYNAMIC_DISPATCH(AddMagnitudes)(band, sums, half_);
    if (row % kSide == kSide - 1 || row == in_.extent.rows / 2 - 1) add_costs(orientation - 1, row, sums);
  }

 private:
  static constexpr int kSide = 1 << (kLog2SlopeCell - 1);  // of a cell in a band

  // sums: per column, over the last row of cells; cleared afterwards.
  void add_costs(int band, int row, uint32_t* sums) {
    const uint32_t step = steps_[static_cast<size_t>(band)];
    const auto rows = static_cast<uint32_t>(row % kSide + 1);
    const uint64_t scale = slope_scale(rows * kSide, step);
    const int block_cols = ceil_div(in_.extent.cols, 1 << kLog2SlopeBlock);
    uint32_t* const costs = costs_ + static_cast<ptrdiff_t>(2 * row >> kLog2SlopeBlock) * block_cols;
    for (int c = 0; c < half_; c += kSide) {
      const int cols = std::min(kSide, half_ - c);
      uint32_t sum = 0;
      for (int k = 0; k < cols; ++k) sum += sums[c + k];
      const uint32_t n = rows * static_cast<uint32_t>(cols);
      costs[2 * c >> kLog2SlopeBlock] +=
          slope_cell_cost(kLaplacianCost, sum, n, cols == kSide ? scale : slope_scale(n, step));
    }
    std::fill_n(sums, half_, 0U);
  }

  Bands steps_;
  std::vector<uint32_t>& sums_;  // [3][columns of a band]
  uint32_t* costs_;              // [blocks]
  int half_;                     // columns of a band
};

struct DirectedBand {
  std::unique_ptr<DirectionalBank> bank;
  std::vector<uint32_t> sums;  // [half of the columns]
};
using DirectedBands = std::array<DirectedBand, kDirectedBands>;

class LowpassRows final : public ForwardRows {
 public:
  /// directed: receives HL and LH; may be null.
  LowpassRows(const Input& input, PlaneView<Coefficient> out, DirectedBands* directed)
      : ForwardRows(input), out_(out), directed_(directed) {}
  void write_band(int orientation, int row, const Coefficient* band, BlockMask) override {
    if (orientation == 0) {
      std::copy_n(band, out_.cols, out_.row(row));
    } else if (directed_ != nullptr && orientation <= kDirectedBands) {
      const DirectionalBank& bank = *(*directed_)[static_cast<size_t>(orientation - 1)].bank;
      split_row(band, bank.even_row(row), bank.odd_row(row), out_.cols / 2);
    }
  }

 private:
  PlaneView<Coefficient> out_;
  DirectedBands* directed_;
};

// The cost of a band's cells in its bank, with 2^directions_log2 directions. A row of cells consists of rows
// that are `step` apart, and in each of those halves that belong to the direction.
uint64_t directed_cost(DirectedBand& band, Extent extent, int directions_log2, uint32_t step) {
  constexpr int kSide = 1 << kLog2DirectedCell;
  const int half = extent.cols / 2;
  const int group = directions_log2 == 0 ? kSide / 2 : kSide;  // without directions both halves belong to it
  const uint32_t of_group = directions_log2 == 0 ? 2 : 1;
  const int row_step = directions_log2 == 2 ? 2 : 1;
  const uint64_t scale = slope_scale(kSide * kSide, step);
  uint64_t cost = 0;
  for (int direction = 0; direction < 1 << directions_log2; ++direction) {
    const int first = directions_log2 == 2 ? direction >> 1 : 0;
    for (int row0 = first; row0 < extent.rows; row0 += kSide * row_step) {
      std::fill(band.sums.begin(), band.sums.end(), 0U);
      uint32_t rows = 0;
      for (int r = row0; r < std::min(row0 + kSide * row_step, extent.rows); r += row_step, ++rows) {
        const bool odd = ((directions_log2 == 1 ? r + direction : direction) & 1) != 0;
        if (directions_log2 == 0 || !odd)
          HWY_DYNAMIC_DISPATCH(AddMagnitudes)(band.bank->even_row(r), band.sums.data(), half);
        if (directions_log2 == 0 || odd)
          HWY_DYNAMIC_DISPATCH(AddMagnitudes)(band.bank->odd_row(r), band.sums.data(), half);
      }
      for (int c = 0; c < half; c += group) {
        const int cols = std::min(group, half - c);
        uint32_t sum = 0;
        for (int k = 0; k < cols; ++k) sum += band.sums[static_cast<size_t>(c + k)];
        const uint32_t n = rows * of_group * static_cast<uint32_t>(cols);
        cost += slope_cell_cost(kLaplacianCost, sum, n, n == kSide * kSide ? scale : slope_scale(n, step));
      }
    }
  }
  return cost;
}

class CpuSlopeEstimator final : public SlopeEstimator {
 public:
  CpuSlopeEstimator(const SubbandLayout& luma, int threads, StageTimes& times)
      : layout_(luma),
        grid_(make_slope_grid(luma)),
        threads_(threads),
        times_(times),
        lowpass_wavelet_(Pyramid::kWavelet9_7, luma.padded, threads) {
    for (int i = 0; i < kSlopeCount; ++i) wavelets_.emplace_back(Pyramid::kWavelet9_7, luma.padded, 1);
    const size_t blocks = grid_.extent(1).area();
    costs_.resize(kSlopeCount * blocks);
    before_.resize(blocks);
    sums_.resize(kSlopeCount, std::vector<uint32_t>(static_cast<size_t>(3 * (luma.padded.cols / 2))));
    uniform_.resize(kSlopeCount, std::vector<int8_t>(static_cast<size_t>(grid_.extent(1).cols)));
    for (size_t i = 0; i < kSlopeCount; ++i)
      std::fill(uniform_[i].begin(), uniform_[i].end(), static_cast<int8_t>(i));
    for (DirectedBand& band : directed_) {
      if (!grid_.directed) break;
      const Extent e = luma.band(1);
      band.bank = std::make_unique<DirectionalBank>(e, kDirectedDepth, kDirectedTaps, 1);
      band.sums.resize(static_cast<size_t>(e.cols / 2));
    }
    for (int scale = 1; scale < grid_.scales; ++scale) {
      const Extent e{luma.padded.rows >> scale, luma.padded.cols >> scale};
      const int stride = round_up(e.cols, kBlock);
      lowpass_.emplace_back(static_cast<size_t>(e.rows) * static_cast<size_t>(stride));
      lowpass_views_.push_back({lowpass_.back().data(), e.rows, e.cols, stride});
    }
  }

  Status search(PlaneView<const Sample> samples, int dc_offset, std::span<const SubbandQuantiser> quantisers,
                int8_t* slopes) override {
    StageTimer timer(times_, Stage::kSlopes);
    std::fill_n(slopes + kSlopedScales, kDirectedBands, int8_t{0});
    for (int scale = 1; scale <= kSlopedScales; ++scale) {
      slopes[scale - 1] = 0;
      if (scale > grid_.scales) continue;
      const Input input = input_of(scale, samples, dc_offset);
      const Bands steps = steps_of(scale, quantisers);
      const Extent blocks = grid_.extent(scale);
      std::fill(costs_.begin(), costs_.end(), 0U);
      parallel_for(threads_, kSlopeCount, [&](int i) {
        const auto k = static_cast<size_t>(i);
        CostRows rows(input, steps, sums_[k], costs_.data() + k * blocks.area());
        wavelets_[k].forward(input.extent, rows, {uniform_[k].data(), 0});
      });
      int8_t* const found = slopes + grid_.offset(scale);
      slopes[scale - 1] = decide(blocks, found) ? 1 : 0;
      if (scale == grid_.scales) continue;
      const bool directed = scale == 1 && grid_.directed;
      LowpassRows rows(input, lowpass_views_[static_cast<size_t>(scale - 1)],
                       directed ? &directed_ : nullptr);
      lowpass_wavelet_.forward(input.extent, rows,
                               slopes[scale - 1] != 0 ? SlopeView{found, blocks.cols} : SlopeView{});
      if (!directed) continue;
      parallel_for(threads_, kDirectedBands, [&](int i) {
        slopes[kSlopedScales + i] = static_cast<int8_t>(directions_of(i, steps[static_cast<size_t>(i)]));
      });
    }
    return {};
  }

 private:
  Input input_of(int scale, PlaneView<const Sample> samples, int dc_offset) const {
    Input input;
    input.extent = {layout_.padded.rows >> (scale - 1), layout_.padded.cols >> (scale - 1)};
    if (scale == 1) {
      input.samples = samples;
    } else {
      input.lowpass = lowpass_views_[static_cast<size_t>(scale - 2)];
    }
    input.dc_offset = dc_offset;
    input.shift = layout_.transform.fraction_bits;
    return input;
  }
  Bands steps_of(int scale, std::span<const SubbandQuantiser> quantisers) const {
    Bands steps{};
    for (size_t i = 0; i < layout_.subbands.size(); ++i) {
      const Subband& s = layout_.subbands[i];
      if (s.scale == scale && s.direction == 0)
        steps[static_cast<size_t>(s.orientation - 1)] = quantisers[i].step;
    }
    return steps;
  }

  // log2 of the directions of band i. Overwrites its bank.
  int directions_of(int i, uint32_t step) {
    DirectedBand& band = directed_[static_cast<size_t>(i)];
    const auto cost = [&](int n) { return directed_cost(band, layout_.band(1), n, step); };
    uint64_t before = cost(0);
    for (int n = 1; n <= kDirectedDepth; ++n) {
      band.bank->transform_levels(n, n, false);
      const uint64_t after = cost(n);
      if (!directions_pay(before, after)) return n - 1;
      before = after;
    }
    return kDirectedDepth;
  }

  // Decides the slopes of a scale from the costs. False: it has none.
  bool decide(Extent blocks, int8_t* found) {
    const size_t count = blocks.area();
    const auto cost_of = [&](size_t block, int slope) {
      return costs_[static_cast<size_t>(slope) * count + block];
    };
    std::fill_n(found, count, int8_t{0});
    for (int pass = 0; pass <= kSlopePasses; ++pass) {
      std::copy_n(found, count, before_.begin());
      parallel_for(threads_, blocks.rows, [&](int row) {
        for (int col = 0; col < blocks.cols; ++col) {
          const size_t at =
              static_cast<size_t>(row) * static_cast<size_t>(blocks.cols) + static_cast<size_t>(col);
          found[at] = static_cast<int8_t>(decide_slope(
              pass, [&](int slope) { return cost_of(at, slope); }, neighbours_of(blocks, row, col)));
        }
      });
    }
    uint64_t without = 0;
    uint64_t with = 0;
    for (size_t at = 0; at < count; ++at) {
      without += cost_of(at, 0);
      with += cost_of(at, found[at]);
    }
    if (slopes_pay(without, with)) return true;
    std::fill_n(found, count, int8_t{0});
    return false;
  }
  SlopeNeighbours neighbours_of(Extent blocks, int row, int col) const {
    const auto at = [&](int r, int c) -> int {
      const bool inside = r >= 0 && r < blocks.rows && c >= 0 && c < blocks.cols;
      return inside
                 ? before_[static_cast<size_t>(r) * static_cast<size_t>(blocks.cols) + static_cast<size_t>(c)]
                 : 0;
    };
    return {{at(row, col - 1), at(row, col + 1), at(row - 1, col), at(row + 1, col)}};
  }

  SubbandLayout layout_;
  SlopeGrid grid_;
  const int threads_;
  StageTimes& times_;
  DirectedBands directed_;
  std::vector<Wavelet> wavelets_;  // one per slope
  Wavelet lowpass_wavelet_;
  std::vector<uint32_t> costs_;  // [slopes][blocks]
  std::vector<int8_t> before_;   // [blocks], before a pass
  std::vector<std::vector<uint32_t>> sums_;
  std::vector<std::vector<int8_t>> uniform_;  // a row of blocks of each slope
  std::vector<AlignedBuffer<Coefficient>> lowpass_;
  std::vector<PlaneView<Coefficient>> lowpass_views_;
};

}  // namespace

Result<std::unique_ptr<SlopeEstimator>> make_cpu_slopes(const SubbandLayout& luma, int threads,
                                                        StageTimes& times) {
  try {
    return std::unique_ptr<SlopeEstimator>(std::make_unique<CpuSlopeEstimator>(luma, threads, times));
  } catch (const std::bad_alloc&) {
    return Status(CTV_ERROR_MEMORY, "make_slopes: out of memory");
  }
}

}  // namespace ctv
#endif
