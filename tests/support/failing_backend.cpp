// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/failing_backend.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include "codec/backends.hpp"
#include "codec/entropy/run_decoder.hpp"
#include "codec/pipeline/picture_copy.hpp"
#include "cpu/cpu_backend.hpp"

namespace ctv::test {
namespace {

std::atomic<long> call_count{0};
std::atomic<long> fail_at_call{0};
std::atomic<Failure> how{Failure::kForGood};

// Counts a call; from the fatal one on, all fail.
Status count_call() {
  const long call = ++call_count;
  const long fatal = fail_at_call;
  if (how == Failure::kMemoryOnce) {
    return call == fatal ? Status(CTV_ERROR_MEMORY, "stand-in device: out of memory") : Status();
  }
  if (fatal == 0 || call < fatal) return {};
  return {CTV_ERROR_DEVICE, "stand-in device: call " + std::to_string(fatal) + " failed"};
}

class Pictures final : public PictureTransfer {
 public:
  explicit Pictures(std::unique_ptr<PictureTransfer> inner) : inner_(std::move(inner)) {}
  Status upload(const ctv_picture& picture) override {
    if (picture.borrowed != 0) {
      borrowed_ = picture;
    } else {
      borrowed_.reset();
      copy_picture(picture, host_copy_);
    }
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->upload(*host_copy());
  }
  Status place(const Planes& planes) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->place(planes);
  }
  const ctv_picture* host_copy() const override {
    if (borrowed_) return &*borrowed_;
    return host_copy_.bytes.empty() ? nullptr : &host_copy_.picture;
  }
  Status keep() override {
    CTV_RETURN_IF_ERROR(count_call());
    copy_picture(*host_copy(), kept_);
    return {};
  }
  Status finish_keeping() override { return count_call(); }
  const ctv_picture* kept() const override { return kept_.bytes.empty() ? nullptr : &kept_.picture; }
  Status begin_export(int reduction, ctv_format format, ctv_memory memory) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->begin_export(reduction, format, memory);
  }
  Status export_plane(int p, PlaneView<const Sample> plane) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->export_plane(p, plane);
  }
  Status export_planes(const ConstPlanes& planes) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->export_planes(planes);
  }
  Status end_export() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->end_export();
  }
  Status finish(ctv_picture& picture) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->finish(picture);
  }

 private:
  std::unique_ptr<PictureTransfer> inner_;
  PictureCopy host_copy_, kept_;
  std::optional<ctv_picture> borrowed_;  // as a device that reads borrowed pictures itself
};

class Levels final : public LevelTransfer, private ComponentReceiver {
 public:
  Levels(std::unique_ptr<LevelTransfer> inner, const CodingPlan& plan) : inner_(std::move(inner)) {
    if (!plan.up) return;
    runs_ = plan.runs;
    for (const RunComponent& c : runs_) decoders_.emplace_back(c.ranges);
    bytes_.resize(runs_.size());
    room_.resize(runs_.size());
    sound_.assign(runs_.size(), 1);
  }
  CodedFrame downloaded() const override { return inner_->downloaded(); }
  CodedFrameBuffers upload_buffers() override {
    CodedFrameBuffers b = inner_->upload_buffers();
    levels_ = b.levels;
    if (!runs_.empty()) b.receiver = this;
    return b;
  }
  Status download_side(const ConstSideInfo& side) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->download_side(side);
  }
  Status download(const std::array<const Level*, 3>& levels) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->download(levels);
  }
  Status download_changes() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->download_changes();
  }
  Status upload(FrameType type) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->upload(type);
  }
  ConstSideInfo uploaded_side() const override { return inner_->uploaded_side(); }
  const Level* uploaded(size_t plane) const override { return inner_->uploaded(plane); }
  Status await_side() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->await_side();
  }
  Status await_levels() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->await_levels();
  }
  // As a backend that is beside the host, whatever the one inside is.
  bool staged() const override { return true; }
  bool codes(size_t component) const override { return inner_->codes(component); }
  Status finish_side() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->finish_side();
  }
  Status finish_levels() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->finish_levels();
  }
  Status finish() override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->finish();
  }

 private:
  Status start(bool key, size_t) override {
    key_ = key;
    for (auto& b : bytes_) b.clear();
    sound_.assign(runs_.size(), 1);
    return {};
  }
  uint8_t* room(size_t c, size_t bytes) override {
    room_[c].resize(bytes);
    return room_[c].data();
  }
  bool put(size_t c, std::span<const uint8_t>, std::span<const TilePiece>, bool) override {
    bytes_[c] = room_[c];
    return true;
  }
  Status send() override {
    for (size_t c = 0; c < runs_.size(); ++c) {
      sound_[c] = decoders_[c].decode(bytes_[c], !(runs_[c].lowpass && key_), levels_) ? 1 : 0;
    }
    return {};
  }
  Status run(bool) override { return {}; }
  Status wait() override { return {}; }
  bool sound(size_t c) const override { return sound_[c] != 0; }

  std::unique_ptr<LevelTransfer> inner_;
  std::vector<RunComponent> runs_;
  std::vector<RunDecoder> decoders_;
  std::vector<std::vector<uint8_t>> bytes_, room_;
  std::vector<char> sound_;
  std::array<Level*, 3> levels_{};
  bool key_ = false;
};

