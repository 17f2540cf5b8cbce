// SPDX-License-Identifier: BSD-3-Clause
// Transfer of levels and side information, in parallel to the frame's kernels. Levels are coded and decoded
// on the device, and only bytes are transferred; or the levels go through the copy engine
// (CudaTuning::entropy). With one frame in flight, the frame's own graph downloads the vectors of a frame of
// runs. Arrays do not change until the transfer's next frame, so nothing else waits. Uploads go to device
// memory of the transfer, where stages read them, so they need not wait for earlier frames either.
#include "cuda/entropy/level_transfer.hpp"

#include <utility>

#include "codec/format/slope_grid.hpp"
#include "cuda/entropy/residual_decoder.hpp"
#include "cuda/entropy/residual_encoder.hpp"
#include "cuda/entropy/run_decoder.hpp"
#include "cuda/entropy/run_encoder.hpp"
#include "cuda/entropy/side_layout.hpp"
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
        slope_count_(make_slope_grid(layout.subbands[0]).size()),
        side_layout_{grid, slope_count_} {
    for (size_t p = 0; p < planes_; ++p) {
      counts_[p] = layout.subbands[p].num_coefficients;
      places_[p] = uploaded_count_;
      uploaded_count_ += level_room(counts_[p]);
    }
  }

  Status initialise(const CodingPlan& plan) {
    Device& d = *device_;
    const bool has_macroblocks = plan.residual_tables != nullptr;
    if (has_macroblocks) macroblock_count_ = plan.macroblocks.size();
    if (!levels_travel()) {
      const auto memory = std::make_shared<EncoderMemory>();
      if (has_macroblocks) {
        CTV_RETURN_IF_ERROR(plan.up ? residual_decoder_.emplace().initialise(d, plan, grid_)
                                    : residual_encoder_.emplace().initialise(d, plan, grid_, memory));
      }
      if (plan.up) {
        buffers_.receiver = this;
        CTV_RETURN_IF_ERROR(plan.runs.empty() ? tile_decoder_.emplace().initialise(d, plan)
                                              : run_decoder_.emplace().initialise(d, plan.runs));
      } else {
        coded_tiles_.resize(plan.components.size());
        coded_runs_.resize(plan.runs.size());
        CTV_RETURN_IF_ERROR(plan.runs.empty() ? tile_encoder_.emplace().initialise(d, plan, memory)
                                              : run_encoder_.emplace().initialise(d, plan.runs));
      }
    }
    if (levels_travel()) {
      CTV_RETURN_IF_ERROR(macroblocks_.allocate(d, macroblock_count_));
      CTV_RETURN_IF_ERROR(levels_.allocate(d, uploaded_count_));
      for (size_t p = 0; p < planes_; ++p) buffers_.levels[p] = levels_.data() + places_[p];
    }
    CTV_RETURN_IF_ERROR(side_memory_.allocate(d, side_layout_.bytes()));
    buffers_.side = side_layout_.in(side_memory_.data());
    buffers_.side.macroblocks = macroblocks_.data();
    CTV_RETURN_IF_ERROR(coder_stream_.create(d, d.coding_priority()));
    CTV_RETURN_IF_ERROR(side_stream_.create(d, d.coding_priority()));
    for (Event* event : {&side_ready_, &ready_, &changes_ready_, &released_, &branch_}) {
      CTV_RETURN_IF_ERROR(event->create(d, cudaEventDisableTiming));
    }
    const unsigned flags = d.waiting_flags();
    for (Event* event : {&side_done_, &levels_done_, &done_, &decoded_})
      CTV_RETURN_IF_ERROR(event->create(d, flags));
    return {};
  }

  ~CudaLevelTransfer() override {
    for (const Event* event : {&side_done_, &levels_done_, &done_, &decoded_}) event->settle();
  }

  CodedFrame downloaded() const override {
    CodedFrame frame = buffers_;
    frame.tiles = codes_residual() ? std::span<const CodedTiles>(&coded_residual_, 1) : coded_tiles_;
    if (!codes_residual()) frame.runs = coded_runs_;
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
      CTV_RETURN_IF_ERROR(
          copy(side.vectors, grid_.size() * sizeof(MotionVector), buffers_.side.vectors, stream));
      if (side.skips != nullptr)
        CTV_RETURN_IF_ERROR(copy(side.skips, grid_.size(), buffers_.side.skips, stream));
      CTV_CUDA_TRY(dev, cudaEventRecord(side_done_.get(), stream));
      return {};
    });
  }

  Status download(const std::array<const Level*, 3>& levels) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.record(ready_));
    const bool in_frame = codes_in_frame();
    if (in_frame) {
      const cudaStream_t coder = coder_stream_.get();
      CTV_RETURN_IF_ERROR(d.order(branch_, d.stream(), coder));
      CTV_RETURN_IF_ERROR(residual_encoder_->encode(d, levels, side_, coder, &branch_));
      CTV_RETURN_IF_ERROR(d.record(done_, coder));
      // Otherwise later work, here and after the changes, would take processors from the coder.
      CTV_CUDA_TRY(d, cudaStreamWaitEvent(d.stream(), branch_.get(), 0));
    }
    return d.afterwards([this, levels, side = side_, in_frame]() -> Status {
      Device& dev = *device_;
      side_ = side;  // a replayed frame makes no calls, but further tries of it do
      // The coder need not wait for the copies.
      const cudaStream_t copies = side_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(copies, ready_.get(), 0));
      for (size_t p = 0; levels_travel() && p < planes_; ++p)
        CTV_RETURN_IF_ERROR(copy(levels[p], counts_[p] * sizeof(Level), buffers_.levels[p], copies));
      if (levels_travel() && side.macroblocks != nullptr)
        CTV_RETURN_IF_ERROR(
            copy(side.macroblocks, macroblock_count_ * sizeof(Macroblock), macroblocks_.data(), copies));
      if (side.slopes != nullptr)
        CTV_RETURN_IF_ERROR(copy(side.slopes, slope_count_, buffers_.side.slopes, copies));
      if (side.changes == nullptr) CTV_CUDA_TRY(dev, cudaEventRecord(levels_done_.get(), copies));
      if (in_frame) return {};
      const cudaStream_t stream = coder_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(stream, ready_.get(), 0));
      if (codes_residual()) {
        CTV_RETURN_IF_ERROR(residual_encoder_->encode(dev, levels, side, stream));
      } else if (tile_encoder_) {
        CTV_RETURN_IF_ERROR(tile_encoder_->encode(dev, levels, skips_in(side), stream));
      } else if (run_encoder_) {
        CTV_RETURN_IF_ERROR(run_encoder_->encode(dev, levels, side.vectors == nullptr, stream));
      }
      CTV_CUDA_TRY(dev, cudaEventRecord(done_.get(), stream));
      return {};
    });
  }

  Status download_changes() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (side_.changes != nullptr) CTV_RETURN_IF_ERROR(d.record(changes_ready_));
    if (codes_in_frame()) CTV_RETURN_IF_ERROR(d.order(branch_, coder_stream_.get(), d.stream()));
    if (side_.changes == nullptr) return {};
    return d.afterwards([this, changes = side_.changes]() -> Status {
      Device& dev = *device_;
      const cudaStream_t copies = side_stream_.get();
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(copies, changes_ready_.get(), 0));
      CTV_RETURN_IF_ERROR(copy(changes, side_layout_.changes_bytes(), buffers_.side.changes, copies));
      CTV_CUDA_TRY(dev, cudaEventRecord(levels_done_.get(), copies));
      return {};
    });
  }

  Status upload(FrameType type) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    // A frame that lacked memory after release() cannot be retried: its levels have been cleared.
    if (cleared_) return {CTV_ERROR_DEVICE, "CUDA: the levels of the frame have been released"};
    CTV_RETURN_IF_ERROR(allocate_uploaded());
    side_in_frame_ = type != FrameType::kKey && run_decoder_ && d.single_frame();
    if (side_in_frame_) return {};
    CTV_CUDA_TRY(d, cudaStreamWaitEvent(d.up(), released_.get(), 0));
    if (levels_travel()) {
      CTV_RETURN_IF_ERROR(
          copy(levels_.data(), uploaded_count_ * sizeof(Level), device_levels_.data(), d.up()));
    }
    const uint8_t* const side = side_memory_.data();
    if (type == FrameType::kKey) {
      const size_t slopes = side_layout_.cells_bytes();
      if (slope_count_ > 0)
        CTV_RETURN_IF_ERROR(copy(side + slopes, slope_count_, device_side_.data() + slopes, d.up()));
    } else {
      if (levels_travel() && macroblock_count_ > 0) {
        CTV_RETURN_IF_ERROR(copy(macroblocks_.data(), macroblock_count_ * sizeof(Macroblock),
                                 device_macroblocks_.data(), d.up()));
      }
      CTV_RETURN_IF_ERROR(copy(side, side_layout_.cells_bytes(), device_side_.data(), d.up()));
    }
    CTV_CUDA_TRY(d, cudaEventRecord(done_.get(), d.up()));
    return {};
  }

  ConstSideInfo uploaded_side() const override {
    SideInfo side = side_layout_.in(device_side_.data());
    side.macroblocks = device_macroblocks_.data();
    return side;
  }
  const Level* uploaded(size_t plane) const override { return device_levels_.data() + places_[plane]; }

  Status await_side() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (!side_in_frame_) return d.wait(done_);
    CTV_RETURN_IF_ERROR(
        upload_bytes(d, side_memory_.data(), side_layout_.cells_bytes(), device_side_.data(), d.stream()));
    return d.record(done_);
  }
  Status await_levels() override {
    if (buffers_.receiver == nullptr) return {};  // already uploaded with the side information
    CTV_RETURN_IF_ERROR(device_->enter());
    return device_->wait(decoded_);
  }

  // Clears levels for the next frame of tiles in parallel to later work of this one.
  Status release() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.record(released_));
    if (!tile_decoder_ || residual_) return {};
    return d.afterwards([this]() -> Status {
      cleared_ = true;
      return clear();
    });
  }

  Status finish_side() override { return wait_for(side_done_); }
  Status finish_levels() override { return wait_for(levels_done_); }
  Status finish() override {
    for (const Event* event : {&side_done_, &levels_done_, &decoded_, &done_}) {  // done_ must be last
      CTV_RETURN_IF_ERROR(wait_for(*event));
    }
    if (codes_residual()) {
      coded_residual_ = residual_encoder_->coded();
      return {};
    }
    for (size_t c = 0; c < coded_tiles_.size(); ++c) coded_tiles_[c] = tile_encoder_->coded(c);
    for (size_t c = 0; c < coded_runs_.size(); ++c) coded_runs_[c] = run_encoder_->coded(c);
    return {};
  }

 private:
  // ComponentReceiver: called by threads of the entropy coder, in parallel to earlier frames.
  Status start(bool key, size_t bytes) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    residual_ = residual_decoder_ && !key;
    if (residual_) return residual_decoder_->start(d, bytes);
    return tile_decoder_ ? tile_decoder_->start(d, bytes) : run_decoder_->start(d, key, bytes);
  }
  uint8_t* room(size_t component, size_t bytes) override {
    return run_decoder_ && !residual_ ? run_decoder_->room(component, bytes) : nullptr;
  }
  bool put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
           bool predicted) override {
    if (residual_) return residual_decoder_->put(component, bytes, pieces);
    return tile_decoder_ ? tile_decoder_->put(component, bytes, pieces, predicted)
                         : run_decoder_->put(component, bytes);
  }
  Status send() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(allocate_uploaded());
    const cudaStream_t stream = coder_stream_.get();
    if (residual_) {  // the decoder writes all levels that are read
      cleared_ = false;
      CTV_CUDA_TRY(d, cudaStreamWaitEvent(stream, released_.get(), 0));
      CTV_RETURN_IF_ERROR(residual_decoder_->upload(d, stream));
    } else if (tile_decoder_) {
      CTV_RETURN_IF_ERROR(tile_decoder_->upload(d, stream));
      if (!std::exchange(cleared_, false)) CTV_RETURN_IF_ERROR(clear());
    } else {  // needs no skips
      CTV_CUDA_TRY(d, cudaStreamWaitEvent(stream, released_.get(), 0));
      CTV_RETURN_IF_ERROR(run_decoder_->upload(d, stream));
      CTV_RETURN_IF_ERROR(run_decoder_->decode(d, received_levels(), stream));
    }
    CTV_CUDA_TRY(d, cudaEventRecord(decoded_.get(), stream));
    return {};
  }
  // Vectors may not have reached the host yet, so skips are uploaded separately.
  Status run(bool skips) override {
    if (run_decoder_ && !residual_) return {};
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
      if (!residual_) return tile_decoder_->decode(d, received_levels(), grid, stream);
      return residual_decoder_->decode(d, received_levels(), device_macroblocks_.data(), device_skips_.data(),
                                       stream);
    };
    const bool usual = cuda_tuning().graphs && skips && (residual_ || !tile_decoder_->predicts());
    const void* const key = residual_ ? residual_decoder_->uploaded() : tile_decoder_->uploaded();
    CTV_RETURN_IF_ERROR(usual ? decoding_.run(d, stream, key, decode) : decode());
    CTV_CUDA_TRY(d, cudaEventRecord(decoded_.get(), stream));
    return {};
  }
  Status wait() override { return wait_for(decoded_); }
  bool sound(size_t component) const override {
    if (residual_) return residual_decoder_->damaged()[component] == 0;
    return (tile_decoder_ ? tile_decoder_->damaged() : run_decoder_->damaged())[component] == 0;
  }

  bool levels_travel() const { return !cuda_tuning().entropy; }
  /// Whether the frame's own graph codes them.
  bool codes_in_frame() const { return codes_residual() && device_->single_frame(); }
  /// Whether the device codes the macroblocks of the last download.
  bool codes_residual() const { return residual_encoder_ && side_.macroblocks != nullptr; }
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
  Status copy(const void* from, size_t bytes, void* to, cudaStream_t stream) {
    CTV_CUDA_TRY(*device_, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    return {};
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
  /// Allocates with the first frame, since encoders upload nothing.
  Status allocate_uploaded() {
    CTV_RETURN_IF_ERROR(device_levels_.reserve(*device_, uploaded_count_));
    CTV_RETURN_IF_ERROR(device_macroblocks_.reserve(*device_, macroblock_count_));
    CTV_RETURN_IF_ERROR(device_skips_.reserve(*device_, grid_.size()));
    return device_side_.reserve(*device_, side_layout_.bytes());
  }

  std::shared_ptr<Device> device_;
  const size_t planes_;
  const MotionGrid grid_;
  const size_t slope_count_;
  const SideLayout side_layout_;
  std::array<size_t, 3> counts_{}, places_{};  // per plane; places_: in device_levels_
  size_t uploaded_count_ = 0;
  size_t macroblock_count_ = 0;  // 0 without macroblocks
  std::vector<CodedTiles> coded_tiles_;
  std::vector<CodedRuns> coded_runs_;
  CodedTiles coded_residual_;
  // The first two for predicted frames of macroblocks; at most one of the others.
  std::optional<ResidualEncoder> residual_encoder_;
  std::optional<ResidualDecoder> residual_decoder_;
  std::optional<TileEncoder> tile_encoder_;
  std::optional<TileDecoder> tile_decoder_;
  std::optional<RunEncoder> run_encoder_;
  std::optional<RunDecoder> run_decoder_;
  PinnedArray<Level> levels_;
  PinnedArray<Macroblock> macroblocks_;  // transferred with levels
  PinnedArray<uint8_t> side_memory_;
  DeviceArray<Level> device_levels_;
  DeviceArray<Macroblock> device_macroblocks_;
  DeviceArray<uint8_t> device_side_, device_skips_;  // device_skips_: for the decoder of levels
  Event side_ready_, ready_, changes_ready_, side_done_, levels_done_, done_, released_, decoded_, branch_;
  Stream side_stream_, coder_stream_;
  KeptGraph decoding_;          // of most predicted frames of tiles
  bool cleared_ = false;        // the previous frame's levels have been released and are 0
  bool residual_ = false;       // the decoded frame has macroblocks
  bool side_in_frame_ = false;  // await_side() uploads it: calls of upload() would take longer
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
