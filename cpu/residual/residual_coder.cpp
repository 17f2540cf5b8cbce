// SPDX-License-Identifier: BSD-3-Clause
// One pass over the macroblocks of a predicted frame. An encoder tries all transforms of a macroblock,
// chooses, and reconstructs it in place of its prediction, all in cache. Tiles are 16x16, so that a vector
// has a row: of luma its blocks; of chroma a block of U and one of V.
#include "cpu/residual/residual_coder.hpp"

#include <cstring>

#include "codec/control/residual_decisions.hpp"
#include "codec/model/residual_pieces.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/runtime/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/residual/residual_coder.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/residual/dct-inl.hpp"
#include "cpu/residual/quantise-inl.hpp"
#include "cpu/residual/reconstruct-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

HWY_INLINE void Subtract(const Sample* source, ptrdiff_t source_stride, const Sample* prediction,
                         ptrdiff_t prediction_stride, int row, int col, int rows, int cols, Tile& out) {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c)
      out.at[row + r][col + c] =
          static_cast<int16_t>(source[r * source_stride + c] - prediction[r * prediction_stride + c]);
  }
}

HWY_INLINE void ClearQuarter(Tile& tile, int q) {
  for (int r = 0; r < kQuarterSide; ++r)
    std::memset(&tile.at[q / 2 * kQuarterSide + r][q % 2 * kQuarterSide], 0, kQuarterSide * sizeof(int16_t));
}

// The mask of luma's step at a macroblock that is still predicted.
HWY_INLINE int MaskOf(const ResidualPass& pass, const Here& here) {
  if (pass.frame->masking == 0) return kMostMask;
  const PlaneView<Sample>& plane = (*pass.decoded)[0];
  const Sample* at = plane.row(here.row * kMacroblock) + static_cast<ptrdiff_t>(here.col) * kMacroblock;
  const int shift = pass.frame->shift();
  uint32_t sum = 0;
  uint32_t squares = 0;
  for (int r = 0; r < kMacroblock; ++r, at += plane.stride) {
    for (int c = 0; c < kMacroblock; ++c) {
      const auto sample = static_cast<uint32_t>(at[c] >> shift);
      sum += sample;
      squares += sample * sample;
    }
  }
  return mask_of(pass.frame->masking, sum, squares);
}

