// SPDX-License-Identifier: BSD-3-Clause
// A block transform of a plane: one launch per direction (block_rows.cu), with the frame's quantisers as
// arguments.
#include "cuda/transform/block_transform.hpp"

#include "cuda/transform/block_rows.hpp"

namespace ctv::cuda {
namespace {

using Quantisers = std::span<const SubbandQuantiser>;

class BlockCoder final : public TransformCoder {
 public:
  BlockCoder(std::shared_ptr<Device> device, const SubbandLayout& layout)
      : device_(std::move(device)), layout_(layout), plan_(make_block_plan(layout)) {}

  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 Quantisers quantisers, Level* levels, const int8_t*, const SkippedCells& skipped) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kForward);
    const PlaneSource source{samples.data,    static_cast<int>(samples.stride),
                             prediction.data, static_cast<int>(prediction.stride),
                             dc_offset,       0,
                             skipped};
    return forward_blocks(*device_, layout_.transform.kind, work_of(quantisers, 0), source, levels);
  }

  Status inverse(const Level* levels, Quantisers quantisers, PlaneView<const Sample> prediction,
                 int dc_offset, SampleRange range, int reduction, PlaneView<Sample> samples, const int8_t*,
                 const SkippedCells& skipped) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kInverse);
    const PlaneTarget target{samples.data,
                             static_cast<int>(samples.stride),
                             prediction.data,
                             static_cast<int>(prediction.stride),
                             dc_offset,
                             0,
                             1,
                             range.lo,
                             range.hi,
                             kUnitScale,
                             skipped};
    return inverse_blocks(*device_, layout_.transform.kind, work_of(quantisers, reduction), levels, reduction,
                          target);
  }

 private:
  BlockWork work_of(Quantisers quantisers, int reduction) const {
    const BlockQuantisers q = make_block_quantisers(layout_, plan_, quantisers);
    BlockWork work{layout_.padded.cols >> plan_.log2,
                   layout_.padded.rows >> plan_.log2,
                   plan_.dc_row_log2,
                   plan_.dc_col_log2,
                   {},
                   {},
                   {},
                   {}};
    for (size_t f = 0; f < kMaxBlockArea; ++f) {
      const Subband& s = layout_.subbands[plan_.subbands[f]];
      work.offsets[f] =
          s.layer < layout_.layers - reduction ? static_cast<uint32_t>(s.offset) : BlockWork::kMissing;
      work.quantisers[f] = q.of[f];
    }
    for (size_t f = 0; f < kMaxDcArea; ++f) {
      work.dc_offsets[f] = static_cast<uint32_t>(layout_.subbands[plan_.dc_subbands[f]].offset);
      work.dc_quantisers[f] = q.dc[f];
    }
    return work;
  }

  std::shared_ptr<Device> device_;
  SubbandLayout layout_;
  BlockPlan plan_;
};

}  // namespace

std::unique_ptr<TransformCoder> make_block_transform(std::shared_ptr<Device> device,
                                                     const SubbandLayout& layout) {
  return std::make_unique<BlockCoder>(std::move(device), layout);
}

}  // namespace ctv::cuda
