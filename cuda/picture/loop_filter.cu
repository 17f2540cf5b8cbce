// SPDX-License-Identifier: BSD-3-Clause
// The loop filter: a block filters a tile, and a thread some pairs of samples, one below the other, as two
// halves of 32-bit words. The block finds the differences across samples once, in shared memory, and each
// thread adds them up. To decide, each warp has a tile of its own, the rows of a row of cells that decide.
// Changes of the squared error are brought together by atomic additions: integers add up alike in any order.
#include "cuda/picture/loop_filter.hpp"

#include <climits>
#include <iterator>

#include "codec/dsp/filter_weights.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kRows = 4;               // of a thread that filters
constexpr int kDown = kWarps * kRows;  // samples of a block that filters
constexpr int kAcross = 2 * kWarp;
constexpr int kGroup = 8;  // threads whose columns have one root, whatever the subsampling
constexpr int kThreads = kWarp * kWarps;
constexpr int kPairs = kWarp + 2;  // of a row, one before the tile and one behind
// Added to samples, so that none is negative and differences of pairs do not borrow. Predictions, which
// filter_changes reads, overshoot the range of chroma to 781 at most: the filter's taps add up to 112/64 in
// magnitude.
constexpr int kBias = 1024;
constexpr uint32_t kSigns = 0x80008000;

// kTileRows: filtered.
template <int kTileRows>
struct FilterTile {
  static constexpr int kLoaded = kTileRows + 2 * kFilterReach;
  static constexpr int kSummed = kTileRows + 2;  // rows whose differences are added up
  uint32_t samples[kLoaded][kPairs];
  uint4 differences[kSummed][kPairs];  // across, down, falling, rising; no sum has more than 16 bits
};

// Of each class: weights w of pairs of neighbours as bytes w, 0, 0, w, and what the sum begins with.
using TileWeights = uint4[kFilterClasses][2];

__device__ __forceinline__ uint32_t difference_of(uint32_t a, uint32_t b) {
  return __vmaxs2(a, b) - __vmins2(a, b);
}
// The pairs one column to the left and to the right of `own`.
__device__ __forceinline__ uint32_t to_the_left(uint32_t before, uint32_t own) {
  return __funnelshift_r(before, own, 16);
}
__device__ __forceinline__ uint32_t to_the_right(uint32_t own, uint32_t behind) {
  return __funnelshift_r(own, behind, 16);
}

// Thread `thread` of kCount loads its part. The tile begins at (row, col).
template <int kCount, int kTileRows>
__device__ __forceinline__ void load_samples(const PlaneView<const Sample>& plane, int row, int col,
                                             int thread, FilterTile<kTileRows>& tile) {
  constexpr int kLoaded = FilterTile<kTileRows>::kLoaded;
  const int top = row - kFilterReach;
  const int left = col - 2;
  const bool inside = top >= 0 && left >= 0 && top + kLoaded <= plane.rows &&
                      left + 2 * kPairs <= plane.cols && has_pairs(plane.data, plane.stride);
  for (int i = thread; i < kLoaded * kPairs; i += kCount) {
    const int r = top + i / kPairs;
    const int c = left + 2 * (i % kPairs);
    uint32_t pair;
    if (inside) {
      pair = *reinterpret_cast<const uint32_t*>(plane.row(r) + c);
    } else {
      const Sample* from = plane.row(clamp_to(r, 0, plane.rows - 1));
      pair = pair_of(from[clamp_to(c, 0, plane.cols - 1)], from[clamp_to(c + 1, 0, plane.cols - 1)]);
    }
    tile.samples[i / kPairs][i % kPairs] = pair_of(first_of(pair) + kBias, second_of(pair) + kBias);
  }
}

// A pair of neighbours pulls with two bounds added (pulls_of()), which the sums' beginnings take off again.
__device__ __forceinline__ void load_weights(const LoopFilter& filter, int thread, TileWeights& to) {
  if (thread >= kFilterClasses) return;
  uint32_t words[8] = {};
  int sum = 0;
#pragma unroll
  for (int k = 0; k < kFilterPairs; ++k) {
    const int weight = kFilterWeights[filter.table][k][thread];
    words[k] = static_cast<uint32_t>(weight & 255) * 0x01000001U;
    sum += weight;
  }
  words[kFilterPairs] = static_cast<uint32_t>(-2 * filter.bound * sum);
  to[thread][0] = {words[0], words[1], words[2], words[3]};
  to[thread][1] = {words[4], words[5], words[6], words[7]};
}