// Returns the estimated bits.
HWY_INLINE uint32_t EncodeLuma(const ResidualPass& pass, const Here& here, Macroblock& m) {
  const PlaneView<const Sample>& source = (*pass.source)[0];
  const PlaneView<Sample>& decoded = (*pass.decoded)[0];
  Tile residual;
  const ptrdiff_t x = static_cast<ptrdiff_t>(here.col) * kMacroblock;
  Subtract(source.row(here.row * kMacroblock) + x, source.stride, decoded.row(here.row * kMacroblock) + x,
           decoded.stride, 0, 0, kMacroblock, kMacroblock, residual);
  for (int q = 0; here.skipped != 0 && q < kMacroblockQuarters; ++q) {
    if ((here.skipped >> q & 1) != 0) ClearQuarter(residual, q);
  }
  uint32_t energies[kMacroblockQuarters][4];
  uint32_t energy = 0;
  for (int r = 0; r < kTile; r += 4) {
    alignas(64) uint32_t squares[kTile / 2];
    SquareRows(residual, r, 4, squares);
    for (int c = 0; c < kTile; c += 4) {
      const uint32_t sum = squares[c / 2] + squares[c / 2 + 1];
      energies[r / 8 * 2 + c / 8][r / 4 % 2 * 2 + c / 4 % 2] = sum;
      energy += sum;
    }
  }
  if (energy <= pass.tables->quiet) return macroblock_bits(MacroblockKind::kNone);
  const ResidualTables& tables = pass.tables->luma[MaskOf(pass, here)];
  const ResidualPrices& prices = tables.prices;
  if (energy <= prices.quiet) return macroblock_bits(MacroblockKind::kNone);

  Tile coefficients;
  Tile levels[3];
  Tile values[3];
  RowSums sums;
  QuarterChoice quarters[kMacroblockQuarters]{};
  BlockSums fours[kMacroblockQuarters][4];
  ForwardDct<4>(residual, pass.frame->shift(), coefficients);
  for (int r = 0; r < kTile; r += 4) {
    QuantiseRows(coefficients, prices, tables.types[0], r, 4, levels[0], values[0], sums);
    for (int c = 0; c < kTile; c += 4)
      fours[r / 8 * 2 + c / 8][c / 4 % 2 * 2 + r / 4 % 2] = SumsOf(sums, c, 4);
  }
  ForwardDct<8>(residual, pass.frame->shift(), coefficients);
  for (int r = 0; r < kTile; r += 8) {
    QuantiseRows(coefficients, prices, tables.types[1], r, 8, levels[1], values[1], sums);
    for (int c = 0; c < kTile; c += 8) {
      const int q = r / 8 * 2 + c / 8;
      if ((here.skipped >> q & 1) != 0) continue;
      quarters[q] = choose_quarter(prices, SumsOf(sums, c, 8), fours[q], energies[q]);
    }
  }
  ForwardDct<16>(residual, pass.frame->shift(), coefficients);
  QuantiseRows(coefficients, prices, tables.types[2], 0, 16, levels[2], values[2], sums);
  const LumaChoice choice = choose_luma(prices, SumsOf(sums, 0, 16), quarters, here.skipped, energy);
  m.kind = static_cast<uint8_t>(choice.kind);
  Level* const to = pass.coded.levels[0] + here.index * kLumaLevels;
  if (choice.kind == MacroblockKind::kNone) return choice.bits;
  if (choice.kind == MacroblockKind::k16x16) {
    PutBlock<16>(levels[2], 0, 0, to);
  } else {
    for (int q = 0; q < kMacroblockQuarters; ++q) {
      const QuarterChoice& own = quarters[q];
      const int row = q / 2 * kQuarterSide;
      const int col = q % 2 * kQuarterSide;
      m.quarters = static_cast<uint8_t>(m.quarters | static_cast<unsigned>(own.kind) << 2 * q);
      if (own.kind == QuarterKind::k8x8) PutBlock<8>(levels[1], row, col, to + 64 * q);
      if (own.kind != QuarterKind::k8x8) ClearQuarter(values[1], q);
      if (own.kind != QuarterKind::k4x4) continue;
      m.blocks = static_cast<uint16_t>(m.blocks | own.blocks << 4 * q);
      for (int b = 0; b < 4; ++b) {
        if ((own.blocks >> b & 1) != 0) {
          PutBlock<4>(levels[0], row + FourRow(b), col + FourCol(b), to + 64 * q + 16 * b);
        } else {
          for (int r = 0; r < 4; ++r)
            std::memset(&values[0].at[row + FourRow(b) + r][col + FourCol(b)], 0, 4 * sizeof(int16_t));
        }
      }
    }
  }
  AddLuma(pass, here, m, values[2], values[1], values[0]);
  return choice.bits;
}

