// SPDX-License-Identifier: BSD-3-Clause
// Compares docs/bitstream.md with the code: the fields of the headers with their order, types, ranges and
// conditions, and every table of constants. A table is found by the comment <!-- table: NAME --> above it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "codec/dsp/block_transform.hpp"
#include "codec/dsp/directional.hpp"
#include "codec/dsp/laplacian.hpp"
#include "codec/dsp/loop_filter.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "codec/entropy/motion_tree.hpp"
#include "codec/entropy/range_coder.hpp"
#include "codec/format/bytes.hpp"
#include "codec/format/directional_plan.hpp"
#include "codec/format/gain_table.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/slope_grid.hpp"
#include "codec/format/units.hpp"
#include "tests/reference/directional.hpp"

namespace ctv {
namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(' ');
  return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

/// The rows of a table without its head.
std::vector<Row> table(const std::string& name) {
  std::ifstream file(CTV_DOCUMENTS "/bitstream.md");
  std::vector<Row> rows;
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "<!-- table: " + name + " -->") {
      found = true;
    } else if (found && line.starts_with("|")) {
      Row row;
      for (size_t at = 1, bar = 0; at < line.size(); at = bar + 1) {
        bar = line.find('|', at);
        while (line[bar - 1] == '\\') bar = line.find('|', bar + 1);
        row.push_back(trimmed(line.substr(at, bar - at)));
      }
      rows.push_back(row);
    } else if (found) {
      break;
    }
  }
  if (rows.size() < 3) {
    ADD_FAILURE() << "docs/bitstream.md has no table " << name;
    return {};
  }
  return {rows.begin() + 2, rows.end()};
}

std::vector<int> numbers(const std::string& cell) {
  static const std::regex number("-?[0-9]+");
  std::vector<int> all;
  for (std::sregex_iterator i(cell.begin(), cell.end(), number), end; i != end; ++i)
    all.push_back(std::stoi(i->str()));
  return all;
}

// ---- Headers ----------------------------------------------------------------------------------------------

using Values = std::map<std::string, uint64_t>;

/// "prediction = 1 and block size > 3"; an empty condition holds.
bool holds(const std::string& condition, const Values& values) {
  static const std::regex term("(.+) ([=<>]) ([0-9]+)");
  std::string rest = condition;
  while (!rest.empty()) {
    const size_t at = rest.find(" and ");
    std::smatch m;
    const std::string one = rest.substr(0, at);
    EXPECT_TRUE(std::regex_match(one, m, term)) << one;
    const uint64_t value = values.at(m[1]);
    const uint64_t limit = std::stoull(m[3]);
    if (m[2] == "=" ? value != limit : m[2] == "<" ? value >= limit : value <= limit) return false;
    rest = at == std::string::npos ? "" : rest.substr(at + 5);
  }
  return true;
}

/// "scales+1", "7": a number, or a value plus a number.
uint64_t evaluate(const std::string& text, const Values& values) {
  const size_t plus = text.find('+');
  if (plus != std::string::npos)
    return evaluate(text.substr(0, plus), values) + std::stoull(text.substr(plus + 1));
  const auto known = values.find(text);
  return known != values.end() ? known->second : std::stoull(text);
}

