// SPDX-License-Identifier: BSD-3-Clause
// A block transform of a plane. Rows of blocks are independent, so threads share them. With H.264's 4x4 these
// are rows of macroblocks, whose DC coefficients are transformed again. block_rows.cpp computes a row of
// blocks.
#include "cpu/transform/block_transform.hpp"

#include <algorithm>
#include <vector>

#include "codec/format/block_plan.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/block_rows.hpp"

namespace ctv {
namespace {

constexpr int kGrain = 1 << 14;  // fewest samples worth a thread

class BlockCoder final : public TransformCoder {
 public:
  BlockCoder(const SubbandLayout& layout, int threads)
      : layout_(layout),
        plan_(make_block_plan(layout)),
        blocks_(layout.padded.cols >> plan_.log2),
        skipped_(layout.padded) {
    const int work = static_cast<int>(std::min<size_t>(layout.padded.area() / kGrain, 256));
    pieces_ = std::clamp(work, 1, std::clamp(units(), 1, std::max(1, threads)));
    threads_ = std::max(1, threads);
    if (plan_.transforms_dc()) {
      dc_ =
          AlignedBuffer<Coefficient>(static_cast<size_t>(pieces_) * static_cast<size_t>(dc_rows() * blocks_));
    }
  }

  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 std::span<const SubbandQuantiser> quantisers, Level* levels, const int8_t*,
                 const SkippedCells& skipped) override {
    skipped_.begin(skipped, samples.extent());
    const BlockQuantisers q = make_block_quantisers(layout_, plan_, quantisers);
    for_units([&](int unit, Coefficient* dc) {
      for (int i = 0; i < dc_rows(); ++i) {
        const int row = unit * dc_rows() + i;
        std::array<Level*, kMaxBlockArea> out{};
        for (size_t f = 0; f < area(); ++f) out[f] = levels + row_offset(plan_.subbands[f], row);
        forward_block_row(layout_.transform.kind, row_of(row, 0, q, prediction, dc_offset),
                          below(samples, row << plan_.log2), out, dc_row(dc, i));
      }
      if (plan_.transforms_dc()) forward_dc(unit, q, dc, levels);
    });
    return {};
  }

  Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                 PlaneView<Sample> samples, const int8_t*, const SkippedCells& skipped) override {
    skipped_.begin(skipped, samples.extent());
    const BlockQuantisers q = make_block_quantisers(layout_, plan_, quantisers);
    for_units([&](int unit, Coefficient* dc) {
      if (plan_.transforms_dc()) inverse_dc(unit, q, levels, dc);
      for (int i = 0; i < dc_rows(); ++i) {
        const int row = unit * dc_rows() + i;
        std::array<const Level*, kMaxBlockArea> in{};
        for (size_t f = 0; f < area(); ++f) {
          const size_t subband = plan_.subbands[f];
          if (layout_.subbands[subband].layer < layout_.layers - reduction)
            in[f] = levels + row_offset(subband, row);
        }
        inverse_block_row(layout_.transform.kind, row_of(row, reduction, q, prediction, dc_offset), in,
                          dc_row(dc, i), range, reduction, below(samples, row << (plan_.log2 - reduction)));
      }
    });
    return {};
  }

 private:
  size_t area() const { return size_t{1} << (2 * plan_.log2); }
  // Rows of DC coefficients of a macroblock, or 1 for a single block.
  int dc_rows() const { return 1 << plan_.dc_row_log2; }
  int dc_cols() const { return 1 << plan_.dc_col_log2; }
  int units() const { return layout_.padded.rows >> (plan_.log2 + plan_.dc_row_log2); }
  size_t row_offset(size_t subband, int row) const {
    const Subband& s = layout_.subbands[subband];
    return s.offset + static_cast<size_t>(row) * static_cast<size_t>(s.cols);
  }
  Coefficient* dc_row(Coefficient* dc, int i) const {
    return dc == nullptr ? nullptr : dc + static_cast<ptrdiff_t>(i) * blocks_;
  }
  template <typename S>
  static PlaneView<S> below(PlaneView<S> plane, int row) {
    if (plane.data == nullptr) return plane;
    return {plane.row(row), plane.rows - row, plane.cols, plane.stride};
  }
  BlockRow row_of(int row, int reduction, const BlockQuantisers& q, PlaneView<const Sample> prediction,
                  int dc_offset) const {
    const int first = row << (plan_.log2 - reduction);
    return {blocks_, q.of.data(), below(prediction, first), dc_offset, &skipped_, first};
  }

  /// body(row of macroblocks, workspace for its DC coefficients [dc_rows()][blocks_]).
  template <typename Body>
  void for_units(Body&& body) {
    const size_t room = static_cast<size_t>(dc_rows() * blocks_);
    parallel_for(threads_, pieces_, [&](int piece) {
      Coefficient* dc = plan_.transforms_dc() ? dc_.data() + static_cast<size_t>(piece) * room : nullptr;
      for (int unit = units() * piece / pieces_; unit < units() * (piece + 1) / pieces_; ++unit)
        body(unit, dc);
    });
  }

  void forward_dc(int unit, const BlockQuantisers& q, const Coefficient* dc, Level* levels) const {
    for (int m = 0; m < blocks_ / dc_cols(); ++m) {
      int32_t x[4][4] = {};
      for (int r = 0; r < dc_rows(); ++r) {
        for (int c = 0; c < dc_cols(); ++c) x[r][c] = dc[r * blocks_ + m * dc_cols() + c];
      }
      hadamard_block(x, plan_.dc_row_log2, plan_.dc_col_log2);
      for (int r = 0; r < dc_rows(); ++r) {
        for (int c = 0; c < dc_cols(); ++c) {
          const auto f = static_cast<size_t>(4 * r + c);
          const int32_t y = halve_hadamard(x[r][c], plan_.dc_row_log2, plan_.dc_col_log2);
          levels[row_offset(plan_.dc_subbands[f], unit) + static_cast<size_t>(m)] =
              block_quantise(y, q.dc[f]);
        }
      }
    }
  }

  void inverse_dc(int unit, const BlockQuantisers& q, const Level* levels, Coefficient* dc) const {
    const int down = hadamard_down(plan_.dc_row_log2, plan_.dc_col_log2);
    for (int m = 0; m < blocks_ / dc_cols(); ++m) {
      int32_t x[4][4] = {};
      for (int r = 0; r < dc_rows(); ++r) {
        for (int c = 0; c < dc_cols(); ++c) {
          const size_t subband = plan_.dc_subbands[static_cast<size_t>(4 * r + c)];
          x[r][c] = levels[row_offset(subband, unit) + static_cast<size_t>(m)];
        }
      }
      hadamard_block(x, plan_.dc_row_log2, plan_.dc_col_log2);
      for (int r = 0; r < dc_rows(); ++r) {
        for (int c = 0; c < dc_cols(); ++c) {
          dc[r * blocks_ + m * dc_cols() + c] =
              static_cast<Coefficient>(h264_dequantise(x[r][c], q.dc[0].scale, q.dc[0].qp, down));
        }
      }
    }
  }

  SubbandLayout layout_;
  BlockPlan plan_;
  int blocks_;  // per row
  SkippedRuns skipped_;
  int threads_ = 1;
  int pieces_ = 1;                 // ranges of units
  AlignedBuffer<Coefficient> dc_;  // [pieces_][dc_rows()][blocks_]
};

}  // namespace

std::unique_ptr<TransformCoder> make_cpu_block_transform(const SubbandLayout& layout, int threads) {
  return std::make_unique<BlockCoder>(layout, threads);
}

}  // namespace ctv
