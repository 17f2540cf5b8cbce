// SPDX-License-Identifier: BSD-3-Clause
#include "symbol_clip.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <span>

#include "codec/format/units.hpp"

namespace ctv::dev {
namespace {

bool read_packet(SymbolCoder& coder, std::span<const uint8_t> unit, SymbolClip& clip) {
  if (!coder.read_header(unit).ok()) return false;
  SymbolFrame& frame = clip.frames.emplace_back();
  frame.vectors.resize(clip.stream.grid.size());
  frame.skips.resize(clip.stream.grid.size());
  CodedFrameBuffers buffers;
  std::vector<int8_t> slopes(clip.stream.slopes.size());
  std::vector<int64_t> changes(clip.stream.grid.roots());
  frame.macroblocks.resize(clip.stream.macroblocks.size());
  buffers.side = {frame.vectors.data(), frame.skips.data(), slopes.data(), changes.data(),
                  frame.macroblocks.data()};
  for (size_t p = 0; p < frame.levels.size(); ++p) {
    frame.levels[p].resize(clip.stream.picture.subbands[p].num_coefficients);
    buffers.levels[p] = frame.levels[p].data();
  }
  if (!coder.decode(unit, clip.stream.picture.subbands[0].layers, buffers).ok()) return false;
  frame.parameters = coder.header().frame;
  for (const uint32_t size : coder.header().component_sizes) clip.symbol_bytes += size;
  clip.motion_bytes += coder.header().side_size;
  clip.bytes += unit.size();
  return true;
}

}  // namespace

bool read_symbol_clip(const std::string& file, SymbolClip& clip) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(in)), {});
  const std::vector<uint8_t> data(chars.begin(), chars.end());
  std::span<const uint8_t> rest(data);
  clip.name = file.substr(file.rfind('/') + 1);
  std::unique_ptr<SymbolCoder> coder;
  while (!rest.empty()) {
    const auto prefix = read_prefix(rest);
    if (!prefix.ok() || prefix->size > rest.size()) return false;
    const auto unit = rest.first(static_cast<size_t>(prefix->size));
    rest = rest.subspan(unit.size());
    if (prefix->kind == UnitKind::kHeader) {
      const auto header = read_sequence_header(unit);
      if (!header.ok()) return false;
      clip.stream = make_stream(*header);
      coder = std::make_unique<SymbolCoder>(clip.stream.picture, *header, clip.stream.grid, 1);
      clip.components = make_components(clip.stream.picture, header->grouping);
    } else if (prefix->kind == UnitKind::kPacket) {
      if (coder == nullptr || !read_packet(*coder, unit, clip)) return false;
    }
  }
  return !clip.frames.empty();
}

}  // namespace ctv::dev
