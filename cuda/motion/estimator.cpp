// SPDX-License-Identifier: BSD-3-Clause
// The motion estimator: owns the 8-bit copies of luma and the costs that search leaves for refinement.
#include "cuda/motion/estimator.hpp"

#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/search.hpp"

namespace ctv::cuda {
namespace {

constexpr int kAlign = 16;  // bytes

class CudaMotionEstimator final : public MotionEstimator {
 public:
  CudaMotionEstimator(std::shared_ptr<Device> device, const MotionParameters& parameters)
      : device_(std::move(device)),
        parameters_(parameters),
        blocks_(parameters.blocks_of(parameters.log2_block)) {}

  Status initialise() {
    Device& d = *device_;
    planes_.rows = blocks_.rows << blocks_.log2_block;
    planes_.cols = blocks_.cols << blocks_.log2_block;
    planes_.border = round_up(parameters_.range + kSearchReach, kAlign);
    planes_.current_stride = round_up(planes_.cols, kAlign);
    planes_.reference_stride = round_up(planes_.cols + 2 * planes_.border, kAlign);
    const auto size = [](int rows, int stride) {
      return static_cast<size_t>(rows) * static_cast<size_t>(stride);
    };
    CTV_RETURN_IF_ERROR(current_.allocate(d, size(planes_.rows, planes_.current_stride)));
    CTV_RETURN_IF_ERROR(
        reference_.allocate(d, size(planes_.rows + 2 * planes_.border, planes_.reference_stride)));
    CTV_RETURN_IF_ERROR(costs_.allocate(d, blocks_.size()));
    CTV_RETURN_IF_ERROR(blocks_a_.allocate(d, blocks_.size()));
    CTV_RETURN_IF_ERROR(blocks_b_.allocate(d, blocks_.size()));
    CTV_RETURN_IF_ERROR(quarters_.allocate(d, parameters_.split != 0 ? 4 * blocks_.size() : 0));
    planes_.current = current_.data();
    planes_.reference = reference_.data() + size(planes_.border, planes_.reference_stride) + planes_.border;
    return {};
  }

  Status search(PlaneView<const Sample> current, PlaneView<const Sample> reference, uint32_t lambda,
                const uint8_t* still, MotionVector* vectors) override {
    Device& d = *device_;
    const bool smooth = lambda != 0;  // otherwise the search decides alone
    const bool refine = parameters_.subpel > 0;
    const bool split = parameters_.split != 0;
    const bool spread = split || blocks_ != parameters_.grid;
    // The blocks' vectors after each pass. A pass reads neighbours, so it writes to another buffer; the last
    // one writes to `vectors` if they are of the same grid.
    MotionVector* last = spread ? nullptr : vectors;
    MotionVector* searched = last != nullptr && !smooth && !refine ? last : blocks_a_.data();
    MotionVector* smoothed = !smooth ? searched : (last != nullptr && !refine ? last : blocks_b_.data());
    MotionVector* refined = !refine           ? smoothed
                            : last != nullptr ? last
                            : smooth          ? blocks_a_.data()
                                              : blocks_b_.data();
    CTV_RETURN_IF_ERROR(d.enter());
    {
      const StageMark mark(d, Stage::kMotionSearch);
      CTV_RETURN_IF_ERROR(fill_search_planes(d, planes_, current, reference));
      const MotionGrid& grid = parameters_.grid;
      const StillCells cells{still, grid.rows, grid.cols, blocks_.log2_block - grid.log2_block};
      CTV_RETURN_IF_ERROR(
          search_blocks(d, planes_, blocks_, cells, parameters_.range, lambda, searched, costs_.data()));
    }
    if (!smooth && !refine && !spread) return {};
    const StageMark mark(d, Stage::kMotionRefine);
    if (smooth) {
      CTV_RETURN_IF_ERROR(smooth_blocks(d, planes_, blocks_, lambda, costs_.data(), searched, smoothed));
    }
    if (refine) {
      CTV_RETURN_IF_ERROR(
          refine_blocks(d, planes_, blocks_, parameters_.subpel, lambda, costs_.data(), smoothed, refined));
    }
    if (!spread) return {};
    if (!split) return spread_vectors(d, blocks_, refined, parameters_.grid, vectors);
    CTV_RETURN_IF_ERROR(split_blocks(d, planes_, blocks_, parameters_.subpel, lambda, costs_.data(), refined,
                                     quarters_.data()));
    const MotionGrid quarters{blocks_.log2_block - 1, 2 * blocks_.rows, 2 * blocks_.cols};
    return spread_vectors(d, quarters, quarters_.data(), parameters_.grid, vectors);
  }

 private:
  std::shared_ptr<Device> device_;
  const MotionParameters parameters_;
  const MotionGrid blocks_;
  SearchPlanes planes_;
  DeviceArray<uint8_t> current_, reference_;
  DeviceArray<uint32_t> costs_;
  DeviceArray<MotionVector> blocks_a_, blocks_b_;  // of each block, between passes
  DeviceArray<MotionVector> quarters_;             // with split, [2 blocks_.rows][2 blocks_.cols]
};

}  // namespace

Result<std::unique_ptr<MotionEstimator>> make_motion_estimator(std::shared_ptr<Device> device,
                                                               const MotionParameters& parameters) {
  if (parameters.grid.log2_block < 3 ||
      parameters.log2_block - parameters.split < parameters.grid.log2_block || parameters.log2_block > 5 ||
      parameters.range < 0 || parameters.range > kMaxSearchRange || parameters.subpel < 0 ||
      parameters.subpel > kMaxSubpel) {
    return {CTV_ERROR_ARGUMENT, "make_motion: block, range or sub-sample precision out of range"};
  }
  auto estimator = std::make_unique<CudaMotionEstimator>(std::move(device), parameters);
  CTV_RETURN_IF_ERROR(estimator->initialise());
  return std::unique_ptr<MotionEstimator>(std::move(estimator));
}

}  // namespace ctv::cuda
