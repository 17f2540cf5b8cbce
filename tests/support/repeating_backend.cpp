// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/repeating_backend.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "codec/backends.hpp"
#include "cpu/cpu_backend.hpp"

namespace ctv::test {
namespace {

std::atomic<long> repeated_frames{0};

using Quantisers = std::vector<SubbandQuantiser>;

/// Makes calls and, between begin() and end(), keeps them. Arguments must be kept by value.
class Recorder {
 public:
  using Call = std::function<Status()>;

  Status make(Call call) {
    const Status status = call();
    if (recording_ != nullptr) recording_->calls.push_back(std::move(call));
    return status;
  }
  void forget() { frames_.clear(); }
  bool begin(const FrameCalls& calls) {
    recording_ = nullptr;
    repeated_ = nullptr;
    if (!calls.repeatable) return false;
    const auto equal = std::ranges::find(frames_, calls, &Frame::of);
    if (equal != frames_.end()) {
      repeated_ = &*equal;
      return true;
    }
    recording_ = &frames_.emplace_back(Frame{calls});
    return false;
  }
  Status end() {
    recording_ = nullptr;
    if (repeated_ == nullptr) return {};
    ++repeated_frames;
    for (const Call& call : std::exchange(repeated_, nullptr)->calls) CTV_RETURN_IF_ERROR(call());
    return {};
  }

 private:
  struct Frame {
    FrameCalls of;
    std::vector<Call> calls = {};
  };
  std::vector<Frame> frames_;
  Frame *recording_ = nullptr, *repeated_ = nullptr;
};

class Pictures final : public PictureTransfer {
 public:
  Pictures(Recorder& recorder, std::unique_ptr<PictureTransfer> inner)
      : recorder_(recorder), inner_(std::move(inner)) {}
  Status upload(const ctv_picture& picture) override { return inner_->upload(picture); }
  Status place(const Planes& planes) override {
    return recorder_.make([this, planes] { return inner_->place(planes); });
  }
  Status begin_export(int reduction, ctv_format format, ctv_memory memory) override {
    return recorder_.make([=, this] { return inner_->begin_export(reduction, format, memory); });
  }
  Status export_plane(int p, PlaneView<const Sample> plane) override {
    return recorder_.make([=, this] { return inner_->export_plane(p, plane); });
  }
  Status export_planes(const ConstPlanes& planes) override {
    return recorder_.make([=, this] { return inner_->export_planes(planes); });
  }
  Status end_export() override {
    return recorder_.make([this] { return inner_->end_export(); });
  }
  Status finish(ctv_picture& picture) override { return inner_->finish(picture); }

 private:
  Recorder& recorder_;
  std::unique_ptr<PictureTransfer> inner_;
};

class Levels final : public LevelTransfer {
 public:
  Levels(Recorder& recorder, std::unique_ptr<LevelTransfer> inner)
      : recorder_(recorder), inner_(std::move(inner)) {}
  CodedFrame downloaded() const override { return inner_->downloaded(); }
  CodedFrameBuffers upload_buffers() override { return inner_->upload_buffers(); }
  Status download_side(const ConstSideInfo& side) override {
    return recorder_.make([=, this] { return inner_->download_side(side); });
  }
  Status download(const std::array<const Level*, 3>& levels) override {
    return recorder_.make([=, this] { return inner_->download(levels); });
  }
  Status download_changes() override {
    return recorder_.make([this] { return inner_->download_changes(); });
  }
  Status upload(FrameType type) override { return inner_->upload(type); }
  ConstSideInfo uploaded_side() const override { return inner_->uploaded_side(); }
  const Level* uploaded(size_t plane) const override { return inner_->uploaded(plane); }
  Status await_side() override {
    return recorder_.make([this] { return inner_->await_side(); });
  }
  Status await_levels() override {
    return recorder_.make([this] { return inner_->await_levels(); });
  }
  bool staged() const override { return true; }  // as a device
  bool codes(size_t component) const override { return inner_->codes(component); }
  Status finish_side() override { return inner_->finish_side(); }
  Status finish_levels() override { return inner_->finish_levels(); }
  Status finish() override { return inner_->finish(); }

