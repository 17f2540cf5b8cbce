// SPDX-License-Identifier: BSD-3-Clause
#include "dev/packet_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/exit.h"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv::tools {
namespace {

constexpr int kSide = 8;

double parts_of(Level level) {
  return level == 0 ? 1.0 / 64 : 1 + 2 * std::log2(1.0 + std::abs(static_cast<int>(level)));
}

/// Adds `bits` to the cells that a square of luma samples touches, by the area in each.
void spread(PacketMap& map, int top, int left, int height, int width, double bits) {
  const double density = bits / height / width;
  for (int y = top; y < top + height;) {
    const int below = std::min(top + height, (y / kSide + 1) * kSide);
    for (int x = left; x < left + width;) {
      const int beside = std::min(left + width, (x / kSide + 1) * kSide);
      const auto cell =
          static_cast<size_t>(std::min(y / kSide, map.rows - 1)) * static_cast<size_t>(map.cols) +
          static_cast<size_t>(std::min(x / kSide, map.cols - 1));
      map.bits[cell] += density * (below - y) * (beside - x);
      x = beside;
    }
    y = below;
  }
}

/// Bits of macroblocks, which are shared out by the levels of each. levels: 0 where no block is coded.
void spread_macroblocks(PacketMap& map, const MacroblockGrid& grid, const std::vector<Level> (&levels)[3],
                        double bits) {
  std::vector<double> parts(grid.size());
  double all = 0;
  for (size_t i = 0; i < grid.size(); ++i) {
    for (int p = 0; p < grid.planes; ++p) {
      const size_t count = grid.levels(p);
      for (size_t k = 0; k < count; ++k) parts[i] += parts_of(levels[p][i * count + k]);
    }
    all += parts[i];
  }
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col)
      spread(map, row * kMacroblock, col * kMacroblock, kMacroblock, kMacroblock,
             bits * parts[grid.index(row, col)] / all);
  }
}

struct Levels {
  const Stream& stream;
  std::vector<Level> of[3];

  /// Calls visit(level, plane, subband, row, col) for each level of a component.
  template <typename Visit>
  void for_all(const Component& component, Visit visit) const {
    for (int p = component.first_plane; p <= component.last_plane; ++p) {
      const SubbandLayout& layout = stream.picture.subbands[static_cast<size_t>(p)];
      for (int s = component.first_subband; s <= component.last_subband; ++s) {
        const Subband& subband = layout.subbands[static_cast<size_t>(s)];
        for (size_t i = 0; i < subband.size(); ++i)
          visit(of[p][subband.offset + i], p, subband, static_cast<int>(i) / subband.cols,
                static_cast<int>(i) % subband.cols);
      }
    }
  }
};

void take(const Status& status) {
  if (!status.ok()) throw Failure(Exit::kStream, status.message());
}

}  // namespace

PacketMap read_packet_map(std::span<const uint8_t> header, std::span<const uint8_t> packet) {
  const auto sequence = read_sequence_header(header);
  if (!sequence.ok()) throw Failure(Exit::kStream, sequence.status().message());
  const Stream stream = make_stream(*sequence);
  SymbolCoder coder(stream.picture, *sequence, stream.grid, 1);
  take(coder.read_header(packet));

  std::vector<MotionVector> vectors(stream.grid.size());
  std::vector<uint8_t> skips(stream.grid.size());
  std::vector<int8_t> slopes(stream.slopes.size());
  std::vector<int64_t> changes(stream.grid.roots());
  std::vector<Macroblock> macroblocks(stream.macroblocks.size());
  Levels levels{stream, {}};
  CodedFrameBuffers frame;
  frame.parameters = coder.header().frame;
  frame.side = {vectors.data(), skips.data(), slopes.data(), changes.data(), macroblocks.data()};
  for (size_t p = 0; p < static_cast<size_t>(stream.picture.planes); ++p) {
    levels.of[p].resize(stream.picture.subbands[p].num_coefficients);
    frame.levels[p] = levels.of[p].data();
  }
  take(coder.decode(packet, stream.picture.subbands[0].layers, frame));

  PacketMap map;
  map.key = coder.header().frame.type == FrameType::kKey;
  map.side = kSide;
  map.rows = (stream.picture.height + kSide - 1) / kSide;
  map.cols = (stream.picture.width + kSide - 1) / kSide;
  const size_t cells = static_cast<size_t>(map.rows) * static_cast<size_t>(map.cols);
  map.vectors.resize(cells);
  map.skips.resize(cells);
  map.bits.resize(cells);
  if (!map.key) {
    const int shift = stream.grid.log2_block - kLog2Cell;
    for (size_t i = 0; i < cells; ++i) {
      const int row = static_cast<int>(i) / map.cols >> shift, col = static_cast<int>(i) % map.cols >> shift;
      const size_t at =
          static_cast<size_t>(row) * static_cast<size_t>(stream.grid.cols) + static_cast<size_t>(col);
      map.vectors[i] = vectors[at];
      map.skips[i] = sequence->prediction == Prediction::kPicture ? skips[at] : uint8_t{0};
    }
  }
  if (sequence->macroblocks() && !map.key) {
    double bytes = 0;
    for (const uint32_t size : coder.header().component_sizes) bytes += size;
    spread_macroblocks(map, stream.macroblocks, levels.of, 8 * bytes);
    return map;
  }
  for (size_t c = 0; c < coder.components().size(); ++c) {
    const Component& component = coder.components()[c];
    double parts = 0;
    levels.for_all(component, [&](Level level, int, const Subband&, int, int) { parts += parts_of(level); });
    if (parts == 0) continue;
    const double share = 8.0 * coder.header().component_sizes[c] / parts;
    levels.for_all(component, [&](Level level, int plane, const Subband& subband, int row, int col) {
      const int y = subband.row_shift + (plane > 0 ? stream.picture.chroma.y : 0);
      const int x = subband.col_shift + (plane > 0 ? stream.picture.chroma.x : 0);
      spread(map, row << y, col << x, 1 << y, 1 << x, share * parts_of(level));
    });
  }
  return map;
}

}  // namespace ctv::tools
