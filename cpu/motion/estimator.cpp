// SPDX-License-Identifier: BSD-3-Clause
// Motion estimator of the CPU. It owns the 8-bit copies of luma for search and refinement and the candidates
// in order of rank, and distributes rows of blocks to threads.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "codec/control/motion_decisions.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/motion/bounded_search.hpp"
#include "cpu/motion/far_search.hpp"
#include "cpu/motion/field.hpp"
#include "cpu/motion/search.hpp"
#include "cpu/motion/skip.hpp"
#include "cpu/picture/colour.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

namespace ctv {
namespace {

constexpr int kAlign = 64;  // bytes; also the overrun of vector loads

class CpuMotionEstimator final : public MotionEstimator {
 public:
  CpuMotionEstimator(const MotionParameters& parameters, int threads, StageTimes& times)
      : parameters_(parameters),
        passes_(field_passes(parameters.effort)),
        blocks_(parameters.blocks_of(parameters.log2_block)),
        threads_(threads),
        times_(times),
        rows_(blocks_.rows << blocks_.log2_block),
        cols_(round_up(blocks_.cols << blocks_.log2_block, kAlign)),
        border_(round_up(parameters.reach() + kFieldReach, kAlign)),
        current_stride_(odd_lines(cols_)),
        reference_stride_(odd_lines(cols_ + 2 * border_)),
        half_stride_(odd_lines(2 * (cols_ + 2 * border_))),
        key_cols_(blocks_.cols + kAlign / 8),
        reference_rows_(rows_ + 2 * border_rows()),
        planes_(static_cast<size_t>(rows_ * current_stride_ +
                                    reference_rows_ * (reference_stride_ + 2 * half_stride_) + kAlign)),
        current_(planes_.data()),
        reference_(current_ + rows_ * current_stride_),
        halves_(reference_ + reference_rows_ * reference_stride_),
        keys_(static_cast<size_t>(blocks_.rows) * static_cast<size_t>(key_cols_)),
        still_(keys_.size(), 1),
        searched_(static_cast<size_t>(blocks_.rows)),
        costs_(blocks_.size()),
        cells_{kLog2Cell, blocks_.rows << log2_cells(), blocks_.cols << log2_cells()},
        field_(parameters.split != 0 ? cells_.size() : blocks_.size()),
        improved_(field_.size()),
        moved_before_(field_.size()),
        moved_(field_.size()),
        sums_(field_.size() * kFieldCandidates) {
    for (int y = -parameters.range; y <= parameters.range; ++y) {
      for (int x = -parameters.range; x <= parameters.range; ++x) order_.push_back({y, x});
    }
    std::sort(order_.begin(), order_.end(), [&](const Offset& a, const Offset& b) {
      return candidate_rank(a.y, a.x, parameters.range) < candidate_rank(b.y, b.x, parameters.range);
    });
    window_.assign(window_size(parameters.range), kNoKey);
    if (parameters.far_range > 0) far_.emplace(blocks_, parameters.far_range, threads);
    if (!bounded()) return;
    sums_of_squares_.resize(static_cast<size_t>(rows_ + 2 * border_rows()) *
                            static_cast<size_t>(reference_stride_));
    const int side = 2 * parameters.range + 1;
    vector_costs_.assign(static_cast<size_t>(side * BoundedCandidates::kPitch), UINT16_MAX);
  }

  // Only notes the plane; both planes are copied later in one loop.
  Status read_reference(PlaneView<const Sample> reference) override {
    reference_samples_ = reference;
    return {};
  }

  Status read_current(PlaneView<const uint8_t>, PlaneView<const Sample> samples) override {
    current_samples_ = samples;
    return {};
  }

  Status prepare(uint32_t lambda) override {
    StageTimer timer(times_, Stage::kMotionSearch);
    lambda_ = lambda;
    copy(current_samples_, reference_samples_);
    if (far_) far_->prepare(planes(), current_samples_.extent(), reference_samples_.extent());
    return {};
  }

