// SPDX-License-Identifier: BSD-3-Clause
// Motion estimator. It owns the 8-bit copies of luma, and the costs that the search leaves for the passes
// over the field.
#include "cuda/motion/estimator.hpp"

#include <span>
#include <utility>

#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/far_search.hpp"
#include "cuda/motion/search.hpp"
#include "cuda/motion/skip.hpp"

namespace ctv::cuda {
namespace {

constexpr int kAlign = 16;  // in bytes

// Requires that squares are the last step over a grid, since they write the vectors of the next grid, and
// that they follow a pass with SATD, since they reuse its distortions.
constexpr bool squares_come_last() {
  const auto last = [](std::span<const FieldPass> passes) {
    for (size_t i = 0; i < passes.size(); ++i) {
      if (passes[i].squares && (i + 1 < passes.size() || passes[i].sad_row_step != 0)) return false;
    }
    return true;
  };
  for (const FieldPasses& passes : kFieldPasses) {
    if (!last(passes.blocks) || !last(passes.cells)) return false;
  }
  return true;
}
static_assert(squares_come_last());

class CudaMotionEstimator final : public MotionEstimator {
 public:
  CudaMotionEstimator(std::shared_ptr<Device> device, const MotionParameters& parameters)
      : device_(std::move(device)),
        parameters_(parameters),
        blocks_(parameters.blocks_of(parameters.log2_block)),
        cells_{kLog2Cell, blocks_.rows << (blocks_.log2_block - kLog2Cell),
               blocks_.cols << (blocks_.log2_block - kLog2Cell)} {}

  Status initialise() {
    Device& d = *device_;
    planes_.rows = blocks_.rows << blocks_.log2_block;
    planes_.cols = blocks_.cols << blocks_.log2_block;
    planes_.border = round_up(parameters_.reach() + kSearchReach, kAlign);
    planes_.current_stride = round_up(planes_.cols, kAlign);
    planes_.reference_stride = round_up(planes_.cols + 2 * planes_.border, kAlign);
    const auto size = [](int rows, int stride) {
      return static_cast<size_t>(rows) * static_cast<size_t>(stride);
    };
    CTV_RETURN_IF_ERROR(current_.allocate(d, size(planes_.rows, planes_.current_stride)));
    CTV_RETURN_IF_ERROR(
        reference_.allocate(d, size(planes_.rows + 2 * planes_.border, planes_.reference_stride)));
    CTV_RETURN_IF_ERROR(costs_.allocate(d, blocks_.size()));
    const size_t vectors = parameters_.split != 0 ? cells_.size() : blocks_.size();
    CTV_RETURN_IF_ERROR(field_.allocate(d, vectors));
    CTV_RETURN_IF_ERROR(improved_.allocate(d, vectors));
    planes_.current = current_.data();
    planes_.reference = reference_.data() + size(planes_.border, planes_.reference_stride) + planes_.border;
    halves_ = half_planes(planes_);
    CTV_RETURN_IF_ERROR(half_samples_.allocate(d, 4 * static_cast<size_t>(halves_.size())));
    halves_.samples = half_samples_.data();
    if (far()) CTV_RETURN_IF_ERROR(far_.initialise(d, blocks_, parameters_.far_range));
    return {};
  }

  Status read_reference(PlaneView<const Sample> reference) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    {
      const StageMark mark(d, Stage::kMotionSearch);
      CTV_RETURN_IF_ERROR(fill_reference(d, reference, parameters_.depth_shift, planes_, far_.quarters()));
    }
    const StageMark mark(d, Stage::kMotionRefine);
    return fill_half_planes(d, planes_, halves_);
  }

  Status read_current(PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const StageMark mark(d, Stage::kMotionSearch);
    return fill_current(d, bytes, samples, parameters_.depth_shift, planes_, far_.quarters());
  }

  // Starts the search before still cells are known; find() excludes these.
  Status prepare(uint32_t lambda) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    lambda_ = lambda;
    const StageMark mark(d, Stage::kMotionSearch);
    return search();
  }