/// Walks a unit along a table of the document and calls read(bytes) with values at and beyond the bounds of
/// each field, and with units that end there. It returns the message of the refusal.
template <typename Read>
void check_fields(const std::string& name, const std::vector<uint8_t>& unit, size_t at, Values values,
                  Read read) {
  unsigned bit = 0;  // of the byte there
  for (const Row& row : table(name)) {
    const std::string& field = row[0];
    if (!holds(row[3], values)) continue;
    static const std::regex type("(u[1-9]|u16|u32|varint|varint64)((?: x [^ ]+)*)");
    std::smatch m;
    ASSERT_TRUE(std::regex_match(row[1], m, type)) << row[1];
    uint64_t count = 1;
    for (std::string times = m[2]; !times.empty();) {  // " x scales x sets"
      const size_t end = times.find(' ', 3);
      std::string factor = times.substr(3, end == std::string::npos ? end : end - 3);
      if (factor.starts_with("(")) factor = factor.substr(1, factor.size() - 2);
      count *= evaluate(factor, values);
      times = end == std::string::npos ? "" : times.substr(end);
    }
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_LT(at, unit.size()) << field;
      const std::string place = field + " at byte " + std::to_string(at) + ": ";
      if (bit == 0) {
        EXPECT_EQ(read({unit.begin(), unit.begin() + static_cast<std::ptrdiff_t>(at)}),
                  place + "the data end here");
      }
      if (m.str(1).starts_with("varint")) {
        while (unit[at++] >= 128) {
        }
        continue;
      }
      const size_t start = at;
      const auto width = static_cast<unsigned>(std::stoul(m.str(1).substr(1)));
      const size_t size = (width + 7) / 8;
      const unsigned shift = bit;
      const uint64_t mask = ((uint64_t{1} << width) - 1) << shift;
      uint64_t whole = 0;
      for (size_t k = 0; k < size; ++k) whole |= uint64_t{unit[start + k]} << (8 * k);
      const auto with = [&](uint64_t value) {
        std::vector<uint8_t> bytes = unit;
        const uint64_t changed = (whole & ~mask) | value << shift;
        for (size_t k = 0; k < size; ++k) bytes[start + k] = static_cast<uint8_t>(changed >> (8 * k));
        return read(bytes);
      };
      values[field] = (whole & mask) >> shift;
      at += (bit + width) / 8;
      bit = (bit + width) % 8;
      if (row[2] == "any") continue;
      const std::string& range = row[2];
      const size_t dots = range.find("..");
      uint64_t lo = evaluate(range.substr(0, dots), values);
      uint64_t hi = evaluate(range.substr(dots + 2), values);
      if (!holds(row[4], values)) lo = hi = 0;
      const std::string bounds = " is outside " + std::to_string(lo) + ".." + std::to_string(hi);
      EXPECT_FALSE(with(lo).starts_with(place)) << lo;
      EXPECT_FALSE(with(hi).starts_with(place)) << hi;
      if (lo > 0) {
        EXPECT_EQ(with(lo - 1), place + std::to_string(lo - 1) + bounds);
      }
      if (hi + 1 < uint64_t{1} << width) {
        EXPECT_EQ(with(hi + 1), place + std::to_string(hi + 1) + bounds);
      }
    }
  }
  EXPECT_EQ(at, unit.size());
}

SequenceHeader some_header(TransformKind kind, uint8_t source, Prediction prediction, uint8_t log2_block) {
  SequenceHeader h;
  h.width = 30;
  h.height = 20;
  h.source = source;
  if (kind != TransformKind::kContourlet) h.transform = block_transform(kind);
  h.prediction = prediction;
  h.log2_block = log2_block;
  if (prediction == Prediction::kSubband) {
    h.grouping = {ComponentScope::kSubband, 0};
    h.subpel = h.overlap = 0;
  } else {
    h.slots = 3;
  }
  for (auto& set : h.weights) set.fill(1);
  return h;
}

TEST(Document, SequenceHeader) {
  const auto read = [](std::vector<uint8_t> bytes) {
    store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() - kPrefixSize));
    return read_sequence_header(bytes).status().message();
  };
  for (const SequenceHeader& h : {some_header(TransformKind::kContourlet, 2, Prediction::kPicture, 4),
                                  some_header(TransformKind::kContourlet, 5, Prediction::kSubband, 5),
                                  some_header(TransformKind::kDct8x8, 1, Prediction::kPicture, 3),
                                  some_header(TransformKind::kH264_4x4, 4, Prediction::kPicture, 5),
                                  some_header(TransformKind::kH264_8x8, 3, Prediction::kSubband, 3)}) {
    const Values derived = {{"scales", h.transform.scales},
                            {"subbands", subband_count(h.transform)},
                            {"sets", h.planes() == 1 ? 1 : 2}};
    check_fields("sequence header", write_sequence_header(h), kPrefixSize, derived, read);
  }
}

