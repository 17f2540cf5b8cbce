// SPDX-License-Identifier: BSD-3-Clause
// Levels and side information across the bus, beside the frame's kernels. Levels are coded and decoded here,
// and only their bytes travel; or they go through the copy engine (CudaTuning::entropy). With one frame in
// flight the vectors of a frame of runs are fetched by its own graph. A transfer's arrays stay as they are
// until its next frame, so nothing else waits. Upwards all land in device memory of the transfer, where the
// stages read them, so that they need not wait for earlier frames either.
#include "cuda/entropy/level_transfer.hpp"

#include <utility>

#include "codec/format/slope_grid.hpp"
#include "cuda/entropy/run_decoder.hpp"
#include "cuda/entropy/run_encoder.hpp"
#include "cuda/entropy/tile_decoder.hpp"
#include "cuda/entropy/tile_encoder.hpp"
#include "cuda/entropy/upload.hpp"
#include "cuda/runtime/kept_graph.hpp"

namespace ctv::cuda {
namespace {

class CudaLevelTransfer final : public LevelTransfer, private ComponentReceiver {
 public:
  CudaLevelTransfer(std::shared_ptr<Device> device, const PictureLayout& layout, const MotionGrid& grid)
      : device_(std::move(device)),
        planes_(static_cast<size_t>(layout.planes)),
        grid_(grid),
        slope_count_(make_slope_grid(layout.subbands[0]).size()) {
    for (size_t p = 0; p < planes_; ++p) {
      counts_[p] = layout.subbands[p].num_coefficients;
      places_[p] = uploaded_count_;
      uploaded_count_ += counts_[p];
    }
  }

  Status initialise(const CodingPlan& plan) {
    Device& d = *device_;
    if (cuda_tuning().entropy) {
      if (plan.up) {
        buffers_.receiver = this;
        CTV_RETURN_IF_ERROR(plan.runs.empty() ? tile_decoder_.emplace().initialise(d, plan)
                                              : run_decoder_.emplace().initialise(d, plan.runs));
      } else {
        coded_tiles_.resize(plan.components.size());
        coded_runs_.resize(plan.runs.size());
        CTV_RETURN_IF_ERROR(plan.runs.empty() ? tile_encoder_.emplace().initialise(d, plan)
                                              : run_encoder_.emplace().initialise(d, plan.runs));
      }
    }
    if (levels_travel()) {
      CTV_RETURN_IF_ERROR(levels_.allocate(d, uploaded_count_));
      for (size_t p = 0; p < planes_; ++p) buffers_.levels[p] = levels_.data() + places_[p];
    }
    CTV_RETURN_IF_ERROR(side_memory_.allocate(d, side_bytes()));
    buffers_.side = side_in(side_memory_.data());
    CTV_RETURN_IF_ERROR(coder_stream_.create(d, d.coding_priority()));
    CTV_RETURN_IF_ERROR(side_stream_.create(d, d.coding_priority()));
    for (Event* event : {&side_ready_, &ready_, &changes_ready_, &released_}) {
      CTV_RETURN_IF_ERROR(event->create(d, cudaEventDisableTiming));
    }
    const unsigned flags = d.waiting_flags();
    for (Event* event : {&side_done_, &levels_done_, &done_, &decoded_}) {
      CTV_RETURN_IF_ERROR(event->create(d, flags));
    }
    return {};
  }

  ~CudaLevelTransfer() override {
    for (const Event* event : {&side_done_, &levels_done_, &done_, &decoded_}) event->settle();
  }

  CodedFrame downloaded() const override {
    CodedFrame frame = buffers_;
    frame.tiles = coded_tiles_;
    frame.runs = coded_runs_;
    return frame;
  }
  CodedFrameBuffers upload_buffers() override { return buffers_; }

  bool staged() const override { return true; }
  bool codes(size_t component) const override {
    return component < coded_tiles_.size() || component < coded_runs_.size();
  }

