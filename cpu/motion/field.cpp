// SPDX-License-Identifier: BSD-3-Clause
// Passes over the field of vectors. A candidate costs a bilinear interpolation and Hadamard transforms, so
// candidates whose vector bits alone are too expensive are skipped. Fractional steps are rarely so expensive,
// so all are tried. The next pass over the same grid reuses the distortions of candidates, and skips blocks
// if neither they nor a neighbour moved. The four steps around a vector are all matched before they are
// compared. A branch tests whether one is better: usually none is, and the CPU proceeds speculatively.
#include "cpu/motion/field.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/field.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/field_match-inl.hpp"
#include "cpu/motion/field_prices-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr uint32_t kUnknown = UINT32_MAX;

// Requires equal prices, since settled blocks are not tried again: all their candidates lost before.
constexpr bool SamePrices() {
  const auto same = [](std::span<const FieldPass> passes) {
    for (const FieldPass& pass : passes) {
      if (pass.border_bits != passes[0].border_bits) return false;
    }
    return true;
  };
  for (const FieldPasses& passes : kFieldPasses) {
    if (!same(passes.blocks) || !same(passes.cells)) return false;
  }
  return true;
}
static_assert(SamePrices());

// Offsets of field_candidate(): the block itself, left, above, right, below.
class Beside {
 public:
  Beside(const MotionGrid& grid, int row, int col)
      : steps_{0, col > 0 ? -1 : 0, row > 0 ? -ptrdiff_t{grid.cols} : 0, col + 1 < grid.cols ? 1 : 0,
               row + 1 < grid.rows ? ptrdiff_t{grid.cols} : 0} {}
  ptrdiff_t operator[](int i) const { return steps_[i]; }

 private:
  ptrdiff_t steps_[kFieldCandidates - 1];
};

constexpr int kAhead = 4;  // in blocks
constexpr int kLine = 64;  // bytes per cache line

// Prefetches rows of both pictures, which are too far apart for the hardware. Inlined, since gcc drops calls
// without other effects.
template <int kBlock>
[[gnu::always_inline]] inline void Prefetch(const FieldRows& f, int row, int col, MotionVector v) {
  if (kBlock * col % kLine == 0) {
    const SearchPlanes& planes = *f.planes;
    const uint8_t* const own = planes.current + kBlock * (row * planes.current_stride + col);
    for (int r = 0; r < kBlock; ++r) __builtin_prefetch(own + r * planes.current_stride);
  }
  const HalfSamples& halves = *f.halves;
  const uint8_t* const from = halves.samples + 2 * kBlock * (row * halves.stride + col) +
                              half_displacement(v.y).half * halves.stride + half_displacement(v.x).half;
#pragma GCC unroll 8
  for (int r = 0; r < 2 * kBlock; ++r) __builtin_prefetch(from + r * halves.stride);
}

// Loads a block when its first candidate is matched.
template <int kBlock>
class Matcher {
 public:
  Matcher(const FieldRows& f, int row, int col) : field_(f), row_(row), col_(col) {}
  uint32_t sum(MotionVector v) {
    if (!block_) block_.emplace(field_, row_, col_);
    return block_->difference(v);
  }

 private:
  const FieldRows& field_;
  const int row_, col_;
  std::optional<Block<kBlock>> block_;
};

