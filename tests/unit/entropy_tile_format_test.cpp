// SPDX-License-Identifier: BSD-3-Clause
// What frames the pieces of tiles: their index, sets of subbands, and tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codec/config/presets.hpp"
#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/pipeline/stream.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

TEST(Tiles, AnIndexIsBounded) {
  std::vector<TilePiece> pieces;
  bool predicted = false;
  const auto reads = [&](const std::vector<uint8_t>& bytes) {
    return read_tile_index(bytes, 10, pieces, predicted);
  };
  constexpr size_t kFewer = 2 * (kUsualWords - 1) - 1;  // the first piece has one word
  constexpr uint8_t kLow = 128 | kFewer % 128;
  constexpr uint8_t kHigh = kFewer / 128;
  EXPECT_TRUE(reads({0, 1, 2}));                  // one piece of all bytes
  EXPECT_TRUE(reads({2, 9, kLow, kHigh, 7, 7}));  // nine tiles of two bytes, one of none
  EXPECT_EQ(pieces[0].size, 2U);
  EXPECT_EQ(pieces[1].size, 0U);
  EXPECT_FALSE(reads({2, 10, kLow, kHigh, 7, 7}));     // no tile left
  EXPECT_FALSE(reads({2, 0, kLow, kHigh, 7, 7}));      // no tile
  EXPECT_FALSE(reads({2, 9, kLow, kHigh, 7}));         // bytes beyond the end
  EXPECT_FALSE(reads({2, 9, kLow + 4, kHigh, 7, 7}));  // less than no word
  EXPECT_FALSE(reads({20}));                           // eleven pieces
  EXPECT_FALSE(reads({4, 1, 0}));                      // an index cut short
  EXPECT_FALSE(reads({255, 255, 255, 255, 255, 1}));   // a number too long
  EXPECT_FALSE(reads({2, 1, 255, 255, 255, 255, 126, 7}));
  EXPECT_FALSE(reads({2, 1, 255, 255, 255, 255, 127, 7}));
}

TEST(Tiles, PiecesHaveABoundedNumberOfTiles) {
  std::vector<TilePiece> pieces;
  bool predicted = false;
  const auto reads = [&](const std::vector<uint8_t>& bytes, size_t tiles) {
    return read_tile_index(bytes, tiles, pieces, predicted);
  };
  static_assert(kMostPieceTiles == 1024);
  EXPECT_TRUE(reads({0, 1, 2}, 1024));
  EXPECT_FALSE(reads({0, 1, 2}, 1025));
  constexpr size_t kOne = 2 * (kUsualWords - 1) - 1;  // word
  constexpr uint8_t kLow = 128 | kOne % 128;
  constexpr uint8_t kHigh = kOne / 128;
  EXPECT_TRUE(reads({2, 128, 8, kLow, kHigh, 7, 7}, 2048));
  EXPECT_FALSE(reads({2, 129, 8, kLow, kHigh, 7, 7}, 2048));  // the first is too long
  EXPECT_FALSE(reads({2, 128, 8, kLow, kHigh, 7, 7}, 2049));  // the last
}

// Words of a piece may be 2^34 more than those of the piece before. Many such pieces have 2^64 bytes, which a
// sum takes for none.
TEST(Tiles, SizesOfPiecesDoNotWrap) {
  std::vector<uint8_t> bytes;
  const auto varint = [&](uint64_t v) {
    for (; v >= 128; v >>= 7) bytes.push_back(static_cast<uint8_t>(v | 128U));
    bytes.push_back(static_cast<uint8_t>(v));
  };
  constexpr uint64_t kAll = uint64_t{1} << 63;  // words
  constexpr uint64_t kRise = (uint64_t{1} << 34) - 1 - kUsualWords, kRising = 20000;
  constexpr uint64_t kTop = kRising * kRise;
  constexpr uint64_t kLeft = kAll - kRise * (kRising * (kRising + 1) / 2);  // for pieces near kTop
  constexpr uint64_t kLevel = kLeft / kTop;
  constexpr uint64_t kMore = (kLeft - kLevel * kTop) / kLevel;  // of each of them
  constexpr uint64_t kLast = (kLeft - kLevel * kTop) % kLevel;  // how many have one more
  static_assert(kMore < kRise);
  varint(2 * (kRising + kLevel));
  uint64_t before = kUsualWords, sum = 0;
  for (uint64_t i = 0; i < kRising + kLevel; ++i) {
    const uint64_t near = kTop + kMore + (i >= kRising + kLevel - kLast ? 1 : 0);
    const uint64_t words = i < kRising ? (i + 1) * kRise : near;
    varint(1);
    varint(2 * (words - before));
    before = words;
    sum += words;
  }
  ASSERT_EQ(sum, kAll);
  std::vector<TilePiece> pieces;
  bool predicted = false;
  EXPECT_FALSE(read_tile_index(bytes, kRising + kLevel + 1, pieces, predicted));
}

