// SPDX-License-Identifier: BSD-3-Clause
// Compares a block with the reference at half samples, interpolated bilinearly, by Hadamard transforms or
// sums of absolute differences. Included once per instruction set.
#if defined(CTV_CPU_FIELD_MATCH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FIELD_MATCH_INL_HPP
#undef CTV_CPU_FIELD_MATCH_INL_HPP
#else
#define CTV_CPU_FIELD_MATCH_INL_HPP
#endif

#include <utility>

#include "cpu/motion/field.hpp"
#include "cpu/motion/hadamard-inl.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// How a candidate's samples follow from those at half samples.
enum class Between { kNone, kMiddle, kQuarter, kFour };

#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// A SIMD vector has a row of one tile of 8x8 samples, of two side by side, or of 2x2.
template <int kBlock>
using TileRow = hn::CappedTag<int16_t, kBlock == 8 ? 8 : 32>;

// A row of the tiles, 8 rows of samples apart where they are 2x2. 8 samples are the lower half.
template <int kBlock>
HWY_INLINE auto LoadTiles(const uint8_t* p, ptrdiff_t stride) {
  constexpr size_t kLanes = hn::MaxLanes(TileRow<kBlock>());
  const hn::FixedTag<uint8_t, 16> d8;
  if constexpr (kLanes == 8) {
    return hn::Vec128<uint8_t>{hn::LoadU(hn::FixedTag<uint8_t, 8>(), p).raw};
  } else if constexpr (kLanes == 16) {
    return hn::LoadU(d8, p);
  } else {
    const hn::Rebind<uint8_t, TileRow<kBlock>> both;
    return hn::Combine(both, hn::LoadU(d8, p + 8 * stride), hn::LoadU(d8, p));
  }
}
template <int kBlock, class V>
HWY_INLINE auto Widen(V samples) {
  const TileRow<kBlock> d16;
  return hn::PromoteTo(d16, hn::Vec<hn::Rebind<uint8_t, TileRow<kBlock>>>{samples.raw});
}

// LoadTiles() of a block that lies between samples. corners: these samples, of kQuarter the nearer ones
// first. weights: sixteenths
template <int kBlock, Between kBetween>
class MovedTiles {
  using Bytes = decltype(LoadTiles<kBlock>(nullptr, 0));
  static constexpr hn::DFromV<Bytes> kBytes{};
  static constexpr hn::Repartition<int16_t, hn::DFromV<Bytes>> kProducts{};
  using Weights = hn::Vec<hn::RebindToSigned<hn::DFromV<Bytes>>>;

 public:
  HWY_INLINE MovedTiles(const uint8_t* const (&corners)[4], ptrdiff_t stride, const int8_t (&weights)[4])
      : corners_(corners),
        stride_(stride),
        upper_(PairWeights(kBytes, weights[0], weights[1])),
        lower_(PairWeights(kBytes, weights[2], weights[3])) {}

  HWY_INLINE Bytes operator()(ptrdiff_t offset) const {
    const auto load = [&](int i) { return LoadTiles<kBlock>(corners_[i] + offset, stride_); };
    const Bytes a = load(0);
    if constexpr (kBetween == Between::kNone) {
      return a;
    } else if constexpr (kBetween == Between::kMiddle) {
      return hn::AverageRound(a, load(1));
    } else if constexpr (kBetween == Between::kQuarter) {
      // (3 a + b + 2) >> 2: the mean with a of the mean rounded down.
      const Bytes b = load(1);
      const Bytes odd = hn::And(hn::Xor(a, b), hn::Set(kBytes, uint8_t{1}));
      return hn::AverageRound(a, hn::Sub(hn::AverageRound(a, b), odd));
    } else {
      const Bytes b = load(1);
      const Bytes c = load(2);
      const Bytes d = load(3);
      const auto mean = [&](Bytes ab, Bytes cd) {
        const auto sum = hn::Add(MultiplyPairs(ab, upper_), MultiplyPairs(cd, lower_));
        return hn::ShiftRight<4>(hn::Add(sum, hn::Set(kProducts, int16_t{8})));
      };
      return Pack(mean(hn::InterleaveLower(kBytes, a, b), hn::InterleaveLower(kBytes, c, d)),
                  mean(hn::InterleaveUpper(kBytes, a, b), hn::InterleaveUpper(kBytes, c, d)));
    }
  }

 private:
  const uint8_t* const (&corners_)[4];
  const ptrdiff_t stride_;
  const Weights upper_, lower_;
};