// The columns before the first pair and behind the last mean nothing, nor do differences across these.
template <int kCount, int kTileRows>
__device__ __forceinline__ void find_differences(int thread, FilterTile<kTileRows>& tile) {
  for (int i = thread; i < FilterTile<kTileRows>::kSummed * kPairs; i += kCount) {
    const int r = i / kPairs + 1;
    const int at = i % kPairs;
    const int before = max_of(at - 1, 0);
    const int behind = min_of(at + 1, kPairs - 1);
    const auto& s = tile.samples;
    const uint32_t above = s[r - 1][at];
    const uint32_t own = s[r][at];
    const uint32_t below = s[r + 1][at];
    const auto left = [&](int row, uint32_t pair) { return to_the_left(s[row][before], pair); };
    const auto right = [&](int row, uint32_t pair) { return to_the_right(pair, s[row][behind]); };
    tile.differences[r - 1][at] = {difference_of(left(r, own), right(r, own)), difference_of(above, below),
                                   difference_of(left(r - 1, above), right(r + 1, below)),
                                   difference_of(right(r - 1, above), left(r + 1, below))};
  }
}

// Differences of the three samples around each of the thread's pair, in a row of them.
__device__ __forceinline__ uint4 row_sum(const uint4* row) {
  const uint4 before = row[threadIdx.x];
  const uint4 own = row[threadIdx.x + 1];
  const uint4 behind = row[threadIdx.x + 2];
  const auto sum = [](uint32_t a, uint32_t b, uint32_t c) {
    return to_the_left(a, b) + b + to_the_right(b, c);
  };
  return {sum(before.x, own.x, behind.x), sum(before.y, own.y, behind.y), sum(before.z, own.z, behind.z),
          sum(before.w, own.w, behind.w)};
}
__device__ __forceinline__ uint4 operator+(const uint4& a, const uint4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// The thread's pairs: kOwn rows of a tile from row `first` on, and those around them.
template <int kOwn>
struct OwnSamples {
  static constexpr int kAll = kOwn + 2 * kFilterReach;
  uint32_t pairs[kAll], left[kAll], right[kAll];

  template <int kTileRows>
  __device__ __forceinline__ OwnSamples(const FilterTile<kTileRows>& tile, int first) {
#pragma unroll
    for (int r = 0; r < kAll; ++r) {
      const uint32_t* row = &tile.samples[first + r][threadIdx.x];
      pairs[r] = row[1];
      left[r] = to_the_left(row[0], row[1]);
      right[r] = to_the_right(row[1], row[2]);
    }
  }
};

// How far two neighbours pull both samples, with the bound added to each pull. shift: bound less the samples.
__device__ __forceinline__ uint32_t pulls_of(uint32_t a, uint32_t b, uint32_t shift, uint32_t most) {
  return __viaddmin_s16x2_relu(a, shift, most) + __viaddmin_s16x2_relu(b, shift, most);
}

// What is added to both samples of the thread's row i, which begins at `row`. sum: of the differences around
// them.
template <int kOwn>
__device__ __forceinline__ int2 corrections_of(const TileWeights& tile_weights, const LoopFilter& filter,
                                               const OwnSamples<kOwn>& own, const uint32_t* row, int i,
                                               uint4 sum) {
  const int r = i + kFilterReach;
  const auto bounds = static_cast<uint32_t>(filter.bound) * 0x00010001U;
  const uint32_t shift = ((bounds | kSigns) - own.pairs[r]) ^ kSigns;
  const uint32_t pulls[kFilterPairs] = {pulls_of(own.right[r], own.left[r], shift, 2 * bounds),
                                        pulls_of(own.pairs[r + 1], own.pairs[r - 1], shift, 2 * bounds),
                                        pulls_of(own.right[r + 1], own.left[r - 1], shift, 2 * bounds),
                                        pulls_of(own.left[r + 1], own.right[r - 1], shift, 2 * bounds),
                                        pulls_of(row[2], row[0], shift, 2 * bounds),
                                        pulls_of(own.pairs[r + 2], own.pairs[r - 2], shift, 2 * bounds)};
  const auto total = [&](int class_of, auto dot) {
    const uint4 low = tile_weights[class_of][0];
    const uint4 high = tile_weights[class_of][1];
    const uint32_t weights[kFilterPairs] = {low.x, low.y, low.z, low.w, high.x, high.y};
    auto sum_of = static_cast<int>(high.z);
#pragma unroll
    for (int k = 0; k < kFilterPairs; ++k)
      sum_of = dot(static_cast<int>(pulls[k]), static_cast<int>(weights[k]), sum_of);
    return filter_correction(static_cast<int16_t>(sum_of));
  };
  const int first =
      filter_class<int>(filter, first_of(sum.x), first_of(sum.y), first_of(sum.z), first_of(sum.w));
  const int second =
      filter_class<int>(filter, second_of(sum.x), second_of(sum.y), second_of(sum.z), second_of(sum.w));
  return {total(first, [](int a, int b, int c) { return __dp2a_lo(a, b, c); }),
          total(second, [](int a, int b, int c) { return __dp2a_hi(a, b, c); })};
}

// Calls code(i, pair, corrections) for kOwn rows of a tile from row `first` on, if corrects(i). Other
// corrections mean nothing.
template <int kOwn, int kTileRows, typename Corrects, typename Code>
__device__ __forceinline__ void for_pairs(const FilterTile<kTileRows>& tile, const TileWeights& weights,
                                          const LoopFilter& filter, int first, Corrects corrects, Code code) {
  const OwnSamples<kOwn> own(tile, first);
  uint4 above = row_sum(tile.differences[first]);
  uint4 at = row_sum(tile.differences[first + 1]);
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const uint4 below = row_sum(tile.differences[first + i + 2]);
    int2 corrections{};
    if (corrects(i)) {
      corrections = corrections_of(weights, filter, own, &tile.samples[first + i + kFilterReach][threadIdx.x],
                                   i, above + at + below);
    }
    code(i, own.pairs[i + kFilterReach], corrections);
    above = at;
    at = below;
  }
}

