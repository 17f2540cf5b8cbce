// SPDX-License-Identifier: BSD-3-Clause
// The passes over the field of vectors. A candidate costs a bilinear interpolation and Hadamard transforms,
// so one whose price alone is too high is not tried, and one that is worse after some rows is left. What a
// pass finds of a candidate the next one over the same grid takes over, and where neither a block nor a
// neighbour moved there is nothing to try.
#include "cpu/motion/field.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/field.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/hadamard-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// The samples between which a candidate is interpolated, and their weights.
struct Corners {
  const uint8_t* at[4];
  int16_t weights[4];  // sixteenths
};

#if defined(CTV_HAVE_HIGHWAY) && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// Sum of magnitudes of the transforms of 8 rows; none is added beyond `limit`.
template <int kBlock, int kCorners>
HWY_INLINE uint32_t HadamardSum(const uint8_t* current, ptrdiff_t current_stride, const Corners& corners,
                                ptrdiff_t stride, uint32_t limit) {
  const hn::CappedTag<int16_t, kBlock == 8 ? 8 : 16> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  using Vector = hn::Vec<decltype(d16)>;
  const auto samples = [&](const uint8_t* p) { return hn::PromoteTo(d16, hn::LoadU(d8, p)); };
  uint32_t total = 0;
  for (int y = 0; y < kBlock && total < limit; y += 8) {
    auto sum = hn::Zero(d32);
    auto unused = hn::Zero(d32);
    for (int x = 0; x < kBlock; x += static_cast<int>(hn::Lanes(d16))) {
      Vector a[8];
      for (int r = 0; r < 8; ++r) {
        const ptrdiff_t offset = (y + r) * stride + x;
        Vector moved;
        if constexpr (kCorners == 1) {
          moved = samples(corners.at[0] + offset);
        } else {
          moved = hn::Set(d16, int16_t{8});
          for (int i = 0; i < kCorners; ++i) {
            moved =
                hn::Add(moved, hn::Mul(samples(corners.at[i] + offset), hn::Set(d16, corners.weights[i])));
          }
          moved = hn::ShiftRight<4>(moved);
        }
        a[r] = hn::Sub(samples(current + (y + r) * current_stride + x), moved);
      }
      Butterflies<8>(a);
      Transpose(d16, a);
      Butterflies<4>(a);
      // |x + y| + |x - y| = 2 max(|x|, |y|), so the last butterflies need not be computed.
      Vector largest = hn::Zero(d16);
      for (int r = 0; r < 4; ++r) largest = hn::Add(largest, hn::Max(hn::Abs(a[r]), hn::Abs(a[r + 4])));
      sum = hn::ReorderWidenMulAccumulate(d32, largest, hn::Set(d16, int16_t{2}), sum, unused);
    }
    total += static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d32, hn::Add(sum, unused))));
  }
  return total;
}
#else
template <int kBlock, int kCorners>
uint32_t HadamardSum(const uint8_t* current, ptrdiff_t current_stride, const Corners& corners,
                     ptrdiff_t stride, uint32_t limit) {
  uint32_t total = 0;
  for (int y = 0; y < kBlock && total < limit; y += 8) {
    for (int x = 0; x < kBlock; x += 8) {
      int a[8][8];
      int half[8][8];
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
          const ptrdiff_t offset = (y + r) * stride + x + c;
          int moved = corners.at[0][offset];
          if constexpr (kCorners > 1) {
            moved = 8;
            for (int i = 0; i < kCorners; ++i) moved += corners.at[i][offset] * corners.weights[i];
            moved >>= 4;
          }
          a[r][c] = current[(y + r) * current_stride + x + c] - moved;
        }
      }
      HalfHadamard<8>(a, half);
      HalfHadamard<8>(half, a);
      for (const auto& row : a) {
        for (const int c : row) total += static_cast<uint32_t>(abs_of(c));
      }
    }
  }
  return total;
}
#endif

// A block that is matched.
template <int kBlock>
struct Block {
  const SearchPlanes& planes;
  const HalfPlanes& halves;
  ptrdiff_t y, x;

  // Sum of magnitudes, or a number of at least `limit`.
  uint32_t hadamard(MotionVector v, uint32_t limit) const {
    const HalfDisplacement dy = half_displacement(v.y);
    const HalfDisplacement dx = half_displacement(v.x);
    const ptrdiff_t stride = planes.reference_stride;
    const uint8_t* const whole[4] = {planes.reference, halves.right, halves.below, halves.diagonal};
    Corners corners{};
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      const int down = i >> 1;
      const int across = i & 1;
      const int weight =
          (down != 0 ? dy.quarter : 4 - dy.quarter) * (across != 0 ? dx.quarter : 4 - dx.quarter);
      if (weight == 0) continue;
      const int row = dy.half + down;
      const int col = dx.half + across;
      corners.at[count] = whole[(row & 1) * 2 + (col & 1)] + (y + (row >> 1)) * stride + x + (col >> 1);
      corners.weights[count++] = static_cast<int16_t>(weight);
    }
    const uint8_t* current = planes.current + y * planes.current_stride + x;
    if (count == 1) return HadamardSum<kBlock, 1>(current, planes.current_stride, corners, stride, limit);
    if (count == 2) return HadamardSum<kBlock, 2>(current, planes.current_stride, corners, stride, limit);
    return HadamardSum<kBlock, 4>(current, planes.current_stride, corners, stride, limit);
  }
};

