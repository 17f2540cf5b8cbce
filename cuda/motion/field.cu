// SPDX-License-Identifier: BSD-3-Clause
// Pass over the field of vectors: each block tries its neighbours' vectors and fractional steps. Squares of
// 2x2 blocks then take one vector if that costs less.
#include "cuda/motion/field_group.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // per block of threads

// Blocks of threads per multiprocessor, limited by registers without spills.
constexpr int blocks_at_once(int size, bool sad) { return size == 32 ? 1 : (size == 16 && sad ? 8 : 6); }

// Best vector of a block so far, the same in all lanes of its group.
struct Best {
  MotionVector vector;
  uint32_t cost = kNever;  // including the price
  uint32_t price = 0;
};

// Destination of a grid's vectors: the same grid, or a finer one of the same picture.
struct FinerField {
  MotionVector* vectors;
  int rows, cols;
  int shift;  // log2 of a block's side in blocks of the finer grid

  __device__ __forceinline__ void put(int row, int col, MotionVector v) const {
    for (int r = row << shift; r < min_of((row + 1) << shift, rows); ++r) {
      for (int c = col << shift; c < min_of((col + 1) << shift, cols); ++c) vectors[r * cols + c] = v;
    }
  }
};

template <int kSize, int kSadRowStep>
__global__ void __launch_bounds__(kWarp* kWarps, blocks_at_once(kSize, kSadRowStep > 0))
    field_kernel(const __grid_constant__ SearchPlanes planes, const __grid_constant__ HalfPlanes halves,
                 const __grid_constant__ FieldWork work, const MotionVector* before,
                 const __grid_constant__ FinerField to, uint32_t* costs) {
  pdl_begin();
  using Own = Group<kSize, kSadRowStep>::Own;
  const int lane = thread_x() % kWarp;
  const int warp = static_cast<int>(blockIdx.x) * kWarps + thread_x() / kWarp;
  const int unbounded = warp * Own::kGroups + lane / Own::kLanes;
  const int count = work.grid.rows * work.grid.cols;
  const int at = min_of(unbounded, count - 1);
  const int row = at / work.grid.cols;
  const int col = at % work.grid.cols;
  const int shift = work.blocks.log2_block - work.grid.log2_block;
  uint32_t& cost = costs[(row >> shift) * work.blocks.cols + (col >> shift)];
  const uint32_t least = shift > 0 ? work.lambda * kCellsWorth : 0;
  const bool writes = unbounded < count && lane % Own::kLanes == 0;
  const bool active = unbounded < count && cost > least;
  if (writes && !active) to.put(row, col, before[at]);
  if (__any_sync(kAllLanes, active) == 0) return;

  const Group<kSize, kSadRowStep> group(planes, halves, lane, row, col);
  MotionVector v = group.index < kFieldCandidates
                       ? field_candidate(before, work.grid.rows, work.grid.cols, row, col, group.index)
                       : before[at];
  MotionVector neighbours[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) neighbours[i] = group.of(v, i + 1);
  Best best{before[at]};
  // Tries candidates of lanes; the first with the least cost wins. Returns whether it costs less than `best`.
  const auto improve = [&](uint32_t tried) {
    const uint32_t price = field_cost(0, work.lambda, field_bits(neighbours, v, work.pass.border_bits));
    const uint32_t difference = group.compare(v, tried);
    const uint32_t total = difference == kNever ? kNever : difference + price;
    uint32_t least_total = total;
#pragma unroll
    for (int away = 1; away < 8; away *= 2)
      least_total = min_of(least_total, __shfl_xor_sync(kAllLanes, least_total, away));
    least_total = group.of(least_total, 0);
    const uint32_t winners = group.ballot(total == least_total);
    const int winner = __ffs(static_cast<int>(winners)) - 1;
    const MotionVector vector = group.of(v, winner);
    const uint32_t vector_price = group.of(price, winner);
    const bool gained = least_total < best.cost;
    if (gained) best = {vector, least_total, vector_price};
    return gained;
  };
  const uint32_t equal = group.mask(__match_any_sync(kAllLanes, to_word(v)));
  improve(active ? group.ballot(__ffs(static_cast<int>(equal)) - 1 == group.index) : group.ballot(false));
  bool steps = active && best.cost - best.price > work.lambda * work.pass.steps_worth;
  for (int step = work.pass.first_step; step >= work.finest_step && __any_sync(kAllLanes, steps) != 0;
       step /= 2) {
    v = stepped_vector(best.vector, step, group.index % 4, work.range);
    const bool gained = improve(steps ? 15U : 0U);
    steps = steps && (gained || !work.pass.one_miss);
  }
  if (writes && active) {
    to.put(row, col, best.vector);
    if (shift == 0) cost = best.cost - best.price;
  }
}