TEST(Document, PacketHeader) {
  for (const int kind : {0, 1, 2, 3, 4}) {
    PacketHeader h;
    h.frame.type = kind % 2 == 0 ? FrameType::kKey : FrameType::kPredicted;
    if (kind == 2) set_frame_time(h.frame, 1, {-123456789, 1000});
    if (kind == 3) h.frame.reference = 7;
    if (kind >= 2) h.frame.temporal_id = h.frame.reconstruction_offset = 3;
    h.frame.kept = kind == 3;
    h.side_size = kind % 2 == 0 ? 0 : 200;  // two bytes
    h.component_sizes = {0, 0, 128, 1};
    if (kind == 4) h.component_sizes.resize(9, 1);
    h.component_checks.resize(h.component_sizes.size());
    const size_t components = h.component_sizes.size();
    std::vector<uint8_t> unit;
    write_packet_header(h, unit);
    const auto prefix = read_prefix(unit);
    ASSERT_TRUE(prefix.ok());
    const uint64_t coded = components - 2;
    check_fields("packet header", unit, prefix->prefix,
                 {{"components", components}, {"sizes", components}, {"coded", coded}},
                 [&](const std::vector<uint8_t>& bytes) {
                   PacketHeader out;
                   return read_packet_header(bytes, components, kMaxSlots, out).message();
                 });
  }
}

// ---- Constants --------------------------------------------------------------------------------------------

/// The numbers of column `col`, row by row, from a table with so many rows.
std::vector<std::vector<int>> column(const std::string& name, size_t rows, size_t col = 1) {
  const std::vector<Row> all = table(name);
  EXPECT_EQ(all.size(), rows) << name;
  std::vector<std::vector<int>> out(rows);
  for (size_t i = 0; i < std::min(rows, all.size()); ++i) out[i] = numbers(all[i].at(col));
  return out;
}

/// f(0), f(1), ... f(count - 1).
template <typename F>
std::vector<int> listed(int count, F f) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<int>(f(i)));
  return out;
}

TEST(Document, Filters) {
  const auto laplacian = column("laplacian taps", 2);
  EXPECT_EQ(laplacian[0], listed(kLowpassReach + 1, lowpass_tap));
  EXPECT_EQ(laplacian[1], listed(kInterpolationReach + 1, interpolation_tap));
  const auto weights = column("interpolation weights", 8);
  for (int f = 0; f < 8; ++f) {
    EXPECT_EQ(weights[static_cast<size_t>(f)],
              listed(kInterpolationTaps, [&](int i) { return interpolation_weight(f, i); }));
  }
  const auto windows = column("windows", kLog2Cell);
  for (int log2 = 1; log2 <= kLog2Cell; ++log2) {
    EXPECT_EQ(windows[static_cast<size_t>(log2 - 1)],
              listed(1 << log2, [&](int i) { return overlap_weight(log2, i); }));
  }
}

TEST(Document, LoopFilter) {
  const std::vector<Row> pairs = table("loop filter pairs");
  ASSERT_EQ(pairs.at(0).size(), size_t{kFilterPairs + 1});
  for (size_t k = 0; k < size_t{kFilterPairs}; ++k)
    EXPECT_EQ(numbers(pairs[0][k + 1]), (std::vector{kFilterNeighbours[k].y, kFilterNeighbours[k].x}));
  const auto tables = column("loop filter", 4);
  for (const bool chroma : {false, true}) {
    for (const bool key : {false, true}) {
      const LoopFilter f = loop_filter(16, key, chroma);
      EXPECT_EQ(tables[static_cast<size_t>(2 * (chroma ? 1 : 0) + (key ? 0 : 1))], std::vector<int>{f.table});
    }
  }
}

TEST(Document, DirectionalTaps) {
  const auto count = column("directional taps", 2, 0);
  const auto taps = column("directional taps", 2);
  for (size_t i = 0; i < 2; ++i) {
    const int n = count[i].at(0);
    EXPECT_EQ(taps[i], listed(n / 2, [&](int k) { return directional_tap(n, k + 1); }));
  }
}

TEST(Document, Slopes) {
  const std::vector<Row> rows = table("slopes");
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].size(), size_t{kSlopeCount + 1});
  for (int slope = 0; slope < kSlopeCount; ++slope)
    EXPECT_EQ(numbers(rows[0][static_cast<size_t>(slope + 1)]), std::vector{half_columns(slope)});
}

