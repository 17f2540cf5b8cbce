// SPDX-License-Identifier: BSD-3-Clause
// The encoder's decisions on the residual of a predicted frame: transforms of a macroblock, and which blocks
// are not coded, by squared error and estimated bits. Macroblocks are independent, so a GPU decides all in
// parallel. Both backends compile these formulas. Not normative.
#pragma once

#include <cstdint>

#include "codec/dsp/residual_quantise.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

// All bits are estimates in eighths, fitted to the output of the entropy coder.

/// Bits of a nonzero level with its sign, by BlockType and frequency class.
inline constexpr uint8_t kLevelBits[kBlockTypes][kFrequencyClasses] = {
    {17, 27, 30, 30, 30}, {19, 37, 41, 45, 45}, {16, 37, 49, 58, 68}, {18, 40, 44, 46, 46}};
/// Additional bits of its magnitude; magnitudes above 15 count as 15.
inline constexpr int kMagnitudes = 16;
inline constexpr uint8_t kMagnitudeBits[kMagnitudes] = {0,  0,  12, 20, 26, 32, 37, 41,
                                                        45, 48, 51, 54, 56, 58, 60, 66};
/// Bits of a coded block, by BlockType.
CTV_HOST_DEVICE constexpr uint32_t block_bits(BlockType type) {
  constexpr uint8_t kBits[kBlockTypes] = {42, 37, 34, 44};
  return kBits[static_cast<int>(type)];
}
inline constexpr uint32_t kNoChromaBits = 3;
CTV_HOST_DEVICE constexpr uint32_t quarter_bits(QuarterKind kind) {
  constexpr uint8_t kBits[3] = {14, 16, 22};
  return kBits[static_cast<int>(kind)];
}
CTV_HOST_DEVICE constexpr uint32_t macroblock_bits(MacroblockKind kind) {
  constexpr uint8_t kBits[3] = {6, 8, 12};
  return kBits[static_cast<int>(kind)];
}

/// Lagrange multipliers: 0.12 squared steps per bit; 0.55 of that for chroma, whose errors remain visible.
inline constexpr uint64_t kLumaLambda = 246;  // per eighth of a bit, in 16384ths of a squared step
inline constexpr uint64_t kChromaLambda = 135;
inline constexpr int kLambdaBits = 14;

/// Rounding offsets by frequency class, in 1024ths of a step: the dead zone grows with frequency.
inline constexpr uint16_t kResidualRounding[kFrequencyClasses] = {348, 290, 210, 150, 110};
/// rounding: from the table.
CTV_HOST_DEVICE uint32_t rounding_offset(uint32_t step, uint32_t rounding) { return step * rounding >> 10; }

/// Constants of the decisions in a plane.
struct ResidualPrices {
  uint32_t step, reciprocal;
  uint64_t bit;    // lambda per eighth of a bit, in 16384ths of a squared unit of coefficients
  uint32_t quiet;  // squared samples: a block with less energy has only zero levels
  int shift;       // bits of a sample beyond 8
};
CTV_HOST_DEVICE ResidualPrices residual_prices(uint32_t step, bool chroma, int shift) {
  // No coefficient exceeds the square root of the energy, and values below 0.66 steps round to 0.
  const uint64_t least = uint64_t{step} * (1024 - kResidualRounding[0]) >> 10;
  return {step, residual_reciprocal(step), (chroma ? kChromaLambda : kLumaLambda) * step * step,
          static_cast<uint32_t>(least * least << (2 * shift) >> (2 * kResidualFraction)), shift};
}

/// Squared error of a block's quantised coefficients, and the bits of its levels.
struct BlockSums {
  uint32_t error = 0, bits = 0;
  bool coded = false;  // whether it has a nonzero level
};

/// error: in squared coefficient units. Sums of a macroblock fit in 31 bits.
CTV_HOST_DEVICE uint64_t residual_cost(const ResidualPrices& p, uint32_t error, uint32_t bits) {
  return (uint64_t{error} << kLambdaBits) + p.bit * bits;
}
/// Converts squared samples to squared coefficient units.
CTV_HOST_DEVICE uint32_t as_error(const ResidualPrices& p, uint32_t energy) {
  return static_cast<uint32_t>(uint64_t{energy} << (2 * kResidualFraction) >> (2 * p.shift));
}