  Status download_side(const ConstSideInfo& side) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    side_ = side;
    if (side.vectors == nullptr) return {};
    CTV_RETURN_IF_ERROR(d.record(side_ready_));
    return d.afterwards([this, side]() -> Status {
      Device& dev = *device_;
      const cudaStream_t stream = side_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(stream, side_ready_.get(), 0));
      CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.side.vectors, side.vectors,
                                        grid_.size() * sizeof(MotionVector), cudaMemcpyDeviceToHost, stream));
      if (side.skips != nullptr) {
        CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.side.skips, side.skips, grid_.size(),
                                          cudaMemcpyDeviceToHost, stream));
      }
      CTV_CUDA_TRY(dev, cudaEventRecord(side_done_.get(), stream));
      return {};
    });
  }

  Status download(const std::array<const Level*, 3>& levels) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.record(ready_));
    return d.afterwards([this, levels, side = side_]() -> Status {
      Device& dev = *device_;
      side_ = side;  // a frame that is repeated makes no calls, but further tries of it do
      // The coder need not wait for the copies.
      const cudaStream_t copies = side_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(copies, ready_.get(), 0));
      for (size_t p = 0; levels_travel() && p < planes_; ++p) {
        CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.levels[p], levels[p], counts_[p] * sizeof(Level),
                                          cudaMemcpyDeviceToHost, copies));
      }
      if (side.slopes != nullptr) {
        CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.side.slopes, side.slopes, slope_count_,
                                          cudaMemcpyDeviceToHost, copies));
      }
      if (side.changes == nullptr) CTV_CUDA_TRY(dev, cudaEventRecord(levels_done_.get(), copies));
      const cudaStream_t stream = coder_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(stream, ready_.get(), 0));
      if (tile_encoder_) CTV_RETURN_IF_ERROR(tile_encoder_->encode(dev, levels, skips_in(side), stream));
      if (run_encoder_) {
        CTV_RETURN_IF_ERROR(run_encoder_->encode(dev, levels, side.vectors == nullptr, stream));
      }
      CTV_CUDA_TRY(dev, cudaEventRecord(done_.get(), stream));
      return {};
    });
  }

  Status download_changes() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (side_.changes == nullptr) return {};
    CTV_RETURN_IF_ERROR(d.record(changes_ready_));
    return d.afterwards([this, changes = side_.changes]() -> Status {
      Device& dev = *device_;
      const cudaStream_t copies = side_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(copies, changes_ready_.get(), 0));
      CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.side.changes, changes, changes_bytes(),
                                        cudaMemcpyDeviceToHost, copies));
      CTV_CUDA_TRY(dev, cudaEventRecord(levels_done_.get(), copies));
      return {};
    });
  }

  Status upload(FrameType type) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    // A frame that lacked memory after release() cannot be tried again: zeros are in the place of its levels.
    if (cleared_) return {CTV_ERROR_DEVICE, "CUDA: the levels of the frame have been released"};
    CTV_RETURN_IF_ERROR(allocate_uploaded());
    side_in_frame_ = type != FrameType::kKey && run_decoder_ && d.single_frame();
    if (side_in_frame_) return {};
    CTV_CUDA_TRY(d, cudaStreamWaitEvent(d.up(), released_.get(), 0));
    if (levels_travel()) {
      CTV_CUDA_TRY(d, cudaMemcpyAsync(device_levels_.data(), levels_.data(), uploaded_count_ * sizeof(Level),
                                      cudaMemcpyHostToDevice, d.up()));
    }
    const uint8_t* const side = side_memory_.data();
    if (type == FrameType::kKey) {
      if (slope_count_ > 0) {
        CTV_CUDA_TRY(d, cudaMemcpyAsync(device_side_.data() + cells_bytes(), side + cells_bytes(),
                                        slope_count_, cudaMemcpyHostToDevice, d.up()));
      }
    } else {
      CTV_CUDA_TRY(d,
                   cudaMemcpyAsync(device_side_.data(), side, cells_bytes(), cudaMemcpyHostToDevice, d.up()));
    }
    CTV_CUDA_TRY(d, cudaEventRecord(done_.get(), d.up()));
    return {};
  }

  ConstSideInfo uploaded_side() const override { return side_in(device_side_.data()); }
  const Level* uploaded(size_t plane) const override { return device_levels_.data() + places_[plane]; }

  Status await_side() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (!side_in_frame_) return d.wait(done_);
    CTV_RETURN_IF_ERROR(upload_bytes(d, side_memory_.data(), cells_bytes(), device_side_.data(), d.stream()));
    return d.record(done_);
  }
  Status await_levels() override {
    if (buffers_.receiver == nullptr) return {};  // they came with the side information
    CTV_RETURN_IF_ERROR(device_->enter());
    return device_->wait(decoded_);
  }

  // Zeros for the next frame of tiles are written beside what is left of this one.
  Status release() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.record(released_));
    if (!tile_decoder_) return {};
    return d.afterwards([this]() -> Status {
      cleared_ = true;
      return clear();
    });
  }

  Status finish_side() override { return wait_for(side_done_); }
  Status finish_levels() override { return wait_for(levels_done_); }
  Status finish() override {
    for (const Event* event : {&side_done_, &levels_done_, &decoded_, &done_}) {  // the last one last
      CTV_RETURN_IF_ERROR(wait_for(*event));
    }
    for (size_t c = 0; c < coded_tiles_.size(); ++c) coded_tiles_[c] = tile_encoder_->coded(c);
    for (size_t c = 0; c < coded_runs_.size(); ++c) coded_runs_[c] = run_encoder_->coded(c);
    return {};
  }

 private:
  // ComponentReceiver: in the threads of the entropy coder, beside the frames before.
  Status start(bool key, size_t bytes) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    return tile_decoder_ ? tile_decoder_->start(d, bytes) : run_decoder_->start(d, key, bytes);
  }
  uint8_t* room(size_t component, size_t bytes) override {
    return run_decoder_ ? run_decoder_->room(component, bytes) : nullptr;
  }
  bool put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
           bool predicted) override {
    return tile_decoder_ ? tile_decoder_->put(component, bytes, pieces, predicted)
                         : run_decoder_->put(component, bytes);
  }
  Status send() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(allocate_uploaded());
    const cudaStream_t stream = coder_stream_.get();
    if (tile_decoder_) {
      CTV_RETURN_IF_ERROR(tile_decoder_->upload(d, stream));
      if (!std::exchange(cleared_, false)) CTV_RETURN_IF_ERROR(clear());
    }
    if (run_decoder_) {  // needs no skips
      CTV_CUDA_TRY(d, cudaStreamWaitEvent(stream, released_.get(), 0));
      CTV_RETURN_IF_ERROR(run_decoder_->upload(d, stream));
      CTV_RETURN_IF_ERROR(run_decoder_->decode(d, received_levels(), stream));
    }
    CTV_CUDA_TRY(d, cudaEventRecord(decoded_.get(), stream));
    return {};
  }
  // Vectors may still be on their way to the host, so skips travel by themselves.
  Status run(bool skips) override {
    if (run_decoder_) return {};
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const cudaStream_t stream = coder_stream_.get();
    const auto decode = [&]() -> Status {
      SkipGrid grid;
      if (skips) {
        const uint8_t* const from = buffers_.side.skips;
        CTV_RETURN_IF_ERROR(upload_bytes(d, from, grid_.size(), device_skips_.data(), stream));
        grid = {device_skips_.data(), grid_.rows, grid_.cols};
      }
      return tile_decoder_->decode(d, received_levels(), grid, stream);
    };
    const bool usual = cuda_tuning().graphs && skips && !tile_decoder_->predicts();
    CTV_RETURN_IF_ERROR(usual ? decoding_.run(d, stream, tile_decoder_->uploaded(), decode) : decode());
    CTV_CUDA_TRY(d, cudaEventRecord(decoded_.get(), stream));
    return {};
  }
  Status wait() override { return wait_for(decoded_); }
  bool sound(size_t component) const override {
    return (tile_decoder_ ? tile_decoder_->damaged() : run_decoder_->damaged())[component] == 0;
  }

  bool levels_travel() const { return !cuda_tuning().entropy; }
  Status clear() {
    Device& d = *device_;
    const cudaStream_t stream = coder_stream_.get();
    CTV_CUDA_TRY(d, cudaStreamWaitEvent(stream, released_.get(), 0));
    CTV_CUDA_TRY(d, cudaMemsetAsync(device_levels_.data(), 0, uploaded_count_ * sizeof(Level), stream));
    return {};
  }
  std::array<Level*, 3> received_levels() const {
    std::array<Level*, 3> levels{};
    for (size_t p = 0; p < planes_; ++p) levels[p] = device_levels_.data() + places_[p];
    return levels;
  }
  Status wait_for(const Event& event) {
    CTV_RETURN_IF_ERROR(device_->enter());
    CTV_CUDA_TRY(*device_, cudaEventSynchronize(event.get()));
    return {};
  }
  SkipGrid skips_in(const ConstSideInfo& side) const {
    if (side.skips == nullptr) return {};
    return {side.skips, grid_.rows, grid_.cols};
  }
  /// With the first frame: encoders bring nothing up.
  Status allocate_uploaded() {
    CTV_RETURN_IF_ERROR(device_levels_.reserve(*device_, uploaded_count_));
    CTV_RETURN_IF_ERROR(device_skips_.reserve(*device_, grid_.size()));
    return device_side_.reserve(*device_, side_bytes());
  }
  /// Changes, vectors, skips, then slopes, in one piece.
  size_t changes_bytes() const { return grid_.roots() * sizeof(int64_t); }
  size_t cells_bytes() const {
    return changes_bytes() + grid_.size() * (sizeof(MotionVector) + sizeof(uint8_t));
  }
  size_t side_bytes() const { return cells_bytes() + slope_count_; }
  SideInfo side_in(uint8_t* bytes) const {
    return {reinterpret_cast<MotionVector*>(bytes + changes_bytes()),
            bytes + changes_bytes() + grid_.size() * sizeof(MotionVector),
            reinterpret_cast<int8_t*>(bytes + cells_bytes()), reinterpret_cast<int64_t*>(bytes)};
  }

  std::shared_ptr<Device> device_;
  const size_t planes_;
  const MotionGrid grid_;
  const size_t slope_count_;
  std::array<size_t, 3> counts_{}, places_{};  // of each plane; in device_levels_
  size_t uploaded_count_ = 0;
  std::vector<CodedTiles> coded_tiles_;
  std::vector<CodedRuns> coded_runs_;
  // Of these at most one.
  std::optional<TileEncoder> tile_encoder_;
  std::optional<TileDecoder> tile_decoder_;
  std::optional<RunEncoder> run_encoder_;
  std::optional<RunDecoder> run_decoder_;
  PinnedArray<Level> levels_;
  PinnedArray<uint8_t> side_memory_;
  DeviceArray<Level> device_levels_;
  DeviceArray<uint8_t> device_side_, device_skips_;  // the latter for the decoder of levels
  Event side_ready_, ready_, changes_ready_, side_done_, levels_done_, done_, released_, decoded_;
  Stream side_stream_, coder_stream_;
  KeptGraph decoding_;          // of most predicted frames of tiles
  bool cleared_ = false;        // the levels of the frame before have been released and are 0
  bool side_in_frame_ = false;  // await_side() brings it up: upload()'s calls would take longer
  ConstSideInfo side_;          // of the last download, on the device
  CodedFrameBuffers buffers_;   // views of levels_ and side_memory_
};

}  // namespace

Result<std::unique_ptr<LevelTransfer>> make_level_transfer(std::shared_ptr<Device> device,
                                                           const PictureLayout& layout,
                                                           const MotionGrid& grid, const CodingPlan& plan) {
  auto transfer = std::make_unique<CudaLevelTransfer>(std::move(device), layout, grid);
  CTV_RETURN_IF_ERROR(transfer->initialise(plan));
  return std::unique_ptr<LevelTransfer>(std::move(transfer));
}

}  // namespace ctv::cuda
