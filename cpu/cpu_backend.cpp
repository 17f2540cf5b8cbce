// SPDX-License-Identifier: BSD-3-Clause
// The CPU backend: forwards each call to its stage's file and measures the time. Work is complete when a call
// returns.
#include "cpu/cpu_backend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "codec/util/parallel.hpp"
#include "codec/util/threads.hpp"
#include "cpu/motion/compensate.hpp"
#include "cpu/motion/search.hpp"
#include "cpu/motion/skip.hpp"
#include "cpu/picture/colour.hpp"
#include "cpu/picture/loop_filter.hpp"
#include "cpu/picture/squared_error.hpp"
#include "cpu/residual/residual_coder.hpp"
#include "cpu/runtime/huge_pages.hpp"
#include "cpu/transform/rdoq.hpp"
#include "cpu/transform/slope_estimator.hpp"
#include "cpu/transform/subband_prediction.hpp"
#include "cpu/transform/transform_coder.hpp"

namespace ctv {
namespace {

constexpr size_t kAlign = 64;

/// Measures the time of a transform.
class TimedTransform final : public TransformCoder {
 public:
  TimedTransform(std::unique_ptr<TransformCoder> inner, StageTimes& times)
      : inner_(std::move(inner)), times_(times) {}

  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 std::span<const SubbandQuantiser> quantisers, Level* levels, const int8_t* slopes,
                 const SkippedCells& skipped) override {
    StageTimer timer(times_, Stage::kForward);
    return inner_->forward(samples, prediction, dc_offset, quantisers, levels, slopes, skipped);
  }
  Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                 PlaneView<Sample> samples, const int8_t* slopes, const SkippedCells& skipped) override {
    StageTimer timer(times_, Stage::kInverse);
    return inner_->inverse(levels, quantisers, prediction, dc_offset, range, reduction, samples, slopes,
                           skipped);
  }

 private:
  std::unique_ptr<TransformCoder> inner_;
  StageTimes& times_;
};

/// Holds the sum until finish().
class CpuDistortionMeter final : public DistortionMeter {
 public:
  CpuDistortionMeter(int threads, StageTimes& times) : threads_(threads), times_(times) {}

  Status measure(PlaneView<const Sample> a, PlaneView<const Sample> b) override {
    StageTimer timer(times_, Stage::kError);
    sum_ = squared_error(threads_, a, b);
    return {};
  }
  Status finish(uint64_t& sum) override {
    sum = sum_;
    return {};
  }

 private:
  const int threads_;
  StageTimes& times_;
  uint64_t sum_ = 0;
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : threads_(threads) {}

  std::string description() const override {
    return std::string("cpu: ") + simd_name() + ", " + std::to_string(threads_) +
           (threads_ == 1 ? " thread" : " threads");
  }
  ctv_backend kind() const override { return CTV_BACKEND_CPU; }

  void begin_stream(int) override {}

  Result<Memory> allocate(size_t bytes) override {
    if (bytes > SIZE_MAX - kAlign) return Status(CTV_ERROR_MEMORY, "allocate: out of memory");
    Held held;
    CTV_RETURN_IF_ERROR(held.resize(bytes));
    void* data = ::operator new (bytes, std::align_val_t{kAlign}, std::nothrow);
    if (data == nullptr) return Status(CTV_ERROR_MEMORY, "allocate: out of memory");
    prefer_huge_pages(data, bytes);
    return Memory(
        data, bytes, [](void* p) { ::operator delete (p, std::align_val_t{kAlign}); }, std::move(held));
  }

  Status copy(void* destination, const void* source, size_t bytes) override {
    if (bytes > 0) std::memcpy(destination, source, bytes);
    return {};
  }
  Status upload(void* destination, const void* source, size_t bytes) override {
    return copy(destination, source, bytes);
  }
  Status download(void* destination, const void* source, size_t bytes) override {
    return copy(destination, source, bytes);
  }

  Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(const PictureLayout& layout) override {
    return make_cpu_picture_transfer(layout, threads_, stage_times_);
  }
  // No copy is needed: the symbol coder reads the levels in place.
  Result<std::unique_ptr<LevelTransfer>> make_level_transfer(const PictureLayout& layout,
                                                             const MotionGrid& grid,
                                                             const CodingPlan&) override {
    return make_cpu_level_transfer(layout, grid);
  }
  Result<std::unique_ptr<TransformCoder>> make_transform(const SubbandLayout& layout,
                                                         Engine engine) override {
    CTV_RETURN_IF_ERROR(check_engine(engine));
    CTV_ASSIGN_OR_RETURN(std::unique_ptr<TransformCoder> inner, make_cpu_transform(layout, threads_));
    return std::unique_ptr<TransformCoder>(std::make_unique<TimedTransform>(std::move(inner), stage_times_));
  }
  Result<std::unique_ptr<ResidualCoder>> make_residual(const MacroblockGrid&) override {
    return make_cpu_residual(threads_, stage_times_);
  }
  Result<std::unique_ptr<SlopeEstimator>> make_slopes(const SubbandLayout& luma) override {
    return make_cpu_slopes(luma, threads_, stage_times_);
  }
  Result<std::unique_ptr<MotionEstimator>> make_motion(const MotionParameters& parameters, Extent) override {
    return make_cpu_motion(parameters, threads_, stage_times_);
  }
  Result<std::unique_ptr<DistortionMeter>> make_distortion_meter() override {
    return std::unique_ptr<DistortionMeter>(std::make_unique<CpuDistortionMeter>(threads_, stage_times_));
  }

