// SPDX-License-Identifier: BSD-3-Clause
// The residual of predicted frames by definition: one macroblock and one coefficient after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/backend/residual_coder.hpp"
#include "codec/control/residual_decisions.hpp"
#include "codec/dsp/dct.hpp"
#include "codec/dsp/residual_quantise.hpp"
#include "codec/model/residual_pieces.hpp"

namespace ctv::reference {

/// A square of numbers.
class Square {
 public:
  explicit Square(int side) : side_(side), values_(static_cast<size_t>(side) * static_cast<size_t>(side)) {}
  int side() const { return side_; }
  int& at(int a, int b) { return values_[static_cast<size_t>(a * side_ + b)]; }
  int at(int a, int b) const { return values_[static_cast<size_t>(a * side_ + b)]; }

 private:
  int side_;
  std::vector<int> values_;
};

inline int dct_weight(int side, int k, int n) {
  return side == 4   ? DctMatrix<4>::kRows[k][n]
         : side == 8 ? DctMatrix<8>::kRows[k][n]
                     : DctMatrix<16>::kRows[k][n];
}

/// samples: [row][column], of 8 + shift bits. Returns coefficients [u][v].
inline Square forward_dct(const Square& samples, int shift) {
  const int side = samples.side();
  Square columns(side);  // [v][column]
  Square out(side);
  for (int v = 0; v < side; ++v) {
    for (int c = 0; c < side; ++c) {
      int sum = 0;
      for (int r = 0; r < side; ++r) sum += dct_weight(side, v, r) * samples.at(r, c);
      columns.at(v, c) = round_dct(sum, 10 + shift);
    }
  }
  for (int u = 0; u < side; ++u) {
    for (int v = 0; v < side; ++v) {
      int sum = 0;
      for (int c = 0; c < side; ++c) sum += dct_weight(side, u, c) * columns.at(v, c);
      out.at(u, v) = round_dct(sum, 13);
    }
  }
  return out;
}

inline Square inverse_dct(const Square& coefficients, int shift) {
  const int side = coefficients.side();
  Square rows(side);  // [v][column]
  Square out(side);
  for (int v = 0; v < side; ++v) {
    for (int c = 0; c < side; ++c) {
      int sum = 0;
      for (int u = 0; u < side; ++u) sum += dct_weight(side, u, c) * coefficients.at(u, v);
      rows.at(v, c) = round_dct(sum, 13);
    }
  }
  for (int r = 0; r < side; ++r) {
    for (int c = 0; c < side; ++c) {
      int sum = 0;
      for (int v = 0; v < side; ++v) sum += dct_weight(side, v, r) * rows.at(v, c);
      out.at(r, c) = round_dct(sum, 16 - shift);
    }
  }
  return out;
}

/// The frequencies (u, v) of a block's levels, in their order.
inline std::vector<std::pair<int, int>> level_order(int side) {
  std::vector<std::pair<int, int>> order;
  for (int diagonal = 0; diagonal < side - 1; ++diagonal) {
    for (int i = 0; i <= diagonal; ++i) {
      const int j = diagonal - i;
      if (i >= side / 2 || j >= side / 2) continue;
      for (int k = 0; k < 4; ++k) order.emplace_back(2 * i + k / 2, 2 * j + k % 2);
    }
  }
  return order;
}

/// A transform with its quantiser: [u][v].
struct QuantisedBlock {
  Square levels;
  BlockSums sums;
};
inline QuantisedBlock quantise_block(const Square& samples, BlockType type, const ResidualPrices& prices) {
  const int side = samples.side();
  const Square coefficients = forward_dct(samples, prices.shift);
  QuantisedBlock out{Square(side), {}};
  for (int u = 0; u < side; ++u) {
    for (int v = 0; v < side; ++v) {
      const int c = coefficients.at(u, v);
      const auto magnitude = static_cast<uint32_t>(c < 0 ? -c : c);
      const int frequency = frequency_class(side / 2, u / 2 + v / 2);
      const uint32_t level = quantise_residual(
          magnitude, rounding_offset(prices.step, kResidualRounding[frequency]), prices.reciprocal);
      const int64_t error = int64_t{magnitude} - dequantise_residual(level, prices.step);
      out.sums.error += static_cast<uint32_t>(error * error);
      out.levels.at(u, v) = c < 0 ? -static_cast<int>(level) : static_cast<int>(level);
      if (level == 0) continue;
      out.sums.coded = true;
      out.sums.bits += kLevelBits[static_cast<int>(type)][frequency] +
                       kMagnitudeBits[std::min<uint32_t>(level, kMagnitudes - 1)];
    }
  }
  return out;
}

inline void put_levels(const Square& levels, Level* to) {
  for (const auto& [u, v] : level_order(levels.side())) *to++ = static_cast<Level>(levels.at(u, v));
}

/// The samples that a block of levels stands for.
inline Square block_of_levels(const Level* levels, int side, uint32_t step, int shift) {
  Square coefficients(side);
  for (const auto& [u, v] : level_order(side)) {
    const int level = *levels++;
    const auto value =
        static_cast<int>(dequantise_residual(static_cast<uint32_t>(level < 0 ? -level : level), step));
    coefficients.at(u, v) = level < 0 ? -value : value;
  }
  return inverse_dct(coefficients, shift);
}

/// A plane: row by row.
struct ResidualPlane {
  int cols = 0;
  std::vector<Sample> samples;
  Sample& at(int r, int c) {
    return samples[static_cast<size_t>(r) * static_cast<size_t>(cols) + static_cast<size_t>(c)];
  }
  Sample at(int r, int c) const {
    return samples[static_cast<size_t>(r) * static_cast<size_t>(cols) + static_cast<size_t>(c)];
  }
};
using ResidualPlanes = std::array<ResidualPlane, 3>;

/// frame.skips: host memory. coded: host memory, in which a decoder reads and an encoder writes.
class Residual {
 public:
  Residual(const ResidualFrame& frame, const ResidualArrays& coded) : frame_(frame), coded_(coded) {}