  Status find(const uint8_t* still, MotionVector* vectors) override {
    const SearchPlanes planes = this->planes();
    find_vectors(planes, lambda_, still);
    StageTimer timer(times_, Stage::kMotionRefine);
    const HalfSamples halves = interpolate(planes);
    const auto improve = [&](const MotionGrid& grid, std::span<const FieldPass> passes) {
      for (size_t i = 0; i < passes.size(); ++i) {
        FieldRows rows{
            .planes = &planes,
            .halves = &halves,
            .grid = grid,
            .blocks = blocks_,
            .pass = passes[i],
            .finest_step = kVectorUnit >> parameters_.subpel,
            .range = parameters_.reach(),
            .lambda = lambda_,
            .before = field_.data(),
            .after = improved_.data(),
            .costs = costs_.data(),
            .first = i == 0 || passes[i - 1].squares || passes[i - 1].sad_row_step != passes[i].sad_row_step,
            .moved_before = moved_before_.data(),
            .moved_after = moved_.data(),
            .sums = sums_.data()};
        parallel_rows(threads_, grid.rows, grid.cols, 1,
                      [&](int row, int begin, int end) { improve_field_row(rows, row, begin, end); });
        field_.swap(improved_);
        moved_before_.swap(moved_);
        if (!passes[i].squares || grid.log2_block >= kLog2LargestSquare) continue;
        rows.before = field_.data();
        rows.after = improved_.data();
        parallel_rows(threads_, ceil_div(grid.rows, 2), grid.cols, 2,
                      [&](int row, int begin, int end) { unite_field_row(rows, row, begin, end); });
        field_.swap(improved_);
      }
    };
    improve(blocks_, passes_.blocks);
    if (parameters_.split == 0) {
      spread(field_, blocks_, parameters_.grid, vectors);
      return {};
    }
    spread(field_, blocks_, cells_, improved_.data());
    field_.swap(improved_);
    improve(cells_, passes_.cells);
    spread(field_, cells_, parameters_.grid, vectors);
    return {};
  }

  Status decide_skips(const SkipPlanes& planes, uint32_t base_step, const uint8_t* still,
                      const SideInfo& side) override {
    StageTimer timer(times_, Stage::kSkip);
    ctv::decide_skips(threads_, planes, {this->planes(), halves()}, parameters_.grid, base_step, still, side);
    return {};
  }

 private:
  // Full search: sets field_ and costs_.
  void find_vectors(const SearchPlanes& planes, uint32_t lambda, const uint8_t* still) {
    StageTimer timer(times_, Stage::kMotionSearch);
    for (size_t i = 0; i < order_.size(); ++i) {
      window_[window_place(order_[i].y, order_[i].x, parameters_.range)] =
          search_key(motion_cost(0, lambda, vector(i)), i);
    }
    mark_still(still);
    if (far_) far_->find(lambda, still_.data(), key_cols_);
    if (bounded()) prepare_bounds(planes, lambda);
    const SearchWindow window{parameters_.range, window_.data()};
    parallel_for(threads_, blocks_.rows, [&](int row) {
      int64_t* keys = keys_.data() + ptrdiff_t{row} * key_cols_;
      const uint8_t* still_blocks = still_.data() + ptrdiff_t{row} * key_cols_;
      if (bounded()) {
        search_bounded_row(planes, sums_origin(), {window, vector_costs_.data()}, blocks_.log2_block, row,
                           blocks_.cols, still_blocks, keys);
      } else {
        std::fill_n(keys, key_cols_, kNoKey);
        search_block_row(planes, window, blocks_.log2_block, row, blocks_.cols, still_blocks, keys);
      }
      MotionVector* vectors = field_.data() + ptrdiff_t{row} * blocks_.cols;
      uint32_t* costs = costs_.data() + ptrdiff_t{row} * blocks_.cols;
      for (int b = 0; b < blocks_.cols; ++b) {
        vectors[b] = {};
        costs[b] = 0;
        if (still_blocks[b] != 0) continue;
        vectors[b] = vector(index_of(keys[b]));
        costs[b] = cost_of(keys[b]);
      }
      if (far_) far_->refine_row(planes, lambda, parameters_.range, row, still_blocks, vectors, costs);
      for (int b = 0; b < blocks_.cols; ++b) {
        if (still_blocks[b] == 0) costs[b] -= motion_cost(0, lambda, vectors[b]);
      }
    });
  }

