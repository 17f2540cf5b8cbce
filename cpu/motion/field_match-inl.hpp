// SPDX-License-Identifier: BSD-3-Clause
// Compares a block with the bilinearly interpolated reference at half samples, by Hadamard transforms or SAD.
// Included once per instruction set.
#if defined(CTV_CPU_FIELD_MATCH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FIELD_MATCH_INL_HPP
#undef CTV_CPU_FIELD_MATCH_INL_HPP
#else
#define CTV_CPU_FIELD_MATCH_INL_HPP
#endif

#include <cstring>

#include "cpu/motion/field.hpp"
#include "cpu/motion/hadamard-inl.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Position of a candidate between half samples.
enum class Between { kNone, kAcross, kFour };

// Weights of the four corners in sixteenths, by quarters of a half sample: [y][x][corner].
struct CornerWeights {
  int8_t of[4][4][4];
  constexpr CornerWeights() : of() {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) {
        for (int i = 0; i < 4; ++i)
          of[y][x][i] = static_cast<int8_t>((i < 2 ? 4 - y : y) * (i % 2 == 0 ? 4 - x : x));
      }
    }
  }
};
constexpr CornerWeights kCornerWeights;

// The samples around a candidate's position: rows `stride` apart.
struct Corners {
  const uint8_t* samples;
  ptrdiff_t stride;
  const int8_t* weights;
};

#if CTV_VECTORS
// A SIMD vector holds a row of one 8x8 tile, or of two adjacent tiles.
template <int kBlock>
using TileRow = hn::CappedTag<int16_t, kBlock == 8 ? 8 : 16>;
template <int kBlock>
constexpr int kTileLanes = static_cast<int>(hn::MaxLanes(TileRow<kBlock>()));

// With vectors of twice the length, transforms stack tiles of the lower half of a block on those of the upper
// half. For SAD, gathering would cost more than it saves.
template <int kBlock>
constexpr bool kStacked = kBlock > 8 && HWY_TARGET <= HWY_AVX3;
template <int kBlock>
using StackedRow = hn::CappedTag<int16_t, kTileLanes<kBlock>*(kStacked<kBlock> ? 2 : 1)>;
template <int kBlock>
constexpr int kStackedRows = kStacked<kBlock> ? kBlock / 2 : kBlock;

// Rows of interpolated tiles. kBelow: distance from a row to the one stacked with it, or 0.
template <class Row, Between kBetween, int kBelow = 0>
class MovedTiles {
  using Bytes = hn::Repartition<uint8_t, Row>;
  static constexpr Row kRow{};
  static constexpr Bytes kBytes{};
  using Vector = hn::Vec<Row>;
  using Weights = hn::Vec<hn::RebindToSigned<Bytes>>;

 public:
  HWY_INLINE explicit MovedTiles(const Corners& corners)
      : samples_(corners.samples),
        stride_(corners.stride),
        upper_(pair(corners.weights)),
        lower_(pair(corners.weights + 2)) {}

  HWY_INLINE Vector operator()(int row, int col) const {
    const uint8_t* const p = samples_ + 2 * (row * stride_ + col);
    if constexpr (kBetween == Between::kNone) {
      return hn::And(hn::BitCast(kRow, load(p)), hn::Set(kRow, int16_t{255}));
    } else {
      Vector sum = MultiplyPairs(load(p), upper_);
      if constexpr (kBetween == Between::kFour) sum = hn::Add(sum, MultiplyPairs(load(p + stride_), lower_));
      return hn::MulFixedPoint15(sum, hn::Set(kRow, int16_t{1 << (15 - 4)}));  // (sum + 8) >> 4
    }
  }

 private:
  static HWY_INLINE Weights pair(const int8_t* weights) {
    int16_t both;
    std::memcpy(&both, weights, sizeof(both));
    return hn::BitCast(hn::RebindToSigned<Bytes>(), hn::Set(kRow, both));
  }
  HWY_INLINE hn::Vec<Bytes> load(const uint8_t* p) const {
    if constexpr (kBelow > 0) {
      const hn::Half<Bytes> half;
      return hn::Combine(kBytes, hn::LoadU(half, p + 2 * kBelow * stride_), hn::LoadU(half, p));
    } else {
      return hn::LoadU(kBytes, p);
    }
  }

