// SPDX-License-Identifier: BSD-3-Clause
// Compares the headers of docs/bitstream.md with the code: their fields with order, types, ranges and
// conditions.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "codec/format/bytes.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/units.hpp"
#include "tests/support/document.hpp"

namespace ctv {
namespace {

using test::Row;
using test::table;

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

SequenceHeader some_header(uint8_t source, Prediction prediction, uint8_t log2_block) {
  SequenceHeader h;
  h.width = 30;
  h.height = 20;
  h.source = source;
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
  SequenceHeader deep = some_header(4, Prediction::kPicture, 4);
  deep.depth = 1;
  deep.hdr = {1, 1, {13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450}, {10000000, 1}, {1000, 400}};
  for (const SequenceHeader& h :
       {some_header(2, Prediction::kPicture, 4), some_header(5, Prediction::kSubband, 5),
        some_header(1, Prediction::kPicture, 3), deep}) {
    const Values derived = {{"subbands", subband_count(h.transform)}, {"sets", h.planes() == 1 ? 1 : 2}};
    check_fields("sequence header", write_sequence_header(h), kPrefixSize, derived, read);
  }
}

TEST(Document, PacketHeader) {
  for (const int kind : {0, 1, 2, 3, 4, 5, 7}) {  // 5 and 7 have regions
    const bool regions = kind >= 5;
    PacketHeader h;
    h.checked = kind != 5;
    h.frame.type = kind % 2 == 0 ? FrameType::kKey : FrameType::kPredicted;
    if (kind == 2) set_frame_time(h.frame, 1, {-123456789, 1000});
    if (kind == 3) h.frame.reference = 7;
    if (kind >= 2) h.frame.temporal_id = h.frame.reconstruction_offset = 3;
    h.frame.kept = kind == 3;
    h.side_size = kind % 2 == 0 ? 0 : 200;  // two bytes
    h.component_sizes = {0, 0, 128, 1};
    if (kind == 4 || kind == 7) h.component_sizes.resize(9, 1);
    h.component_checks.resize(h.component_sizes.size());
    const size_t sizes = h.component_sizes.size();
    const size_t components = regions ? kMostRegions : sizes;
    std::vector<uint8_t> unit;
    write_packet_header(h, regions, unit);
    const auto prefix = read_prefix(unit);
    ASSERT_TRUE(prefix.ok());
    const uint64_t coded = h.checked ? sizes - 2 : 0;
    check_fields(
        "packet header", unit, prefix->prefix,
        {{"components", components}, {"sizes", sizes}, {"coded", coded}, {"regions", regions ? 1 : 0}},
        [&](const std::vector<uint8_t>& bytes) {
          PacketHeader out;
          return read_packet_header(bytes, {components, regions, kMaxSlots}, out).message();
        });
  }
}

}  // namespace
}  // namespace ctv