  void encode(const ResidualPlanes& source, ResidualPlanes& decoded) {
    for_macroblocks([&](int row, int col, uint32_t skipped, Macroblock& m) {
      m = {};
      m.cost = kSkippedMacroblockCost;
      if (skipped == kAllSkipped) return;
      uint32_t bits = encode_luma(source[0], decoded[0], row, col, skipped, m);
      for (int b = 0; b < frame_.grid.chroma_blocks(); ++b) {
        for (int p = 1; p < 3; ++p) bits += kNoChromaBits + encode_chroma(source, decoded, p, b, row, col, m);
      }
      m.cost = macroblock_cost(m.coded(), bits);
    });
    decode(decoded);
  }

  void decode(ResidualPlanes& decoded) {
    for_macroblocks([&](int row, int col, uint32_t skipped, const Macroblock& m) {
      if (skipped == kAllSkipped) return;
      const uint32_t step = luma_step(decoded[0], row, col);
      const auto add_luma = [&](int r, int c, int side, size_t first) {
        add(decoded, 0, row * kMacroblock + r, col * kMacroblock + c, side, step,
            levels_of(0, row, col) + first);
      };
      if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16)) add_luma(0, 0, 16, 0);
      for (int q = 0; q < kMacroblockQuarters; ++q) {
        const int r = q / 2 * 8;
        const int c = q % 2 * 8;
        const auto first = static_cast<size_t>(64 * q);
        if (m.kind != static_cast<uint8_t>(MacroblockKind::kSplit)) continue;
        if (m.quarter(q) == QuarterKind::k8x8) add_luma(r, c, 8, first);
        if (m.quarter(q) != QuarterKind::k4x4) continue;
        for (int b = 0; b < 4; ++b) {
          if ((m.blocks >> (4 * q + b) & 1) != 0)
            add_luma(r + b / 2 * 4, c + b % 2 * 4, 4, first + static_cast<size_t>(16 * b));
        }
      }
      for (int p = 1; p < frame_.grid.planes; ++p) {
        for (int b = 0; b < frame_.grid.chroma_blocks(); ++b) {
          if ((m.chroma[p - 1] >> b & 1) == 0) continue;
          const auto [r, c] = chroma_place(row, col, b);
          add(decoded, p, r, c, 8, frame_.steps[static_cast<size_t>(p)], levels_of(p, row, col) + 64 * b);
        }
      }
    });
  }

 private:
  template <typename Work>
  void for_macroblocks(Work work) {
    for (int row = 0; row < frame_.grid.rows; ++row) {
      for (int col = 0; col < frame_.grid.cols; ++col)
        work(row, col, skipped_quarters(frame_.cells, frame_.skips, row, col),
             coded_.macroblocks[frame_.grid.index(row, col)]);
    }
  }
  Level* levels_of(int plane, int row, int col) const {
    return coded_.levels[static_cast<size_t>(plane)] +
           frame_.grid.index(row, col) * frame_.grid.levels(plane);
  }
  /// Whether a sample's cell is skipped.
  bool is_skipped(int plane, int r, int c) const {
    const ChromaShift shift = plane == 0 ? ChromaShift{} : frame_.grid.chroma;
    const int row = (r << shift.y) / kQuarterSide;
    const int col = (c << shift.x) / kQuarterSide;
    if (row >= frame_.cells.rows || col >= frame_.cells.cols) return true;
    return frame_.skips[static_cast<ptrdiff_t>(row) * frame_.cells.cols + col] != 0;
  }
  std::pair<int, int> chroma_place(int row, int col, int b) const {
    const int per_row = frame_.grid.chroma_block_cols();
    return {(row * kMacroblock >> frame_.grid.chroma.y) + b / per_row * 8,
            (col * kMacroblock >> frame_.grid.chroma.x) + b % per_row * 8};
  }
  /// source - decoded, 0 in skipped cells.
  Square difference(const ResidualPlane& source, const ResidualPlane& decoded, int plane, int row, int col,
                    int side) const {
    Square out(side);
    for (int r = 0; r < side; ++r) {
      for (int c = 0; c < side; ++c) {
        if (!is_skipped(plane, row + r, col + c))
          out.at(r, c) = source.at(row + r, col + c) - decoded.at(row + r, col + c);
      }
    }
    return out;
  }
  /// Luma's step of the macroblock at (row, col) of luma's prediction.
  uint32_t luma_step(const ResidualPlane& prediction, int row, int col) const {
    int64_t sum = 0;
    int64_t squares = 0;
    for (int r = 0; r < kMacroblock; ++r) {
      for (int c = 0; c < kMacroblock; ++c) {
        const int64_t sample = prediction.at(row * kMacroblock + r, col * kMacroblock + c) >> frame_.shift();
        sum += sample;
        squares += sample * sample;
      }
    }
    // log2(variance + 1) in quarters, linear between powers of two.
    const int64_t activity = (256 * squares - sum * sum) / 65536 + 1;
    int octave = 0;
    while (activity >> (octave + 1) != 0) ++octave;
    const int64_t quarters = 4 * octave + (4 * activity / (int64_t{1} << octave) - 4);
    const double masked =
        std::floor(static_cast<double>(frame_.masking) * static_cast<double>(quarters - 32) / 16 + 0.5);
    const double factor = std::round(1024 * std::exp2(std::clamp(masked, -16.0, 16.0) / 16));
    const double step = std::floor(frame_.steps[0] * factor / 1024 + 0.5);
    return static_cast<uint32_t>(std::clamp(step, 2.0, 32767.0));
  }
  static uint32_t energy_of(const Square& block) {
    uint32_t sum = 0;
    for (int r = 0; r < block.side(); ++r) {
      for (int c = 0; c < block.side(); ++c) sum += static_cast<uint32_t>(block.at(r, c) * block.at(r, c));
    }
    return sum;
  }

  uint32_t encode_luma(const ResidualPlane& source, const ResidualPlane& decoded, int row, int col,
                       uint32_t skipped, Macroblock& m) {
    const ResidualPrices prices = residual_prices(luma_step(decoded, row, col), false, frame_.shift());
    const auto block = [&](int r, int c, int side) {
      return difference(source, decoded, 0, row * kMacroblock + r, col * kMacroblock + c, side);
    };
    Level* const to = levels_of(0, row, col);
    std::vector<QuantisedBlock> eights;
    std::vector<QuantisedBlock> fours;
    QuarterChoice quarters[kMacroblockQuarters]{};
    for (int q = 0; q < kMacroblockQuarters; ++q) {
      const int r = q / 2 * 8;
      const int c = q % 2 * 8;
      eights.push_back(quantise_block(block(r, c, 8), BlockType::k8x8, prices));
      BlockSums sums[4];
      uint32_t energies[4];
      for (int b = 0; b < 4; ++b) {
        const Square four = block(r + b / 2 * 4, c + b % 2 * 4, 4);
        fours.push_back(quantise_block(four, BlockType::k4x4, prices));
        sums[b] = fours.back().sums;
        energies[b] = energy_of(four);
      }
      if ((skipped >> q & 1) == 0) quarters[q] = choose_quarter(prices, eights.back().sums, sums, energies);
    }
    const Square all = block(0, 0, 16);
    const QuantisedBlock whole = quantise_block(all, BlockType::k16x16, prices);
    const LumaChoice choice = choose_luma(prices, whole.sums, quarters, skipped, energy_of(all));
    m.kind = static_cast<uint8_t>(choice.kind);
    if (choice.kind == MacroblockKind::k16x16) put_levels(whole.levels, to);
    if (choice.kind != MacroblockKind::kSplit) return choice.bits;
    for (int q = 0; q < kMacroblockQuarters; ++q) {
      m.quarters = static_cast<uint8_t>(m.quarters | static_cast<unsigned>(quarters[q].kind) << 2 * q);
      if (quarters[q].kind == QuarterKind::k8x8)
        put_levels(eights[static_cast<size_t>(q)].levels, to + 64 * q);
      if (quarters[q].kind != QuarterKind::k4x4) continue;
      m.blocks = static_cast<uint16_t>(m.blocks | quarters[q].blocks << 4 * q);
      for (int b = 0; b < 4; ++b) {
        if ((quarters[q].blocks >> b & 1) != 0)
          put_levels(fours[static_cast<size_t>(4 * q + b)].levels, to + 64 * q + 16 * b);
      }
    }
    return choice.bits;
  }

  uint32_t encode_chroma(const ResidualPlanes& source, const ResidualPlanes& decoded, int plane, int b,
                         int row, int col, Macroblock& m) {
    const auto p = static_cast<size_t>(plane);
    const ResidualPrices prices = residual_prices(frame_.steps[p], true, frame_.shift());
    const auto [r, c] = chroma_place(row, col, b);
    const Square samples = difference(source[p], decoded[p], plane, r, c, 8);
    const QuantisedBlock block = quantise_block(samples, BlockType::kChroma, prices);
    const BlockChoice choice = choose_block(prices, BlockType::kChroma, block.sums, energy_of(samples));
    if (!choice.coded) return 0;
    m.chroma[plane - 1] = static_cast<uint8_t>(m.chroma[plane - 1] | 1 << b);
    put_levels(block.levels, levels_of(plane, row, col) + 64 * b);
    return choice.bits;
  }

  void add(ResidualPlanes& planes, int plane, int row, int col, int side, uint32_t step,
           const Level* levels) const {
    const auto p = static_cast<size_t>(plane);
    const Square samples = block_of_levels(levels, side, step, frame_.shift());
    for (int r = 0; r < side; ++r) {
      for (int c = 0; c < side; ++c) {
        if (is_skipped(plane, row + r, col + c)) continue;
        Sample& to = planes[p].at(row + r, col + c);
        to = static_cast<Sample>(
            clamp_to(to + samples.at(r, c), int{frame_.ranges[p].lo}, int{frame_.ranges[p].hi}));
      }
    }
  }

  ResidualFrame frame_;
  ResidualArrays coded_;
};

}  // namespace ctv::reference
