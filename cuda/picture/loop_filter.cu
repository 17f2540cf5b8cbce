// SPDX-License-Identifier: BSD-3-Clause
// The loop filter. A block filters a tile, and a thread some vertically adjacent pairs of samples, as the
// halves of 32-bit words. A thread sums the differences of its samples and those above and below, and takes
// the sums of the columns next to them from shared memory. For the encoder's decision, each warp has its own
// tile: the rows that decide of a row of cells. Changes of the squared error are summed by atomic additions,
// whose order does not matter for integers.
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
constexpr int kRows = 4;               // rows per thread in the filter
constexpr int kDown = kWarps * kRows;  // rows per block in the filter
constexpr int kAcross = 2 * kWarp;
constexpr int kGroup = 8;  // threads whose columns belong to one root, for any subsampling
constexpr int kThreads = kWarp * kWarps;
constexpr int kPairs = kWarp + 2;  // per row, including one before and one after the tile
// Bias of samples, which makes all positive, so that packed differences do not borrow. Predictions, which
// filter_changes() reads, overshoot the range of chroma by at most 781: the magnitudes of the filter's taps
// add up to 112/64.
constexpr int kBias = 1024;
constexpr uint32_t kSigns = 0x80008000;
constexpr uint32_t kLargest = 0x7fff7fff;

CTV_HOST_DEVICE uint32_t both(int value) { return (static_cast<uint32_t>(value) & 0xffff) * 0x00010001U; }

// kTileRows: number of filtered rows.
template <int kTileRows>
struct FilterTile {
  static constexpr int kLoaded = kTileRows + 2 * kFilterReach;
  uint32_t samples[kLoaded][kPairs];
  // Sums of three vertically adjacent differences: across, down, falling, rising. Each fits in 16 bits.
  uint4 sums[kTileRows][kPairs];
};

// Per class: weights w of pairs of neighbours as bytes w, 0, 0, w, and the initial value of the sum.
using TileWeights = uint4[kFilterClasses][2];

__device__ __forceinline__ uint32_t difference_of(uint32_t a, uint32_t b) {
  return __vmaxs2(a, b) - __vmins2(a, b);
}
// The pairs one column to the left and one column to the right of `own`.
__device__ __forceinline__ uint32_t to_the_left(uint32_t before, uint32_t own) {
  return __funnelshift_r(before, own, 16);
}
__device__ __forceinline__ uint32_t to_the_right(uint32_t own, uint32_t behind) {
  return __funnelshift_r(own, behind, 16);
}

// Loads the share of thread `thread` of kCount. The tile begins at (row, col).
template <int kCount, int kTileRows>
__device__ __forceinline__ void load_samples(const PlaneView<const Sample>& plane, int row, int col, int down,
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
    tile.samples[i / kPairs][i % kPairs] = __viaddmin_s16x2(shifted_down(pair, down), both(kBias), kLargest);
  }
}

// Pulls are computed with two bounds added (pulls_of()). The initial values of the sums subtract these, and
// round as filter_correction() does.
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
  words[kFilterPairs] = static_cast<uint32_t>((1 << (kFilterBits - 1)) - 2 * filter.bound * sum);
  to[thread][0] = {words[0], words[1], words[2], words[3]};
  to[thread][1] = {words[4], words[5], words[6], words[7]};
}

// kOwn rows of pairs of one column from row `first` on, with their surroundings. Neighbours of the first and
// last column of a tile are not valid, and not used.
template <int kOwn>
struct OwnSamples {
  static constexpr int kAll = kOwn + 2 * kFilterReach;
  uint32_t pairs[kAll], left[kAll], right[kAll];

  template <int kTileRows>
  __device__ __forceinline__ OwnSamples(const FilterTile<kTileRows>& tile, int first, int column) {
    const int before = max_of(column - 1, 0);
    const int behind = min_of(column + 1, kPairs - 1);
#pragma unroll
    for (int r = 0; r < kAll; ++r) {
      const uint32_t* row = tile.samples[first + r];
      pairs[r] = row[column];
      left[r] = to_the_left(row[before], row[column]);
      right[r] = to_the_right(row[column], row[behind]);
    }
  }