// A block's contribution to the costs of its square.
struct SquarePart {
  uint32_t cost[kSquareBlocks];  // with the vector of each of the square's blocks, without price
  uint32_t bits[kSquareBlocks];  // bits of these vectors
  uint32_t own_bits;             // bits of its own vector
};

// The four groups of a square are adjacent. Each compares its block once with each distinct vector of the
// four. The cost with its own vector is known from a pass over the searched blocks.
template <int kSize>
__global__ void __launch_bounds__(kWarp* kWarps, blocks_at_once(kSize, true))
    unite_kernel(const __grid_constant__ SearchPlanes planes, const __grid_constant__ HalfPlanes halves,
                 const __grid_constant__ FieldWork work, const MotionVector* before,
                 const __grid_constant__ FinerField to, uint32_t* costs) {
  pdl_begin();
  using Own = Shape<kSize>;
  constexpr int kGroups = kWarps * Own::kGroups;  // per block of threads
  static_assert(kGroups % kSquareBlocks == 0);
  __shared__ SquarePart parts[kGroups];
  const int rows = work.grid.rows;
  const int cols = work.grid.cols;
  const int lane = thread_x() % kWarp;
  const int local = thread_x() / Own::kLanes;
  const int block = local % kSquareBlocks;
  const int square = (static_cast<int>(blockIdx.x) * kGroups + local) / kSquareBlocks;
  const int square_cols = (cols + 1) / 2;
  const int top = square / square_cols * 2;
  const int left = square % square_cols * 2;
  const auto limited_row = [&](int k) { return min_of(top + k / 2, rows - 1); };
  const auto limited_col = [&](int k) { return min_of(left + k % 2, cols - 1); };
  const int row = limited_row(block);
  const int col = limited_col(block);
  const int at = row * cols + col;
  const MotionVector own = before[at];
  const bool writes = lane % Own::kLanes == 0 && top + block / 2 < rows && left + block % 2 < cols;
  const int shift = work.blocks.log2_block - work.grid.log2_block;
  const uint32_t worth = shift > 0 ? work.lambda * kCellsWorth : 0;
  bool passed = top + 1 < rows && left + 1 < cols;  // whether all four blocks are in the grid
  bool united = true;
#pragma unroll
  for (int k = 0; k < kSquareBlocks; ++k) {
    const int y = limited_row(k);
    const int x = limited_col(k);
    united = united && same_vector(before[y * cols + x], own);
    passed = passed && costs[(y >> shift) * work.blocks.cols + (x >> shift)] > worth;
  }
  const bool active = passed && !united;
  if (__syncthreads_or(active ? 1 : 0) == 0) {
    if (writes) to.put(row, col, own);
    return;
  }

  const Group<kSize> group(planes, halves, lane, row, col);
  const int candidate = group.index % kSquareBlocks;
  const MotionVector v = before[limited_row(candidate) * cols + limited_col(candidate)];
  const uint32_t same = group.mask(__match_any_sync(kAllLanes, to_word(v))) & ((1U << kSquareBlocks) - 1);
  const int first = __ffs(static_cast<int>(same)) - 1;  // first of equal candidates
  const bool known = shift == 0 && same_vector(v, own);
  const bool tried = active && group.index == first && !known;
  const uint32_t found = group.of(group.compare(v, group.ballot(tried)), first);
  const uint32_t cost = known ? costs[at] : found;
  SquarePart& part = parts[local];
  if (group.index < kSquareBlocks) {
    part.cost[candidate] = cost;
    part.bits[candidate] = square_bits(before, rows, cols, row, col, v);
  } else if (group.index == kSquareBlocks) {
    MotionVector neighbours[4];
    for (int i = 0; i < 4; ++i) neighbours[i] = field_candidate(before, rows, cols, row, col, i + 1);
    part.own_bits = field_bits(neighbours, own, kSquareBorderBits);
  }
  __syncthreads();
  if (!writes) return;
  int best = block;
  if (active) {
    const SquarePart* const all = parts + (local - block);
    uint64_t least = 0;
    for (int b = 0; b < kSquareBlocks; ++b) least += all[b].cost[b] + uint64_t{work.lambda} * all[b].own_bits;
    for (int k = 0; k < kSquareBlocks; ++k) {
      uint64_t total = 0;
      for (int b = 0; b < kSquareBlocks; ++b)
        total += all[b].cost[k] + uint64_t{work.lambda} * all[b].bits[k];
      if (total >= least) continue;
      least = total;
      best = k;
    }
    if (shift == 0) costs[at] = part.cost[best];
  }
  to.put(row, col, before[limited_row(best) * cols + limited_col(best)]);
}