// Sum of absolute differences to a block of current samples, of one of kRowStep rows.
template <int kBlock, int kRowStep, Between kBetween>
HWY_INLINE uint32_t AbsoluteSum(const uint8_t* current, ptrdiff_t current_stride,
                                const uint8_t* const (&corners)[4], ptrdiff_t stride,
                                const int8_t (&weights)[4]) {
  const MovedTiles<kBlock, kBetween> moved(corners, stride, weights);
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(TileRow<kBlock>()));
  constexpr int kCols = kLanes == 8 ? 8 : 16;
  constexpr int kRows = kLanes == 32 ? 16 : 8;
  auto sum = hn::Zero(hn::Repartition<uint64_t, hn::DFromV<decltype(moved(0))>>());
  for (int y = 0; y < kBlock; y += kRows) {
    for (int x = 0; x < kBlock; x += kCols) {
      for (int r = y; r < y + 8; r += kRowStep) {
        sum = hn::Add(sum, SumDifferences(LoadTiles<kBlock>(current + r * current_stride + x, current_stride),
                                          moved(r * stride + x)));
      }
    }
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(hn::DFromV<decltype(sum)>(), sum)));
}

// Sum of magnitudes of the transforms of a block's differences. current: LoadTiles() of the whole block, in
// 16 bits.
template <int kBlock, Between kBetween>
HWY_INLINE uint32_t HadamardSum(const int16_t* current, const uint8_t* const (&corners)[4], ptrdiff_t stride,
                                const int8_t (&weights)[4]) {
  const TileRow<kBlock> d16;
  const hn::Repartition<int32_t, TileRow<kBlock>> d32;
  using Vector = hn::Vec<TileRow<kBlock>>;
  const MovedTiles<kBlock, kBetween> moved(corners, stride, weights);
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d16));
  constexpr int kCols = kLanes == 8 ? 8 : 16;
  constexpr int kRows = kLanes == 32 ? 16 : 8;
  auto sum = hn::Zero(d32);
  auto unused = hn::Zero(d32);
  for (int y = 0; y < kBlock; y += kRows) {
    for (int x = 0; x < kBlock; x += kCols) {
      Vector a[8];
      for (int r = 0; r < 8; ++r, current += kLanes)
        a[r] = hn::Sub(hn::Load(d16, current), Widen<kBlock>(moved((y + r) * stride + x)));
      Butterflies<8>(a);
      Transpose(d16, a);
      Butterflies<4>(a);
      // |x + y| + |x - y| = 2 max(|x|, |y|), so the last butterflies need not be computed.
      Vector largest = hn::Zero(d16);
      for (int r = 0; r < 4; ++r) largest = hn::Add(largest, hn::Max(hn::Abs(a[r]), hn::Abs(a[r + 4])));
      sum = hn::ReorderWidenMulAccumulate(d32, largest, hn::Set(d16, int16_t{2}), sum, unused);
    }
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d32, sum)));
}

// The order in which HadamardSum() reads a block.
template <int kBlock>
HWY_INLINE void CopyTiles(const uint8_t* from, ptrdiff_t stride, int16_t* to) {
  const TileRow<kBlock> d16;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d16));
  constexpr int kCols = kLanes == 8 ? 8 : 16;
  constexpr int kRows = kLanes == 32 ? 16 : 8;
  for (int y = 0; y < kBlock; y += kRows) {
    for (int x = 0; x < kBlock; x += kCols) {
      for (int r = 0; r < 8; ++r, to += kLanes)
        hn::Store(Widen<kBlock>(LoadTiles<kBlock>(from + (y + r) * stride + x, stride)), d16, to);
    }
  }
}
#else
// The sample of a block that lies between samples, at an offset.
template <Between kBetween>
int MovedSample(const uint8_t* const (&corners)[4], const int8_t (&weights)[4], ptrdiff_t offset) {
  const int a = corners[0][offset];
  if constexpr (kBetween == Between::kNone) {
    return a;
  } else if constexpr (kBetween == Between::kMiddle) {
    return (a + corners[1][offset] + 1) >> 1;
  } else if constexpr (kBetween == Between::kQuarter) {
    return (3 * a + corners[1][offset] + 2) >> 2;
  } else {
    int sum = 8;
    for (int i = 0; i < 4; ++i) sum += corners[i][offset] * weights[i];
    return sum >> 4;
  }
}

