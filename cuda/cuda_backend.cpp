// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend: forwards each call to its stage's file. Calls return when the work has been queued on the
// device; stage times are the device's own.
#include "cuda/cuda_backend.hpp"

#include <algorithm>
#include <thread>

#include "cuda/entropy/level_transfer.hpp"
#include "cuda/motion/compensate.hpp"
#include "cuda/motion/estimator.hpp"
#include "cuda/motion/skip.hpp"
#include "cuda/picture/loop_filter.hpp"
#include "cuda/picture/picture_transfer.hpp"
#include "cuda/picture/squared_error.hpp"
#include "cuda/residual/residual_coder.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/transform/cufft_library.hpp"
#include "cuda/transform/rdoq.hpp"
#include "cuda/transform/slope_estimator.hpp"
#include "cuda/transform/subband_prediction.hpp"
#include "cuda/transform/transform_coder.hpp"

namespace ctv::cuda {
namespace {

// Limit per plane: kernels use 31 bits to count elements, and bytes of up to four per sample.
constexpr size_t kMostLevels = size_t{1} << 29;

class CudaBackend final : public Backend {
 public:
  CudaBackend(std::shared_ptr<Device> device, int threads) : device_(std::move(device)), threads_(threads) {
    device_->clock().start(&stage_times_);
  }
  ~CudaBackend() override { device_->clock().start(nullptr); }

  std::string description() const override {
    const cudaDeviceProp& p = device_->properties();
    return "cuda: " + std::string(p.name) + ", device " + std::to_string(device_->id());
  }
  ctv_backend kind() const override { return CTV_BACKEND_CUDA; }

  Status check_engine(Engine engine) const override {
    return engine == Engine::kDirect ? Status() : CufftLibrary::load().status();
  }

  void begin_stream(int frames_in_flight) override { device_->begin_stream(frames_in_flight); }

