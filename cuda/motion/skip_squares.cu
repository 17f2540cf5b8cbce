// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). A block of threads takes a
// root. Most roots have little to try, so it is latency that counts. On each level a thread takes a unit and
// a vector that its square may get; those of a unit exchange what they have in registers. They list the
// errors that are not known yet. Warps of the block take entries of the list in turn. At the end each warp
// compares chroma of those of its four cells that have changed.
#include "codec/control/skip_squares.hpp"

#include "cuda/motion/block_match.cuh"
#include "cuda/motion/predict_unit.cuh"
#include "cuda/motion/skip.hpp"
#include "cuda/motion/skip_unit.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 16;  // of a block of threads
constexpr int kPairs = SkipRoot::kUnits * kSquareVectors;
static_assert(kWarp + SkipRoot::kWindow <= kWarps * kWarp && kPairs <= kWarps * kWarp);
static_assert(kPairs % kWarp == 0 && kWarp % kSquareVectors == 0);

struct UnitedFrame {
  Comparison compared;
  SkipPrices chroma;  // of chroma as 8 bits
  SkipField from;
  MotionVector* to;
  bool pairs;  // samples of luma are bytes, and can be read so
};

// An error to be computed.
struct alignas(16) Entry {
  MotionVector vector;
  uint8_t unit, k;        // k: index among its square's vectors
  bool own;               // also compute the unit's current error
  bool whole;             // whole_error_of() applies
  int source, reference;  // then the offsets of the unit's samples
};

// Shared memory of a block of threads.
struct UnitedRoot {
  SkipRoot root;
  uint32_t entries;
  Entry list[kPairs];
  UnitPatch<> patches[kWarps];
};

// Squared error of samples of a cell.
struct CellError {
  uint32_t error;
  int cell;  // of the unit
};

// The lane's contribution to the error of the unit at (top, left) with vector v.
__device__ __forceinline__ CellError error_of(const UnitedFrame& frame, int top, int left, MotionVector v,
                                              int lane, UnitPatch<>& patch) {
  int samples[kUnitStrip];
  int predicted[kUnitStrip];
  load_unit(frame.compared.source[0], top, left, lane, samples);
  predict_unit(frame.compared.reference[0], {}, v, top, left, frame.compared.shift, lane, patch, predicted);
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kUnitStrip; ++k) {
    const int d = skip_difference(samples[k], predicted[k]);
    sum += static_cast<uint32_t>(d * d);
  }
  return {sum, unit_row(lane) / kCell * kSkipUnit + unit_col(lane) / kCell};
}

// Offset of the samples of a unit at (top, left) with `cols` columns; -1 if some are outside the plane.
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
  const int source = place_in(frame.compared.source[0], top, left, kUnitSide);
  const int reference =
      place_in(frame.compared.reference[0], top + dy.whole, (left + dx.whole) & ~1, kUnitSide + 2);
  const bool whole = frame.pairs && (dy.eighth | dx.eighth) == 0 && source >= 0 && reference >= 0;
  return {v, static_cast<uint8_t>(unit), static_cast<uint8_t>(k), own, whole, source, reference};
}

// The same as error_of() for a whole-sample vector: a lane compares two columns of four rows as bytes. Reads
// the reference from an even column on.
__device__ __forceinline__ CellError whole_error_of(const UnitedFrame& frame, const Entry& entry, int lane) {
  constexpr int kRows = 4;
  const int row = lane / 8 * kRows;
  const int col = lane % 8 * 2;
  const PlaneView<const Sample>& own_luma = frame.compared.source[0];
  const PlaneView<const Sample>& moved_luma = frame.compared.reference[0];
  const auto source_stride = static_cast<int>(own_luma.stride);
  const auto reference_stride = static_cast<int>(moved_luma.stride);
  const int source = entry.source + row * source_stride + col;
  const int reference = entry.reference + row * reference_stride + col;
  uint32_t own[kRows];
  uint32_t moved[kRows][2];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    own[i] = *reinterpret_cast<const uint32_t*>(own_luma.data + source + i * source_stride);
    const auto* from = reinterpret_cast<const uint32_t*>(moved_luma.data + reference + i * reference_stride);
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

// All lanes of a warp must call together.
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
  if (!entry.own) return;  // the same in all lanes
  const bool has = same_vector(root.cell(entry.unit, e.cell), entry.vector);
  const uint32_t own = warp_sum(has ? e.error : 0);
  if (lane == 0) atomicAdd(&root.own[entry.unit], own);
}

// A thread's unit, and the index of its vector in the unit's square.
struct UnitVector {
  int unit, k;
  bool own_known;  // root.own of the unit

