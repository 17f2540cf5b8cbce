// SPDX-License-Identifier: BSD-3-Clause
// Launches and times of the kernels of Wang et al. 2013.
#include "bench/lab/gpu.cuh"
#include "bench/lab/gpu.hpp"
#include "bench/lab/h264_idct/kernels.cuh"

namespace ctv::lab {
namespace {

// One step and size as plain numbers: how many blocks a group takes, and the launch.
struct Launcher {
  int group_blocks;
  void (*launch)(int16_t* coefficients, int groups, cudaStream_t stream);
};

template <int N, IdctStep kStep>
Launcher launcher() {
  using Shape = StepShape<N, kStep>;
  return {Shape::kGroupBlocks, [](int16_t* coefficients, int groups, cudaStream_t stream) {
            const dim3 threads(32, Shape::kWarps);
            compacted_kernel<N, kStep><<<static_cast<unsigned>(groups), threads, 0, stream>>>(coefficients);
          }};
}

template <int N>
Launcher launcher_of(IdctStep step) {
  switch (step) {
    case IdctStep::kCompacted:
      return launcher<N, IdctStep::kCompacted>();
    case IdctStep::kNoBarrier:
      return launcher<N, IdctStep::kNoBarrier>();
    case IdctStep::kLargeGroup:
      return launcher<N, IdctStep::kLargeGroup>();
    case IdctStep::kGranularity:
      return launcher<N, IdctStep::kGranularity>();
    case IdctStep::kCoalesced:
      break;
  }
  return launcher<N, IdctStep::kCoalesced>();
}

// Blocks of one size on both sides, zeros up to whole groups: that is what is uploaded, as in the paper.
struct BlockArray {
  Launcher kernel{};
  TwinArray<int16_t> memory;
  size_t used = 0;
  int groups = 0;

  Status allocate(Device& device, IdctStep step, int size, const std::vector<int16_t>& blocks) {
    kernel = size == 4 ? launcher_of<4>(step) : launcher_of<8>(step);
    const size_t group = static_cast<size_t>(kernel.group_blocks) * static_cast<size_t>(size * size);
    used = blocks.size();
    groups = static_cast<int>((used + group - 1) / group);
    return memory.allocate(device, blocks, static_cast<size_t>(groups) * group);
  }
  void launch(cudaStream_t stream) const {
    if (groups > 0) kernel.launch(memory.device.data(), groups, stream);
  }
  std::vector<int16_t> result() const { return {memory.host.data(), memory.host.data() + used}; }
};

// Times of all three; the result is that of coefficients which went through the kernel once.
template <typename Launch>
Status measure(Device& device, TwinArray<int16_t>& memory, int runs, GpuTimes& times, Launch&& launch) {
  CTV_RETURN_IF_ERROR(memory.upload(device, runs, times.upload));
  CTV_RETURN_IF_ERROR(time_kernel(device, runs, times.kernel, launch));
  double again = 0;
  CTV_RETURN_IF_ERROR(memory.upload(device, 1, again));
  launch();
  CTV_RETURN_IF_ERROR(device.launched("idct"));
  return memory.download(device, runs, times.download);
}

}  // namespace

Status idct_baseline(const MacroblockFrame& frame, int runs, std::vector<int16_t>& residuals,
                     GpuTimes& times) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> opened, Device::open(0));
  Device& device = *opened;
  TwinArray<int16_t> memory;
  TwinArray<uint32_t> flags;
  CTV_RETURN_IF_ERROR(memory.allocate(device, frame.coefficients, frame.coefficients.size()));
  CTV_RETURN_IF_ERROR(flags.allocate(device, frame.flags, frame.flags.size()));
  double flags_upload = 0;
  CTV_RETURN_IF_ERROR(flags.upload(device, runs, flags_upload));
  CTV_RETURN_IF_ERROR(measure(device, memory, runs, times, [&] {
    baseline_kernel<<<static_cast<unsigned>(frame.flags.size()), 96, 0, device.stream()>>>(
        memory.device.data(), flags.device.data());
  }));
  times.upload += flags_upload;
  residuals.assign(memory.host.data(), memory.host.data() + memory.host.size());
  return {};
}

Status idct_compacted(IdctStep step, int size, const std::vector<int16_t>& blocks, int runs,
                      std::vector<int16_t>& residuals, GpuTimes& times) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> opened, Device::open(0));
  Device& device = *opened;
  BlockArray array;
  CTV_RETURN_IF_ERROR(array.allocate(device, step, size, blocks));
  CTV_RETURN_IF_ERROR(measure(device, array.memory, runs, times, [&] { array.launch(device.stream()); }));
  residuals = array.result();
  return {};
}

Status idct_complete(const CompactedFrame& frame, bool overlapped, int runs, CompactedFrame& residuals,
                     double& ms) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> opened, Device::open(0));
  Device& device = *opened;
  BlockArray arrays[2];
  CTV_RETURN_IF_ERROR(arrays[0].allocate(device, IdctStep::kCoalesced, 4, frame.blocks4));
  CTV_RETURN_IF_ERROR(arrays[1].allocate(device, IdctStep::kCoalesced, 8, frame.blocks8));
  // Downloads go elsewhere, so that every run uploads the same.
  PinnedArray<int16_t> results[2];
  for (int i = 0; i < 2; ++i) CTV_RETURN_IF_ERROR(results[i].allocate(device, arrays[i].memory.host.size()));
  const cudaStream_t streams[2] = {device.stream(), overlapped ? device.up() : device.stream()};
  const auto once = [&]() -> Status {
    for (int i = 0; i < 2; ++i) {
      const TwinArray<int16_t>& memory = arrays[i].memory;
      const size_t bytes = memory.device.size() * sizeof(int16_t);
      CTV_CUDA_TRY(device, cudaMemcpyAsync(memory.device.data(), memory.host.data(), bytes,
                                           cudaMemcpyHostToDevice, streams[i]));
      arrays[i].launch(streams[i]);
      CTV_RETURN_IF_ERROR(device.launched("idct"));
      CTV_CUDA_TRY(device, cudaMemcpyAsync(results[i].data(), memory.device.data(), bytes,
                                           cudaMemcpyDeviceToHost, streams[i]));
    }
    for (const cudaStream_t stream : streams) CTV_CUDA_TRY(device, cudaStreamSynchronize(stream));
    return {};
  };
  std::vector<double> times;
  for (int run = -1; run < runs; ++run) {
    Status status;
    const double taken = time_ms([&] { (void)(status = once()); });
    CTV_RETURN_IF_ERROR(status);
    if (run >= 0) times.push_back(taken);
  }
  ms = median(std::move(times));
  residuals.blocks4.assign(results[0].data(), results[0].data() + arrays[0].used);
  residuals.blocks8.assign(results[1].data(), results[1].data() + arrays[1].used);
  return {};
}

}  // namespace ctv::lab
