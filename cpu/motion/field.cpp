// SPDX-License-Identifier: BSD-3-Clause
// The passes over the field of vectors. A candidate costs a bilinear interpolation and Hadamard transforms,
// so one whose price alone is too high is not tried. What a pass finds of a candidate the next one over the
// same grid takes over, and where neither a block nor a neighbour moved there is nothing to try. The four
// steps around a vector are matched before they are compared, since processors foresee no result of a
// comparison.
#include "cpu/motion/field.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/field.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/field_match-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr uint32_t kUnknown = UINT32_MAX;

// Settled blocks are not tried again: all their candidates lost before at the same prices.
constexpr bool SamePrices() {
  for (const FieldPass& pass : kBlockPasses) {
    if (pass.border_bits != kBlockPasses[0].border_bits) return false;
  }
  for (const FieldPass& pass : kQuickPasses) {
    if (pass.border_bits != kQuickPasses[0].border_bits) return false;
  }
  for (const FieldPass& pass : kCellPasses) {
    if (pass.border_bits != kCellPasses[0].border_bits) return false;
  }
  return true;
}
static_assert(SamePrices());

// A candidate beside those that were matched before it.
struct Offer {
  MotionVector vector;
  uint32_t price;
  uint32_t sum;  // kUnknown: it costs too much
  uint32_t cost() const { return sum == kUnknown ? UINT32_MAX : price + field_cost(sum, 0, 0); }
};

// Where field_candidate() is, from the block on: its own place, left, above, right, below.
class Beside {
 public:
  Beside(const MotionGrid& grid, int row, int col)
      : steps_{0, col > 0 ? -1 : 0, row > 0 ? -ptrdiff_t{grid.cols} : 0, col + 1 < grid.cols ? 1 : 0,
               row + 1 < grid.rows ? ptrdiff_t{grid.cols} : 0} {}
  ptrdiff_t operator[](int i) const { return steps_[i]; }

 private:
  ptrdiff_t steps_[kFieldCandidates - 1];
};

// field_bits() beside the same neighbours.
class Neighbours {
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  static constexpr hn::FixedTag<int32_t, 4> kVectors{};

 public:
  explicit Neighbours(const MotionVector (&neighbours)[4]) {
    static_assert(sizeof(neighbours) == 4 * sizeof(int32_t));
    std::memcpy(vectors_, neighbours, sizeof(neighbours));
  }
  uint32_t bits(MotionVector v, uint32_t border_bits) const {
    const Eight d16;
    int32_t both;
    std::memcpy(&both, &v, sizeof(both));
    const auto apart = hn::Abs(
        hn::Sub(hn::BitCast(d16, hn::LoadU(kVectors, vectors_)), hn::BitCast(d16, hn::Set(kVectors, both))));
    auto unused = hn::Zero(kVectors);
    const auto distances =
        hn::ReorderWidenMulAccumulate(kVectors, apart, hn::Set(d16, int16_t{1}), hn::Zero(kVectors), unused);
    const auto equal = static_cast<uint32_t>(hn::CountTrue(kVectors, hn::Eq(distances, unused)));
    const int nearest = hn::GetLane(hn::MinOfLanes(kVectors, distances));
    return (4 - equal) * border_bits + 2 * bit_length(nearest);
  }

 private:
  int32_t vectors_[4];
#else
 public:
  explicit Neighbours(const MotionVector (&neighbours)[4]) { std::copy_n(neighbours, 4, vectors_); }
  uint32_t bits(MotionVector v, uint32_t border_bits) const { return field_bits(vectors_, v, border_bits); }

 private:
  MotionVector vectors_[4];
#endif
};

constexpr int kAhead = 2;  // blocks

// Rows of the reference lie too far apart for processors to foresee them.
template <int kBlock>
void Prefetch(const FieldRows& f, int row, int col, MotionVector v) {
  const HalfSamples& halves = *f.halves;
  const uint8_t* const from = halves.samples + 2 * kBlock * (row * halves.stride + col) +
                              half_displacement(v.y).half * halves.stride + half_displacement(v.x).half;
  for (int r = 0; r < 2 * kBlock; ++r) __builtin_prefetch(from + r * halves.stride);
}