  // Sets still_ and searched_.
  void mark_still(const uint8_t* still) {
    parallel_for(threads_, blocks_.rows, [&](int row) {
      Columns& searched = searched_[static_cast<size_t>(row)];
      searched = {blocks_.cols, 0};
      for (int b = 0; b < blocks_.cols; ++b) {
        const bool left_out = is_still(still, row, b);
        still_[static_cast<size_t>(row) * static_cast<size_t>(key_cols_) + static_cast<size_t>(b)] =
            left_out ? 1 : 0;
        if (!left_out) searched = {std::min(searched.begin, b), b + 1};
      }
    });
  }

  void prepare_bounds(const SearchPlanes& planes, uint32_t lambda) {
    for (size_t i = 0; i < order_.size(); ++i) {
      vector_costs_[place_of(order_[i])] =
          static_cast<uint16_t>(std::min<uint32_t>(motion_cost(0, lambda, vector(i)) / 16, UINT16_MAX));
    }
    const int range = parameters_.range;
    parallel_ranges(threads_, rows_ + 2 * range - 7, 16, [&](int begin, int end) {  // to the last square
      for (int row = begin - range; row < end - range; ++row) {
        const Columns near = searched_near(row, range);
        if (near.begin < near.end)
          sum_squares_row(planes, blocks_.log2_block, row, near.begin, near.end, sums_origin());
      }
    });
  }

  HalfSamples interpolate(const SearchPlanes& planes) {
    const int margin = std::min(parameters_.reach(), largest_found() + passes_reach()) + 1;
    const HalfSamples halves = this->halves();
    parallel_ranges(threads_, rows_ + 2 * margin, 16, [&](int begin, int end) {
      for (int row = begin - margin; row < end - margin; ++row) {
        const Columns near = searched_near(row, margin);
        if (near.begin < near.end) fill_half_rows(planes, halves, row, near.begin, near.end);
      }
    });
    return halves;
  }

  /// Reach of the passes in whole samples: each pass takes vectors from neighbours; its fractional steps add
  /// less than one sample.
  int passes_reach() const { return static_cast<int>(passes_.blocks.size() + passes_.cells.size()); }
  /// Largest vector coordinate that the search found, in whole samples.
  int largest_found() const {
    int most = 0;
    for (const MotionVector& v : std::span(field_).first(blocks_.size()))
      most = std::max({most, std::abs(v.y), std::abs(v.x)});
    return most / kVectorUnit;
  }

  struct Columns {
    int begin, end;
  };
  /// Columns of a row within `margin` samples of searched blocks.
  Columns searched_near(int row, int margin) const {
    const auto block_row = [&](int y) { return std::clamp(y >> blocks_.log2_block, 0, blocks_.rows - 1); };
    Columns blocks{blocks_.cols, 0};
    for (int r = block_row(row - margin); r <= block_row(row + margin); ++r) {
      const Columns& of_row = searched_[static_cast<size_t>(r)];
      blocks = {std::min(blocks.begin, of_row.begin), std::max(blocks.end, of_row.end)};
    }
    if (blocks.begin >= blocks.end) return {};
    return {(blocks.begin << blocks_.log2_block) - margin, (blocks.end << blocks_.log2_block) + margin};
  }

  bool is_still(const uint8_t* still, int block_row, int block_col) const {
    if (still == nullptr) return false;
    const MotionGrid& grid = parameters_.grid;
    const int cells = 1 << (blocks_.log2_block - grid.log2_block);
    for (int r = block_row * cells; r < std::min((block_row + 1) * cells, grid.rows); ++r) {
      for (int c = block_col * cells; c < std::min((block_col + 1) * cells, grid.cols); ++c) {
        if (still[static_cast<ptrdiff_t>(r) * grid.cols + c] == 0) return false;
      }
    }
    return true;
  }

  /// Copies the vectors of blocks to a finer grid of the same picture.
  void spread(const std::vector<MotionVector>& from, const MotionGrid& blocks, const MotionGrid& grid,
              MotionVector* vectors) const {
    const int shift = blocks.log2_block - grid.log2_block;
    parallel_ranges(threads_, grid.rows, 16, [&](int begin, int end) {
      for (int r = begin; r < end; ++r) {
        const MotionVector* in = from.data() + ptrdiff_t{r >> shift} * blocks.cols;
        MotionVector* out = vectors + ptrdiff_t{r} * grid.cols;
        for (int c = 0; c < grid.cols; ++c) out[c] = in[c >> shift];
      }
    });
  }