  Result<Memory> allocate(size_t bytes) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    Held held;
    CTV_RETURN_IF_ERROR(held.resize(bytes));
    void* data = nullptr;
    CTV_CUDA_TRY(*device_, cudaMalloc(&data, std::max<size_t>(1, bytes)));
    fill_new(data, bytes);
    return Memory(
        data, bytes, [](void* p) { cudaFree(p); }, std::move(held));
  }
  Status copy(void* destination, const void* source, size_t bytes) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    CTV_CUDA_TRY(*device_,
                 cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, device_->stream()));
    return {};
  }
  Status upload(void* destination, const void* source, size_t bytes) override {
    return copy_and_wait(destination, source, bytes, cudaMemcpyHostToDevice);
  }
  Status download(void* destination, const void* source, size_t bytes) override {
    return copy_and_wait(destination, source, bytes, cudaMemcpyDeviceToHost);
  }

  Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(const PictureLayout& layout) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return cuda::make_picture_transfer(device_, layout, threads_);
  }
  Result<std::unique_ptr<LevelTransfer>> make_level_transfer(const PictureLayout& layout,
                                                             const MotionGrid& grid,
                                                             const CodingPlan& plan) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return cuda::make_level_transfer(device_, layout, grid, plan);
  }
  Result<std::unique_ptr<TransformCoder>> make_transform(const SubbandLayout& layout,
                                                         Engine engine) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    if (layout.num_coefficients > kMostLevels) {
      return Status(CTV_ERROR_DEVICE, "CUDA backend: a plane of " + std::to_string(layout.num_coefficients) +
                                          " coefficients, at most " + std::to_string(kMostLevels) +
                                          " are possible");
    }
    return make_transform_coder(device_, layout, engine);
  }
  Result<std::unique_ptr<ResidualCoder>> make_residual(const MacroblockGrid&) override {
    return make_residual_coder(device_);
  }
  Result<std::unique_ptr<SlopeEstimator>> make_slopes(const SubbandLayout& luma) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return make_slope_estimator(device_, luma);
  }
  Result<std::unique_ptr<MotionEstimator>> make_motion(const MotionParameters& parameters, Extent) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return make_motion_estimator(device_, parameters);
  }
  Result<std::unique_ptr<DistortionMeter>> make_distortion_meter() override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return cuda::make_distortion_meter(device_);
  }

  Status find_still(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    uint8_t* still) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kSkip);
    return cuda::find_still(*device_, planes, grid, base_step, still);
  }
  Status skip_by_ssd(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                     const MotionVector* vectors, const uint8_t* /* still */, uint8_t* close) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kSkip);
    return cuda::skip_by_ssd(*device_, planes, grid, base_step, vectors, close);
  }
  Status merge_skip_vectors(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                            const MotionVector* vectors, const SideInfo& side) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kSkip);
    return cuda::merge_skip_vectors(*device_, planes, grid, base_step, vectors, side);
  }
  Status skip_still_only(const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kSkip);
    return cuda::skip_still_only(*device_, grid, vectors, skips);
  }
  Status compensate(PlaneView<const Sample> reference, const ConstSideInfo& side,
                    const CompensationGeometry& geometry, PlaneView<Sample> prediction) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kCompensate);
    return compensate_plane(*device_, reference, side, geometry, prediction);
  }
  Status filter_changes(std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                        int64_t* changes) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kFilter);
    return cuda::filter_changes(*device_, planes, skips, changes);
  }
  Status filter(PlaneView<Sample> from, const LoopFilter& filter, const FilteredCells& cells,
                PlaneView<Sample> to) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kFilter);
    return filter_plane(*device_, from, filter, cells, to);
  }
  Status quantise(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers,
                  const Coefficient* coefficients, Level* levels) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kQuantise);
    return quantise_rdo_plane(*device_, layout, quantisers, coefficients, levels);
  }
  Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                           const MotionVector* vectors, const Level* levels, const Level* previous,
                           Level* residual) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kPredict);
    return predict_subbands(*device_, -1, layout, chroma, grid, vectors, levels, previous, layout.layers,
                            residual);
  }
  Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                      const MotionVector* vectors, const Level* residual, const Level* previous, int layers,
                      Level* levels) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    const StageMark mark(*device_, Stage::kPredict);
    return predict_subbands(*device_, 1, layout, chroma, grid, vectors, residual, previous, layers, levels);
  }

  Result<bool> begin_frame(const FrameCalls& calls) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return device_->begin_frame(calls);
  }
  Status end_frame() override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return device_->end_frame();
  }
  Status wait_beside() override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return device_->wait_beside();
  }
  Status synchronize() override {
    CTV_RETURN_IF_ERROR(device_->enter());
    return device_->synchronize();
  }

 private:
  Status work_on_planes(int planes, const std::function<Status(int)>& work,
                        const std::function<Status()>& beside) override {
    CTV_RETURN_IF_ERROR(device_->enter());
    if (beside) CTV_RETURN_IF_ERROR(device_->fork());
    // A graph runs the first recorded successor right behind a node, so the planes' work comes first.
    for (int p = 0; p < planes; ++p) {
      CTV_RETURN_IF_ERROR(device_->on_plane(p));
      CTV_RETURN_IF_ERROR(work(p));
    }
    if (beside) {
      CTV_RETURN_IF_ERROR(device_->beside_planes());
      CTV_RETURN_IF_ERROR(beside());
    }
    return device_->on_plane(-1);
  }
  Status copy_and_wait(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_CUDA_TRY(d, cudaMemcpyAsync(destination, source, bytes, kind, d.stream()));
    CTV_CUDA_TRY(d, cudaStreamSynchronize(d.stream()));
    return {};
  }

  std::shared_ptr<Device> device_;
  const int threads_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(int device, int threads) {
  CTV_ASSIGN_OR_RETURN(std::shared_ptr<Device> opened, Device::open(device));
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  return std::unique_ptr<Backend>(
      std::make_unique<CudaBackend>(std::move(opened), std::clamp(threads, 1, 256)));
}

}  // namespace ctv::cuda