// Tiles cost something even if all levels are 0, so the encoder's pieces are shorter.
TEST(Tiles, ManyTilesOfZerosAreDecoded) {
  const std::vector<TileSet> sets = {{.rows = 4000, .cols = 3000, .bands = 1}};
  std::vector<Level> levels(sets[0].levels());
  levels.front() = 5;
  levels.back() = -7;
  const Level* const planes[] = {levels.data()};
  Growing<uint8_t> out;
  const size_t size = TileEncoder(sets).encode(planes, {}, out);
  std::vector<TilePiece> pieces;
  bool predicted = false;
  ASSERT_TRUE(read_tile_index({out.data(), size}, sets[0].tiles(), pieces, predicted));
  for (const TilePiece& p : pieces) EXPECT_LE(p.tiles, kPieceCost / kTileCost + 1);
  std::vector<Level> back(levels.size(), Level{9});
  Level* const to[] = {back.data()};
  EXPECT_TRUE(TileDecoder(sets).decode({out.data(), size}, to, {}));
  EXPECT_EQ(back, levels);
}

TEST(Tiles, SetsHoldEveryLevelOnce) {
  for (const char* preset : {"default", "fastest"}) {
    ctv_config c;
    ASSERT_EQ(ctv_config_init(&c, preset), CTV_OK);
    c.width = 203;
    c.height = 117;
    c.format = CTV_FORMAT_I420;
    c.directions[0] = 8;
    const auto header = make_sequence_header(c);
    ASSERT_TRUE(header.ok());
    const Stream stream = make_stream(*header);
    std::vector<int> seen[3];
    for (size_t p = 0; p < 3; ++p) seen[p].resize(stream.picture.subbands[p].num_coefficients);
    for (const Component& k : make_components(stream.picture, header->grouping)) {
      for (const TileSet& s : make_tile_sets(stream.picture, k)) {
        for (int b = 0; b < s.bands; ++b) {
          for (size_t i = 0; i < s.levels(); ++i) ++seen[s.plane][s.offsets[static_cast<size_t>(b)] + i];
        }
      }
    }
    for (const auto& plane : seen)
      EXPECT_EQ(std::count(plane.begin(), plane.end(), 1), static_cast<ptrdiff_t>(plane.size()));
  }
}

struct WordList {
  std::vector<uint32_t>* words;
  void push(uint32_t word, uint32_t due) {
    if (due != 0) words->push_back(word & 0xffffU);
  }
};

TEST(Tiles, ReadyEventsAreCodedAsOthersAre) {
  test::Random random(20262);
  std::vector<uint32_t> words;
  std::vector<uint32_t> ready_words;
  RansWriter writer(WordList{&words});
  RansWriter ready(WordList{&ready_words});
  for (int round = 0; round < 300; ++round) {
    for (uint32_t size = 1; size < kWhole; ++size) {
      const auto begin = static_cast<uint32_t>(random.between(0, static_cast<int>(kWhole - size)));
      const uint32_t event = size << 16 | begin;
      writer.put(event, rans_reciprocal_64(size));
      ready.put(ready_event(event));
      if (size % 16 != 0) continue;
      const int bits = random.between(1, 16);
      const uint32_t raw =
          raw_event(static_cast<uint32_t>(bits), static_cast<uint32_t>(random.between(0, (1 << bits) - 1)));
      writer.put_raw(raw);
      ready.put(ready_event(raw));
    }
  }
  writer.finish();
  ready.finish();
  EXPECT_EQ(ready_words, words);
}

TEST(Tiles, TablesAreWholeAndFoundTheSameWay) {
  const auto& symbols = tile_tables().symbols;
  for (size_t t = 0; t < kTables; ++t) {
    uint32_t slot = 0;
    for (uint32_t s = 0; s < kTableSymbols; ++s) {
      const uint32_t end = s + 1 < kTableSymbols ? symbols[t].begin[s + 1] : kWhole;
      ASSERT_LE(symbols[t].begin[s], end);
      ASSERT_LT(end - symbols[t].begin[s], kWhole);
      for (; slot < end; ++slot) ASSERT_EQ(find_symbol(symbols[t], slot), s);
      const bool model = t < kBandTables && s >= kModels;
      const bool small =
          t >= kBandTables && t < kEighthTables && s >= size_t{2} << (t - kBandTables) / kBandContexts;
      const bool zero = t >= kEighthTables && t < kLargeTables && s == 0;
      const size_t of_model = t < kLargeTables ? kTables : (t - kLargeTables) % kTablesOfModel;
      const bool many = of_model < 4 * kLargeContexts && s >= size_t{2} << of_model / kLargeContexts;
      EXPECT_EQ(end == symbols[t].begin[s], model || small || zero || many) << t << " " << s;
    }
    ASSERT_EQ(slot, kWhole);
  }
}

}  // namespace
}  // namespace ctv