class Transform final : public TransformCoder {
 public:
  explicit Transform(std::unique_ptr<TransformCoder> inner) : inner_(std::move(inner)) {}
  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 std::span<const SubbandQuantiser> quantisers, Level* levels, const int8_t* slopes,
                 const SkippedCells& skipped) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->forward(samples, prediction, dc_offset, quantisers, levels, slopes, skipped);
  }
  Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                 PlaneView<Sample> samples, const int8_t* slopes, const SkippedCells& skipped) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->inverse(levels, quantisers, prediction, dc_offset, range, reduction, samples, slopes,
                           skipped);
  }

 private:
  std::unique_ptr<TransformCoder> inner_;
};

class Slopes final : public SlopeEstimator {
 public:
  explicit Slopes(std::unique_ptr<SlopeEstimator> inner) : inner_(std::move(inner)) {}
  Status search(PlaneView<const Sample> samples, int dc_offset, std::span<const SubbandQuantiser> quantisers,
                int8_t* slopes) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->search(samples, dc_offset, quantisers, slopes);
  }

 private:
  std::unique_ptr<SlopeEstimator> inner_;
};

class Motion final : public MotionEstimator {
 public:
  explicit Motion(std::unique_ptr<MotionEstimator> inner) : inner_(std::move(inner)) {}
  Status read_reference(PlaneView<const Sample> reference) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->read_reference(reference);
  }
  Status read_current(PlaneView<const uint8_t> bytes, PlaneView<const Sample> samples) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->read_current(bytes, samples);
  }
  Status prepare(uint32_t lambda) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->prepare(lambda);
  }
  Status find(const uint8_t* still, MotionVector* vectors) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->find(still, vectors);
  }
  Status decide_skips(const SkipPlanes& planes, uint32_t base_step, const uint8_t* still,
                      const SideInfo& side) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->decide_skips(planes, base_step, still, side);
  }

 private:
  std::unique_ptr<MotionEstimator> inner_;
};

class Meter final : public DistortionMeter {
 public:
  explicit Meter(std::unique_ptr<DistortionMeter> inner) : inner_(std::move(inner)) {}
  Status measure(PlaneView<const Sample> a, PlaneView<const Sample> b) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->measure(a, b);
  }
  Status finish(uint64_t& sum) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->finish(sum);
  }

 private:
  std::unique_ptr<DistortionMeter> inner_;
};