  const uint8_t* const samples_;
  const ptrdiff_t stride_;
  const Weights upper_, lower_;
};

// SAD of a block of current samples, over every kRowStep-th row. current: CopyTiles()
template <int kBlock, int kRowStep, Between kBetween>
HWY_INLINE uint32_t AbsoluteSum(const int16_t* current, const Corners& corners) {
  const hn::Repartition<uint8_t, TileRow<kBlock>> d8;
  const hn::Repartition<uint64_t, TileRow<kBlock>> d64;
  const MovedTiles<TileRow<kBlock>, kBetween> moved(corners);
  DifferenceSums<decltype(d8)> sums;
  for (int y = 0; y < kBlock; y += 2 * kRowStep) {
    for (int x = 0; x < kBlock; x += kTileLanes<kBlock>, current += kTileLanes<kBlock>) {
      const auto rows = Pack(moved(y, x), moved(y + kRowStep, x));
      sums.add(hn::Load(d8, reinterpret_cast<const uint8_t*>(current)), rows);
    }
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d64, sums.total())));
}

// SATD of a block.
template <int kBlock, Between kBetween>
HWY_INLINE uint32_t HadamardSum(const int16_t* current, const Corners& corners) {
  const StackedRow<kBlock> d16;
  const hn::Repartition<int32_t, StackedRow<kBlock>> d32;
  using Vector = hn::Vec<StackedRow<kBlock>>;
  const MovedTiles<StackedRow<kBlock>, kBetween, kBlock - kStackedRows<kBlock>> moved(corners);
  auto sum = hn::Zero(d32);
  for (int y = 0; y < kStackedRows<kBlock>; y += 8) {
    for (int x = 0; x < kBlock; x += kTileLanes<kBlock>) {
      Vector a[8];
      for (int r = 0; r < 8; ++r, current += hn::MaxLanes(d16))
        a[r] = hn::Sub(hn::Load(d16, current), moved(y + r, x));
      Butterflies<8>(a);
      Transpose(d16, a);
      Butterflies<4>(a);
      // |x + y| + |x - y| = 2 max(|x|, |y|) replaces the last butterflies.
      Vector largest = hn::Zero(d16);
      for (int r = 0; r < 4; ++r) largest = hn::Add(largest, hn::Max(hn::Abs(a[r]), hn::Abs(a[r + 4])));
      sum = MultiplyAdd(largest, hn::Set(d16, int16_t{2}), sum);
    }
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d32, sum)));
}

// Copies a block in the order of comparison. row_step: 0 for HadamardSum(); else that of AbsoluteSum(), which
// packs two rows
template <int kBlock>
HWY_INLINE void CopyTiles(const uint8_t* from, ptrdiff_t stride, int row_step, int16_t* to) {
  const TileRow<kBlock> d16;
  constexpr int kLanes = kTileLanes<kBlock>;
  const auto row = [&](int y, int x) HWY_ATTR {
    return hn::PromoteTo(d16, hn::LoadU(hn::FixedTag<uint8_t, kLanes>(), from + y * stride + x));
  };
  if (row_step == 0) {
    // Stores whole vectors, since loads stall on data of narrower recent stores.
    const StackedRow<kBlock> whole;
    for (int y = 0; y < kStackedRows<kBlock>; y += 8) {
      for (int x = 0; x < kBlock; x += kLanes) {
        for (int r = y; r < y + 8; ++r, to += hn::MaxLanes(whole)) {
          if constexpr (kStacked<kBlock>) {
            hn::Store(hn::Combine(whole, row(r + kStackedRows<kBlock>, x), row(r, x)), whole, to);
          } else {
            hn::Store(row(r, x), whole, to);
          }
        }
      }
    }
  } else {
    for (int y = 0; y < kBlock; y += 2 * row_step) {
      for (int x = 0; x < kBlock; x += kLanes, to += kLanes)
        hn::Store(hn::BitCast(d16, Pack(row(y, x), row(y + row_step, x))), d16, to);
    }
  }
}
#else
// Interpolated sample of a block.
template <Between kBetween>
int MovedSample(const Corners& corners, int row, int col) {
  const uint8_t* const upper = corners.samples + 2 * (row * corners.stride + col);
  if constexpr (kBetween == Between::kNone) return upper[0];
  int sum = 8 + upper[0] * corners.weights[0] + upper[1] * corners.weights[1];
  if constexpr (kBetween == Between::kFour) {
    const uint8_t* const lower = upper + corners.stride;
    sum += lower[0] * corners.weights[2] + lower[1] * corners.weights[3];
  }
  return sum >> 4;
}

