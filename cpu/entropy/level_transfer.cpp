// SPDX-License-Identifier: BSD-3-Clause
// Levels and vectors between stages and entropy coding, both in host memory. A download returns the addresses
// of the stages' arrays, which stay unchanged until the next one. Levels of an upload can be read where they
// are.
#include <algorithm>
#include <new>

#include "codec/format/slope_grid.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/cpu_backend.hpp"
#include "cpu/runtime/huge_pages.hpp"

namespace ctv {
namespace {

constexpr size_t kGrain = 1 << 16;  // levels per task

class CpuLevelTransfer final : public LevelTransfer {
 public:
  CpuLevelTransfer(const PictureLayout& layout, const MotionGrid& grid, int threads, StageTimes& times)
      : threads_(threads),
        times_(times),
        vector_count_(grid.size()),
        root_count_(grid.roots()),
        slope_count_(make_slope_grid(layout.subbands[0]).size()) {
    size_t count = 0;
    for (size_t p = 0; p < static_cast<size_t>(layout.planes); ++p) {
      counts_[p] = layout.subbands[p].num_coefficients;
      count += counts_[p];
    }
    memory_ = std::make_unique_for_overwrite<Level[]>(count);
    prefer_huge_pages(memory_.get(), count * sizeof(Level));
    levels_[0] = memory_.get();
    for (size_t p = 1; p < levels_.size(); ++p) levels_[p] = levels_[p - 1] + counts_[p - 1];
    vectors_ = std::make_unique_for_overwrite<MotionVector[]>(vector_count_);
    skips_ = std::make_unique_for_overwrite<uint8_t[]>(vector_count_);
    slopes_ = std::make_unique_for_overwrite<int8_t[]>(slope_count_);
    changes_ = std::make_unique<int64_t[]>(root_count_);
  }

  Status download_side(const ConstSideInfo& side) override {
    downloaded_.side = side;
    return {};
  }
  Status download(const std::array<const Level*, 3>& levels) override {
    StageTimer timer(times_, Stage::kDownload);
    downloaded_.levels = levels;
    return {};
  }
  CodedFrame downloaded() const override { return downloaded_; }

  CodedFrameBuffers upload_buffers() override {
    CodedFrameBuffers buffers;
    for (size_t p = 0; p < levels_.size(); ++p) buffers.levels[p] = levels_[p];
    buffers.side = {vectors_.get(), skips_.get(), slopes_.get(), changes_.get()};
    return buffers;
  }

  Status upload(FrameType) override { return {}; }

  const Level* uploaded(size_t plane) const override { return levels_[plane]; }

  Status place_side(const SideInfo& side) override {
    StageTimer timer(times_, Stage::kUpload);
    if (side.vectors != nullptr) std::copy_n(vectors_.get(), vector_count_, side.vectors);
    if (side.skips != nullptr) std::copy_n(skips_.get(), vector_count_, side.skips);
    if (side.slopes != nullptr) std::copy_n(slopes_.get(), slope_count_, side.slopes);
    if (side.changes != nullptr) std::copy_n(changes_.get(), root_count_, side.changes);
    return {};
  }

  Status place(size_t plane, Level* levels) override {
    StageTimer timer(times_, Stage::kUpload);
    copy(levels_[plane], counts_[plane], levels);
    return {};
  }

  Status finish() override { return {}; }

 private:
  void copy(const Level* from, size_t n, Level* to) const {
    if (n == 0 || to == nullptr) return;
    parallel_for(threads_, static_cast<int>((n + kGrain - 1) / kGrain), [&](int i) {
      const size_t first = static_cast<size_t>(i) * kGrain;
      std::copy_n(from + first, std::min(kGrain, n - first), to + first);
    });
  }

  const int threads_;
  StageTimes& times_;
  std::array<size_t, 3> counts_{};
  const size_t vector_count_, root_count_, slope_count_;
  // For uploads. Where only downloads happen these are never touched, so they take no physical memory.
  std::unique_ptr<Level[]> memory_;
  std::array<Level*, 3> levels_{};
  std::unique_ptr<MotionVector[]> vectors_;
  std::unique_ptr<uint8_t[]> skips_;
  std::unique_ptr<int8_t[]> slopes_;
  std::unique_ptr<int64_t[]> changes_;
  CodedFrame downloaded_;
};

}  // namespace

Result<std::unique_ptr<LevelTransfer>> make_cpu_level_transfer(const PictureLayout& layout,
                                                               const MotionGrid& grid, int threads,
                                                               StageTimes& times) {
  try {
    return std::unique_ptr<LevelTransfer>(std::make_unique<CpuLevelTransfer>(layout, grid, threads, times));
  } catch (const std::bad_alloc&) {
    return Status(CTV_ERROR_MEMORY, "make_level_transfer: out of memory");
  }
}

}  // namespace ctv
