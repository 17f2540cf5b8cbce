// SPDX-License-Identifier: BSD-3-Clause
// Levels to events of quads, so that zero blocks neither cross the bus nor are looked at by a CPU. An encoder
// knows all levels, so what a decoder finds one quad after the other is found for all at once: first each
// quad's symbol, signs and sum (16 bits), then T from the sums around it. A block takes a row of quads and
// packs what it keeps (ballots within warps, sums of eight warps) in shared memory; the packed row goes
// straight to the host's memory, so its size need not be known before. Naive: all levels cross, 2
// bytes each, and a CPU core walks them in several milliseconds per 1080p frame.
#include "cuda/entropy/quad_finder.hpp"

#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int kStage = 1024;  // quads whose events are packed before they are written

struct QuadLevels {
  int of[4];
};

__device__ __forceinline__ QuadLevels levels_of(const QuadBand& b, const Level* plane, int y, int x) {
  const Level* above = plane + b.offset + static_cast<size_t>(2 * y) * static_cast<size_t>(b.cols) + 2 * x;
  const bool right = 2 * x + 1 < b.cols;
  const bool below = 2 * y + 1 < b.rows;
  return {
      {above[0], right ? above[1] : 0, below ? above[b.cols] : 0, right && below ? above[b.cols + 1] : 0}};
}

__global__ void __launch_bounds__(kThreads)
    quads_kernel(const __grid_constant__ QuadFinder::Work work,
                 const __grid_constant__ QuadFinder::Symbols symbols) {
  __shared__ uint8_t symbol_of[kQuadSymbols];
  if (threadIdx.x < kQuadSymbols) symbol_of[threadIdx.x] = symbols.of_value[threadIdx.x];
  __syncthreads();
  const QuadFinder::Row row = work.rows[blockIdx.x];
  const QuadBand& b = work.bands[row.band];
  for (int x = static_cast<int>(threadIdx.x); x < b.quad_cols; x += kThreads) {
    const QuadLevels l = levels_of(b, work.levels[b.plane], row.y, x);
    int sum = 0;
    int value = 0;
    unsigned signs = 0;
    int non_zero = 0;
    for (const int level : l.of) {
      const int magnitude = abs_of(level);
      sum += magnitude;
      value = value * 3 + min_of(magnitude, 2);
      if (level == 0) continue;
      signs |= (level < 0 ? 1U : 0U) << non_zero;
      ++non_zero;
    }
    work.quads[row.first + x] =
        static_cast<uint16_t>(static_cast<unsigned>(min_of(sum, kMaxQuadSum)) |
                              static_cast<unsigned>(symbol_of[value]) << 5 | signs << 12);
  }
}

/// A band's sums, 0 outside of it.
struct Sums {
  const uint16_t* quads;  // of the band
  int rows, cols;
  __device__ __forceinline__ int at(int y, int x) const {
    return y >= 0 && y < rows && x >= 0 && x < cols ? quads[static_cast<size_t>(y) * cols + x] & 31 : 0;
  }
};

__device__ __forceinline__ int context_of(const QuadFinder::Work& work, const QuadBand& b, int y, int x) {
  const Sums same{work.quads + b.first, b.quad_rows, b.quad_cols};
  int t = kSameWeight * (same.at(y, x - 1) + same.at(y - 1, x)) + same.at(y, x - 2) + same.at(y - 1, x - 1) +
          same.at(y - 1, x + 1) + same.at(y - 2, x);
  if (b.siblings[0] >= 0) {
    const int first = Sums{work.quads + work.bands[b.siblings[0]].first, b.quad_rows, b.quad_cols}.at(y, x);
    const int second =
        b.siblings[1] < 0
            ? first
            : Sums{work.quads + work.bands[b.siblings[1]].first, b.quad_rows, b.quad_cols}.at(y, x);
    t += kSiblingWeight * ((first + second + 1) >> 1);
  }
  if (b.parent < 0) return t;
  const QuadBand& parent = work.bands[b.parent];
  if (b.parent_is_half == 0) {
    return t +
           (kParentWeight * Sums{work.quads + parent.first, parent.quad_rows, parent.quad_cols}.at(y, x) >>
            1);
  }
  if (y >= parent.rows || x >= parent.cols) return t;
  const int level = work.levels[parent.plane][parent.offset +
                                              static_cast<size_t>(y) * static_cast<size_t>(parent.cols) + x];
  return t + kParentWeight * min_of(abs_of(level), kMaxQuadSum);
}

