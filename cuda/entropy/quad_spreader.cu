// SPDX-License-Identifier: BSD-3-Clause
// Lists of quads to levels: the expansion after the bus. Only quads that are not 0 travel; the device clears
// the levels, which its memory does at its full width, and then a thread puts each quad in its place.
#include "cuda/entropy/quad_spreader.hpp"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kBlocksPerComponent = 64;  // the same for every frame, so that its graph keeps its shape

struct Work {
  Level* levels[3];
  const QuadBand* bands;
  const int* first_bands;
  const QuadEntry* entries;
  const uint32_t* counts;
};

__global__ void __launch_bounds__(kThreads) spread_kernel(const __grid_constant__ Work work) {
  const int first = work.first_bands[blockIdx.y];
  const int end = work.first_bands[blockIdx.y + 1];
  if (first == end) return;
  const int base = work.bands[first].first;
  const QuadEntry* const entries = work.entries + base;
  const uint32_t count = work.counts[blockIdx.y];
  for (uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
    const QuadEntry entry = entries[i];
    const int quad = base + static_cast<int>(entry.place);
    int band = first;
    while (band + 1 < end && work.bands[band + 1].first <= quad) ++band;
    const QuadBand& b = work.bands[band];
    const int y = (quad - b.first) / b.quad_cols;
    const int x = (quad - b.first) % b.quad_cols;
    Level* const above =
        work.levels[b.plane] + b.offset + static_cast<size_t>(2 * y) * static_cast<size_t>(b.cols) + 2 * x;
    const bool right = 2 * x + 1 < b.cols;
    const bool below = 2 * y + 1 < b.rows;
    above[0] = entry.levels[0];
    if (right) above[1] = entry.levels[1];
    if (below) above[b.cols] = entry.levels[2];
    if (right && below) above[b.cols + 1] = entry.levels[3];
  }
}

}  // namespace

Status QuadSpreader::initialise(Device& device, const QuadPlan& plan, const std::array<size_t, 3>& levels) {
  as_levels_ = plan.levels;
  all_ = levels;
  const QuadBands layout(plan);
  std::vector<int> first_bands;
  for (const QuadBands::Begin& begin : layout.components) first_bands.push_back(static_cast<int>(begin.band));
  CTV_RETURN_IF_ERROR(copy_to(device, layout.bands, bands_));
  CTV_RETURN_IF_ERROR(copy_to(device, first_bands, first_bands_));
  CTV_RETURN_IF_ERROR(entries_.allocate(device, layout.quads));
  CTV_RETURN_IF_ERROR(counts_.allocate(device, plan.components.size()));
  CTV_RETURN_IF_ERROR(host_entries_.allocate(device, layout.quads));
  CTV_RETURN_IF_ERROR(host_counts_.allocate(device, plan.components.size()));
  for (size_t c = 0; c < plan.components.size(); ++c) {
    lists_.emplace_back();
    if (!plan.components[c].empty()) lists_.back().entries = host_entries_.data() + layout.components[c].quad;
  }
  return {};
}

Status QuadSpreader::upload(Device& device, cudaStream_t stream) {
  for (size_t c = 0; c < lists_.size(); ++c) {
    const QuadList& list = lists_[c];
    host_counts_.data()[c] = static_cast<uint32_t>(list.count);
    if (list.count == 0) continue;
    CTV_CUDA_TRY(device,
                 cudaMemcpyAsync(entries_.data() + (list.entries - host_entries_.data()), list.entries,
                                 list.count * sizeof(QuadEntry), cudaMemcpyHostToDevice, stream));
  }
  CTV_CUDA_TRY(device, cudaMemcpyAsync(counts_.data(), host_counts_.data(), lists_.size() * sizeof(uint32_t),
                                       cudaMemcpyHostToDevice, stream));
  return {};
}

Status QuadSpreader::spread(Device& device, const std::array<Level*, 3>& levels) {
  for (size_t p = 0; p < levels.size(); ++p) {
    if (levels[p] == nullptr || all_[p] == as_levels_[p]) continue;
    CTV_CUDA_TRY(device, cudaMemsetAsync(levels[p] + as_levels_[p], 0,
                                         (all_[p] - as_levels_[p]) * sizeof(Level), device.stream()));
  }
  const Work work{
      {levels[0], levels[1], levels[2]}, bands_.data(), first_bands_.data(), entries_.data(), counts_.data()};
  spread_kernel<<<dim3(kBlocksPerComponent, static_cast<unsigned>(lists_.size())), kThreads, 0,
                  device.stream()>>>(work);
  return device.launched("spread_kernel");
}

}  // namespace ctv::cuda