template <int kBlock, int kRowStep, Between kBetween>
uint32_t AbsoluteSum(const int16_t* current, const Corners& corners) {
  int total = 0;
  for (int r = 0; r < kBlock; r += kRowStep) {
    for (int c = 0; c < kBlock; ++c)
      total += abs_of(current[r * kBlock + c] - MovedSample<kBetween>(corners, r, c));
  }
  return static_cast<uint32_t>(total);
}

template <int kBlock, Between kBetween>
uint32_t HadamardSum(const int16_t* current, const Corners& corners) {
  uint32_t total = 0;
  for (int y = 0; y < kBlock; y += 8) {
    for (int x = 0; x < kBlock; x += 8) {
      int a[8][8];
      int half[8][8];
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c)
          a[r][c] = current[(y + r) * kBlock + x + c] - MovedSample<kBetween>(corners, y + r, x + c);
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
void CopyTiles(const uint8_t* from, ptrdiff_t stride, int, int16_t* to) {
  for (int r = 0; r < kBlock; ++r) {
    for (int c = 0; c < kBlock; ++c) to[r * kBlock + c] = from[r * stride + c];
  }
}
#endif

// A block to be matched.
template <int kBlock>
class Block {
 public:
  Block(const FieldRows& field, int row, int col)
      : stride_(field.halves->stride),
        row_step_(field.pass.row_step(field.grid.log2_block)),
        samples_(field.halves->samples + 2 * kBlock * (row * stride_ + col)) {
    const SearchPlanes& planes = *field.planes;
    CopyTiles<kBlock>(planes.current + kBlock * (row * planes.current_stride + col), planes.current_stride,
                      row_step_, tiles_);
  }

  // Distortion of a candidate: SATD, or scaled SAD.
  uint32_t difference(MotionVector v) const {
    const HalfDisplacement dy = half_displacement(v.y);
    const HalfDisplacement dx = half_displacement(v.x);
    const uint8_t* const samples = samples_ + dy.half * stride_ + dx.half;
    const int8_t* const weights = kCornerWeights.of[dy.quarter][dx.quarter];
    if (dy.quarter != 0) return sum<Between::kFour>(samples, weights);
    return dx.quarter == 0 ? sum<Between::kNone>(samples, weights) : sum<Between::kAcross>(samples, weights);
  }

 private:
  // Has many callers, so it is not inlined, and takes its arguments in registers.
  template <Between kBetween>
  [[gnu::noinline]] uint32_t sum(const uint8_t* samples, const int8_t* weights) const {
    const Corners corners{samples, stride_, weights};
    if (row_step_ == 0) return HadamardSum<kBlock, kBetween>(tiles_, corners);
    const uint32_t sad = row_step_ == 1 ? AbsoluteSum<kBlock, 1, kBetween>(tiles_, corners)
                                        : AbsoluteSum<kBlock, 2, kBetween>(tiles_, corners);
    return sad_for_hadamard(sad, row_step_);
  }

  const ptrdiff_t stride_;
  const int row_step_;            // FieldPass::sad_row_step
  const uint8_t* const samples_;  // position of the block at half samples
  alignas(64) int16_t tiles_[kBlock * kBlock];
};

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
