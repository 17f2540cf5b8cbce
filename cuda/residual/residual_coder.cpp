// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/residual/residual_coder.hpp"

#include <algorithm>
#include <utility>

#include "cuda/residual/residual_kernels.hpp"

namespace ctv::cuda {
namespace {

class CudaResidualCoder final : public ResidualCoder {
 public:
  explicit CudaResidualCoder(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  Status encode(const ResidualFrame& frame, const ConstPlanes& source, const Planes& decoded,
                const ResidualArrays& coded) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kForward);
    EncodeWork work{};
    fill(frame, decoded, coded, work);
    for (size_t p = 0; p < source.size(); ++p) work.source[p] = source[p];
    work.chroma = residual_prices(frame.steps[1], true, frame.shift());
    const uint32_t least = masked_step(frame.steps[0], masks_of(frame.masking).least);
    work.quiet = residual_prices(least, false, frame.shift()).quiet;
    fill(work.tables);
    return encode_residual(*device_, work);
  }
  Status decode(const ResidualFrame& frame, const ResidualArrays& coded, const Planes& decoded) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kInverse);
    ResidualWork work{};
    fill(frame, decoded, coded, work);
    return decode_residual(*device_, work);
  }

 private:
  static void fill(const ResidualFrame& frame, const Planes& decoded, const ResidualArrays& coded,
                   ResidualWork& work) {
    work.grid = frame.grid;
    work.cells = frame.cells;
    work.skips = frame.skips;
    work.macroblocks = coded.macroblocks;
    work.masking = frame.masking;
    work.shift = frame.shift();
    for (size_t p = 0; p < decoded.size(); ++p) {
      work.decoded[p] = decoded[p];
      work.ranges[p] = frame.ranges[p];
      work.steps[p] = frame.steps[p];
      work.levels[p] = coded.levels[p];
    }
  }

  static void fill(QuantiserTables& tables) {
    for (int type = 0; type < kBlockTypes; ++type) {
      const auto block = static_cast<BlockType>(type);
      for (int diagonal = 0; diagonal < QuantiserTables::kDiagonals; ++diagonal) {
        const int frequency = frequency_class(quads_on_side(block), diagonal);
        tables.places[type][diagonal] =
            uint32_t{kResidualRounding[frequency]} | uint32_t{kLevelBits[type][frequency]} << 16;
      }
    }
    std::ranges::copy(kMagnitudeBits, tables.magnitudes);
  }

  std::shared_ptr<Device> device_;
};

}  // namespace

std::unique_ptr<ResidualCoder> make_residual_coder(std::shared_ptr<Device> device) {
  return std::make_unique<CudaResidualCoder>(std::move(device));
}

}  // namespace ctv::cuda