  __device__ __forceinline__ uint4 differences(int r) const {
    return {difference_of(left[r], right[r]), difference_of(pairs[r - 1], pairs[r + 1]),
            difference_of(left[r - 1], right[r + 1]), difference_of(right[r - 1], left[r + 1])};
  }
  /// Sums of the differences of row `first` + i and the rows above and below.
  __device__ __forceinline__ uint4 sums(int i) const {
    const uint4 a = differences(i + 1);
    const uint4 b = differences(i + 2);
    const uint4 c = differences(i + 3);
    return {a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z, a.w + b.w + c.w};
  }
};

// Sums of the thread's pairs, and of the columns next to the tile. kCount threads share the tile.
template <int kCount, int kOwn, int kTileRows>
__device__ __forceinline__ void find_sums(const OwnSamples<kOwn>& own, int first, int thread,
                                          FilterTile<kTileRows>& tile) {
#pragma unroll
  for (int i = 0; i < kOwn; ++i) tile.sums[first + i][threadIdx.x + 1] = own.sums(i);
  for (int i = thread; i < 2 * kTileRows; i += kCount) {
    const int column = i % 2 * (kPairs - 1);
    tile.sums[i / 2][column] = OwnSamples<1>(tile, i / 2, column).sums(0);
  }
}

// Sums of the differences of the three samples around each sample of the thread's pair, in a row of sums.
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

// filter_class() of both samples. sum: of the differences around them; even two together are below 2^15.
__device__ __forceinline__ uint32_t classes_of(const LoopFilter& filter, const uint4& sum) {
  // Returns 1 where a is greater than b.
  const auto above = [](uint32_t a, uint32_t b) { return ~((b | kSigns) - a) >> 15 & both(1); };
  const auto part = [](uint32_t a, int shift) { return a >> shift & both(0x7fff >> shift); };
  const uint32_t fall = sum.z - part(sum.z, 2);
  const uint32_t rise = sum.w - part(sum.w, 2);
  const uint32_t straight = difference_of(sum.x, sum.y);
  const uint32_t diagonal = difference_of(fall, rise);
  const uint32_t total = sum.x + sum.y;
  const uint32_t most = __vmaxs2(straight, diagonal);
  const uint32_t slanted = above(diagonal, straight);
  const uint32_t direction = 2 * slanted + ((slanted & above(fall, rise)) | (~slanted & above(sum.x, sum.y)));
  const uint32_t clarity =
      above(most, part(total, 3)) + above(most, part(total, 2)) + above(most, part(total, 1));
  const uint32_t strength = above(total, both(filter.strengths[0])) +
                            above(total, both(filter.strengths[1])) + above(total, both(filter.strengths[2]));
  return direction + 4 * clarity + 16 * strength;
}

// Pulls of two neighbours on both samples, with the bound added to each. shift: bound minus the samples.
__device__ __forceinline__ uint32_t pulls_of(uint32_t a, uint32_t b, uint32_t shift, uint32_t most) {
  return __viaddmin_s16x2_relu(a, shift, most) + __viaddmin_s16x2_relu(b, shift, most);
}

