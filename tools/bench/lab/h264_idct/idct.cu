// SPDX-License-Identifier: BSD-3-Clause
// The kernels of Wang et al. 2013, their launches and times. A thread transforms a line, a row first and then
// a column; between the two a block's lines meet in shared memory. All work in place, as the paper's
// listing 1.
#include "bench/lab/gpu.cuh"
#include "bench/lab/gpu.hpp"

namespace ctv::lab {
namespace {

/// A line of a block, moved as one word of 8 or 16 bytes.
template <int N>
struct alignas(2 * N) Line {
  int16_t v[N];
};

template <int N>
__device__ __forceinline__ void transform(const Line<N>& line, int32_t (&out)[N]) {
  int32_t in[N];
#pragma unroll
  for (int k = 0; k < N; ++k) in[k] = line.v[k];
  inverse_line(in, out);
}

/// Thread `t` of those that transform a macroblock's blocks of one size: a row of block t / N to shared
/// memory, turned; then, after the barrier, a column back.
template <int N>
__device__ __forceinline__ void baseline_row(const int16_t* blocks, int16_t* shared, int t) {
  const int block = t / N * N * N, line = t % N;
  int32_t out[N];
  transform(*reinterpret_cast<const Line<N>*>(blocks + block + line * N), out);
#pragma unroll
  for (int k = 0; k < N; ++k) shared[block + k * N + line] = static_cast<int16_t>(out[k]);
}
template <int N>
__device__ __forceinline__ void baseline_column(int16_t* blocks, const int16_t* shared, int t) {
  const int block = t / N * N * N, line = t % N;
  int32_t out[N];
  transform(*reinterpret_cast<const Line<N>*>(shared + block + line * N), out);
#pragma unroll
  for (int k = 0; k < N; ++k) blocks[block + k * N + line] = rounded_residual(out[k]);
}

/// Section 2.1: one group of 96 threads for each macroblock, which finds out the type and skips zero blocks.
/// Half of the luma threads have nothing to do where blocks are 8x8.
__global__ void __launch_bounds__(96) baseline_kernel(int16_t* coefficients, const uint32_t* flags) {
  __shared__ alignas(16) int16_t shared[kMacroblockSamples];
  int16_t* blocks = coefficients + static_cast<size_t>(blockIdx.x) * kMacroblockSamples;
  const int t = static_cast<int>(threadIdx.x);
  const uint32_t f = flags[blockIdx.x];
  const bool is8 = (f & MacroblockFrame::k8x8) != 0 && t < 64;
  const bool live = is8 ? t < 32 && (f >> (t / 8 * 4) & 1) != 0 : (f >> (t / 4) & 1) != 0;
  if (live) is8 ? baseline_row<8>(blocks, shared, t) : baseline_row<4>(blocks, shared, t);
  __syncthreads();
  if (live) is8 ? baseline_column<8>(blocks, shared, t) : baseline_column<4>(blocks, shared, t);
}

/// What a step is made of.
template <int N, IdctStep kStep>
struct StepShape {
  static constexpr bool kBarrier = kStep == IdctStep::kCompacted;
  static constexpr int kWarps = kStep >= IdctStep::kLargeGroup ? 6 : 3;
  static constexpr int kLines = kStep >= IdctStep::kGranularity ? 16 / N : 1;  // of a thread
  static constexpr bool kCoalesced = kStep == IdctStep::kCoalesced;
  static constexpr int kBlocks = 32 / N;  // of a warp, for each of its lines
  // A block in shared memory on its way out; with the padding all 32 lanes meet different banks.
  static constexpr int kBlockStride = N * N + (kCoalesced ? N : 0);
  static constexpr int kGroupBlocks = kWarps * kLines * kBlocks;
};

/// Listing 1 and section 2.3; `coefficients` hold whole groups of blocks.
template <int N, IdctStep kStep>
__global__ void __launch_bounds__(32 * StepShape<N, kStep>::kWarps) compacted_kernel(int16_t* coefficients) {
  using Shape = StepShape<N, kStep>;
  constexpr int kLines = Shape::kLines;
  __shared__ alignas(16) int16_t shared[Shape::kWarps][kLines][Shape::kBlocks * Shape::kBlockStride];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int first = (static_cast<int>(blockIdx.x) * Shape::kWarps + warp) * kLines * 32;  // line of the warp
  Line<N>* lines = reinterpret_cast<Line<N>*>(coefficients) + first;
  const auto meet = [] {
    if constexpr (Shape::kBarrier) {
      __syncthreads();
    } else {
      __syncwarp();
    }
  };

  Line<N> line[kLines];
#pragma unroll
  for (int l = 0; l < kLines; ++l) line[l] = lines[l * 32 + lane];
#pragma unroll
  for (int l = 0; l < kLines; ++l) {
    int32_t out[N];
    transform(line[l], out);
#pragma unroll
    for (int k = 0; k < N; ++k) shared[warp][l][k * 32 + lane] = static_cast<int16_t>(out[k]);
  }
  meet();
  // N numbers in a row are a block's column now.
  const int block = lane % Shape::kBlocks, column = lane / Shape::kBlocks;
#pragma unroll
  for (int l = 0; l < kLines; ++l) {
    int32_t out[N];
    transform(*reinterpret_cast<const Line<N>*>(shared[warp][l] + lane * N), out);
#pragma unroll
    for (int k = 0; k < N; ++k) line[l].v[k] = rounded_residual(out[k]);
  }
  if constexpr (Shape::kCoalesced) {
    meet();
#pragma unroll
    for (int l = 0; l < kLines; ++l) {
#pragma unroll
      for (int k = 0; k < N; ++k)
        shared[warp][l][block * Shape::kBlockStride + k * N + column] = line[l].v[k];
    }
    meet();
#pragma unroll
    for (int l = 0; l < kLines; ++l) {
      const int16_t* row = shared[warp][l] + lane / N * Shape::kBlockStride + lane % N * N;
      lines[l * 32 + lane] = *reinterpret_cast<const Line<N>*>(row);
    }
  } else {
#pragma unroll
    for (int l = 0; l < kLines; ++l) {
      int16_t* out = reinterpret_cast<int16_t*>(lines + l * 32) + block * N * N + column;
#pragma unroll
      for (int k = 0; k < N; ++k) out[k * N] = line[l].v[k];
    }
  }
}

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
  const Launcher all[] = {launcher<N, IdctStep::kCompacted>(), launcher<N, IdctStep::kNoBarrier>(),
                          launcher<N, IdctStep::kLargeGroup>(), launcher<N, IdctStep::kGranularity>(),
                          launcher<N, IdctStep::kCoalesced>()};
  return all[static_cast<size_t>(step)];
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

}  // namespace ctv::lab