__global__ void __launch_bounds__(kThreads)
    events_kernel(const __grid_constant__ QuadFinder::Work work,
                  const __grid_constant__ QuadFinder::Symbols symbols) {
  __shared__ uint8_t twos_of[kQuadSymbols];
  __shared__ QuadEvent events[kStage];
  __shared__ uint16_t magnitudes[4 * kStage];
  __shared__ int warp_events[kWarps], warp_magnitudes[kWarps], warp_last[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  if (thread < kQuadSymbols) twos_of[thread] = symbols.twos[thread];
  const QuadFinder::Row row = work.rows[blockIdx.x];
  const QuadBand& b = work.bands[row.band];
  const int cols = b.quad_cols;
  int last = -1;  // the row's last event so far
  uint32_t row_events = 0;
  uint32_t row_magnitudes = 0;
  __syncthreads();
  for (int begin = 0; begin < cols; begin += kStage) {
    int host_copy_events = 0;
    int host_copy_magnitudes = 0;
    for (int x0 = begin; x0 < min_of(begin + kStage, cols); x0 += kThreads) {
      const int x = x0 + thread;
      const unsigned quad = x < cols ? work.quads[row.first + x] : 0U;
      const int t = x < cols ? context_of(work, b, row.y, x) : 0;
      const unsigned symbol = quad >> 5 & 127U;
      const unsigned twos = twos_of[symbol];
      const int bigs = __popc(twos);
      const bool stays = t != 0 || quad != 0;
      const unsigned mask = __ballot_sync(kAllLanes, stays);
      const unsigned before = mask & ((1U << lane) - 1U);
      int bigs_through = bigs;  // of this lane and those before
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(kAllLanes, bigs_through, step);
        if (lane >= step) bigs_through += other;
      }
      if (lane == 31) {
        warp_events[warp] = __popc(mask);
        warp_magnitudes[warp] = bigs_through;
        warp_last[warp] = mask == 0 ? -1 : x0 + 32 * warp + 31 - __clz(static_cast<int>(mask));
      }
      __syncthreads();
      int previous = last;
      int event_at = host_copy_events + __popc(before);
      int magnitude_at = host_copy_magnitudes + bigs_through - bigs;
      for (int w = 0; w < kWarps; ++w) {
        if (w < warp) {
          previous = max_of(previous, warp_last[w]);
          event_at += warp_events[w];
          magnitude_at += warp_magnitudes[w];
        }
        last = max_of(last, warp_last[w]);
        host_copy_events += warp_events[w];
        host_copy_magnitudes += warp_magnitudes[w];
      }
      if (before != 0) previous = x0 + 32 * warp + 31 - __clz(static_cast<int>(before));
      if (stays) {
        events[event_at] =
            pack_event({static_cast<uint32_t>(x - previous - 1),
                        static_cast<uint32_t>(magnitude_class(t + kBigWeight * (max_of(bigs, 1) - 1))),
                        quad >> 12, static_cast<uint32_t>(quad_class(t)), symbol});
        if (twos != 0) {
          const QuadLevels l = levels_of(b, work.levels[b.plane], row.y, x);
          for (int i = 0; i < 4; ++i) {
            if ((twos >> i & 1U) != 0)
              magnitudes[magnitude_at++] = static_cast<uint16_t>(abs_of(l.of[i]) - 2);
          }
        }
      }
      __syncthreads();
    }
    QuadEvent* const to = work.events + row.first + row_events;
    for (int i = thread; i < host_copy_events; i += kThreads) to[i] = events[i];
    uint16_t* const magnitudes_to = work.magnitudes + 4 * static_cast<size_t>(row.first) + row_magnitudes;
    for (int i = thread; i < host_copy_magnitudes; i += kThreads) magnitudes_to[i] = magnitudes[i];
    row_events += static_cast<uint32_t>(host_copy_events);
    row_magnitudes += static_cast<uint32_t>(host_copy_magnitudes);
    __syncthreads();
  }
  if (thread == 0) work.found_rows[blockIdx.x] = {row_events, row_magnitudes};
}

}  // namespace

Status QuadFinder::initialise(Device& device, const QuadPlan& plan) {
  const QuadBands layout(plan);
  std::vector<Row> rows;
  for (size_t b = 0; b < layout.bands.size(); ++b) {
    const QuadBand& band = layout.bands[b];
    const size_t next =
        b + 1 < layout.bands.size() ? static_cast<size_t>(layout.bands[b + 1].first) : layout.quads;
    if (next == static_cast<size_t>(band.first)) continue;  // a lowpass
    for (int y = 0; y < band.quad_rows; ++y)
      rows.push_back({static_cast<int>(b), y, band.first + y * band.quad_cols});
  }
  CTV_RETURN_IF_ERROR(copy_to(device, layout.bands, bands_));
  CTV_RETURN_IF_ERROR(copy_to(device, rows, rows_));
  CTV_RETURN_IF_ERROR(quads_.allocate(device, layout.quads));
  CTV_RETURN_IF_ERROR(found_rows_.allocate(device, rows.size()));
  CTV_RETURN_IF_ERROR(events_.allocate(device, layout.quads));
  CTV_RETURN_IF_ERROR(magnitudes_.allocate(device, 4 * layout.quads));
  for (size_t c = 0; c < plan.components.size(); ++c) {
    found_.emplace_back();
    if (plan.components[c].empty()) continue;
    const auto& [band, quad, row] = layout.components[c];
    found_.back() = {found_rows_.data() + row, events_.data() + quad, magnitudes_.data() + 4 * quad};
  }
  for (size_t s = 0; s < kQuadSymbols; ++s) {
    symbols_.of_value[s] = kQuads.symbol_of_value[s];
    symbols_.twos[s] = kQuads.symbols[s].twos;
  }
  return {};
}

Status QuadFinder::find(Device& device, const std::array<const Level*, 3>& levels, cudaStream_t stream) {
  const Work work{{levels[0], levels[1], levels[2]},
                  bands_.data(),
                  rows_.data(),
                  quads_.data(),
                  found_rows_.data(),
                  events_.data(),
                  magnitudes_.data()};
  const auto blocks = static_cast<unsigned>(rows_.size());
  if (blocks == 0) return {};
  quads_kernel<<<blocks, kThreads, 0, stream>>>(work, symbols_);
  CTV_RETURN_IF_ERROR(device.launched("quads_kernel"));
  events_kernel<<<blocks, kThreads, 0, stream>>>(work, symbols_);
  return device.launched("events_kernel");
}

}  // namespace ctv::cuda