// Corrections of both samples in each of the thread's rows, which begin at row `first` of the tile.
template <int kOwn, int kTileRows>
__device__ __forceinline__ void find_corrections(const FilterTile<kTileRows>& tile,
                                                 const OwnSamples<kOwn>& own, const TileWeights& weights,
                                                 const LoopFilter& filter, int first,
                                                 uint32_t (&corrections)[kOwn]) {
  const uint32_t bounds = both(filter.bound);
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int r = i + kFilterReach;
    const uint32_t* row = &tile.samples[first + r][threadIdx.x];
    const uint32_t shift = ((bounds | kSigns) - own.pairs[r]) ^ kSigns;
    const uint32_t pulls[kFilterPairs] = {pulls_of(own.right[r], own.left[r], shift, 2 * bounds),
                                          pulls_of(own.pairs[r + 1], own.pairs[r - 1], shift, 2 * bounds),
                                          pulls_of(own.right[r + 1], own.left[r - 1], shift, 2 * bounds),
                                          pulls_of(own.left[r + 1], own.right[r - 1], shift, 2 * bounds),
                                          pulls_of(row[2], row[0], shift, 2 * bounds),
                                          pulls_of(own.pairs[r + 2], own.pairs[r - 2], shift, 2 * bounds)};
    const auto correction = [&](uint32_t class_of, auto dot) {
      const uint4 low = weights[class_of][0];
      const uint4 high = weights[class_of][1];
      const uint32_t words[kFilterPairs] = {low.x, low.y, low.z, low.w, high.x, high.y};
      auto sum = static_cast<int>(high.z);
#pragma unroll
      for (int k = 0; k < kFilterPairs; ++k)
        sum = dot(static_cast<int>(pulls[k]), static_cast<int>(words[k]), sum);
      return first_of(static_cast<uint32_t>(sum)) >> kFilterBits;
    };
    const uint32_t classes = classes_of(filter, row_sum(tile.sums[first + i]));
    corrections[i] =
        pair_of(correction(classes & 0xffff, [](int a, int b, int c) { return __dp2a_lo(a, b, c); }),
                correction(classes >> 16, [](int a, int b, int c) { return __dp2a_hi(a, b, c); }));
  }
}

// All planes in one launch: chroma alone would not fill the device.
struct UnfilteredPlanes {
  UnfilteredPlane of[3];
  int first[3];   // number of the first block; for a missing plane, a number beyond all blocks
  int across[3];  // blocks per row
};

// A warp takes half of the rows of a row of cells (filter_decides()).
template <int kOwn>
__device__ __forceinline__ void add_changes(const UnfilteredPlane& plane, const FilteredCells& cells,
                                            int cell_row, int left, const TileWeights& weights,
                                            FilterTile<kOwn>& tile, unsigned long long* changes) {
  const int lane = thread_x();
  const int top = cell_row * 2 * kOwn + kOwn / 2;
  const int col = left + 2 * lane;
  const int cell_col = cells.col_of(col);  // the same for both samples of a pair
  const bool filtered =
      top < plane.samples.rows && col < plane.samples.cols && cells.filtered(cells.row_of(top), cell_col);
  if (__any_sync(kAllLanes, filtered) == 0) return;
  const int down = plane.filter.down;
  load_samples<kWarp>(plane.samples, top, left, down, lane, tile);
  __syncwarp();
  const OwnSamples<kOwn> own(tile, 0, lane + 1);
  find_sums<kWarp>(own, 0, lane, tile);
  __syncwarp();
  FilterGain gain;
  if (filtered) {
    uint32_t corrections[kOwn];
    find_corrections(tile, own, weights, plane.filter, 0, corrections);
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if (top + i >= plane.samples.rows) continue;
      const uint32_t pair = own.pairs[i + kFilterReach];
      const Sample* source = plane.source.row(top + i) + col;
      gain.add((source[0] >> down) + kBias - first_of(pair), first_of(corrections[i]));
      if (col + 1 < plane.samples.cols)
        gain.add((source[1] >> down) + kBias - second_of(pair), second_of(corrections[i]));
    }
  }
  for (int distance = kGroup / 2; distance > 0; distance /= 2) {
    gain.before += __shfl_xor_sync(kAllLanes, gain.before, distance);
    gain.after += __shfl_xor_sync(kAllLanes, gain.after, distance);
  }
  if (lane % kGroup != 0 || col >= plane.samples.cols) return;
  atomicAdd(changes + cells.root(cells.row_of(top), cell_col),
            static_cast<unsigned long long>(gain.change()));
}

// Follows the kernel before sooner than a node that sets memory.
__global__ void __launch_bounds__(kThreads) clear_changes_kernel(size_t roots, int64_t* changes) {
  pdl_begin();
  for (size_t i = blockIdx.x * kThreads + threadIdx.x; i < roots; i += gridDim.x * kThreads) changes[i] = 0;
}