template <int kBlock>
void Improve(const FieldRows& f, int row, int begin, int end) {
  const int shift = f.blocks.log2_block - f.grid.log2_block;
  for (int col = begin; col < end; ++col) {
    const ptrdiff_t index = ptrdiff_t{row} * f.grid.cols + col;
    MotionVector& after = f.after[index];
    uint32_t& cost = f.costs[static_cast<ptrdiff_t>(row >> shift) * f.blocks.cols + (col >> shift)];
    after = f.before[index];
    f.moved_after[index] = 0;
    if (cost == 0 || (shift > 0 && cost <= f.lambda * kCellsWorth)) continue;
    // Bit i: candidate i is that of the previous pass.
    uint32_t same = 0;
    const Beside beside(f.grid, row, col);
    if (!f.first) {
      same = 1U << (kFieldCandidates - 1);  // zero
      for (int i = 0; i + 1 < kFieldCandidates; ++i) {
        same |= f.moved_before[index + beside[i]] == 0 ? 1U << i : 0;
      }
      if (same == (1U << kFieldCandidates) - 1 && f.pass.first_step == 0) continue;
    }
    uint32_t* const known = f.sums + index * kFieldCandidates;
    const auto before = [&](int i) { return f.before[index + beside[i]]; };
    const MotionVector own = before(0);
    const FourVectors four(before(1), before(2), before(3), before(4));
    const FourVectors neighbours[] = {FourVectors(before(1)), FourVectors(before(2)), FourVectors(before(3)),
                                      FourVectors(before(4))};
    MotionVector candidates[kFieldCandidates] = {own};  // the last is zero
    four.store(candidates + 1);
    uint32_t prices[kFieldCandidates + 2];
    uint32_t of_others[4];
    const auto find_prices = [&](const FourVectors& vectors, uint32_t* out)
                                 HWY_ATTR { vectors.prices(neighbours, f.lambda, f.pass.border_bits, out); };
    find_prices(four, prices + 1);
    find_prices({own, {}, own, {}}, of_others);
    prices[0] = of_others[0];
    prices[5] = of_others[1];
    Matcher<kBlock> matcher(f, row, col);
    if (col + kAhead < end) Prefetch<kBlock>(f, row, col + kAhead, f.before[index + kAhead]);

    // The first of equal candidates is tried.
    int first[kFieldCandidates];
    const uint32_t as_own = four.equal(FourVectors(own)) << 1;
    first[0] = 0;
    uint32_t open = 1;
    for (int i = 1; i + 1 < kFieldCandidates; ++i) {
      first[i] = std::countr_zero(four.equal(neighbours[i - 1]) << 1 | (as_own >> i & 1));
      open |= first[i] == i ? 1U << i : 0;
    }
    first[5] = std::countr_zero(four.equal(FourVectors(MotionVector{})) << 1 |
                                (same_vector(own, {}) ? 1U : 0U) | 32U);
    open |= first[5] == 5 ? 1U << 5 : 0;
    uint32_t sums[kFieldCandidates];  // kUnknown: costs too much
    uint32_t costs[kFieldCandidates];
    std::fill_n(sums, kFieldCandidates, kUnknown);
    std::fill_n(costs, kFieldCandidates, UINT32_MAX);
    uint32_t least = UINT32_MAX - 1;
    if (!f.first) {
      // The previous pass left the distortion of the block's own vector in element 0.
      for (uint32_t left = open & (same | 1); left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        if (known[i] == kUnknown) continue;
        sums[i] = known[i];
        costs[i] = prices[i] + field_cost(sums[i], 0, 0);
        least = min_of(least, costs[i]);
        open &= ~(1U << i);
      }
    }
    for (; open != 0; open &= open - 1) {
      const int i = std::countr_zero(open);
      if (prices[i] > least) continue;
      sums[i] = matcher.sum(candidates[i]);
      costs[i] = prices[i] + field_cost(sums[i], 0, 0);
      least = min_of(least, costs[i]);
    }
    int best = 0;
    for (int i = 1; i < kFieldCandidates; ++i) best = costs[i] < costs[best] ? i : best;
    for (int i = 0; i < kFieldCandidates; ++i) known[i] = sums[first[i]];
    uint32_t sum = sums[best];
    after = candidates[best];

    const bool steps = field_cost(sum, 0, 0) > f.lambda * f.pass.steps_worth;
    for (int step = steps ? f.pass.first_step : 0; step >= f.finest_step; step /= 2) {
      const FourVectors around = FourVectors::around(after, step, f.range);
      MotionVector sides[4];
      uint32_t of_sides[4];
      uint32_t side_sums[4];
      around.store(sides);
      find_prices(around, of_sides);
      uint64_t found = uint64_t{least} << 2;
      for (uint32_t side = 0; side < 4; ++side) {
        side_sums[side] = matcher.sum(sides[side]);
        const uint32_t side_cost = of_sides[side] + field_cost(side_sums[side], 0, 0);
        found = min_of(found, uint64_t{side_cost} << 2 | side);
      }
      if (found >> 2 < least) {
        after = sides[found & 3];
        sum = side_sums[found & 3];
        least = static_cast<uint32_t>(found >> 2);
      } else if (f.pass.one_miss) {
        break;
      }
    }
    known[0] = sum;
    f.moved_after[index] = same_vector(after, own) ? 0 : 1;
    if (shift == 0) cost = field_cost(sum, 0, 0);
  }
}

// Index for field_candidate() by a block's position in its square, and the XOR with the other's position. -1:
// none
constexpr int kNeighbour[kSquareBlocks][kSquareBlocks] = {
    {0, 0, 0, 0}, {3, 1, 3, 1}, {4, 4, 2, 2}, {-1, -1, -1, -1}};