FinerField finer_field(const MotionGrid& grid, const MotionGrid& finer, MotionVector* vectors) {
  return {vectors, finer.rows, finer.cols, grid.log2_block - finer.log2_block};
}

}  // namespace

Status improve_field(Device& device, const SearchPlanes& planes, const HalfPlanes& halves,
                     const FieldWork& work, const MotionVector* before, uint32_t* costs,
                     const MotionGrid& finer, MotionVector* vectors) {
  const auto launch = [&](auto* kernel, int groups) {
    const unsigned blocks = blocks_for(static_cast<int>(work.grid.size()), groups * kWarps);
    launch_kernel(device, kernel, blocks, kWarp * kWarps, 0, planes, halves, work, before,
                  finer_field(work.grid, finer, vectors), costs);
  };
  const int row_step = work.pass.row_step(work.grid.log2_block);
  switch (work.grid.log2_block) {
    case 3:
      launch(row_step == 0 ? field_kernel<8, 0> : field_kernel<8, 1>, Shape<8>::kGroups);
      break;
    case 4:
      launch(
          row_step == 0 ? field_kernel<16, 0> : (row_step == 1 ? field_kernel<16, 1> : field_kernel<16, 2>),
          Shape<16>::kGroups);
      break;
    default:
      launch(
          row_step == 0 ? field_kernel<32, 0> : (row_step == 1 ? field_kernel<32, 1> : field_kernel<32, 2>),
          Shape<32>::kGroups);
  }
  return device.launched("field_kernel");
}

Status unite_squares(Device& device, const SearchPlanes& planes, const HalfPlanes& halves,
                     const FieldWork& work, const MotionVector* before, uint32_t* costs,
                     const MotionGrid& finer, MotionVector* vectors) {
  const int squares = ceil_div(work.grid.rows, 2) * ceil_div(work.grid.cols, 2);
  const auto launch = [&](auto* kernel, int groups) {
    const unsigned blocks = blocks_for(squares * kSquareBlocks, groups * kWarps);
    launch_kernel(device, kernel, blocks, kWarp * kWarps, 0, planes, halves, work, before,
                  finer_field(work.grid, finer, vectors), costs);
  };
  work.grid.log2_block == 3 ? launch(unite_kernel<8>, Shape<8>::kGroups)
                            : launch(unite_kernel<16>, Shape<16>::kGroups);
  return device.launched("unite_kernel");
}

}  // namespace ctv::cuda