 private:
  Recorder& recorder_;
  std::unique_ptr<LevelTransfer> inner_;
};

class Meter final : public DistortionMeter {
 public:
  Meter(Recorder& recorder, std::unique_ptr<DistortionMeter> inner)
      : recorder_(recorder), inner_(std::move(inner)) {}
  Status measure(PlaneView<const Sample> a, PlaneView<const Sample> b) override {
    return recorder_.make([=, this] { return inner_->measure(a, b); });
  }
  Status finish(uint64_t& sum) override { return inner_->finish(sum); }

 private:
  Recorder& recorder_;
  std::unique_ptr<DistortionMeter> inner_;
};

class Transform final : public TransformCoder {
 public:
  Transform(Recorder& recorder, std::unique_ptr<TransformCoder> inner)
      : recorder_(recorder), inner_(std::move(inner)) {}
  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 std::span<const SubbandQuantiser> quantisers, Level* levels, const int8_t* slopes,
                 const SkippedCells& skipped) override {
    return recorder_.make([=, this, q = Quantisers(quantisers.begin(), quantisers.end())] {
      return inner_->forward(samples, prediction, dc_offset, q, levels, slopes, skipped);
    });
  }
  Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                 PlaneView<Sample> samples, const int8_t* slopes, const SkippedCells& skipped) override {
    return recorder_.make([=, this, q = Quantisers(quantisers.begin(), quantisers.end())] {
      return inner_->inverse(levels, q, prediction, dc_offset, range, reduction, samples, slopes, skipped);
    });
  }

 private:
  Recorder& recorder_;
  std::unique_ptr<TransformCoder> inner_;
};

class Slopes final : public SlopeEstimator {
 public:
  Slopes(Recorder& recorder, std::unique_ptr<SlopeEstimator> inner)
      : recorder_(recorder), inner_(std::move(inner)) {}
  Status search(PlaneView<const Sample> samples, int dc_offset, std::span<const SubbandQuantiser> quantisers,
                int8_t* slopes) override {
    return recorder_.make([=, this, q = Quantisers(quantisers.begin(), quantisers.end())] {
      return inner_->search(samples, dc_offset, q, slopes);
    });
  }

 private:
  Recorder& recorder_;
  std::unique_ptr<SlopeEstimator> inner_;
};

class Motion final : public MotionEstimator {
 public:
  Motion(Recorder& recorder, std::unique_ptr<MotionEstimator> inner)
      : recorder_(recorder), inner_(std::move(inner)) {}
  Status read_reference(PlaneView<const Sample> reference) override {
    return recorder_.make([=, this] { return inner_->read_reference(reference); });
  }
  Status read_current(PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples) override {
    return recorder_.make([=, this] { return inner_->read_current(bytes, samples); });
  }
  Status prepare(uint32_t lambda) override {
    return recorder_.make([=, this] { return inner_->prepare(lambda); });
  }
  Status find(const uint8_t* still, MotionVector* vectors) override {
    return recorder_.make([=, this] { return inner_->find(still, vectors); });
  }
  Status decide_skips(const SkipPlanes& planes, uint32_t base_step, const uint8_t* still,
                      const SideInfo& side) override {
    return recorder_.make([=, this] { return inner_->decide_skips(planes, base_step, still, side); });
  }

 private:
  Recorder& recorder_;
  std::unique_ptr<MotionEstimator> inner_;
};

