// SPDX-License-Identifier: BSD-3-Clause
// Levels and vectors between stages and entropy coding, both in host memory. A download returns the addresses
// of the stages' arrays, which stay unchanged until the next one. What is uploaded is read where it is.
#include <new>

#include "codec/format/slope_grid.hpp"
#include "codec/util/memory_budget.hpp"
#include "cpu/cpu_backend.hpp"
#include "cpu/runtime/huge_pages.hpp"

namespace ctv {
namespace {

class CpuLevelTransfer final : public LevelTransfer {
 public:
  CpuLevelTransfer(const PictureLayout& layout, const MotionGrid& grid) {
    size_t count = 0;
    std::array<size_t, 3> places{};
    for (size_t p = 0; p < static_cast<size_t>(layout.planes); ++p) {
      places[p] = count;
      count += layout.subbands[p].num_coefficients;
    }
    const size_t slopes = make_slope_grid(layout.subbands[0]).size();
    held_ = Held(count * sizeof(Level) + grid.size() * (sizeof(MotionVector) + sizeof(uint8_t)) + slopes +
                 grid.roots() * sizeof(int64_t) + make_macroblock_grid(layout).size() * sizeof(Macroblock));
    memory_ = std::make_unique_for_overwrite<Level[]>(count);
    prefer_huge_pages(memory_.get(), count * sizeof(Level));
    for (size_t p = 0; p < levels_.size(); ++p) levels_[p] = memory_.get() + places[p];
    vectors_ = std::make_unique_for_overwrite<MotionVector[]>(grid.size());
    skips_ = std::make_unique_for_overwrite<uint8_t[]>(grid.size());
    slopes_ = std::make_unique_for_overwrite<int8_t[]>(slopes);
    changes_ = std::make_unique<int64_t[]>(grid.roots());
    macroblocks_ = std::make_unique_for_overwrite<Macroblock[]>(make_macroblock_grid(layout).size());
  }

  Status download_side(const ConstSideInfo& side) override {
    downloaded_.side = side;
    return {};
  }
  Status download(const std::array<const Level*, 3>& levels) override {
    downloaded_.levels = levels;
    return {};
  }
  CodedFrame downloaded() const override { return downloaded_; }

  CodedFrameBuffers upload_buffers() override {
    CodedFrameBuffers buffers;
    buffers.levels = levels_;
    buffers.side = side();
    return buffers;
  }

  Status upload(FrameType) override { return {}; }

  ConstSideInfo uploaded_side() const override { return side(); }
  const Level* uploaded(size_t plane) const override { return levels_[plane]; }

  Status finish() override { return {}; }

 private:
  SideInfo side() const {
    return {vectors_.get(), skips_.get(), slopes_.get(), changes_.get(), macroblocks_.get()};
  }

  // For uploads. Where only downloads happen these are never touched, so they take no physical memory.
  Held held_;
  std::unique_ptr<Level[]> memory_;
  std::array<Level*, 3> levels_{};
  std::unique_ptr<MotionVector[]> vectors_;
  std::unique_ptr<uint8_t[]> skips_;
  std::unique_ptr<int8_t[]> slopes_;
  std::unique_ptr<int64_t[]> changes_;
  std::unique_ptr<Macroblock[]> macroblocks_;
  CodedFrame downloaded_;
};

}  // namespace

Result<std::unique_ptr<LevelTransfer>> make_cpu_level_transfer(const PictureLayout& layout,
                                                               const MotionGrid& grid) {
  try {
    return std::unique_ptr<LevelTransfer>(std::make_unique<CpuLevelTransfer>(layout, grid));
  } catch (const std::bad_alloc&) {
    return Status(CTV_ERROR_MEMORY, "make_level_transfer: out of memory");
  }
}

}  // namespace ctv
