// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). A block of threads takes a
// root. Most roots have little to try, so it is latency that counts. On each level a thread takes a unit and
// a vector that its square may get; those of a unit exchange what they have in registers. They list the
// errors that are not known yet. Warps of the block take entries of the list in turn.
#include "codec/control/skip_squares.hpp"

#include "cuda/motion/block_match.cuh"
#include "cuda/motion/predict_unit.cuh"
#include "cuda/motion/skip.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kWarps = 16;  // of a block of threads
constexpr int kPairs = SkipRoot::kUnits * kSquareVectors;
static_assert(kWarp + SkipRoot::kWindow <= kWarps * kWarp && kPairs <= kWarps * kWarp);
static_assert(kPairs % kWarp == 0 && kWarp % kSquareVectors == 0);

struct UnitedFrame {
  PlaneView<const Sample> source, reference;  // luma, whose samples are bytes
  SkipPrices prices;
  SkipField from;
  MotionVector* to;
  bool pairs;  // samples can be read so
};

// An error that is to be found.
struct alignas(16) Entry {
  MotionVector vector;
  uint8_t unit, k;        // of its square's vectors
  bool own;               // that of the unit as it is, too
  bool whole;             // whole_error_of() can
  int source, reference;  // if so, where the unit's samples are
};

// What a block of threads shares.
struct UnitedRoot {
  SkipRoot root;
  uint32_t entries;
  Entry list[kPairs];
  UnitPatch<> patches[kWarps];
};

// The squared error of samples of a cell.
struct CellError {
  uint32_t error;
  int cell;  // of the unit
};

// The lane's part of the unit at (top, left) with the vector v.
__device__ __forceinline__ CellError error_of(const UnitedFrame& frame, int top, int left, MotionVector v,
                                              int lane, UnitPatch<>& patch) {
  int samples[kUnitStrip];
  int predicted[kUnitStrip];
  load_unit(frame.source, top, left, lane, samples);
  predict_unit(frame.reference, {}, v, top, left, lane, patch, predicted);
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kUnitStrip; ++k) {
    const int d = skip_difference(samples[k], predicted[k]);
    sum += static_cast<uint32_t>(d * d);
  }
  return {sum, unit_row(lane) / kCell * kSkipUnit + unit_col(lane) / kCell};
}

// Where a plane has the samples of a unit at (top, left), and of so many columns; -1 if it has not all.
__device__ __forceinline__ int place_in(const PlaneView<const Sample>& plane, int top, int left, int cols) {
  const bool holds = top >= 0 && left >= 0 && top <= plane.rows - kUnitSide && left <= plane.cols - cols;
  return holds ? top * static_cast<int>(plane.stride) + left : -1;
}

__device__ __forceinline__ Entry entry_of(const UnitedFrame& frame, int row, int col, int unit, int k,
                                          MotionVector v, bool own) {
  const int top = (row + SkipRoot::row_of(unit)) * kCell;
  const int left = (col + SkipRoot::col_of(unit)) * kCell;
  const Displacement dy = displacement(v.y, 0);
  const Displacement dx = displacement(v.x, 0);
  const int source = place_in(frame.source, top, left, kUnitSide);
  const int reference = place_in(frame.reference, top + dy.whole, (left + dx.whole) & ~1, kUnitSide + 2);
  const bool whole = frame.pairs && (dy.eighth | dx.eighth) == 0 && source >= 0 && reference >= 0;
  return {v, static_cast<uint8_t>(unit), static_cast<uint8_t>(k), own, whole, source, reference};
}

