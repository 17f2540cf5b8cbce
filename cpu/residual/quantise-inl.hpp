// SPDX-License-Identifier: BSD-3-Clause
// Quantises rows of a tile and sums what the decisions on its blocks need
// (codec/control/residual_decisions.hpp). Included once per instruction set.
#if defined(CTV_CPU_RESIDUAL_QUANTISE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_RESIDUAL_QUANTISE_INL_HPP
#undef CTV_CPU_RESIDUAL_QUANTISE_INL_HPP
#else
#define CTV_CPU_RESIDUAL_QUANTISE_INL_HPP
#endif

#include <cstring>

#include "codec/control/residual_decisions.hpp"
#include "cpu/residual/dct-inl.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

#ifndef CTV_CPU_RESIDUAL_QUANTISE_ONCE
#define CTV_CPU_RESIDUAL_QUANTISE_ONCE
namespace ctv {

/// Constants by position of a tile's coefficients, for one plane.
struct TypeTables {
  alignas(64) uint16_t offsets[kTile][kTile];     // rounding offsets
  alignas(64) uint16_t level_bits[kTile][kTile];  // of a nonzero level
};
struct ResidualTables {
  ResidualPrices prices;
  TypeTables types[3];  // luma by BlockType; chroma uses the first
};
struct FrameTables {
  ResidualTables luma[kMasks];  // those that occur
  ResidualTables chroma;
  uint32_t quiet = 0;  // the least of luma
};
/// Sums over rows, by column: squares of two columns each, bits of one.
struct RowSums {
  alignas(64) uint32_t squares[kTile / 2];
  alignas(64) uint16_t bits[kTile];
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
// levels, values: quantised and reconstructed coefficients. rows: number of rows from `first` on.
HWY_INLINE void QuantiseRows(const Tile& coefficients, const ResidualPrices& prices, const TypeTables& tables,
                             int first, int rows, Tile& levels, Tile& values, RowSums& sums) {
  const hn::CappedTag<int16_t, kTile> d16;
  const hn::RebindToUnsigned<decltype(d16)> du;
  const hn::Repartition<uint8_t, decltype(d16)> d8;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto step = hn::Set(du, static_cast<uint16_t>(prices.step));
  const auto reciprocal = hn::Set(du, static_cast<uint16_t>(prices.reciprocal));
  const auto most = hn::Set(du, static_cast<uint16_t>(kMostCoefficient));
  const auto most_magnitude = hn::Set(du, uint16_t{kMagnitudes - 1});
  const auto table = hn::LoadDup128(d8, kMagnitudeBits);
  for (int x = 0; x < kTile; x += static_cast<int>(hn::Lanes(d16))) {
    auto squares = hn::Zero(d32);
    auto bits = hn::Zero(du);
    for (int r = first; r < first + rows; ++r) {
      const auto c = hn::Load(d16, &coefficients.at[r][x]);
      const auto sign = hn::ShiftRight<15>(c);
      const auto magnitude = hn::BitCast(du, hn::Sub(hn::Xor(c, sign), sign));
      const auto level = hn::MulHigh(hn::Add(magnitude, hn::Load(du, &tables.offsets[r][x])), reciprocal);
      const auto value = hn::Min(hn::Mul(level, step), most);
      const auto error = hn::BitCast(d16, hn::Sub(magnitude, value));
      squares = MultiplyAdd(error, error, squares);
      const auto coded = hn::Ne(level, hn::Zero(du));
      const auto place = hn::IfThenElseZero(coded, hn::Load(du, &tables.level_bits[r][x]));
      const auto larger = LookUp(table, hn::BitCast(d8, hn::Min(level, most_magnitude)));
      bits = hn::Add(bits, hn::Add(place, hn::BitCast(du, larger)));
      const auto signed_as = [&](hn::Vec<decltype(du)> v)
                                 HWY_ATTR { return hn::Sub(hn::Xor(hn::BitCast(d16, v), sign), sign); };
      hn::Store(signed_as(level), d16, &levels.at[r][x]);
      hn::Store(signed_as(value), d16, &values.at[r][x]);
    }
    hn::Store(hn::BitCast(hn::Repartition<uint32_t, decltype(d16)>(), squares),
              hn::Repartition<uint32_t, decltype(d16)>(), sums.squares + x / 2);
    hn::Store(bits, du, sums.bits + x);
  }
}

// Sums squares of the rows' samples.
HWY_INLINE void SquareRows(const Tile& samples, int first, int rows, uint32_t* squares) {
  const hn::CappedTag<int16_t, kTile> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  for (int x = 0; x < kTile; x += static_cast<int>(hn::Lanes(d16))) {
    auto sum = hn::Zero(d32);
    for (int r = first; r < first + rows; ++r) {
      const auto s = hn::Load(d16, &samples.at[r][x]);
      sum = MultiplyAdd(s, s, sum);
    }
    hn::Store(hn::BitCast(hn::Repartition<uint32_t, decltype(d16)>(), sum),
              hn::Repartition<uint32_t, decltype(d16)>(), squares + x / 2);
  }
}
#else
inline void QuantiseRows(const Tile& coefficients, const ResidualPrices& prices, const TypeTables& tables,
                         int first, int rows, Tile& levels, Tile& values, RowSums& sums) {
  sums = {};
  for (int r = first; r < first + rows; ++r) {
    for (int x = 0; x < kTile; ++x) {
      const int c = coefficients.at[r][x];
      const auto magnitude = static_cast<uint32_t>(c < 0 ? -c : c);
      const uint32_t level = quantise_residual(magnitude, tables.offsets[r][x], prices.reciprocal);
      const uint32_t value = dequantise_residual(level, prices.step);
      const auto error = static_cast<int32_t>(magnitude - value);
      sums.squares[x / 2] += static_cast<uint32_t>(error * error);
      if (level != 0) {
        const uint32_t larger = kMagnitudeBits[min_of(level, uint32_t{kMagnitudes - 1})];
        sums.bits[x] = static_cast<uint16_t>(sums.bits[x] + tables.level_bits[r][x] + larger);
      }
      levels.at[r][x] = static_cast<int16_t>(c < 0 ? -static_cast<int>(level) : static_cast<int>(level));
      values.at[r][x] = static_cast<int16_t>(c < 0 ? -static_cast<int>(value) : static_cast<int>(value));
    }
  }
}

inline void SquareRows(const Tile& samples, int first, int rows, uint32_t* squares) {
  for (int i = 0; i < kTile / 2; ++i) squares[i] = 0;
  for (int r = first; r < first + rows; ++r) {
    for (int x = 0; x < kTile; ++x)
      squares[x / 2] += static_cast<uint32_t>(samples.at[r][x] * samples.at[r][x]);
  }
}
#endif

// Sums over a block's columns, `count` from `first` on.
HWY_INLINE BlockSums SumsOf(const RowSums& sums, int first, int count) {
  BlockSums block;
  for (int x = first / 2; x < (first + count) / 2; ++x) block.error += sums.squares[x];
  for (int x = first; x < first + count; ++x) block.bits += sums.bits[x];
  block.coded = block.bits != 0;
  return block;
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