// Opens a block when the first of its candidates is matched.
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
    // Bit i: candidate i is the one of the pass before.
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
    MotionVector candidates[kFieldCandidates] = {};  // the last one is zero
    for (int i = 0; i + 1 < kFieldCandidates; ++i) candidates[i] = f.before[index + beside[i]];
    const Neighbours neighbours({candidates[1], candidates[2], candidates[3], candidates[4]});
    const auto price = [&](MotionVector v) {
      return field_cost(0, f.lambda, neighbours.bits(v, f.pass.border_bits));
    };
    Matcher<kBlock> matcher(f, row, col);
    if (col + kAhead < end) Prefetch<kBlock>(f, row, col + kAhead, f.before[index + kAhead]);

    Offer offers[kFieldCandidates];
    int offer_of[kFieldCandidates];
    int count = 0;
    uint32_t least = UINT32_MAX - 1;
    for (int i = 0; i < kFieldCandidates; ++i) {
      int k = 0;
      while (k < i && !same_vector(candidates[k], candidates[i])) ++k;
      offer_of[i] = k < i ? offer_of[k] : count;
      if (k < i) continue;
      // The pass before left the sum of the block's own vector first.
      const bool found = !f.first && (i == 0 || (same >> i & 1) != 0);
      offers[count] = {candidates[i], price(candidates[i]), found ? known[i] : kUnknown};
      least = min_of(least, offers[count++].cost());
    }
    int best = 0;
    for (int i = 0; i < count; ++i) {
      if (offers[i].sum == kUnknown && offers[i].price <= least)
        offers[i].sum = matcher.sum(offers[i].vector);
      least = min_of(least, offers[i].cost());
      if (offers[i].cost() < offers[best].cost()) best = i;
    }
    for (int i = 0; i < kFieldCandidates; ++i) known[i] = offers[offer_of[i]].sum;
    uint32_t sum = offers[best].sum;
    after = offers[best].vector;

    const bool steps = field_cost(sum, 0, 0) > f.lambda * f.pass.steps_worth;
    for (int step = steps ? f.pass.first_step : 0; step >= f.finest_step; step /= 2) {
      Offer sides[4];
      for (int side = 0; side < 4; ++side) {
        const MotionVector v = stepped_vector(after, step, side, f.range);
        sides[side] = {v, price(v), kUnknown};
        if (sides[side].price < least) sides[side].sum = matcher.sum(v);
      }
      const uint32_t before = least;
      for (const Offer& offer : sides) {
        if (offer.cost() >= least) continue;
        after = offer.vector;
        least = offer.cost();
        sum = offer.sum;
      }
      if (f.pass.one_miss && least == before) break;
    }
    known[0] = sum;
    f.moved_after[index] = same_vector(after, candidates[0]) ? 0 : 1;
    if (shift == 0) cost = field_cost(sum, 0, 0);
  }
}

// field_candidate() of a block of a square, from its place and the places' difference. -1: none
constexpr int kNeighbour[kSquareBlocks][kSquareBlocks] = {
    {0, 0, 0, 0}, {3, 1, 3, 1}, {4, 4, 2, 2}, {-1, -1, -1, -1}};

// Gives squares of 2x2 blocks one vector where it costs less. row: of squares
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
    uint64_t bits = 0;
    uint64_t least = 0;
    for (int b = 0; b < kSquareBlocks; ++b) {
      const Beside beside(f.grid, y[b], x[b]);
      const MotionVector* const here = f.before + at[b];
      const Neighbours neighbours({here[beside[1]], here[beside[2]], here[beside[3]], here[beside[4]]});
      bits += neighbours.bits(own[b], kSquareBorderBits);
      least += field_cost(f.sums[at[b] * kFieldCandidates], 0, 0);
    }
    least += f.lambda * bits;
    int best = -1;
    uint32_t best_sums[kSquareBlocks] = {};
    for (int k = 0; k < kSquareBlocks; ++k) {
      if (std::find(own, own + k, own[k]) != own + k) continue;
      uint64_t price = 0;
      for (int b = 0; b < kSquareBlocks; ++b)
        price += square_bits(f.before, f.grid.rows, stride, y[b], x[b], own[k]);
      uint64_t cost = f.lambda * price;
      uint32_t sums[kSquareBlocks];
      for (int b = 0; b < kSquareBlocks; ++b) {
        // A neighbour's vector was a candidate of the pass, if it is still that.
        const int i = own[b] == own[k] ? 0 : kNeighbour[b ^ k][b];
        const bool found = i == 0 || (i > 0 && f.moved_after[at[k]] == 0);
        sums[b] = found ? f.sums[at[b] * kFieldCandidates + i] : kUnknown;
        if (sums[b] != kUnknown) cost += field_cost(sums[b], 0, 0);
      }
      for (int b = 0; b < kSquareBlocks && cost < least; ++b) {
        if (sums[b] != kUnknown) continue;
        sums[b] = Matcher<kBlock>(f, y[b], x[b]).sum(own[k]);
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