// As error_of() of an entry whose vector is of whole samples: a lane compares two columns of four rows as
// bytes. The reference is read from an even column on.
__device__ __forceinline__ CellError whole_error_of(const UnitedFrame& frame, const Entry& entry, int lane) {
  constexpr int kRows = 4;
  const int row = lane / 8 * kRows;
  const int col = lane % 8 * 2;
  const auto source_stride = static_cast<int>(frame.source.stride);
  const auto reference_stride = static_cast<int>(frame.reference.stride);
  const int source = entry.source + row * source_stride + col;
  const int reference = entry.reference + row * reference_stride + col;
  uint32_t own[kRows];
  uint32_t moved[kRows][2];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    own[i] = *reinterpret_cast<const uint32_t*>(frame.source.data + source + i * source_stride);
    const auto* from =
        reinterpret_cast<const uint32_t*>(frame.reference.data + reference + i * reference_stride);
    moved[i][0] = from[0];
    moved[i][1] = from[1];
  }
  const auto shift = static_cast<uint32_t>(entry.vector.x >> kVectorFractionBits & 1) * 16;
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < kRows; i += 2) {
    const uint32_t first = __funnelshift_r(moved[i][0], moved[i][1], shift);
    const uint32_t second = __funnelshift_r(moved[i + 1][0], moved[i + 1][1], shift);
    const uint32_t d =
        __vabsdiffu4(__byte_perm(own[i], own[i + 1], 0x6420), __byte_perm(first, second, 0x6420));
    sum = __dp4a(d, d, sum);
  }
  return {sum, row / kCell * kSkipUnit + col / kCell};
}

// All lanes of a warp call together.
__device__ __forceinline__ void find_error(const UnitedFrame& frame, int level, int row, int col,
                                           const Entry& entry, int lane, SkipRoot& root, UnitPatch<>& patch) {
  CellError e;
  if (entry.whole) {
    e = whole_error_of(frame, entry, lane);
  } else {
    e = error_of(frame, (row + SkipRoot::row_of(entry.unit)) * kCell,
                 (col + SkipRoot::col_of(entry.unit)) * kCell, entry.vector, lane, patch);
  }
  const uint32_t sum = warp_sum(e.error);
  if (lane == 0) root.error(level, entry.unit, entry.k) = sum;
  if (!entry.own) return;  // for all lanes
  const bool has = same_vector(root.cell(entry.unit, e.cell), entry.vector);
  const uint32_t own = warp_sum(has ? e.error : 0);
  if (lane == 0) atomicAdd(&root.own[entry.unit], own);
}

// A thread's unit, and the place of its vector among those of the unit's square.
struct UnitVector {
  int unit, k;
  bool own_known;  // root.own of the unit

  __device__ __forceinline__ explicit UnitVector(int thread)
      : unit(thread % kPairs / kSquareVectors), k(thread % kSquareVectors), own_known(false) {}
  // A bit for each vector of the unit. Lanes of a warp call together, as in what follows.
  __device__ __forceinline__ uint32_t ballot(bool v) const {
    constexpr uint32_t kAll = (1U << kSquareVectors) - 1;
    return __ballot_sync(kAllLanes, v) >> unit * kSquareVectors % kWarp & kAll;
  }
  __device__ __forceinline__ MotionVector of(MotionVector v, int i) const {
    return to_vector(__shfl_sync(kAllLanes, to_word(v), i, kSquareVectors));
  }
  __device__ __forceinline__ uint64_t least(uint64_t v) const {
#pragma unroll
    for (int away = 1; away < kSquareVectors; away *= 2) v = min_of(v, __shfl_xor_sync(kAllLanes, v, away));
    return v;
  }
};

