// SPDX-License-Identifier: BSD-3-Clause
// ctmaps: draws the data of a packet over its decoded frame. ctmaps STREAM.ctv FRAME motion|bits OUTPUT.png
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <ctv/ctv.hpp>

#include "cli/exit.h"
#include "cli/text.h"
#include "dev/packet_map.h"
#include "io/frame_writer.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

struct Canvas {
  Frame frame;  // RGB8

  uint8_t* at(int x, int y) {
    return frame.plane(0) + static_cast<size_t>(y) * frame.stride(0) + 3 * static_cast<size_t>(x);
  }
  bool has(int x, int y) const {
    return x >= 0 && y >= 0 && x < frame.video().width && y < frame.video().height;
  }
  template <typename Change>
  void for_cell(const PacketMap& map, size_t cell, Change change) {
    const int row = static_cast<int>(cell) / map.cols, col = static_cast<int>(cell) % map.cols;
    for (int y = row * map.side; y < (row + 1) * map.side; ++y)
      for (int x = col * map.side; x < (col + 1) * map.side; ++x)
        if (has(x, y)) change(at(x, y));
  }
};

/// Skipped cells are darker. From the middle of every second cell of every second row a line goes to where
/// its samples were in the reference, green, and red if the cell is coded.
void draw_motion(Canvas& canvas, const PacketMap& map) {
  if (map.key) throw Failure(Exit::kUsage, "a key frame has no motion", "choose another frame");
  for (size_t i = 0; i < map.skips.size(); ++i)
    if (map.skips[i] != 0)
      canvas.for_cell(map, i, [](uint8_t* p) {
        for (int c = 0; c < 3; ++c) p[c] = static_cast<uint8_t>(p[c] * 2 / 5);
      });
  for (int row = 0; row < map.rows; row += 2) {
    for (int col = 0; col < map.cols; col += 2) {
      const size_t cell = static_cast<size_t>(row) * static_cast<size_t>(map.cols) + static_cast<size_t>(col);
      const double dy = map.vectors[cell].y / 8.0, dx = map.vectors[cell].x / 8.0;
      const int steps = static_cast<int>(std::ceil(std::max(std::abs(dx), std::abs(dy)))) + 1;
      const bool coded = map.skips[cell] == 0;
      for (int s = 0; s <= steps; ++s) {
        const int x = col * map.side + map.side / 2 + static_cast<int>(std::lround(dx * s / steps));
        const int y = row * map.side + map.side / 2 + static_cast<int>(std::lround(dy * s / steps));
        if (!canvas.has(x, y)) continue;
        uint8_t* p = canvas.at(x, y);
        p[0] = coded ? 255 : 60, p[1] = coded ? 60 : 235, p[2] = 60;
      }
    }
  }
}

/// Grey, and the redder the more bits a cell has: full red from the cell on that has more than 99 % of cells.
void draw_bits(Canvas& canvas, const PacketMap& map) {
  std::vector<double> sorted = map.bits;
  const auto high = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() * 99 / 100);
  std::nth_element(sorted.begin(), high, sorted.end());
  const double most = std::max(*high, 1e-9);
  for (size_t i = 0; i < map.bits.size(); ++i) {
    const double heat = std::min(1.0, map.bits[i] / most);
    canvas.for_cell(map, i, [&](uint8_t* p) {
      const double grey = (p[0] + 2 * p[1] + p[2]) / 4.0 * (1 - 0.75 * heat);
      p[0] = static_cast<uint8_t>(std::lround(grey + 215 * heat * (1 - grey / 255)));
      p[1] = p[2] = static_cast<uint8_t>(std::lround(grey));
    });
  }
  std::printf("full red from %.0f bits a cell of %dx%d on\n", most, map.side, map.side);
}

Exit run(int argc, char** argv) {
  const int64_t wanted = argc == 5 ? parse_integer(argv[2], 0, INT64_MAX).value_or(-1) : -1;
  const std::string what = argc == 5 ? argv[3] : "";
  if (wanted < 0 || (what != "motion" && what != "bits"))
    throw Failure(Exit::kUsage, "usage: ctmaps STREAM.ctv FRAME motion|bits OUTPUT.png");
  UnitReader units(open_source(argv[1]));
  DecoderConfig config;
  config.format = CTV_FORMAT_RGB8;
  config.frames_in_flight = 1;
  Decoder decoder(config);
  std::vector<uint8_t> header;
  int64_t number = 0;
  while (const auto unit = units.next()) {
    if (unit->kind == CTV_UNIT_INDEX) continue;
    const std::vector<uint8_t> bytes(unit->bytes.begin(), unit->bytes.end());
    if (!decoder.send(bytes)) throw Failure(Exit::kDefect, "the decoder takes no unit");
    if (unit->kind == CTV_UNIT_HEADER) {
      header = bytes;
      continue;
    }
    const auto picture = decoder.receive();
    if (!picture) throw Failure(Exit::kDefect, "no picture of a packet");
    if (number++ < wanted) continue;
    const PacketMap map = read_packet_map(header, bytes);
    Canvas canvas;
    copy_picture(*picture, canvas.frame);
    what == "motion" ? draw_motion(canvas, map) : draw_bits(canvas, map);
    const auto skipped = std::count(map.skips.begin(), map.skips.end(), uint8_t{1});
    std::printf("frame %lld: %zu bytes, %.1f %% of the cells skipped\n", static_cast<long long>(wanted),
                bytes.size(), 100.0 * static_cast<double>(skipped) / static_cast<double>(map.skips.size()));
    OutputOptions output;
    output.path = argv[4];
    const auto writer = open_output(output);
    writer->write(canvas.frame.picture());
    writer->finish();
    return Exit::kOk;
  }
  throw Failure(Exit::kUsage,
                std::string(argv[1]) + text(" has no frame %lld", static_cast<long long>(wanted)));
}

}  // namespace
}  // namespace ctv::tools

int main(int argc, char** argv) {
  return ctv::tools::run_tool("ctmaps", [&] { return ctv::tools::run(argc, argv); });
}