  struct Offset {
    int y, x;
  };
  /// Pads rows to an odd number of cache lines, so that a block's rows fall in different cache sets.
  static ptrdiff_t odd_lines(int cols) { return ceil_div(cols, kAlign) % 2 == 0 ? cols + kAlign : cols; }
  bool bounded() const { return parameters_.log2_block == 4 && BoundedCandidates::fit(4, parameters_.range); }
  size_t place_of(const Offset& o) const {
    return static_cast<size_t>((o.y + parameters_.range) * BoundedCandidates::kPitch + o.x +
                               parameters_.range);
  }
  uint16_t* sums_origin() { return sums_of_squares_.data() + border_rows() * reference_stride_ + border_; }
  uint8_t* reference_origin() const { return reference_ + border_rows() * reference_stride_ + border_; }
  int border_rows() const { return parameters_.reach() + kFieldReach; }
  int log2_cells() const { return parameters_.log2_block - kLog2Cell; }
  MotionVector vector(size_t i) const {
    return {static_cast<int16_t>(order_[i].y * kVectorUnit), static_cast<int16_t>(order_[i].x * kVectorUnit)};
  }

  HalfSamples halves() const {
    return {halves_ + 2 * (border_rows() * half_stride_ + border_), half_stride_};
  }
  SearchPlanes planes() const { return {current_, current_stride_, reference_origin(), reference_stride_}; }

  void copy(PlaneView<const Sample> current, PlaneView<const Sample> reference) {
    uint8_t* origin = reference_origin();
    const auto row_copy = [&](PlaneView<const Sample> plane, int r, int before, int cols, uint8_t* out) {
      const int n = std::min(plane.cols, cols);
      narrow_row(plane.row(std::clamp(r, 0, plane.rows - 1)), n, parameters_.depth_shift, out);
      std::fill(out - before, out, out[0]);
      std::fill(out + n, out + cols, out[n - 1]);
    };
    parallel_ranges(threads_, rows_ + 2 * border_rows(), 16, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const int r = i - border_rows();
        row_copy(reference, r, border_, cols_ + border_, origin + r * reference_stride_);
        if (r >= 0 && r < rows_) row_copy(current, r, 0, cols_, current_ + r * current_stride_);
      }
    });
  }

  const MotionParameters parameters_;
  const FieldPasses passes_;
  const MotionGrid blocks_;
  const int threads_;
  StageTimes& times_;
  const int rows_, cols_;  // rows: whole blocks; columns: whole SIMD vectors
  const int border_;       // columns on each side
  const ptrdiff_t current_stride_, reference_stride_, half_stride_;
  const int key_cols_;
  const int reference_rows_;
  uint32_t lambda_ = 0;
  PlaneView<const Sample> current_samples_, reference_samples_;  // for the next search
  AlignedBuffer<uint8_t> planes_;
  uint8_t* const current_;
  uint8_t* const reference_;
  uint8_t* const halves_;  // like reference_, HalfSamples
  std::vector<int64_t> keys_;
  std::vector<uint8_t> still_;                  // by block, in rows of key_cols_
  std::vector<Columns> searched_;               // by row, from the first to the last searched block
  std::vector<uint32_t> costs_;                 // by block, in sixteenths of SAD
  const MotionGrid cells_;                      // grid of cells of the blocks
  std::vector<MotionVector> field_, improved_;  // of blocks, then cells; before and after a pass
  std::vector<uint8_t> moved_before_, moved_;   // state that a pass leaves for the next (FieldRows)
  std::vector<uint32_t> sums_;
  std::vector<Offset> order_;
  std::vector<int64_t> window_;            // keys of order_, by position
  std::vector<uint16_t> sums_of_squares_;  // like reference_, if bounded()
  std::vector<uint16_t> vector_costs_;     // of BoundedCandidates
  std::optional<FarSearch> far_;
};

}  // namespace

Result<std::unique_ptr<MotionEstimator>> make_cpu_motion(const MotionParameters& parameters, int threads,
                                                         StageTimes& times) {
  if (!valid_motion(parameters)) {
    return Status(CTV_ERROR_ARGUMENT, "make_motion: block, range or sub-sample precision out of range");
  }
  try {
    return std::unique_ptr<MotionEstimator>(std::make_unique<CpuMotionEstimator>(parameters, threads, times));
  } catch (const std::bad_alloc&) {
    return Status(CTV_ERROR_MEMORY, "make_motion: out of memory");
  }
}

}  // namespace ctv