HWY_INLINE uint32_t EncodeChroma(const ResidualPass& pass, const Here& here, Macroblock& m) {
  const MacroblockGrid& grid = pass.frame->grid;
  const ResidualTables& tables = pass.tables->chroma;
  uint32_t bits = 0;
  for (int b = 0; b < grid.chroma_blocks(); ++b) {
    const ChromaBlock block = chroma_block(grid, here, b);
    Tile residual;
    for (int p = 0; p < 2; ++p) {
      const auto i = static_cast<size_t>(p) + 1;
      const PlaneView<const Sample>& source = (*pass.source)[i];
      const PlaneView<Sample>& decoded = (*pass.decoded)[i];
      Subtract(source.row(block.row) + block.col, source.stride, decoded.row(block.row) + block.col,
               decoded.stride, 0, kQuarterSide * p, kQuarterSide, kQuarterSide, residual);
      ForCells(block, here.skipped, true, [&](int r, int c) {
        for (int k = 0; k < block.rows; ++k)
          std::memset(&residual.at[r + k][kQuarterSide * p + c], 0,
                      static_cast<size_t>(block.cols) * sizeof(int16_t));
      });
    }
    alignas(64) uint32_t squares[kTile / 2];
    SquareRows(residual, 0, kQuarterSide, squares);
    uint32_t energies[2] = {};
    for (int i = 0; i < kTile / 2; ++i) energies[i / 4] += squares[i];
    bits += 2 * kNoChromaBits;
    if (energies[0] <= tables.prices.quiet && energies[1] <= tables.prices.quiet) continue;
    Tile coefficients;
    Tile levels;
    Tile values;
    RowSums sums;
    ForwardDct<8, 8>(residual, pass.frame->shift(), coefficients);
    QuantiseRows(coefficients, tables.prices, tables.types[0], 0, kQuarterSide, levels, values, sums);
    int coded = 0;
    for (int p = 0; p < 2; ++p) {
      const BlockChoice choice = choose_block(tables.prices, BlockType::kChroma,
                                              SumsOf(sums, kQuarterSide * p, kQuarterSide), energies[p]);
      if (energies[p] <= tables.prices.quiet || !choice.coded) {
        for (int r = 0; r < kQuarterSide; ++r)
          std::memset(&values.at[r][kQuarterSide * p], 0, kQuarterSide * sizeof(int16_t));
        continue;
      }
      coded |= 1 << p;
      bits += choice.bits;
      m.chroma[p] = static_cast<uint8_t>(m.chroma[p] | 1 << b);
      const auto i = static_cast<size_t>(p) + 1;
      PutBlock<8>(
          levels, 0, kQuarterSide * p,
          pass.coded.levels[i] + here.index * grid.levels(1) + kChromaBlockLevels * static_cast<size_t>(b));
    }
    if (coded != 0) AddChroma(pass, block, here.skipped, coded, values);
  }
  return bits;
}

void EncodeMacroblocks(const ResidualPass& pass, int row) {
  const ResidualFrame& frame = *pass.frame;
  for (int col = 0; col < frame.grid.cols; ++col) {
    const Here here{row, col, skipped_quarters(frame.cells, frame.skips, row, col),
                    frame.grid.index(row, col)};
    Macroblock m{};
    m.cost = kSkippedMacroblockCost;
    if (here.skipped != kAllSkipped) {
      uint32_t bits = EncodeLuma(pass, here, m);
      bits += EncodeChroma(pass, here, m);
      m.cost = macroblock_cost(m.coded(), bits);
    }
    pass.coded.macroblocks[here.index] = m;
  }
}