class StandIn final : public Backend {
 public:
  explicit StandIn(int threads) : inner_(make_cpu_backend(threads)) {}
  std::string description() const override { return "stand-in device"; }
  ctv_backend kind() const override { return CTV_BACKEND_CUDA; }
  void begin_stream(int frames_in_flight) override { inner_->begin_stream(frames_in_flight); }
  Result<Memory> allocate(size_t bytes) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->allocate(bytes);
  }
  Status copy(void* destination, const void* source, size_t bytes) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->copy(destination, source, bytes);
  }
  Status upload(void* destination, const void* source, size_t bytes) override {
    return copy(destination, source, bytes);
  }
  Status download(void* destination, const void* source, size_t bytes) override {
    return copy(destination, source, bytes);
  }
  Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(const PictureLayout& layout) override {
    CTV_ASSIGN_OR_RETURN(auto transfer, inner_->make_picture_transfer(layout));
    return std::unique_ptr<PictureTransfer>(std::make_unique<Pictures>(std::move(transfer)));
  }
  Result<std::unique_ptr<LevelTransfer>> make_level_transfer(const PictureLayout& layout,
                                                             const MotionGrid& grid,
                                                             const CodingPlan& plan) override {
    CTV_ASSIGN_OR_RETURN(auto transfer, inner_->make_level_transfer(layout, grid, plan));
    return std::unique_ptr<LevelTransfer>(std::make_unique<Levels>(std::move(transfer), plan));
  }
  Result<std::unique_ptr<TransformCoder>> make_transform(const SubbandLayout& layout,
                                                         Engine engine) override {
    CTV_ASSIGN_OR_RETURN(auto transform, inner_->make_transform(layout, engine));
    return std::unique_ptr<TransformCoder>(std::make_unique<Transform>(std::move(transform)));
  }
  Result<std::unique_ptr<SlopeEstimator>> make_slopes(const SubbandLayout& luma) override {
    CTV_ASSIGN_OR_RETURN(auto slopes, inner_->make_slopes(luma));
    return std::unique_ptr<SlopeEstimator>(std::make_unique<Slopes>(std::move(slopes)));
  }
  Result<std::unique_ptr<MotionEstimator>> make_motion(const MotionParameters& parameters,
                                                       Extent extent) override {
    CTV_ASSIGN_OR_RETURN(auto motion, inner_->make_motion(parameters, extent));
    return std::unique_ptr<MotionEstimator>(std::make_unique<Motion>(std::move(motion)));
  }
  Result<std::unique_ptr<DistortionMeter>> make_distortion_meter() override {
    CTV_ASSIGN_OR_RETURN(auto meter, inner_->make_distortion_meter());
    return std::unique_ptr<DistortionMeter>(std::make_unique<Meter>(std::move(meter)));
  }
  Status find_still(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    uint8_t* still) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->find_still(planes, grid, base_step, still);
  }
  Status find_close(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const MotionVector* vectors, const uint8_t* still, uint8_t* close) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->find_close(planes, grid, base_step, vectors, still, close);
  }
  Status unite_skips(PlaneView<const Sample> source, PlaneView<const Sample> reference,
                     const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                     const SideInfo& side) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->unite_skips(source, reference, grid, base_step, vectors, side);
  }
  Status compensate(PlaneView<const Sample> reference, const ConstSideInfo& side,
                    const CompensationGeometry& geometry, PlaneView<Sample> prediction) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->compensate(reference, side, geometry, prediction);
  }
  Status filter_changes(std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                        int64_t* changes) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->filter_changes(planes, skips, changes);
  }
  Status filter(PlaneView<Sample> from, const LoopFilter& filter, const FilteredCells& cells,
                PlaneView<Sample> to) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->filter(from, filter, cells, to);
  }
  bool filters_in_place() const override { return inner_->filters_in_place(); }
  Status quantise(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers, FrameType type,
                  const Coefficient* coefficients, Level* levels) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->quantise(layout, quantisers, type, coefficients, levels);
  }
  Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                           const MotionVector* vectors, const Level* levels, const Level* previous,
                           Level* residual) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->subtract_subbands(layout, chroma, grid, vectors, levels, previous, residual);
  }
  Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                      const MotionVector* vectors, const Level* residual, const Level* previous, int layers,
                      Level* levels) override {
    CTV_RETURN_IF_ERROR(count_call());
    return inner_->add_subbands(layout, chroma, grid, vectors, residual, previous, layers, levels);
  }
  Result<bool> begin_frame(const FrameCalls& calls) override { return inner_->begin_frame(calls); }
  Status end_frame() override { return inner_->end_frame(); }
  Status synchronize() override { return inner_->synchronize(); }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace

DeviceThatFails::DeviceThatFails(long fail_at, Failure failure) {
  call_count = 0;
  how = failure;
  fail_at_call = fail_at;
  replace_cuda_for_tests([](int, int threads) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<StandIn>(threads));
  });
}

DeviceThatFails::~DeviceThatFails() {
  replace_cuda_for_tests(nullptr);
  fail_at_call = 0;
}

long DeviceThatFails::calls() { return call_count; }

}  // namespace ctv::test