constexpr uint32_t kUnknown = UINT32_MAX;

// Settled blocks are not tried again: all their candidates lost before at the same prices.
constexpr bool SamePrices() {
  for (const FieldPass& pass : kBlockPasses) {
    if (pass.border_bits != kBlockPasses[0].border_bits) return false;
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

// field_bits() beside the same neighbours.
class Neighbours {
#if defined(CTV_HAVE_HIGHWAY) && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
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

template <int kBlock>
void Improve(const FieldRows& f, int row) {
  const int shift = f.blocks.log2_block - f.grid.log2_block;
  for (int col = 0; col < f.grid.cols; ++col) {
    const ptrdiff_t index = ptrdiff_t{row} * f.grid.cols + col;
    MotionVector& after = f.after[index];
    uint32_t& cost = f.costs[static_cast<ptrdiff_t>(row >> shift) * f.blocks.cols + (col >> shift)];
    after = f.before[index];
    f.moved_after[index] = 0;
    if (cost == 0 || (shift > 0 && cost <= f.lambda * kCellsWorth)) continue;
    // Bit i: candidate i is the one of the pass before.
    uint32_t same = 0;
    if (!f.first) {
      same = 1U << (kFieldCandidates - 1);  // zero
      for (int i = 0; i + 1 < kFieldCandidates; ++i) {
        const int from = field_neighbour(f.grid.rows, f.grid.cols, row, col, i);
        same |= f.moved_before[from] == 0 ? 1U << i : 0;
      }
      if (same == (1U << kFieldCandidates) - 1 && (f.pass.only_moved || f.pass.first_step == 0)) continue;
    }
    uint32_t* const known = f.sums + index * kFieldCandidates;
    MotionVector candidates[kFieldCandidates];
    for (int i = 0; i < kFieldCandidates; ++i)
      candidates[i] = field_candidate(f.before, f.grid.rows, f.grid.cols, row, col, i);
    const Neighbours neighbours({candidates[1], candidates[2], candidates[3], candidates[4]});
    const auto price = [&](MotionVector v) {
      return field_cost(0, f.lambda, neighbours.bits(v, f.pass.border_bits));
    };
    const Block<kBlock> block{*f.planes, *f.halves, ptrdiff_t{row} * kBlock, ptrdiff_t{col} * kBlock};
    // Finds the sum of an offer that costs at most `most`.
    const auto match = [&](Offer& offer, uint32_t most) {
      if (offer.price > most) return;
      const uint32_t limit = (most - offer.price) / 2 + 1;
      const uint32_t sum = block.hadamard(offer.vector, limit);
      if (sum < limit) offer.sum = sum;
    };

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
      if (offers[i].sum == kUnknown) match(offers[i], least);
      least = min_of(least, offers[i].cost());
      if (offers[i].cost() < offers[best].cost()) best = i;
    }
    for (int i = 0; i < kFieldCandidates; ++i) known[i] = offers[offer_of[i]].sum;
    uint32_t sum = offers[best].sum;
    after = offers[best].vector;

    const bool steps = (!f.pass.only_moved || best != 0) && field_cost(sum, 0, 0) > f.lambda * kStepsWorth;
    for (int step = steps ? f.pass.first_step : 0; step >= f.finest_step; step /= 2) {
      const MotionVector centre = after;
      for (int side = 0; side < 4; ++side) {
        const MotionVector v = stepped_vector(centre, step, side, f.range);
        Offer offer{v, price(v), kUnknown};
        match(offer, least - 1);
        if (offer.sum == kUnknown) continue;
        after = v;
        least = offer.cost();
        sum = offer.sum;
      }
    }
    known[0] = sum;
    f.moved_after[index] = same_vector(after, candidates[0]) ? 0 : 1;
    if (shift == 0) cost = field_cost(sum, 0, 0);
  }
}

void ImproveFieldRow(const FieldRows& field, int row) {
  switch (field.grid.log2_block) {
    case 3:
      return Improve<8>(field, row);
    case 4:
      return Improve<16>(field, row);
    default:
      return Improve<32>(field, row);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(ImproveFieldRow);

void improve_field_row(const FieldRows& field, int row) { HWY_DYNAMIC_DISPATCH(ImproveFieldRow)(field, row); }

}  // namespace ctv
#endif  // HWY_ONCE