  Status find(const uint8_t* still, MotionVector* vectors) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const StageMark mark(d, Stage::kMotionRefine);
    if (still != nullptr) {
      const StillCells cells{still, parameters_.grid.rows, parameters_.grid.cols,
                             blocks_.log2_block - parameters_.grid.log2_block};
      CTV_RETURN_IF_ERROR(leave_out_still(d, blocks_, cells, field_.data(), costs_.data()));
    }
    MotionVector* field = field_.data();
    MotionVector* other = improved_.data();
    // Passes over a grid: from `field` to a finer grid in `other`, or to `result`.
    const auto improve = [&](const MotionGrid& grid, std::span<const FieldPass> passes,
                             const MotionGrid& finer, MotionVector* result) -> Status {
      const bool squares = passes.back().squares && grid.log2_block < kLog2LargestSquare;
      size_t left = passes.size() + (squares ? 1 : 0);  // kernels to launch
      const auto next = [&](auto* kernel, const FieldWork& work) -> Status {
        const bool last = --left == 0;
        CTV_RETURN_IF_ERROR(kernel(d, planes_, halves_, work, field, costs_.data(), last ? finer : grid,
                                   last && result != nullptr ? result : other));
        std::swap(field, other);
        return {};
      };
      for (const FieldPass& pass : passes) {
        const FieldWork work{grid,   blocks_, pass, kVectorUnit >> parameters_.subpel, parameters_.reach(),
                             lambda_};
        CTV_RETURN_IF_ERROR(next(improve_field, work));
        if (squares && left == 1) CTV_RETURN_IF_ERROR(next(unite_squares, work));
      }
      return {};
    };
    const FieldPasses& passes = field_passes(parameters_.effort);
    if (parameters_.split == 0) return improve(blocks_, passes.blocks, parameters_.grid, vectors);
    CTV_RETURN_IF_ERROR(improve(blocks_, passes.blocks, cells_, nullptr));
    return improve(cells_, passes.cells, parameters_.grid, vectors);
  }

  Status decide_skips(const SkipPlanes& planes, uint32_t base_step, const uint8_t* still,
                      const SideInfo& side) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const StageMark mark(d, Stage::kSkip);
    return cuda::decide_skips(d, planes, planes_, halves_, parameters_.grid, base_step, still, side);
  }

 private:
  bool far() const { return parameters_.far_range > 0; }
  Status search() {
    Device& d = *device_;
    const int range = parameters_.range;
    if (!far() || range > 0) {
      CTV_RETURN_IF_ERROR(
          search_blocks(d, planes_, blocks_, range, kVectorUnit, lambda_, field_.data(), costs_.data()));
    }
    if (!far()) return {};
    CTV_RETURN_IF_ERROR(far_.search(d, lambda_));
    return far_.improve(d, planes_, range, lambda_, field_.data(), costs_.data());
  }

  std::shared_ptr<Device> device_;
  const MotionParameters parameters_;
  const MotionGrid blocks_;
  const MotionGrid cells_;  // grid of cells of the blocks
  uint32_t lambda_ = 0;
  SearchPlanes planes_;
  HalfPlanes halves_;
  FarSearch far_;
  DeviceArray<uint8_t> current_, reference_;
  DeviceArray<uint32_t> half_samples_;
  DeviceArray<uint32_t> costs_;                 // by block
  DeviceArray<MotionVector> field_, improved_;  // of blocks, then cells
};

}  // namespace

Result<std::unique_ptr<MotionEstimator>> make_motion_estimator(std::shared_ptr<Device> device,
                                                               const MotionParameters& parameters) {
  if (!valid_motion(parameters)) {
    return {CTV_ERROR_ARGUMENT, "make_motion: block, range or sub-sample precision out of range"};
  }
  auto estimator = std::make_unique<CudaMotionEstimator>(std::move(device), parameters);
  CTV_RETURN_IF_ERROR(estimator->initialise());
  return std::unique_ptr<MotionEstimator>(std::move(estimator));
}

}  // namespace ctv::cuda