  Status find_still(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    uint8_t* still) override {
    StageTimer timer(stage_times_, Stage::kSkip);
    ctv::find_still(threads_, planes, grid, base_step, still);
    return {};
  }
  Status skip_by_ssd(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                     const MotionVector* vectors, const uint8_t* still, uint8_t* close) override {
    StageTimer timer(stage_times_, Stage::kSkip);
    ctv::skip_by_ssd(threads_, planes, grid, base_step, vectors, still, close);
    return {};
  }
  Status merge_skip_vectors(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                            const MotionVector* vectors, const SideInfo& side) override {
    StageTimer timer(stage_times_, Stage::kSkip);
    ctv::merge_skip_vectors(threads_, planes, grid, base_step, vectors, side);
    return {};
  }
  Status skip_still_only(const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips) override {
    StageTimer timer(stage_times_, Stage::kSkip);
    ctv::skip_still_only(grid, vectors, skips);
    return {};
  }
  Status compensate(PlaneView<const Sample> reference, const ConstSideInfo& side,
                    const CompensationGeometry& geometry, PlaneView<Sample> prediction) override {
    StageTimer timer(stage_times_, Stage::kCompensate);
    compensate_plane(threads_, reference, side, geometry, prediction);
    return {};
  }

  Status filter_changes(std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                        int64_t* changes) override {
    StageTimer timer(stage_times_, Stage::kFilter);
    ctv::filter_changes(threads_, planes, skips, changes);
    return {};
  }
  Status filter(PlaneView<Sample> from, const LoopFilter& filter, const FilteredCells& cells,
                PlaneView<Sample> to) override {
    StageTimer timer(stage_times_, Stage::kFilter);
    filter_plane(threads_, from, filter, cells, to);
    return {};
  }
  bool filters_in_place() const override { return true; }
  Status quantise(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers,
                  const Coefficient* coefficients, Level* levels) override {
    StageTimer timer(stage_times_, Stage::kQuantise);
    quantise_rdo_plane(threads_, layout, quantisers, coefficients, levels);
    return {};
  }
  Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                           const MotionVector* vectors, const Level* levels, const Level* previous,
                           Level* residual) override {
    StageTimer timer(stage_times_, Stage::kPredict);
    predict_subbands(Direction::kSubtract, threads_, layout, chroma, grid, vectors, levels, previous,
                     layout.layers, residual);
    return {};
  }
  Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                      const MotionVector* vectors, const Level* residual, const Level* previous, int layers,
                      Level* levels) override {
    StageTimer timer(stage_times_, Stage::kPredict);
    predict_subbands(Direction::kAdd, threads_, layout, chroma, grid, vectors, residual, previous, layers,
                     levels);
    return {};
  }

  Result<bool> begin_frame(const FrameCalls&) override { return false; }
  Status end_frame() override { return {}; }
  Status synchronize() override { return {}; }

 private:
  // Luma takes longest and comes first; the other planes use threads that its loops leave idle.
  Status work_on_planes(int planes, const std::function<Status(int)>& work,
                        const std::function<Status()>& beside) override {
    return side_by_side(beside ? planes + 1 : planes, [&](int i) { return i < planes ? work(i) : beside(); });
  }
  template <typename Work>
  Status side_by_side(int count, const Work& work) {
    std::array<Status, 4> results;
    parallel_nested(threads_, count,
                    [&](int i) { results[static_cast<size_t>(i)] = guarded([&] { return work(i); }); });
    for (Status& status : results) {
      if (!status.ok()) return std::move(status);
    }
    return {};
  }

  const int threads_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) {
  if (threads <= 0) threads = available_processors();
  return std::make_unique<CpuBackend>(std::clamp(threads, 1, 256));
}

}  // namespace ctv