// All planes in one launch: that of chroma alone would not fill the device.
struct UnfilteredPlanes {
  UnfilteredPlane of[3];
  int first[3];   // number of the first block; beyond all blocks if there is no such plane
  int across[3];  // blocks
};

// A warp has half of the rows of a row of cells (filter_decides()).
template <int kOwn>
__device__ __forceinline__ void add_changes(const UnfilteredPlane& plane, const FilteredCells& cells,
                                            int cell_row, int left, const TileWeights& weights,
                                            FilterTile<kOwn>& tile, unsigned long long* changes) {
  const int lane = static_cast<int>(threadIdx.x);
  const int top = cell_row * 2 * kOwn + kOwn / 2;
  const int col = left + 2 * lane;
  const int cell_col = cells.col_of(col);  // of both samples of a pair
  const bool filtered =
      top < plane.samples.rows && col < plane.samples.cols && cells.filtered(cells.row_of(top), cell_col);
  if (__any_sync(kAllLanes, filtered) == 0) return;
  load_samples<kWarp>(plane.samples, top, left, lane, tile);
  __syncwarp();
  find_differences<kWarp>(lane, tile);
  __syncwarp();
  const bool both = col + 1 < plane.samples.cols;
  FilterGain gain;
  for_pairs<kOwn>(
      tile, weights, plane.filter, 0, [&](int i) { return filtered && top + i < plane.samples.rows; },
      [&](int i, uint32_t pair, int2 corrections) {
        if (!filtered || top + i >= plane.samples.rows) return;
        const Sample* source = plane.source.row(top + i) + col;
        gain.add(source[0] + kBias - first_of(pair), corrections.x);
        if (both) gain.add(source[1] + kBias - second_of(pair), corrections.y);
      });
  for (int distance = kGroup / 2; distance > 0; distance /= 2) {
    gain.before += __shfl_xor_sync(kAllLanes, gain.before, distance);
    gain.after += __shfl_xor_sync(kAllLanes, gain.after, distance);
  }
  if (lane % kGroup != 0 || col >= plane.samples.cols) return;
  atomicAdd(changes + cells.root(cells.row_of(top), cell_col),
            static_cast<unsigned long long>(gain.change()));
}

__global__ void __launch_bounds__(kThreads)
    filter_changes_kernel(const __grid_constant__ UnfilteredPlanes planes, const uint8_t* skips,
                          unsigned long long* changes) {
  follow();
  constexpr int kMost = 1 << (kLog2Cell - 1);
  __shared__ TileWeights weights;
  __shared__ union {
    FilterTile<kMost> whole;
    FilterTile<kMost / 2> halved;  // of subsampled rows
  } tiles[kWarps];
  const auto number = static_cast<int>(blockIdx.x);
  const int p = number >= planes.first[2] ? 2 : (number >= planes.first[1] ? 1 : 0);
  const UnfilteredPlane& plane = planes.of[p];
  const int warp = static_cast<int>(threadIdx.y);
  load_weights(plane.filter, warp * kWarp + static_cast<int>(threadIdx.x), weights);
  __syncthreads();
  const int cell_row = (number - planes.first[p]) / planes.across[p] * kWarps + warp;
  const int left = (number - planes.first[p]) % planes.across[p] * kAcross;
  const FilteredCells cells{plane.geometry, skips, nullptr};
  if (plane.geometry.row_shift == 0) {
    add_changes(plane, cells, cell_row, left, weights, tiles[warp].whole, changes);
  } else {
    add_changes(plane, cells, cell_row, left, weights, tiles[warp].halved, changes);
  }
}