class StandIn final : public Backend {
 public:
  explicit StandIn(int threads) : inner_(make_cpu_backend(threads)) {}
  std::string description() const override { return "stand-in device"; }
  ctv_backend kind() const override { return CTV_BACKEND_CUDA; }
  void begin_stream(int frames_in_flight) override {
    recorder_.forget();
    inner_->begin_stream(frames_in_flight);
  }
  Result<Memory> allocate(size_t bytes) override { return inner_->allocate(bytes); }
  Status copy(void* destination, const void* source, size_t bytes) override {
    return recorder_.make([=, this] { return inner_->copy(destination, source, bytes); });
  }
  Status upload(void* destination, const void* source, size_t bytes) override {
    return inner_->upload(destination, source, bytes);
  }
  Status download(void* destination, const void* source, size_t bytes) override {
    return inner_->download(destination, source, bytes);
  }
  Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(const PictureLayout& layout) override {
    return wrap<Pictures, PictureTransfer>(inner_->make_picture_transfer(layout));
  }
  Result<std::unique_ptr<LevelTransfer>> make_level_transfer(const PictureLayout& layout,
                                                             const MotionGrid& grid,
                                                             const CodingPlan& plan) override {
    return wrap<Levels, LevelTransfer>(inner_->make_level_transfer(layout, grid, plan));
  }
  Result<std::unique_ptr<TransformCoder>> make_transform(const SubbandLayout& layout,
                                                         Engine engine) override {
    return wrap<Transform, TransformCoder>(inner_->make_transform(layout, engine));
  }
  Result<std::unique_ptr<SlopeEstimator>> make_slopes(const SubbandLayout& luma) override {
    return wrap<Slopes, SlopeEstimator>(inner_->make_slopes(luma));
  }
  Result<std::unique_ptr<MotionEstimator>> make_motion(const MotionParameters& parameters,
                                                       Extent extent) override {
    return wrap<Motion, MotionEstimator>(inner_->make_motion(parameters, extent));
  }
  Result<std::unique_ptr<DistortionMeter>> make_distortion_meter() override {
    return wrap<Meter, DistortionMeter>(inner_->make_distortion_meter());
  }
  Status find_still(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    uint8_t* still) override {
    return recorder_.make([=, this] { return inner_->find_still(planes, grid, base_step, still); });
  }
  Status find_close(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const MotionVector* vectors, const uint8_t* still, uint8_t* close) override {
    return recorder_.make(
        [=, this] { return inner_->find_close(planes, grid, base_step, vectors, still, close); });
  }
  Status unite_skips(PlaneView<const Sample> source, PlaneView<const Sample> reference,
                     const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                     const SideInfo& side) override {
    return recorder_.make(
        [=, this] { return inner_->unite_skips(source, reference, grid, base_step, vectors, side); });
  }
  Status compensate(PlaneView<const Sample> reference, const ConstSideInfo& side,
                    const CompensationGeometry& geometry, PlaneView<Sample> prediction) override {
    return recorder_.make([=, this] { return inner_->compensate(reference, side, geometry, prediction); });
  }
  Status filter_changes(std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                        int64_t* changes) override {
    return recorder_.make([=, this, copies = std::vector(planes.begin(), planes.end())] {
      return inner_->filter_changes(copies, skips, changes);
    });
  }
  Status filter(PlaneView<Sample> from, const LoopFilter& filter, const FilteredCells& cells,
                PlaneView<Sample> to) override {
    return recorder_.make([=, this] { return inner_->filter(from, filter, cells, to); });
  }
  bool filters_in_place() const override { return inner_->filters_in_place(); }
  Status quantise(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers, FrameType type,
                  const Coefficient* coefficients, Level* levels) override {
    return recorder_.make([=, this, on = &layout, q = Quantisers(quantisers.begin(), quantisers.end())] {
      return inner_->quantise(*on, q, type, coefficients, levels);
    });
  }
  Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                           const MotionVector* vectors, const Level* levels, const Level* previous,
                           Level* residual) override {
    return recorder_.make([=, this, on = &layout] {
      return inner_->subtract_subbands(*on, chroma, grid, vectors, levels, previous, residual);
    });
  }
  Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                      const MotionVector* vectors, const Level* residual, const Level* previous, int layers,
                      Level* levels) override {
    return recorder_.make([=, this, on = &layout] {
      return inner_->add_subbands(*on, chroma, grid, vectors, residual, previous, layers, levels);
    });
  }
  Result<bool> begin_frame(const FrameCalls& calls) override { return recorder_.begin(calls); }
  Status end_frame() override { return recorder_.end(); }
  Status synchronize() override { return inner_->synchronize(); }

 private:
  template <typename Wrapper, typename T>
  Result<std::unique_ptr<T>> wrap(Result<std::unique_ptr<T>> inner) {
    if (!inner.ok()) return inner;
    return std::unique_ptr<T>(std::make_unique<Wrapper>(recorder_, std::move(*inner)));
  }

  Recorder recorder_;
  std::unique_ptr<Backend> inner_;
};

}  // namespace

DeviceThatRepeats::DeviceThatRepeats() {
  repeated_frames = 0;
  replace_cuda_for_tests([](int, int threads) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<StandIn>(threads));
  });
}

DeviceThatRepeats::~DeviceThatRepeats() { replace_cuda_for_tests(nullptr); }

long DeviceThatRepeats::repeated() { return repeated_frames; }

}  // namespace ctv::test