__global__ void __launch_bounds__(kThreads)
    filter_changes_kernel(const __grid_constant__ UnfilteredPlanes planes, const uint8_t* skips,
                          unsigned long long* changes) {
  pdl_begin();
  constexpr int kMost = 1 << (kLog2Cell - 1);
  __shared__ TileWeights weights;
  __shared__ union {
    FilterTile<kMost> whole;
    FilterTile<kMost / 2> halved;  // of subsampled rows
  } tiles[kWarps];
  const auto number = static_cast<int>(blockIdx.x);
  const int p = number >= planes.first[2] ? 2 : (number >= planes.first[1] ? 1 : 0);
  const UnfilteredPlane& plane = planes.of[p];
  const int warp = thread_y();
  load_weights(plane.filter, warp * kWarp + thread_x(), weights);
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

__device__ __forceinline__ void write_pair(const PlaneView<Sample>& to, int row, int col, uint32_t pair) {
  if (row >= to.rows) return;
  Sample* at = to.row(row) + col;
  if (col + 1 < to.cols && has_pairs(to.data, to.stride)) {
    *reinterpret_cast<uint32_t*>(at) = pair;
    return;
  }
  at[0] = static_cast<Sample>(first_of(pair));
  if (col + 1 < to.cols) at[1] = static_cast<Sample>(second_of(pair));
}

__global__ void __launch_bounds__(kThreads)
    filter_kernel(PlaneView<const Sample> from, const __grid_constant__ LoopFilter filter,
                  const __grid_constant__ FilteredCells cells, PlaneView<Sample> to) {
  pdl_begin();
  __shared__ TileWeights weights;
  __shared__ FilterTile<kDown> tile;
  const int thread = thread_y() * kWarp + thread_x();
  const int top = static_cast<int>(blockIdx.y) * kDown;
  const int left = static_cast<int>(blockIdx.x) * kAcross;
  const int first = thread_y() * kRows;
  const int row = top + first;
  const int col = left + 2 * thread_x();
  static_assert(kRows <= 1 << (kLog2Cell - 1));  // so all samples of a thread belong to one cell
  const bool filtered =
      row < to.rows && col < to.cols && cells.filtered(cells.row_of(row), cells.col_of(col));
  if (__syncthreads_or(filtered ? 1 : 0) == 0) {
    if (col >= to.cols) return;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (row + i >= to.rows) break;
      const Sample* at = from.row(row + i) + col;
      write_pair(to, row + i, col, pair_of(at[0], col + 1 < to.cols ? at[1] : 0));
    }
    return;
  }
  load_samples<kThreads>(from, top, left, filter.down, thread, tile);
  load_weights(filter, thread, weights);
  __syncthreads();
  const OwnSamples<kRows> own(tile, first, thread_x() + 1);
  find_sums<kThreads>(own, first, thread, tile);
  __syncthreads();
  if (col >= to.cols) return;
  uint32_t corrections[kRows] = {};  // unfiltered samples are within the range already
  if (filtered) find_corrections(tile, own, weights, filter, first, corrections);
  if (filter.down > 0) {  // the tile lacks low bits
    const SampleRange range = cells.geometry.range;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (row + i >= to.rows) break;
      const Sample* at = from.row(row + i) + col;
      const auto corrected = [&](int k, int correction) {
        return clamp_to(at[k] + correction * (1 << filter.down), range.lo, range.hi);
      };
      write_pair(to, row + i, col,
                 pair_of(corrected(0, first_of(corrections[i])),
                         col + 1 < to.cols ? corrected(1, second_of(corrections[i])) : 0));
    }
    return;
  }
  const uint32_t lo = both(cells.geometry.range.lo + kBias);
  const uint32_t hi = both(cells.geometry.range.hi + kBias);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const uint32_t pair = __vmaxs2(__viaddmin_s16x2(own.pairs[i + kFilterReach], corrections[i], hi), lo);
    write_pair(to, row + i, col, __viaddmin_s16x2(pair, both(-kBias), kLargest));
  }
}

}  // namespace

Status filter_changes(Device& device, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                      int64_t* changes) {
  launch_kernel(device, clear_changes_kernel, 2, kThreads, 0, planes[0].geometry.grid.roots(), changes);
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
