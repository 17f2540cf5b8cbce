// SPDX-License-Identifier: BSD-3-Clause
// Levels and side information across the bus, beside the frame's kernels: a port's arrays stay as they are
// until its next download, so nothing else waits. Upwards all land in device memory of the port, so that they
// need not wait for earlier frames either, and are moved to their place from there in the order of the calls.
#include "cuda/entropy/level_transfer.hpp"

namespace ctv::cuda {
namespace {

class CudaLevelTransfer final : public LevelTransfer {
 public:
  CudaLevelTransfer(std::shared_ptr<Device> device, const PictureLayout& layout, const MotionGrid& grid)
      : device_(std::move(device)), planes_(static_cast<size_t>(layout.planes)), cells_(grid.size()) {
    for (size_t p = 0; p < planes_; ++p) counts_[p] = layout.subbands[p].num_coefficients;
  }

  Status initialise() {
    Device& d = *device_;
    size_t total = 0;
    for (size_t p = 0; p < planes_; ++p) total += counts_[p];
    CTV_RETURN_IF_ERROR(levels_.allocate(d, total));
    CTV_RETURN_IF_ERROR(side_.allocate(d, side_bytes()));
    size_t at = 0;
    for (size_t p = 0; p < planes_; at += counts_[p++]) buffers_.levels[p] = levels_.data() + at;
    buffers_.side = side_in(side_.data());
    for (Event* event : {&ready_, &moved_}) CTV_CUDA_TRY(d, event->create(cudaEventDisableTiming));
    CTV_CUDA_TRY(d, done_.create(d.waiting_flags()));
    return {};
  }

  ~CudaLevelTransfer() override { cudaEventSynchronize(done_.get()); }

  CodedFrame downloaded() const override { return buffers_; }
  CodedFrameBuffers upload_buffers() override { return buffers_; }

  Status download(const std::array<const Level*, 3>& levels, const ConstSideInfo& side) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.record(ready_));
    return d.afterwards([this, levels, side]() -> Status {
      Device& dev = *device_;
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(dev.down(), ready_.get(), 0));
      for (size_t p = 0, end = 0; p < planes_; p = end) {  // planes that follow each other in one piece
        size_t count = counts_[p];
        for (end = p + 1; end < planes_ && levels[end] == levels[p] + count; ++end) count += counts_[end];
        CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.levels[p], levels[p], count * sizeof(Level),
                                          cudaMemcpyDeviceToHost, dev.down()));
      }
      if (side.vectors != nullptr) {
        CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.side.vectors, side.vectors, cells_ * sizeof(MotionVector),
                                          cudaMemcpyDeviceToHost, dev.down()));
      }
      if (side.skips != nullptr) {
        CTV_CUDA_TRY(dev, cudaMemcpyAsync(buffers_.side.skips, side.skips, cells_, cudaMemcpyDeviceToHost,
                                          dev.down()));
      }
      CTV_CUDA_TRY(dev, cudaEventRecord(done_.get(), dev.down()));
      return {};
    });
  }

  Status upload(bool side) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    // With the first frame: encoders bring nothing up.
    if (device_levels_.data() == nullptr) CTV_RETURN_IF_ERROR(device_levels_.allocate(d, levels_.size()));
    if (device_side_.data() == nullptr) CTV_RETURN_IF_ERROR(device_side_.allocate(d, side_bytes()));
    CTV_CUDA_TRY(d, cudaStreamWaitEvent(d.up(), moved_.get(), 0));
    CTV_CUDA_TRY(d, cudaMemcpyAsync(device_levels_.data(), levels_.data(), levels_.size() * sizeof(Level),
                                    cudaMemcpyHostToDevice, d.up()));
    if (side) {
      CTV_CUDA_TRY(d, cudaMemcpyAsync(device_side_.data(), side_.data(), side_bytes(), cudaMemcpyHostToDevice,
                                      d.up()));
    }
    CTV_CUDA_TRY(d, cudaEventRecord(done_.get(), d.up()));
    return {};
  }

  Status place(const std::array<Level*, 3>& levels, const SideInfo& side) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.wait(done_));
    size_t at = 0;
    for (size_t p = 0; p < planes_; at += counts_[p++]) {
      CTV_CUDA_TRY(d, cudaMemcpyAsync(levels[p], device_levels_.data() + at, counts_[p] * sizeof(Level),
                                      cudaMemcpyDeviceToDevice, d.stream()));
    }
    const ConstSideInfo uploaded = side_in(device_side_.data());
    if (side.vectors != nullptr) {
      CTV_CUDA_TRY(d, cudaMemcpyAsync(side.vectors, uploaded.vectors, cells_ * sizeof(MotionVector),
                                      cudaMemcpyDeviceToDevice, d.stream()));
    }
    if (side.skips != nullptr) {
      CTV_CUDA_TRY(d,
                   cudaMemcpyAsync(side.skips, uploaded.skips, cells_, cudaMemcpyDeviceToDevice, d.stream()));
    }
    return d.record(moved_);
  }

  Status finish() override {
    CTV_RETURN_IF_ERROR(device_->enter());
    CTV_CUDA_TRY(*device_, cudaEventSynchronize(done_.get()));
    return {};
  }

 private:
  /// Vectors, then skips, in one piece.
  size_t side_bytes() const { return cells_ * (sizeof(MotionVector) + sizeof(uint8_t)); }
  SideInfo side_in(uint8_t* bytes) const {
    return {reinterpret_cast<MotionVector*>(bytes), bytes + cells_ * sizeof(MotionVector)};
  }

  std::shared_ptr<Device> device_;
  const size_t planes_;
  const size_t cells_;              // of the grid
  std::array<size_t, 3> counts_{};  // levels of each plane that travel
  PinnedArray<Level> levels_;
  PinnedArray<uint8_t> side_;
  DeviceArray<Level> device_levels_;
  DeviceArray<uint8_t> device_side_;
  Event ready_, done_, moved_;
  CodedFrameBuffers buffers_;  // views of levels_ and side_
};

}  // namespace

Result<std::unique_ptr<LevelTransfer>> make_level_transfer(std::shared_ptr<Device> device,
                                                           const PictureLayout& layout,
                                                           const MotionGrid& grid, const TilePlan&) {
  auto port = std::make_unique<CudaLevelTransfer>(std::move(device), layout, grid);
  CTV_RETURN_IF_ERROR(port->initialise());
  return std::unique_ptr<LevelTransfer>(std::move(port));
}

}  // namespace ctv::cuda