/// Whether to code a block, and its cost. energy: its squared samples.
struct BlockChoice {
  bool coded;
  uint64_t cost;
  uint32_t bits;
};
CTV_HOST_DEVICE BlockChoice choose_block(const ResidualPrices& p, BlockType type, const BlockSums& sums,
                                         uint32_t energy) {
  const uint64_t none = residual_cost(p, as_error(p, energy), 0);
  const uint32_t bits = sums.bits + block_bits(type);
  const uint64_t coded = residual_cost(p, sums.error, bits);
  if (!sums.coded || none <= coded) return {false, none, 0};
  return {true, coded, bits};
}

/// The choice for a quarter that is not skipped.
struct QuarterChoice {
  QuarterKind kind;
  uint8_t blocks;  // mask of coded k4x4 blocks
  uint64_t cost;
  uint32_t bits;
};
/// whole: sums as an 8x8 block. fours, energies: of its 4x4 blocks.
CTV_HOST_DEVICE QuarterChoice choose_quarter(const ResidualPrices& p, const BlockSums& whole,
                                             const BlockSums (&fours)[4], const uint32_t (&energies)[4]) {
  uint32_t energy = 0;
  QuarterChoice best{QuarterKind::k4x4, 0, residual_cost(p, 0, quarter_bits(QuarterKind::k4x4)),
                     quarter_bits(QuarterKind::k4x4)};
  for (int b = 0; b < 4; ++b) {
    energy += energies[b];
    const BlockChoice block = choose_block(p, BlockType::k4x4, fours[b], energies[b]);
    best.blocks = static_cast<uint8_t>(best.blocks | (block.coded ? 1 << b : 0));
    best.cost += block.cost;
    best.bits += block.bits;
  }
  const uint64_t none = residual_cost(p, as_error(p, energy), quarter_bits(QuarterKind::kNone));
  if (best.blocks == 0 || none <= best.cost)
    best = {QuarterKind::kNone, 0, none, quarter_bits(QuarterKind::kNone)};
  const BlockChoice block = choose_block(p, BlockType::k8x8, whole, energy);
  const uint64_t cost = block.cost + p.bit * quarter_bits(QuarterKind::k8x8);
  if (block.coded && cost < best.cost)
    best = {QuarterKind::k8x8, 0, cost, block.bits + quarter_bits(QuarterKind::k8x8)};
  return best;
}

/// The choice for luma of a macroblock. quarters: choices of all but the `skipped` ones. energy: squared
/// samples outside skipped quarters.
struct LumaChoice {
  MacroblockKind kind;
  uint32_t bits;
};
CTV_HOST_DEVICE LumaChoice choose_luma(const ResidualPrices& p, const BlockSums& whole,
                                       const QuarterChoice (&quarters)[kMacroblockQuarters], uint32_t skipped,
                                       uint32_t energy) {
  const uint64_t none = residual_cost(p, as_error(p, energy), macroblock_bits(MacroblockKind::kNone));
  uint64_t cost = p.bit * macroblock_bits(MacroblockKind::kSplit);
  uint32_t bits = macroblock_bits(MacroblockKind::kSplit);
  bool any = false;
  for (int q = 0; q < kMacroblockQuarters; ++q) {
    if ((skipped >> q & 1) != 0) continue;
    any |= quarters[q].kind != QuarterKind::kNone;
    cost += quarters[q].cost;
    bits += quarters[q].bits;
  }
  const BlockChoice block = choose_block(p, BlockType::k16x16, whole, energy);
  const uint64_t at_once = block.cost + p.bit * macroblock_bits(MacroblockKind::k16x16);
  if (block.coded && at_once < none && (!any || at_once <= cost))
    return {MacroblockKind::k16x16, block.bits + macroblock_bits(MacroblockKind::k16x16)};
  if (any && cost < none) return {MacroblockKind::kSplit, bits};
  return {MacroblockKind::kNone, macroblock_bits(MacroblockKind::kNone)};
}

}  // namespace ctv