// Gives squares of 2x2 blocks one vector if that costs less. row: of squares
template <int kBlock>
void UniteRow(const FieldRows& f, int row, int begin, int end) {
  const int shift = f.blocks.log2_block - f.grid.log2_block;
  const int stride = f.grid.cols;
  const uint32_t worth = shift > 0 ? f.lambda * kCellsWorth : 0;
  const int rows = min_of(2, f.grid.rows - 2 * row);
  for (int r = 0; r < rows; ++r) {
    const ptrdiff_t first = ptrdiff_t{2 * row + r} * stride + begin;
    std::copy_n(f.before + first, end - begin, f.after + first);
  }
  if (rows < 2) return;
  for (int col = begin; col + 1 < end; col += 2) {
    for (int b = 0; b < kSquareBlocks && kBlock > 8 && col + 3 < end; ++b) {
      const int r = 2 * row + b / 2;
      const int c = col + 2 + b % 2;
      Prefetch<kBlock>(f, r, c, f.before[ptrdiff_t{r} * stride + c]);
    }
    int y[kSquareBlocks], x[kSquareBlocks];
    ptrdiff_t at[kSquareBlocks];
    MotionVector own[kSquareBlocks];
    bool left_out = false;
    for (int b = 0; b < kSquareBlocks; ++b) {
      y[b] = 2 * row + b / 2;
      x[b] = col + b % 2;
      at[b] = ptrdiff_t{y[b]} * stride + x[b];
      own[b] = f.before[at[b]];
      left_out |= f.costs[static_cast<ptrdiff_t>(y[b] >> shift) * f.blocks.cols + (x[b] >> shift)] <= worth;
    }
    const bool united = own[0] == own[1] && own[0] == own[2] && own[0] == own[3];
    if (left_out || united) continue;
    // Neighbours of all four blocks: left, above, right, below.
    const auto beside = [&](int dy, int dx) HWY_ATTR {
      const auto vector = [&](int b) HWY_ATTR {
        const bool inside = y[b] + dy >= 0 && y[b] + dy < f.grid.rows && x[b] + dx >= 0 && x[b] + dx < stride;
        return inside ? f.before[at[b] + dy * stride + dx] : own[b];
      };
      return FourVectors(vector(0), vector(1), vector(2), vector(3));
    };
    const FourVectors four(own[0], own[1], own[2], own[3]);
    uint32_t of_own[kSquareBlocks];
    four.prices({beside(0, -1), beside(-1, 0), beside(0, 1), beside(1, 0)}, f.lambda, kSquareBorderBits,
                of_own);
    uint64_t least = 0;
    for (int b = 0; b < kSquareBlocks; ++b)
      least += uint64_t{of_own[b]} + field_cost(f.sums[at[b] * kFieldCandidates], 0, 0);
    Matcher<kBlock> matchers[kSquareBlocks] = {
        {f, y[0], x[0]}, {f, y[1], x[1]}, {f, y[2], x[2]}, {f, y[3], x[3]}};
    int best = -1;
    uint32_t best_sums[kSquareBlocks] = {};
    for (int k = 0; k < kSquareBlocks; ++k) {
      if ((four.equal(FourVectors(own[k])) & ((1U << k) - 1)) != 0) continue;
      uint64_t price = 0;
      for (int b = 0; b < kSquareBlocks; ++b)
        price += square_bits(f.before, f.grid.rows, stride, y[b], x[b], own[k]);
      uint64_t cost = f.lambda * price;
      uint32_t sums[kSquareBlocks];
      for (int b = 0; b < kSquareBlocks; ++b) {
        // If a neighbour's vector did not change, the pass has already matched it as a candidate.
        const int i = own[b] == own[k] ? 0 : kNeighbour[b ^ k][b];
        const bool found = i == 0 || (i > 0 && f.moved_after[at[k]] == 0);
        sums[b] = found ? f.sums[at[b] * kFieldCandidates + i] : kUnknown;
        if (sums[b] != kUnknown) cost += field_cost(sums[b], 0, 0);
      }
      for (int b = 0; b < kSquareBlocks && cost < least; ++b) {
        if (sums[b] != kUnknown) continue;
        sums[b] = matchers[b].sum(own[k]);
        cost += field_cost(sums[b], 0, 0);
      }
      if (cost >= least) continue;
      least = cost;
      best = k;
      std::copy_n(sums, kSquareBlocks, best_sums);
    }
    for (int b = 0; b < kSquareBlocks && best >= 0; ++b) {
      f.after[at[b]] = own[best];
      if (shift == 0) f.costs[at[b]] = field_cost(best_sums[b], 0, 0);
    }
  }
}

void UniteFieldRow(const FieldRows& field, int row, int begin, int end) {
  field.grid.log2_block == 3 ? UniteRow<8>(field, row, begin, end) : UniteRow<16>(field, row, begin, end);
}

void ImproveFieldRow(const FieldRows& field, int row, int begin, int end) {
  switch (field.grid.log2_block) {
    case 3:
      return Improve<8>(field, row, begin, end);
    case 4:
      return Improve<16>(field, row, begin, end);
    default:
      return Improve<32>(field, row, begin, end);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(ImproveFieldRow);
HWY_EXPORT(UniteFieldRow);

void improve_field_row(const FieldRows& field, int row, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(ImproveFieldRow)(field, row, begin, end);
}
void unite_field_row(const FieldRows& field, int row, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(UniteFieldRow)(field, row, begin, end);
}

}  // namespace ctv
#endif  // HWY_ONCE
