// SPDX-License-Identifier: BSD-3-Clause
// The symbol decoders alone, without a transform behind them: the input is the payload of one component (or
// of vectors or slopes), or levels that must survive encoding and decoding. The last three bytes choose.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "codec/config/presets.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/format/headers.hpp"
#include "codec/pipeline/stream.hpp"
#include "tests/support/repair.hpp"
#include "tests/support/residual.hpp"

namespace {

using namespace ctv;  // NOLINT(*-using-namespace)

// A small stream of one kind and all that coding its symbols needs.
struct Bench {
  explicit Bench(unsigned kind) {
    ctv_config c;
    if (ctv_config_init(&c, kind < 2 ? "default" : "paper") != CTV_OK) std::abort();
    c.width = 24;
    c.height = 20;
    c.format = CTV_FORMAT_I420;
    c.scales = 2;
    c.entropy_coding = static_cast<ctv_entropy_coding>(kind % 2);
    auto made = make_sequence_header(c);
    if (!made.ok()) std::abort();
    header = *made;
    stream = make_stream(header);
    coder = std::make_unique<SymbolCoder>(stream.picture, header, stream.grid, 1);
    vectors.resize(stream.grid.size());
    skips.resize(stream.grid.size());
    slopes.resize(stream.slopes.size());
    changes.resize(stream.grid.roots());
    if (header.macroblocks()) macroblocks.resize(stream.macroblocks.size());
    frame.side = {vectors.data(), skips.data(), slopes.data(), changes.data(), macroblocks.data()};
    for (size_t p = 0; p < 3; ++p) {
      levels[p].resize(stream.picture.subbands[p].num_coefficients);
      frame.levels[p] = levels[p].data();
    }
    for (const Component& part : coder->components()) layers.push_back(part.layer);
  }
  SequenceHeader header;
  Stream stream;
  std::unique_ptr<SymbolCoder> coder;
  std::vector<MotionVector> vectors;
  std::vector<uint8_t> skips;
  std::vector<int8_t> slopes;
  std::vector<int64_t> changes;
  std::vector<Macroblock> macroblocks;
  std::vector<Level> levels[3];
  CodedFrameBuffers frame;
  std::vector<int> layers;
};

void decode_payload(Bench& bench, bool key, size_t target, const uint8_t* data, size_t size) {
  PacketHeader header;
  header.frame.type = key ? FrameType::kKey : FrameType::kPredicted;
  header.frame.reference = key ? 0 : 1;
  const PacketLayout layout = packet_layout(bench.stream);
  const bool regions = layout.regions && !key;
  header.checked = !regions || (target & 64U) != 0;
  // There is one region, or the side payload lists several that have no bytes, except the last.
  const size_t parts = regions ? 1 + target / 2 % 4 * (target % 2) : bench.layers.size();
  header.component_sizes.assign(parts, 0);
  header.component_checks.assign(parts, 0);
  if (regions) header.component_sizes.back() = 2;
  target %= regions ? 2 : parts + 1;
  const bool side = target == (regions ? 1 : parts);
  (side ? header.side_size : header.component_sizes[target]) = static_cast<uint32_t>(size);
  std::vector<uint8_t> packet;
  write_packet_header(header, layout.regions, packet);
  packet.insert(packet.end(), data, data + size);
  if (regions && side) packet.insert(packet.end(), 2, 0);
  test::repair_packet(packet, layout);
  if (!bench.coder->read_header(packet).ok()) std::abort();
  (void)bench.coder->decode(packet, bench.layers.back() + 1, bench.frame).ok();
}

template <typename Next>
void draw_macroblocks(Bench& bench, Next next) {
  const MacroblockGrid& grid = bench.stream.macroblocks;
  for (uint8_t& skip : bench.skips) skip = next() % 4 == 0 ? 1 : 0;
  const test::DrawnResidual drawn =
      test::draw_residual(grid, bench.stream.grid, bench.skips.data(), false, [&](int lo, int hi) {
        const int range = hi - lo + 1;
        return lo + (range <= 256 ? next() : next() << 8 | next()) % range;
      });
  bench.macroblocks = drawn.macroblocks;
  for (size_t p = 0; p < 3; ++p) std::ranges::copy(drawn.levels[p], bench.levels[p].begin());
}

void compare_macroblocks(const Bench& bench, const std::vector<Macroblock>& macroblocks,
                         const std::vector<Level> (&levels)[3]) {
  const MacroblockGrid& grid = bench.stream.macroblocks;
  for (size_t i = 0; i < grid.size(); ++i) {
    const Macroblock& a = macroblocks[i];
    const Macroblock& b = bench.macroblocks[i];
    if (a.kind != b.kind || a.quarters != b.quarters || a.blocks != b.blocks) std::abort();
    if (a.chroma[0] != b.chroma[0] || a.chroma[1] != b.chroma[1]) std::abort();
    for (int p = 0; p < grid.planes; ++p) {
      for (const auto& [first, count] : test::coded_blocks(grid, a, p)) {
        const size_t at = i * grid.levels(p) + first;
        const auto plane = static_cast<size_t>(p);
        if (!std::equal(&levels[plane][at], &levels[plane][at] + count, &bench.levels[plane][at]))
          std::abort();
      }
    }
  }
}

void round_trip(Bench& bench, bool key, const uint8_t* data, size_t size) {
  size_t at = 0;
  const auto next = [&] { return at < size ? data[at++] : uint8_t{0}; };
  for (auto& plane : bench.levels) {
    for (Level& l : plane) {
      const uint8_t b = next();  // mostly small levels, now and then any
      l = b < 250 ? static_cast<Level>(static_cast<int8_t>(b) / 16)
                  : static_cast<Level>(next() << 8 | next());
      if (l == -32768) l = 0;  // no quantiser makes it
    }
  }
  const int unit = 1 << (kVectorFractionBits - bench.header.subpel);
  for (MotionVector& v : bench.vectors) {
    v = {static_cast<int16_t>(static_cast<int8_t>(next()) * unit),
         static_cast<int16_t>(static_cast<int8_t>(next()) * unit)};
  }
  const SlopeGrid& grid = bench.stream.slopes;
  std::fill(bench.slopes.begin(), bench.slopes.end(), int8_t{0});
  for (int scale = 1; scale <= grid.scales; ++scale) {
    if ((next() & 1U) == 0) continue;
    bench.slopes[static_cast<size_t>(scale - 1)] = 1;
    for (size_t i = 0; i < grid.extent(scale).area(); ++i)
      bench.slopes[grid.offset(scale) + i] = static_cast<int8_t>(next() % kSlopeCount);
  }
  for (size_t i = kSlopedScales; grid.directed && i < SlopeGrid::kHead; ++i)
    bench.slopes[i] = static_cast<int8_t>(next() % (kDirectedDepth + 1));
  for (int64_t& change : bench.changes) change = (next() & 1U) != 0 ? -1 : 0;
  bench.frame.parameters.type = key ? FrameType::kKey : FrameType::kPredicted;
  const bool regions = bench.header.macroblocks() && !key;
  if (regions) {
    draw_macroblocks(bench, next);
    for (size_t i = 0; i < bench.skips.size(); ++i) {  // only still cells are skipped
      if (bench.skips[i] != 0) bench.vectors[i] = {};
    }
  }
  const auto macroblocks = bench.macroblocks;
  const auto vectors = bench.vectors;
  const auto changes = bench.changes;
  const auto slopes = bench.slopes;
  const std::vector<Level> levels[3] = {bench.levels[0], bench.levels[1], bench.levels[2]};
  std::vector<uint8_t> packet;
  bench.coder->encode(bench.frame, packet);
  for (auto& plane : bench.levels) plane.assign(plane.size(), 77);
  if (!bench.coder->read_header(packet).ok()) std::abort();
  if (!bench.coder->decode(packet, bench.layers.back() + 1, bench.frame).ok()) std::abort();
  if (regions) {
    compare_macroblocks(bench, macroblocks, levels);
  } else {
    for (size_t p = 0; p < 3; ++p) {
      if (bench.levels[p] != levels[p]) std::abort();
    }
  }
  if (!key && bench.vectors != vectors) std::abort();
  if (!key && bench.header.loop_filter != 0 && bench.changes != changes) std::abort();
  if (key && bench.slopes != slopes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  size -= 3;
  const unsigned kind = data[size] % 4U;
  const bool key = (data[size + 1] & 1U) != 0;
  static std::map<unsigned, std::unique_ptr<Bench>> benches;
  auto& bench = benches[kind];
  if (bench == nullptr) bench = std::make_unique<Bench>(kind);
  if ((data[size + 1] & 2U) != 0) {
    round_trip(*bench, key, data, size);
  } else {
    decode_payload(*bench, key, data[size + 2], data, size);
  }
  return 0;
}