  __device__ __forceinline__ explicit UnitVector(int thread)
      : unit(thread % kPairs / kSquareVectors), k(thread % kSquareVectors), own_known(false) {}
  // Mask of the unit's vectors. All lanes of a warp must call this and the following functions together.
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

// All threads of the block must call together.
__device__ __forceinline__ void unite_level(const UnitedFrame& frame, int level, int row, int col,
                                            UnitVector& own, UnitedRoot& t) {
  SkipRoot& root = t.root;
  const int thread = thread_x();
  const int lane = thread % kWarp;
  const bool takes_pair = thread < kPairs;  // the same in all lanes of a warp
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

  // Threads of other units of a square make the same choice.
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
    const uint64_t cost_now = skip_square_cost(frame.compared.prices, now, own_bits);
    const uint64_t cost = tries ? skip_square_cost(frame.compared.prices, error, leaf_bits) : cost_now;
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

__device__ __forceinline__ int between_samples(const PlaneView<const Sample>& plane, int y, int x,
                                               Displacement dy, Displacement dx, int shift) {
  y += dy.whole;
  x += dx.whole;
  const auto row = [&](int r) {
    return between_columns(static_cast<int16_t>(clamped(plane, r, x)),
                           static_cast<int16_t>(clamped(plane, r, x + 1)), static_cast<int16_t>(dx.eighth),
                           shift);
  };
  return between_rows(row(y), row(y + 1), static_cast<int16_t>(dy.eighth));
}

// Whether the cell at (row, col) takes its own vector back. All lanes of a warp call together.
__device__ __forceinline__ bool takes_own(const Comparison& c, const SkipPrices& prices, int row, int col,
                                          MotionVector own, MotionVector merged, int lane) {
  const int log2_rows = kLog2Cell - c.chroma.y;
  const int log2_cols = kLog2Cell - c.chroma.x;
  const Displacement own_y = displacement(own.y, c.chroma.y);
  const Displacement own_x = displacement(own.x, c.chroma.x);
  const Displacement merged_y = displacement(merged.y, c.chroma.y);
  const Displacement merged_x = displacement(merged.x, c.chroma.x);
  uint32_t own_error = 0;
  uint32_t merged_error = 0;
  for (int i = lane; i < 2 << (log2_rows + log2_cols); i += kWarp) {  // samples of both planes
    const int plane = 1 + (i >> (log2_rows + log2_cols));
    const int y = (row << log2_rows) + (i >> log2_cols & ((1 << log2_rows) - 1));
    const int x = (col << log2_cols) + (i & ((1 << log2_cols) - 1));
    const int sample = (clamped(c.source[plane], y, x) + (1 << c.shift >> 1)) >> c.shift;
    const auto difference = [&](Displacement dy, Displacement dx) {
      return skip_difference(sample, between_samples(c.reference[plane], y, x, dy, dx, c.shift));
    };
    const int a = difference(own_y, own_x);
    const int b = difference(merged_y, merged_x);
    own_error += static_cast<uint32_t>(a * a);
    merged_error += static_cast<uint32_t>(b * b);
  }
  return takes_vector_back(prices, warp_sum(own_error), warp_sum(merged_error));
}

// What the cells of a root get. Lanes of a warp have its cells, which are far apart: a square of changed
// cells is work for many warps. united: whether any cell may have changed. All lanes of a warp call together.
__device__ __forceinline__ void store_vectors(const UnitedFrame& frame, int row, int col, bool united,
                                              SkipRoot& root) {
  constexpr int kCells = SkipRoot::kSide * SkipRoot::kSide;
  const int lane = thread_x() % kWarp;
  const int cell = thread_x() / kWarp + lane * kWarps;
  const int r = row + cell / SkipRoot::kSide;
  const int c = col + cell % SkipRoot::kSide;
  const int place = cell < kCells ? frame.from.place(r, c) : -1;
  MotionVector merged{};
  MotionVector own{};
  if (place >= 0) {
    merged = root.at(r - row, c - col);
    own = united && frame.compared.planes > 1 ? frame.from.vectors[place] : merged;
  }
  for (uint32_t changed = __ballot_sync(kAllLanes, !same_vector(own, merged)); changed != 0;
       changed &= changed - 1) {
    const int k = __ffs(static_cast<int>(changed)) - 1;
    const bool back =
        takes_own(frame.compared, frame.chroma, __shfl_sync(kAllLanes, r, k), __shfl_sync(kAllLanes, c, k),
                  to_vector(__shfl_sync(kAllLanes, to_word(own), k)),
                  to_vector(__shfl_sync(kAllLanes, to_word(merged), k)), lane);
    if (back && lane == k) merged = own;
  }
  if (place >= 0) frame.to[place] = merged;
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
  const bool tries = __syncthreads_or(moves ? 1 : 0) != 0;
  if (tries) {
    UnitVector own(thread);
#pragma unroll 1
    for (int level = 1; level <= kRootLevel; ++level) unite_level(frame, level, row, col, own, t);
  }
  store_vectors(frame, row, col, tries, t.root);
}

}  // namespace

Status merge_skip_vectors(Device& device, const SkipPlanes& planes, const MotionGrid& grid,
                          uint32_t base_step, const MotionVector* vectors, const SideInfo& side) {
  const PlaneView<const Sample>& source = planes.source[0];
  const PlaneView<const Sample>& reference = planes.reference[0];
  const UnitedFrame frame{comparison(planes, grid, base_step << planes.shift),
                          skip_prices(base_step),
                          {grid.rows, grid.cols, side.skips, vectors},
                          side.vectors,
                          planes.shift == 0 && has_pairs(source.data, source.stride) &&
                              has_pairs(reference.data, reference.stride)};
  const dim3 roots(static_cast<unsigned>(grid.root_cols()), static_cast<unsigned>(grid.root_rows()));
  launch_kernel(device, merge_skip_vectors_kernel, roots, kWarps * kWarp, 0, frame);
  return device.launched("merge_skip_vectors_kernel");
}

}  // namespace ctv::cuda