void DecodeMacroblocks(const ResidualPass& pass, int row) {
  const ResidualFrame& frame = *pass.frame;
  const MacroblockGrid& grid = frame.grid;
  for (int col = 0; col < grid.cols; ++col) {
    const Here here{row, col, skipped_quarters(frame.cells, frame.skips, row, col), grid.index(row, col)};
    const Macroblock& m = pass.coded.macroblocks[here.index];
    if (here.skipped == kAllSkipped || !m.coded()) continue;
    if (m.kind != 0) {
      const Level* const from = pass.coded.levels[0] + here.index * kLumaLevels;
      const uint32_t step = masked_step(frame.steps[0], MaskOf(pass, here));
      Tile whole{};
      Tile eights{};
      Tile fours{};
      if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16)) TakeBlock<16>(from, step, 0, 0, whole);
      for (int q = 0; q < kMacroblockQuarters; ++q) {
        const int r = q / 2 * kQuarterSide;
        const int c = q % 2 * kQuarterSide;
        if (m.quarter(q) == QuarterKind::k8x8) TakeBlock<8>(from + 64 * q, step, r, c, eights);
        if (m.quarter(q) != QuarterKind::k4x4) continue;
        for (int b = 0; b < 4; ++b) {
          if ((m.blocks >> (4 * q + b) & 1) != 0)
            TakeBlock<4>(from + 64 * q + 16 * b, step, r + FourRow(b), c + FourCol(b), fours);
        }
      }
      AddLuma(pass, here, m, whole, eights, fours);
    }
    for (int b = 0; b < grid.chroma_blocks(); ++b) {
      const int coded = (m.chroma[0] >> b & 1) | (m.chroma[1] >> b & 1) << 1;
      if (coded == 0) continue;
      Tile values{};
      for (int p = 0; p < 2; ++p) {
        if ((coded >> p & 1) == 0) continue;
        const auto i = static_cast<size_t>(p) + 1;
        TakeBlock<8>(
            pass.coded.levels[i] + here.index * grid.levels(1) + kChromaBlockLevels * static_cast<size_t>(b),
            frame.steps[i], 0, kQuarterSide * p, values);
      }
      AddChroma(pass, chroma_block(grid, here, b), here.skipped, coded, values);
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(EncodeMacroblocks);
HWY_EXPORT(DecodeMacroblocks);

namespace {

void make_type_tables(BlockType type, int size, uint32_t step, TypeTables& t) {
  for (int r = 0; r < kTile; ++r) {
    for (int c = 0; c < kTile; ++c) {
      const int frequency = frequency_class(size / 2, r % size / 2 + c % size / 2);
      t.offsets[r][c] = static_cast<uint16_t>(rounding_offset(step, kResidualRounding[frequency]));
      t.level_bits[r][c] = kLevelBits[static_cast<int>(type)][frequency];
    }
  }
}

class CpuResidual final : public ResidualCoder {
 public:
  CpuResidual(int threads, StageTimes& times) : threads_(threads), times_(times) {}

  Status encode(const ResidualFrame& frame, const ConstPlanes& source, const Planes& decoded,
                const ResidualArrays& coded) override {
    StageTimer timer(times_, Stage::kForward);
    make_tables(frame);
    const ResidualPass pass{&frame, &source, &decoded, coded, &tables_};
    parallel_for(threads_, frame.grid.rows, [&](int row) {
      HWY_DYNAMIC_DISPATCH(EncodeMacroblocks)(pass, row);
    });
    return {};
  }
  Status decode(const ResidualFrame& frame, const ResidualArrays& coded, const Planes& decoded) override {
    StageTimer timer(times_, Stage::kInverse);
    const ResidualPass pass{&frame, nullptr, &decoded, coded, nullptr};
    parallel_for(threads_, frame.grid.rows, [&](int row) {
      HWY_DYNAMIC_DISPATCH(DecodeMacroblocks)(pass, row);
    });
    return {};
  }

 private:
  // All chroma planes have the same step.
  void make_tables(const ResidualFrame& frame) {
    if (steps_ == frame.steps && masking_ == frame.masking && shift_ == frame.shift()) return;
    steps_ = frame.steps;
    shift_ = frame.shift();
    masking_ = frame.masking;
    tables_.chroma.prices = residual_prices(frame.steps[1], true, shift_);
    make_type_tables(BlockType::kChroma, 8, frame.steps[1], tables_.chroma.types[0]);
    const auto [least, most] = masks_of(frame.masking);
    for (int mask = least; mask <= most; ++mask) {
      const uint32_t step = masked_step(frame.steps[0], mask);
      ResidualTables& luma = tables_.luma[mask];
      luma.prices = residual_prices(step, false, shift_);
      make_type_tables(BlockType::k4x4, 4, step, luma.types[0]);
      make_type_tables(BlockType::k8x8, 8, step, luma.types[1]);
      make_type_tables(BlockType::k16x16, 16, step, luma.types[2]);
    }
    tables_.quiet = tables_.luma[least].prices.quiet;
  }

  const int threads_;
  StageTimes& times_;
  std::array<uint32_t, 3> steps_{};  // that tables_ are for
  uint32_t masking_ = 0;
  int shift_ = 0;
  FrameTables tables_;
};

}  // namespace

std::unique_ptr<ResidualCoder> make_cpu_residual(int threads, StageTimes& times) {
  return std::make_unique<CpuResidual>(threads, times);
}

}  // namespace ctv
#endif  // HWY_ONCE