__device__ __forceinline__ void write_pair(const PlaneView<Sample>& to, int row, int col, uint32_t inside,
                                           uint32_t pair) {
  Sample* at = to.row(row) + col;
  if (inside == 3 && has_pairs(to.data, to.stride)) {
    *reinterpret_cast<uint32_t*>(at) = pair;
    return;
  }
  if ((inside & 1U) != 0) at[0] = static_cast<Sample>(first_of(pair));
  if ((inside & 2U) != 0) at[1] = static_cast<Sample>(second_of(pair));
}

__global__ void __launch_bounds__(kThreads)
    filter_kernel(PlaneView<const Sample> from, const __grid_constant__ LoopFilter filter,
                  const __grid_constant__ FilteredCells cells, PlaneView<Sample> to) {
  follow();
  __shared__ TileWeights weights;
  __shared__ FilterTile<kDown> tile;
  const SampleRange range = cells.geometry.range;
  const int thread = static_cast<int>(threadIdx.y) * kWarp + static_cast<int>(threadIdx.x);
  const int top = static_cast<int>(blockIdx.y) * kDown;
  const int left = static_cast<int>(blockIdx.x) * kAcross;
  const int first = static_cast<int>(threadIdx.y) * kRows;
  const int row = top + first;
  const int col = left + 2 * static_cast<int>(threadIdx.x);
  // Bits of the first and the second of each pair: what is inside the plane, and what is filtered.
  uint32_t inside[kRows], filtered[kRows];
  uint32_t any = 0;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    inside[i] = row + i >= to.rows || col >= to.cols ? 0U : (col + 1 < to.cols ? 3U : 1U);
    filtered[i] = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if ((inside[i] >> k & 1U) != 0 && cells.filtered(cells.row_of(row + i), cells.col_of(col + k)))
        filtered[i] |= 1U << k;
    }
    any |= filtered[i];
  }
  if (__syncthreads_or(any != 0 ? 1 : 0) == 0) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (inside[i] == 0) continue;
      const Sample* at = from.row(row + i) + col;
      write_pair(to, row + i, col, inside[i], pair_of(at[0], inside[i] == 3 ? at[1] : 0));
    }
    return;
  }
  load_samples<kThreads>(from, top, left, thread, tile);
  load_weights(filter, thread, weights);
  __syncthreads();
  find_differences<kThreads>(thread, tile);
  __syncthreads();
  for_pairs<kRows>(
      tile, weights, filter, first, [&](int i) { return filtered[i] != 0; },
      [&](int i, uint32_t pair, int2 corrections) {
        const auto value = [&](uint32_t bit, int sample, int correction) {
          return (filtered[i] & bit) != 0 ? clamp_to<int>(sample + correction, range.lo, range.hi) : sample;
        };
        write_pair(to, row + i, col, inside[i],
                   pair_of(value(1, first_of(pair) - kBias, corrections.x),
                           value(2, second_of(pair) - kBias, corrections.y)));
      });
}

}  // namespace

Status filter_changes(Device& device, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                      int64_t* changes) {
  CTV_CUDA_TRY(device, cudaMemsetAsync(changes, 0, planes[0].geometry.grid.roots() * sizeof *changes,
                                       device.stream()));
  UnfilteredPlanes all{};
  int blocks = 0;
  for (size_t p = 0; p < std::size(all.of); ++p) {
    all.first[p] = INT_MAX;
    if (p >= planes.size()) continue;
    const UnfilteredPlane& plane = planes[p];
    all.of[p] = plane;
    all.first[p] = blocks;
    all.across[p] = ceil_div(plane.samples.cols, kAcross);
    blocks += all.across[p] * ceil_div(plane.samples.rows, kWarps << kLog2Cell >> plane.geometry.row_shift);
  }
  launch_kernel(device, filter_changes_kernel, static_cast<unsigned>(blocks), dim3(kWarp, kWarps), 0, all,
                skips, reinterpret_cast<unsigned long long*>(changes));
  return device.launched("filter_changes_kernel");
}

Status filter_plane(Device& device, PlaneView<const Sample> from, const LoopFilter& filter,
                    const FilteredCells& cells, PlaneView<Sample> to) {
  const dim3 blocks(blocks_for(to.cols, kAcross), blocks_for(to.rows, kDown));
  launch_kernel(device, filter_kernel, blocks, dim3(kWarp, kWarps), 0, from, filter, cells, to);
  return device.launched("filter_kernel");
}

}  // namespace ctv::cuda