TEST(Document, DirectionalTree) {
  std::vector<std::vector<int>> types;  // d1, d2, t
  for (const Row& row : table("splits"))
    types.push_back(numbers(row.at(2) + " " + row.at(3) + " " + row.at(4)));
  ASSERT_EQ(types.size(), 6U);
  const auto firsts = column("first samples", 3);
  for (int n = 1; n <= kMaxDirectionsLog2; ++n) {
    const reference::DirectionalTree expected = reference::directional_tree(n);
    std::vector<reference::Lattice> nodes = {{{1, 0, 0, 1}, 0, 0}};
    size_t split = 0;
    for (int depth = 1; depth <= n; ++depth) {
      std::vector<reference::Lattice> next;
      for (size_t k = 0; k < nodes.size(); ++k) {
        const size_t deep = 2 + k % 2 + (k < nodes.size() / 2 ? 0 : 2);
        const std::vector<int>& t = types[depth <= 2 ? static_cast<size_t>(depth - 1) : deep];
        const reference::Lattice& node = nodes[k];
        const auto row = [&](size_t i) { return node.m[0] * t[i] + node.m[1] * t[i + 1]; };
        const auto col = [&](size_t i) { return node.m[2] * t[i] + node.m[3] * t[i + 1]; };
        const reference::Lattice p0{{row(0), row(2), col(0), col(2)}, node.r, node.c};
        const reference::Lattice p1{p0.m, node.r + row(4), node.c + col(4)};
        const reference::LatticeSplit& s = expected.splits.at(split++);
        EXPECT_EQ(s.coset0.m, p0.m);
        EXPECT_EQ(s.coset1.m, p1.m);
        EXPECT_EQ(std::make_pair(s.coset0.r, s.coset0.c), std::make_pair(p0.r, p0.c));
        EXPECT_EQ(std::make_pair(s.coset1.r, s.coset1.c), std::make_pair(p1.r, p1.c));
        next.push_back(depth == 1 ? p0 : p1);
        next.push_back(depth == 1 ? p1 : p0);
      }
      nodes = next;
    }
    if (n == 1) continue;
    std::vector<int> leaves;
    for (const Leaf& leaf : make_directional_plan(n).leaves) {
      leaves.push_back(leaf.row);
      leaves.push_back(leaf.col);
    }
    EXPECT_EQ(firsts[static_cast<size_t>(n - 2)], leaves);
  }
}

TEST(Document, BlockTransforms) {
  for (const size_t rest : {0U, 1U, 2U, 3U, 4U, 5U}) {
    const int r = static_cast<int>(rest);
    EXPECT_EQ(column("H.264", 6, 1)[rest], std::vector<int>{h264_step(r)});
    EXPECT_EQ(column("H.264", 6, 2)[rest], listed(3, [&](int norm) { return h264_scale_4(r, norm); }));
    EXPECT_EQ(column("H.264", 6, 3)[rest], listed(6, [&](int norm) { return h264_scale_8(r, norm); }));
  }
  for (int v = 0; v < 4; ++v) {
    EXPECT_EQ(column("8x8 classes", 4)[static_cast<size_t>(v)],
              listed(4, [&](int u) { return h264_class_8(v, u); }));
  }
  for (size_t k = 0; k < 8; ++k) {
    int32_t y[8] = {};
    int32_t x[8];
    y[k] = 1;
    inverse_dct8(y, x);
    EXPECT_EQ(column("DCT", 8)[k], std::vector<int>(x, x + 8));
  }
}

TEST(Document, Motion) {
  const auto adaptation = column("adaptation", 4);
  EXPECT_EQ(adaptation[0].at(0), AdaptiveBit::kFast);
  EXPECT_EQ(adaptation[1].at(0), AdaptiveBit::kSlow);
  EXPECT_EQ(adaptation[2].at(0), AdaptiveBit::kPriorBits);
  EXPECT_EQ(adaptation[3].at(0), AdaptiveBit::kLeast);
  const std::vector<int> thresholds(kDifferenceThresholds.begin(), kDifferenceThresholds.end());
  for (const auto& row : column("vector contexts", 2, 2)) EXPECT_EQ(row, thresholds);
}

TEST(Document, BandGains) {
  const auto gains = column("band gains", 10, 2);
  size_t row = 0;
  for (int kind = 0; kind < 4; ++kind) {
    for (int c = 0; c < (kind < 2 ? 2 : 3); ++c, ++row)
      EXPECT_EQ(gains[row], listed(kGainScales, [&](int scale) { return kBandGains[kind][scale][c]; }));
  }
}

}  // namespace
}  // namespace ctv
