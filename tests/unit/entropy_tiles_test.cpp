// SPDX-License-Identifier: BSD-3-Clause
// Tiles and their pieces: levels that come back, bytes that are refused, and where damage is said to lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"

namespace ctv {
namespace {

// Sets of subbands that follow each other in one plane.
std::vector<TileSet> sets_of(const std::vector<TileSet>& shapes) {
  std::vector<TileSet> sets = shapes;
  size_t offset = 0;
  size_t tiles = 0;
  for (TileSet& s : sets) {
    for (int b = 0; b < s.bands; ++b, offset += s.levels()) s.offsets[static_cast<size_t>(b)] = offset;
    s.first = tiles;
    tiles += s.tiles();
  }
  return sets;
}

size_t levels_in(const std::vector<TileSet>& sets) {
  size_t levels = 0;
  for (const TileSet& s : sets) levels += s.levels() * static_cast<size_t>(s.bands);
  return levels;
}

// density: levels of 100 that are not 0; most of these are small.
std::vector<Level> some_levels(size_t count, int density, int most, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Level> levels(count);
  for (Level& l : levels) {
    if (static_cast<int>(random() % 100) >= density) continue;
    const int magnitude =
        1 + static_cast<int>(random() % 4 == 0 ? random() % static_cast<uint32_t>(most) : random() % 2);
    l = static_cast<Level>(random() % 2 == 0 ? magnitude : -magnitude);
  }
  return levels;
}

std::vector<uint8_t> encoded(const std::vector<TileSet>& sets, const std::vector<Level>& levels,
                             const TileSide& side = {}) {
  const Level* const planes[] = {levels.data()};
  Growing<uint8_t> out;
  const size_t size = TileEncoder(sets).encode(planes, side, out);
  return {out.data(), out.data() + size};
}

// Levels between guards, which must stay as they are.
bool decodes(const std::vector<TileSet>& sets, const std::vector<uint8_t>& bytes, std::vector<Level>& levels,
             int* damaged_piece = nullptr, const TileSide& side = {}) {
  constexpr size_t kGuard = 600;
  const size_t count = levels_in(sets);
  std::vector<Level> guarded(count + 2 * kGuard, Level{1234});
  Level* const planes[] = {guarded.data() + kGuard};
  TileDecoder decoder(sets);
  const bool good = decoder.decode(bytes, planes, side);
  if (damaged_piece != nullptr) *damaged_piece = decoder.damaged_piece();
  const auto intact = [](auto first, auto last) {
    return std::all_of(first, last, [](Level l) { return l == 1234; });
  };
  EXPECT_TRUE(intact(guarded.begin(), guarded.begin() + kGuard));
  EXPECT_TRUE(intact(guarded.end() - kGuard, guarded.end()));
  levels.assign(guarded.begin() + kGuard, guarded.end() - kGuard);
  return good;
}

void expect_round_trip(const std::vector<TileSet>& sets, const std::vector<Level>& levels) {
  std::vector<Level> back;
  ASSERT_TRUE(decodes(sets, encoded(sets, levels), back));
  ASSERT_EQ(back, levels);
}

TEST(Tiles, BitsOfLevelsAreWhatTheySay) {
  constexpr size_t kStride = 19;
  auto levels = some_levels(kTileSide * kStride, 40, 300, 8);
  levels[0] = -32768;
  levels[1] = 32767;
  levels[2] = 256;  // whose low byte is 0
  TileBits bits{};
  bits_of_levels(levels.data(), kStride, bits);
  TileQuads tiles[2] = {};
  for (int y = 0; y < 8; ++y) {
    const Level* const upper = levels.data() + 2 * static_cast<size_t>(y) * kStride;
    find_quads(upper, upper + kStride, 1, 2, 8 * y, tiles + 1, 2);
  }
  EXPECT_EQ(tiles[0], TileQuads{});
  const uint64_t quads = tiles[1][2];
  const LargeSums sums = sum_large(levels.data(), kStride);
  LargeSums counted{};
  std::vector<Level> small(levels.size(), Level{77});
  levels_of_bits(bits, small.data(), kStride);
  for (uint32_t y = 0; y < kTileSide; ++y) {
    for (uint32_t x = 0; x < kStride; ++x) {
      const int level = levels[y * kStride + x];
      const uint32_t quad = y / 2 * 8 + x / 2;
      const uint32_t i = y % 2 * 2 + x % 2;
      if (x >= kTileSide) {
        EXPECT_EQ(small[y * kStride + x], 77);
        continue;
      }
      const auto magnitude = static_cast<uint32_t>(std::abs(level));
      counted.levels += magnitude > 1 ? 1 : 0;
      counted.raw_bits += magnitude > 1 ? number_bits(number_symbol(magnitude - 2)) : 0;
      EXPECT_EQ(bits.nonzero[quad] >> i & 1, level != 0);
      EXPECT_EQ(bits.large[quad] >> i & 1, std::abs(level) > 1);
      EXPECT_EQ(bits.negative[quad] >> i & 1, level < 0);
      EXPECT_EQ(quads >> quad & 1, bits.nonzero[quad] != 0);
      EXPECT_EQ(small[y * kStride + x], std::clamp(level, -2, 2));
      EXPECT_EQ(level_at(4 * quad + i, kStride), y * kStride + x);
    }
  }
  EXPECT_EQ(sums.levels, counted.levels);
  EXPECT_EQ(sums.raw_bits, counted.raw_bits);
}

TEST(Tiles, EveryExtentComesBack) {
  for (int side = 1; side <= 70; ++side) {
    const int other = 1 + side * 37 % 70;
    const int bands = 1 + side % 4;
    SCOPED_TRACE(std::to_string(side) + "x" + std::to_string(other));
    const auto sets =
        sets_of({{.rows = side, .cols = other, .bands = bands}, {.rows = other, .cols = side, .bands = 1}});
    for (const int density : {1, 30, 100}) {
      expect_round_trip(sets, some_levels(levels_in(sets), density, 40, static_cast<uint32_t>(side)));
    }
  }
}

TEST(Tiles, EveryMagnitudeComesBack) {
  const auto sets = sets_of({{.rows = 256, .cols = 256, .bands = 1}});
  std::vector<Level> levels(65536);
  for (size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<Level>(static_cast<int>(i) - 32768);
  expect_round_trip(sets, levels);
  std::fill(levels.begin(), levels.end(), Level{-32768});
  expect_round_trip(sets, levels);
}

TEST(Tiles, LowpassesComeBackPredictedAndNot) {
  const auto sets =
      sets_of({{.rows = 45, .cols = 61, .bands = 1, .lowpass = true}, {.rows = 45, .cols = 61, .bands = 3}});
  auto levels = some_levels(levels_in(sets), 5, 9, 3);
  for (size_t i = 0; i < sets[0].levels(); ++i) levels[i] = static_cast<Level>(600 + i % 61);
  EXPECT_EQ(encoded(sets, levels)[0] & 1, 1);
  expect_round_trip(sets, levels);
  for (size_t i = 0; i < sets[0].levels(); ++i) levels[i] = static_cast<Level>(i % 7 == 0 ? 1000 : 0);
  EXPECT_EQ(encoded(sets, levels)[0] & 1, 0);
  expect_round_trip(sets, levels);
}

// Cost of a tile, level by level.
uint64_t cost_of(const TileSet& set, const TilePlace& place, const std::vector<Level>& levels) {
  uint64_t cost = 0;
  for (size_t b = 0; b < static_cast<size_t>(set.bands); ++b) {
    bool quads[8][8] = {};
    const uint64_t before = cost;
    for (int y = place.y(); y < std::min(place.y() + kTileSide, set.rows); ++y) {
      for (int x = place.x(); x < std::min(place.x() + kTileSide, set.cols); ++x) {
        const auto at = static_cast<size_t>(y) * static_cast<size_t>(set.cols) + static_cast<size_t>(x);
        const int magnitude = std::abs(int{levels[set.offsets[b] + at]});
        bool& quad = quads[(y - place.y()) / 2][(x - place.x()) / 2];
        if (magnitude != 0 && !std::exchange(quad, true)) cost += 8;
        if (magnitude < 2) continue;
        uint32_t s = 15;
        while (number_base(s) > static_cast<uint32_t>(magnitude) - 2) --s;
        cost += 4 + number_bits(s);
      }
    }
    if (cost != before) cost += 48;
  }
  return 12 + cost;
}

TEST(Tiles, PiecesBeginWhereSumsOfCostsSaySo) {
  const auto sets = sets_of({{.rows = 77, .cols = 144, .bands = 3},
                             {.rows = 400, .cols = 300, .bands = 1},
                             {.rows = 40, .cols = 72, .bands = 2}});
  for (const int density : {1, 30, 80}) {
    auto levels = some_levels(levels_in(sets), density, 500, 5);
    std::fill_n(levels.begin() + static_cast<ptrdiff_t>(sets[1].offsets[0]), sets[1].levels(), Level{0});
    levels[sets[1].offsets[0]] = -32768;
    std::vector<size_t> expected;
    uint64_t sum = 0;
    uint64_t number = 0;
    size_t tile = 0;
    for (const TileSet& s : sets) {
      TilePlace place(s, 0);
      for (size_t i = 0; i < s.tiles(); ++i, ++tile, place.next(s)) {
        const uint64_t cost = cost_of(s, place, levels);
        const uint64_t own = (std::exchange(sum, sum + cost) + cost / 2) / 3000;
        if (std::exchange(number, own) != own || tile == 0) expected.push_back(tile);
      }
    }
    std::vector<TilePiece> pieces;
    bool predicted = false;
    ASSERT_TRUE(read_tile_index(encoded(sets, levels), tile, pieces, predicted));
    std::vector<size_t> found;
    for (const TilePiece& p : pieces) found.push_back(p.first);
    EXPECT_EQ(found, expected);
  }
}

TEST(Tiles, ZerosAreEmpty) {
  const auto sets = sets_of({{.rows = 50, .cols = 40, .bands = 3}});
  const std::vector<Level> zeros(levels_in(sets));
  EXPECT_TRUE(encoded(sets, zeros).empty());
  std::vector<Level> back;
  EXPECT_TRUE(decodes(sets, {}, back));
  EXPECT_EQ(back, zeros);
}

TEST(Tiles, AnEncoderIsNotChangedByWhatItCoded) {
  const auto sets = sets_of({{.rows = 99, .cols = 130, .bands = 3}});
  TileEncoder encoder(sets);
  Growing<uint8_t> out;
  for (uint32_t seed = 0; seed < 5; ++seed) {
    const auto levels = some_levels(levels_in(sets), static_cast<int>(20 * seed), 99, seed);
    const Level* const planes[] = {levels.data()};
    const size_t size = encoder.encode(planes, {}, out);
    EXPECT_EQ(std::vector<uint8_t>(out.data(), out.data() + size), encoded(sets, levels));
  }
}

TEST(Tiles, AnEmptyPieceIsZeros) {
  const auto sets = sets_of({{.rows = 64, .cols = 160, .bands = 3}});
  const auto levels = some_levels(levels_in(sets), 60, 20, 9);
  const auto bytes = encoded(sets, levels);
  std::vector<TilePiece> pieces;
  bool predicted = false;
  ASSERT_TRUE(read_tile_index(bytes, sets[0].tiles(), pieces, predicted));
  ASSERT_GT(pieces.size(), 3U);
  Growing<uint8_t> head;
  TileIndexWriter index(head, pieces.size(), predicted, 0);
  std::vector<uint8_t> payload;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t size = i == 1 ? 0 : pieces[i].size;
    if (i + 1 < pieces.size()) index.put(pieces[i].tiles, size);
    const auto* const begin = bytes.data() + pieces[i].begin;
    payload.insert(payload.end(), begin, begin + size);
  }
  payload.insert(payload.begin(), head.data(), head.data() + index.size());
  auto expected = levels;
  TilePlace place(sets[0], pieces[1].first);
  for (size_t i = 0; i < pieces[1].tiles; ++i, place.next(sets[0])) {
    for (size_t b = 0; b < 3; ++b) {
      for (int y = place.y(); y < place.y() + kTileSide; ++y) {
        std::fill_n(expected.data() + sets[0].offsets[b] + static_cast<ptrdiff_t>(y) * 160 + place.x(),
                    kTileSide, Level{0});
      }
    }
  }
  std::vector<Level> back;
  ASSERT_TRUE(decodes(sets, payload, back));
  EXPECT_EQ(back, expected);
}

// Signs and raw bits of numbers are not coded with a model, so a piece in which only these are damaged is
// whole.
TEST(Tiles, DamageStaysInItsPiece) {
  const auto sets = sets_of({{.rows = 80, .cols = 144, .bands = 3}, {.rows = 40, .cols = 72, .bands = 2}});
  const auto levels = some_levels(levels_in(sets), 50, 20, 4);
  const auto bytes = encoded(sets, levels);
  std::vector<TilePiece> pieces;
  bool predicted = false;
  ASSERT_TRUE(read_tile_index(bytes, sets[0].tiles() + sets[1].tiles(), pieces, predicted));
  ASSERT_GT(pieces.size(), 4U);
  std::mt19937 random(1);
  size_t found = 0;
  size_t tried = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    // The levels of the piece's tiles.
    std::vector<bool> inside(levels.size());
    for (const TileSet& s : sets) {
      TilePlace place(s, 0);
      for (size_t t = s.first; t < s.first + s.tiles(); ++t, place.next(s)) {
        if (t < pieces[i].first || t >= pieces[i].first + pieces[i].tiles) continue;
        for (size_t l = 0; l < s.levels() * static_cast<size_t>(s.bands); ++l) {
          const auto y = static_cast<int>(l % s.levels()) / s.cols - place.y();
          const auto x = static_cast<int>(l % s.levels()) % s.cols - place.x();
          if (y >= 0 && y < kTileSide && x >= 0 && x < kTileSide) inside[s.offsets[0] + l] = true;
        }
      }
    }
    for (int k = 0; k < 20; ++k, ++tried) {
      auto damaged = bytes;
      damaged[pieces[i].begin + random() % pieces[i].size] ^= static_cast<uint8_t>(1U << random() % 8);
      std::vector<Level> back;
      int piece = -1;
      if (!decodes(sets, damaged, back, &piece)) {
        ++found;
        EXPECT_EQ(piece, static_cast<int>(i));
      }
      for (size_t l = 0; l < levels.size(); ++l) ASSERT_TRUE(inside[l] || back[l] == levels[l]);
    }
  }
  EXPECT_GT(found, tried * 3 / 4);
}

TEST(Tiles, SkipsSaveBytesAndBothSidesNeedThem) {
  auto sets = sets_of({{.rows = 90, .cols = 120, .bands = 3}});
  sets[0].row_shift = sets[0].col_shift = 1;
  std::vector<uint8_t> cells(23 * 30, 1);
  auto levels = some_levels(levels_in(sets), 40, 9, 11);
  for (size_t i = 0; i < levels.size(); ++i) {
    const size_t row = i % 10800 / 120 / 4;
    const size_t col = i % 120 / 4;
    const bool skipped = (row / 3 + col / 5) % 3 != 0;
    cells[row * 30 + col] = skipped ? 1 : 0;
    if (skipped && i % 1511 != 0) levels[i] = 0;  // some remain
  }
  const TileSide side{{cells.data(), 23, 30}};
  const auto bytes = encoded(sets, levels, side);
  EXPECT_LT(bytes.size(), encoded(sets, levels).size());
  std::vector<Level> back;
  ASSERT_TRUE(decodes(sets, bytes, back, nullptr, side));
  EXPECT_EQ(back, levels);
  EXPECT_FALSE(decodes(sets, bytes, back));
}

// Few large levels, then most of them.
TEST(Tiles, PiecesHaveTheirOwnModels) {
  const auto sets = sets_of({{.rows = 320, .cols = 96, .bands = 1}});
  auto levels = some_levels(levels_in(sets), 40, 1, 12);
  const auto large = some_levels(levels_in(sets), 40, 60, 13);
  const auto half = static_cast<ptrdiff_t>(levels.size() / 2);
  const auto size_of = [&](const std::vector<Level>& l) { return encoded(sets, l).size(); };
  const size_t apart = size_of(levels) / 2 + size_of(large) / 2;
  std::copy(large.begin() + half, large.end(), levels.begin() + half);
  expect_round_trip(sets, levels);
  EXPECT_NEAR(static_cast<double>(size_of(levels)), static_cast<double>(apart),
              0.02 * static_cast<double>(apart));
}

TEST(Tiles, AnyBytesEndInLevelsOrARefusal) {
  const auto sets =
      sets_of({{.rows = 33, .cols = 50, .bands = 4}, {.rows = 17, .cols = 5, .bands = 1, .lowpass = true}});
  const auto good = encoded(sets, some_levels(levels_in(sets), 20, 20, 7));
  std::vector<Level> back;
  // A state of 32 bits ends as 1 by chance now and then.
  size_t accepted = 0;
  for (size_t size = 1; size < good.size(); ++size) {
    accepted += decodes(sets, {good.begin(), good.begin() + static_cast<ptrdiff_t>(size)}, back) ? 1 : 0;
  }
  EXPECT_LT(accepted, good.size() / 100);
  auto longer = good;
  longer.push_back(0);
  EXPECT_FALSE(decodes(sets, longer, back));
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    std::vector<uint8_t> bytes(random() % 400);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random() >> 8);
    if (i % 2 == 0 && !bytes.empty()) bytes[0] = 0;  // one piece
    (void)decodes(sets, bytes, back);
    bytes = good;
    for (int k = 0; k < 3; ++k)
      bytes[random() % std::min<size_t>(bytes.size(), 40)] = static_cast<uint8_t>(random() >> 8);
    (void)decodes(sets, bytes, back);
  }
}

}  // namespace
}  // namespace ctv