template <int kBlock, int kRowStep, Between kBetween>
uint32_t AbsoluteSum(const uint8_t* current, ptrdiff_t current_stride, const uint8_t* const (&corners)[4],
                     ptrdiff_t stride, const int8_t (&weights)[4]) {
  int total = 0;
  for (int r = 0; r < kBlock; r += kRowStep) {
    for (int c = 0; c < kBlock; ++c) {
      total +=
          abs_of(current[r * current_stride + c] - MovedSample<kBetween>(corners, weights, r * stride + c));
    }
  }
  return static_cast<uint32_t>(total);
}

template <int kBlock, Between kBetween>
uint32_t HadamardSum(const int16_t* current, const uint8_t* const (&corners)[4], ptrdiff_t stride,
                     const int8_t (&weights)[4]) {
  uint32_t total = 0;
  for (int y = 0; y < kBlock; y += 8) {
    for (int x = 0; x < kBlock; x += 8) {
      int a[8][8];
      int half[8][8];
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c)
          a[r][c] = current[(y + r) * kBlock + x + c] -
                    MovedSample<kBetween>(corners, weights, (y + r) * stride + x + c);
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

template <int kBlock>
void CopyTiles(const uint8_t* from, ptrdiff_t stride, int16_t* to) {
  for (int r = 0; r < kBlock; ++r) {
    for (int c = 0; c < kBlock; ++c) to[r * kBlock + c] = from[r * stride + c];
  }
}
#endif

// A block that is matched.
template <int kBlock>
class Block {
 public:
  Block(const FieldRows& field, int row, int col)
      : stride_(field.planes->reference_stride),
        current_stride_(field.planes->current_stride),
        row_step_(field.pass.row_step(field.grid.log2_block)) {
    const SearchPlanes& planes = *field.planes;
    const HalfPlanes& halves = *field.halves;
    const ptrdiff_t y = ptrdiff_t{row} * kBlock;
    const ptrdiff_t x = ptrdiff_t{col} * kBlock;
    current_ = planes.current + y * current_stride_ + x;
    if (row_step_ == 0) CopyTiles<kBlock>(current_, current_stride_, tiles_);
    const uint8_t* const from[4] = {planes.reference, halves.right, halves.below, halves.diagonal};
    for (int i = 0; i < 4; ++i) whole_[i] = from[i] + y * stride_ + x;
  }

  // Sum of magnitudes of the transforms of the differences, or what stands for it.
  uint32_t difference(MotionVector v) const {
    const HalfDisplacement dy = half_displacement(v.y);
    const HalfDisplacement dx = half_displacement(v.x);
    const auto corner = [&](int down, int across) {
      const int row = dy.half + down;
      const int col = dx.half + across;
      return whole_[(row & 1) * 2 + (col & 1)] + (row >> 1) * stride_ + (col >> 1);
    };
    const uint8_t* corners[4] = {corner(0, 0)};
    int8_t weights[4] = {};
    if (dy.quarter == 0 && dx.quarter == 0) return sum<Between::kNone>(corners, weights);
    if (dy.quarter == 0 || dx.quarter == 0) {
      const int quarter = dy.quarter + dx.quarter;
      corners[1] = dx.quarter == 0 ? corner(1, 0) : corner(0, 1);
      if (quarter == 2) return sum<Between::kMiddle>(corners, weights);
      if (quarter == 3) std::swap(corners[0], corners[1]);
      return sum<Between::kQuarter>(corners, weights);
    }
    for (int i = 0; i < 4; ++i) {
      corners[i] = corner(i >> 1, i & 1);
      weights[i] = static_cast<int8_t>((i >> 1 != 0 ? dy.quarter : 4 - dy.quarter) *
                                       ((i & 1) != 0 ? dx.quarter : 4 - dx.quarter));
    }
    return sum<Between::kFour>(corners, weights);
  }

 private:
  template <Between kBetween>
  uint32_t sum(const uint8_t* const (&corners)[4], const int8_t (&weights)[4]) const {
    if (row_step_ == 0) return HadamardSum<kBlock, kBetween>(tiles_, corners, stride_, weights);
    const uint32_t sad =
        row_step_ == 1
            ? AbsoluteSum<kBlock, 1, kBetween>(current_, current_stride_, corners, stride_, weights)
            : AbsoluteSum<kBlock, 2, kBetween>(current_, current_stride_, corners, stride_, weights);
    return sad_for_hadamard(sad, row_step_);
  }

  const ptrdiff_t stride_, current_stride_;
  const int row_step_;  // FieldPass::sad_row_step
  const uint8_t* current_;
  const uint8_t* whole_[4];  // the block's place in the planes: whole samples, right, below, diagonal
  alignas(64) int16_t tiles_[kBlock * kBlock];  // if transforms are compared
};

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
