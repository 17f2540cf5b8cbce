// SPDX-License-Identifier: BSD-3-Clause
// Levels to symbols to DEFLATE and back, which the host does for every backend: whole packets, of luma and
// chroma, from a difference of two frames.
#include "codec/entropy/symbol_coder.hpp"
#include "tools/bench/lab/stages/arrays.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {
namespace {

struct Packet {
  Stream stream;
  std::array<std::vector<Level>, 3> levels;
  std::vector<MotionVector> vectors;
  std::unique_ptr<SymbolCoder> coder;
  std::vector<uint8_t> bytes;
  CodedFrameBuffers frame;

  std::vector<int16_t> numbers() const {
    std::vector<int16_t> all;
    for (const auto& plane : levels) all.insert(all.end(), plane.begin(), plane.end());
    return all;
  }
};

/// As coded levels are: mostly zero, larger in coarse subbands.
Level level_at(const Subband& s, int r, int c) {
  const int spread = s.layer == 0 ? 1 : 8 << (2 - std::min(s.scale, 2));
  const int v = scene(r, c, s.scale + 3 * s.direction + s.orientation) - 96;
  return static_cast<Level>(v / spread / (s.layer == 0 ? 1 : 4));
}

std::shared_ptr<Packet> packet_of(const char* preset, Extent extent, int threads) {
  auto p = std::make_shared<Packet>();
  p->stream = stream_of(preset, extent);
  for (size_t i = 0; i < 3; ++i) {
    const SubbandLayout& layout = p->stream.picture.subbands[i];
    p->levels[i].resize(layout.num_coefficients);
    for (const Subband& s : layout.subbands)
      for (int r = 0; r < s.rows; ++r)
        for (int c = 0; c < s.cols; ++c)
          p->levels[i][s.offset + static_cast<size_t>(r * s.cols + c)] = level_at(s, r, c);
    p->frame.levels[i] = p->levels[i].data();
  }
  p->vectors.resize(p->stream.grid.size());
  for (size_t i = 0; i < p->vectors.size(); ++i)
    p->vectors[i] = {static_cast<int16_t>(8 * (i / 97 % 3)), static_cast<int16_t>(8 * (i / 13 % 2))};
  p->frame.side.vectors = p->vectors.data();
  p->frame.parameters.type = FrameType::kPredicted;
  p->frame.parameters.number = 1;
  p->coder = std::make_unique<SymbolCoder>(p->stream.picture, p->stream.header, p->stream.grid, threads);
  p->coder->encode(p->frame, p->bytes);
  return p;
}

Status decode(Packet& p) {
  CTV_RETURN_IF_ERROR(p.coder->read_header(p.bytes));
  return p.coder->decode(p.bytes, p.stream.picture.subbands[0].layers, p.frame);
}

Prepared prepare(const char* preset, Extent extent, int threads, bool encode) {
  const std::shared_ptr<Packet> p = packet_of(preset, extent, threads);
  const auto run = [=]() -> Status {
    if (!encode) return decode(*p);
    p->coder->encode(p->frame, p->bytes);
    return {};
  };
  // Either way what counts is what a decoder makes of the packet, into memory that held something else.
  const auto read = [=]() -> Result<std::vector<int16_t>> {
    for (auto& plane : p->levels) std::fill(plane.begin(), plane.end(), Level{4711});
    CTV_RETURN_IF_ERROR(decode(*p));
    return p->numbers();
  };
  return {run, read};
}

}  // namespace

std::vector<Stage> symbol_stages(int threads) {
  std::vector<Stage> stages;
  for (const char* preset : {"default", "paper"}) {
    for (const bool encode : {true, false}) {
      for (const int team : threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}) {
        stages.push_back(
            {std::string(encode ? "symbols and DEFLATE, " : "INFLATE and symbols, ") + preset,
             "a whole packet of made-up levels, " + std::to_string(team) +
                 (team > 1 ? " threads" : " thread"),
             {Engine::kDirect},
             true,
             false,
             [=](Extent e) {
               const std::shared_ptr<Packet> p = packet_of(preset, e, 1);
               return Work{static_cast<double>(2 * p->numbers().size() + p->bytes.size()), 0, 0, 0};
             },
             [=](Backend&, Engine, Extent e) -> Result<Prepared> { return prepare(preset, e, team, encode); },
             [=](Extent e) { return packet_of(preset, e, 1)->numbers(); }});
      }
    }
  }
  return stages;
}

}  // namespace ctv::lab