// All threads of the block call together.
__device__ __forceinline__ void unite_level(const UnitedFrame& frame, int level, int row, int col,
                                            UnitVector& own, UnitedRoot& t) {
  SkipRoot& root = t.root;
  const int thread = thread_x();
  const int lane = thread % kWarp;
  const bool takes_pair = thread < kPairs;  // the same for all lanes of a warp
  const int index = SkipRoot::index_of(level, own.unit);
  const int units = SkipRoot::units(level);
  SkipSquare& square = root.squares[level - 1][index];
  const bool is_first = own.unit == index * units;
  MotionVector v{};
  uint32_t own_bits = 0;
  uint32_t leaf_bits = 0;
  bool square_tries = false;
  bool tries = false;
  if (takes_pair) {
    v = root.candidate(level, index, own.k);
    SkipSquare s{};
#pragma unroll
    for (int i = 0; i < kSquareVectors; ++i) s.vectors[i] = own.of(v, i);
    s.mixed = own.ballot(own.k < kQuarters && root.is_mixed(level, index, own.k));
    own_bits = s.own_bits();
    leaf_bits = s.leaf_bits(v);
    square_tries = root.is_tried(level, index, own_bits);
    tries = square_tries && !s.is_repeated(v, own.k);
    if (is_first) {
      square.vectors[own.k] = v;
      if (own.k == 0) square.uniform = s.is_uniform();
    }
    const uint32_t error = tries ? root.known_error(level, own.unit, v) : SkipRoot::kUnknown;
    root.error(level, own.unit, own.k) = error;
    if (tries && error == SkipRoot::kUnknown) {
      t.list[atomicAdd(&t.entries, 1U)] = entry_of(frame, row, col, own.unit, own.k, v, !own.own_known);
    }
  }
  if (__syncthreads_or(tries ? 1 : 0) == 0) return;

  const int entries = static_cast<int>(t.entries);
  for (int i = thread / kWarp; i < entries; i += kWarps) {
    const Entry entry = t.list[i];
    find_error(frame, level, row, col, entry, lane, root, t.patches[thread / kWarp]);
  }
  __syncthreads();

  // Threads of other units of a square choose alike.
  uint32_t best = 0;
  MotionVector chosen{};
  if (takes_pair) {
    uint32_t now = 0;
    uint32_t error = 0;
#pragma unroll 4
    for (int i = 0; i < units; ++i) {
      now += root.own[index * units + i];
      error += root.error(level, index * units + i, own.k);
    }
    const uint64_t cost_now = skip_square_cost(frame.prices, now, own_bits);
    const uint64_t cost = tries ? skip_square_cost(frame.prices, error, leaf_bits) : cost_now;
    best = own.ballot(cost == own.least(cost) && cost < cost_now);
    chosen = own.of(v, __ffs(static_cast<int>(best)) - 1);
    own.own_known |= square_tries;
  }
  if (thread == 0) t.entries = 0;
  __syncthreads();
  if (best != 0) {
    if (own.k < kSkipCells) root.cell(own.unit, own.k) = chosen;
    if (own.k == __ffs(static_cast<int>(best)) - 1) {
      root.own[own.unit] = root.error(level, own.unit, own.k);
      if (is_first) square.uniform = true;
    }
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kWarps* kWarp, 2)
    merge_skip_vectors_kernel(const __grid_constant__ UnitedFrame frame) {
  __shared__ UnitedRoot t;
  const int thread = thread_x();
  const int row = static_cast<int>(blockIdx.y) * SkipRoot::kSide;
  const int col = static_cast<int>(blockIdx.x) * SkipRoot::kSide;
  pdl_begin();
  bool moves = false;
  if (thread < kWarp) {
    const bool unit = thread < SkipRoot::kUnits;
    if (unit) t.root.own[thread] = 0;
    const uint32_t skipped =
        __ballot_sync(kAllLanes, unit && SkipRoot::is_skipped(frame.from, row, col, thread));
    if (thread == 0) {
      t.root.skipped = skipped;
      t.entries = 0;
    }
  } else if (thread < kWarp + SkipRoot::kWindow) {
    moves = t.root.load(frame.from, row, col, thread - kWarp);
  }
  if (__syncthreads_or(moves ? 1 : 0) != 0) {
    UnitVector own(thread);
#pragma unroll 1
    for (int level = 1; level <= kRootLevel; ++level) unite_level(frame, level, row, col, own, t);
  }
  const int r = thread / SkipRoot::kSide;
  const int c = thread % SkipRoot::kSide;
  const int place = frame.from.place(row + r, col + c);
  if (r < SkipRoot::kSide && place >= 0) frame.to[place] = t.root.at(r, c);
}

}  // namespace

Status merge_skip_vectors(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                          const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                          const SideInfo& side) {
  const UnitedFrame frame{
      source,
      reference,
      skip_prices(base_step),
      {grid.rows, grid.cols, side.skips, vectors},
      side.vectors,
      has_pairs(source.data, source.stride) && has_pairs(reference.data, reference.stride)};
  const dim3 roots(static_cast<unsigned>(grid.root_cols()), static_cast<unsigned>(grid.root_rows()));
  launch_kernel(device, merge_skip_vectors_kernel, roots, kWarps * kWarp, 0, frame);
  return device.launched("merge_skip_vectors_kernel");
}

}  // namespace ctv::cuda
