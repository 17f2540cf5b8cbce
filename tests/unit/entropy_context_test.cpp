// SPDX-License-Identifier: BSD-3-Clause
// Levels by contexts: they come back from any geometry, density and size of level; zlib sees what the
// document says; damaged bytes end in an error within the levels' memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "codec/entropy/context_decoder.hpp"
#include "codec/entropy/context_encoder.hpp"
#include "tests/reference/quads.hpp"
#include "tests/support/inflate.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using Levels = std::vector<Level>;
using test::Random;

constexpr Level kGuard = 0x5a5a;
constexpr uint32_t kGuardPlace = 0x5a5a5a5a;

// Bands of one plane with guards around them, as pictures have them one after the other.
struct Part {
  std::vector<ContextBand> bands;
  Levels levels;

  void add(int rows, int cols, bool lowpass = false, int parent = -1, ParentGrid grid = ParentGrid::kHalf) {
    if (levels.empty()) levels.assign(8, kGuard);
    ContextBand b{.rows = rows, .cols = cols};
    b.offset = levels.size();
    b.lowpass = lowpass;
    b.parent = parent;
    b.parent_grid = grid;
    bands.push_back(b);
    levels.resize(levels.size() + static_cast<size_t>(rows) * static_cast<size_t>(cols));
    levels.resize(levels.size() + 8, kGuard);
    link_siblings(bands);
  }
  template <typename Fill>
  void fill(Fill level) {
    for (const ContextBand& b : bands) {
      std::generate_n(levels.begin() + static_cast<std::ptrdiff_t>(b.offset), b.rows * b.cols, level);
    }
  }
};

Bytes encode(const Part& part) {
  ContextEncoder encoder(part.bands);
  Growing<uint8_t> out;
  Levels copy = part.levels;
  const Level* const planes[1] = {copy.data()};
  const size_t size = encoder.encode(planes, out);
  return {out.data(), out.data() + size};
}

// From events by definition: what a backend brings that has found them itself.
Bytes encode_events(const Part& part) {
  ContextEncoder encoder(part.bands);
  Growing<uint8_t> out;
  Levels levels = part.levels;
  const Level* const planes[1] = {levels.data()};
  const reference::FoundQuads found = reference::QuadsByDefinition(part.bands, planes).find();
  const size_t size = encoder.encode(planes, found.view(), out);
  return {out.data(), out.data() + size};
}

bool decode(ContextDecoder& decoder, const Bytes& bytes, Levels& levels) {
  Level* const planes[1] = {levels.data()};
  return decoder.decode(bytes, planes);
}

size_t quads_of(const Part& part) {
  size_t quads = 0;
  for (const ContextBand& b : part.bands) quads += b.quads();
  return quads;
}

bool may_travel_as_list(const Part& part) {
  return std::none_of(part.bands.begin(), part.bands.end(), [](const ContextBand& b) {
    return b.lowpass || (b.parent >= 0 && b.parent_grid == ParentGrid::kHalf);
  });
}

// Levels from the list of quads that a backend would bring up.
Levels levels_of_list(const Part& part, const Bytes& bytes) {
  Levels levels = part.levels;
  std::vector<QuadEntry> entries(quads_of(part));
  for (const ContextBand& b : part.bands) {
    std::fill_n(levels.begin() + static_cast<std::ptrdiff_t>(b.offset), b.rows * b.cols, Level{0});
  }
  QuadList list{entries.data(), 77};
  ContextDecoder decoder(part.bands);
  EXPECT_TRUE(decoder.decode(bytes, list));
  for (size_t i = 0; i < list.count; ++i) {
    size_t place = entries[i].place;
    size_t band = 0;
    while (place >= part.bands[band].quads()) place -= part.bands[band++].quads();
    const ContextBand& b = part.bands[band];
    EXPECT_TRUE(std::any_of(entries[i].levels, entries[i].levels + 4, [](int16_t l) { return l != 0; }));
    for (size_t k = 0; k < 4; ++k) {
      const size_t y = 2 * (place / static_cast<size_t>(b.quad_cols())) + k / 2;
      const size_t x = 2 * (place % static_cast<size_t>(b.quad_cols())) + k % 2;
      if (y >= static_cast<size_t>(b.rows) || x >= static_cast<size_t>(b.cols)) continue;
      levels[b.offset + y * static_cast<size_t>(b.cols) + x] = entries[i].levels[k];
    }
  }
  return levels;
}

// Other levels than those expected, guards alike.
Levels spoilt(const Part& part) {
  Part other = part;
  other.fill([] { return Level{-77}; });
  return other.levels;
}

void expect_round_trip(const Part& part, const char* what) {
  const Bytes bytes = encode(part);
  ASSERT_EQ(bytes, encode_events(part)) << what;
  if (may_travel_as_list(part)) {
    ASSERT_EQ(levels_of_list(part, bytes), part.levels) << what;
  }
  if (!bytes.empty()) {
    ASSERT_TRUE(test::inflate(std::span(bytes).subspan(4)).has_value()) << what;
  }
  ContextDecoder decoder(part.bands);
  for (int again = 0; again < 2; ++again) {
    Levels levels = spoilt(part);
    ASSERT_TRUE(decode(decoder, bytes, levels)) << what;
    ASSERT_EQ(levels, part.levels) << what;
  }
}

Part random_part(Random& random) {
  Part part;
  const int count = random.between(1, 6);
  for (int b = 0; b < count; ++b) {
    int rows = random.between(1, 24);
    int cols = random.between(1, 40);
    int parent = -1;
    auto grid = ParentGrid::kHalf;
    if (b > 0 && random.between(0, 1) != 0) {  // a sibling, perhaps also a child
      rows = part.bands[0].rows;
      cols = part.bands[0].cols;
    }
    const bool lowpass = b == 0 && random.between(0, 1) != 0;
    if (b > 0 && !part.bands.back().lowpass && random.between(0, 1) != 0) {
      parent = b - 1;
      grid = random.between(0, 1) != 0 ? ParentGrid::kHalf : ParentGrid::kSame;
    }
    part.add(rows, cols, lowpass, parent, grid);
  }
  const int density = random.between(0, 3) == 0 ? 1 : random.between(1, 40);
  const int largest = 1 << random.between(0, 15);
  part.fill([&] {
    return random.between(1, density) > 1
               ? Level{0}
               : static_cast<Level>(random.between(-largest, std::min(largest, 32767)));
  });
  return part;
}

TEST(Context, RandomPartsComeBack) {
  Random random(1);
  for (int trial = 0; trial < 1500; ++trial) {
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(random_part(random), "random"));
  }
}

TEST(Context, ExtremeLevelsComeBack) {
  for (const int v : {-32768, -32767, 32767, 1, -1, 2, 17, 18}) {
    Part part;
    part.add(7, 9, true);
    part.add(14, 18);
    part.add(14, 18);
    part.fill([v] { return static_cast<Level>(v); });
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(part, "constant"));
    bool odd = false;
    part.fill([&odd, v] { return (odd = !odd) ? static_cast<Level>(v) : Level{32767}; });
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(part, "alternating"));
  }
}

TEST(Context, TheSmallestBandsComeBack) {
  for (int rows = 1; rows <= 3; ++rows) {
    for (int cols = 1; cols <= 3; ++cols) {
      for (int at = 0; at < rows * cols; ++at) {
        Part part;
        part.add(rows, cols);
        part.levels[part.bands[0].offset + static_cast<size_t>(at)] = -3;
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(part, "single"));
      }
    }
  }
}

TEST(Context, RunsBeyondSixteenBitsComeBack) {
  Part part;
  part.add(1200, 1200);
  part.levels[part.bands[0].offset + 1199 * 1200 + 600] = 1;
  const Bytes bytes = encode(part);
  EXPECT_LT(bytes.size(), 40U);
  ASSERT_NO_FATAL_FAILURE(expect_round_trip(part, "long run"));
}

TEST(Context, NothingButZerosIsNoBytes) {
  Part part;
  part.add(9, 9, true);
  part.add(18, 18);
  EXPECT_TRUE(encode(part).empty());
  ASSERT_NO_FATAL_FAILURE(expect_round_trip(part, "zeros"));
  // Also where zero is what the prediction says.
  part.levels[part.bands[0].offset] = 5;
  EXPECT_FALSE(encode(part).empty());
}

TEST(Context, OneLevelIsTheBytesThatTheDocumentSays) {
  Part part;
  part.add(4, 4);
  part.levels[part.bands[0].offset + 10] = -1;  // row 2, column 2: quad 3, position 0
  const Bytes bytes = encode(part);
  const Bytes head(4, 0);  // no prediction, one table of quads, one of magnitudes
  ASSERT_EQ(Bytes(bytes.begin(), bytes.begin() + 4), head);
  const auto inflated = test::inflate(std::span(bytes).subspan(4));
  ASSERT_TRUE(inflated.has_value());
  // Run of three zeros; symbol 4 (digits 1000 are the last of the four with sum 1); no magnitudes; sign.
  EXPECT_EQ(*inflated, (Bytes{3, 4, 1}));
}

TEST(Context, OneInputGivesOneStreamWhateverCameBefore) {
  Random random(6);
  for (int trial = 0; trial < 50; ++trial) {
    Part part = random_part(random);
    const Bytes bytes = encode(part);
    ContextEncoder encoder(part.bands);
    Growing<uint8_t> out;
    const Levels levels = part.levels;
    const Level* const planes[1] = {part.levels.data()};
    part.fill([&] { return static_cast<Level>(random.between(-40, 40)); });
    (void)encoder.encode(planes, out);
    part.levels = levels;
    const Level* const same[1] = {part.levels.data()};
    const size_t size = encoder.encode(same, out);
    ASSERT_EQ(Bytes(out.data(), out.data() + size), bytes);
  }
}

TEST(Context, DamagedBytesEndWithinTheLevels) {
  Random random(7);
  int refused = 0;
  int accepted = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Part part = random_part(random);
    const Bytes bytes = encode(part);
    ContextDecoder decoder(part.bands);
    for (int damage = 0; damage < 12 && !bytes.empty(); ++damage) {
      Bytes bad = bytes;
      for (int flips = random.between(1, 3); flips > 0; --flips) {
        bad[static_cast<size_t>(random.between(0, static_cast<int>(bad.size()) - 1))] ^=
            static_cast<uint8_t>(1 << random.between(0, 7));
      }
      if (random.between(0, 3) == 0)
        bad.resize(static_cast<size_t>(random.between(1, static_cast<int>(bad.size()))));
      if (random.between(0, 5) == 0)
        std::generate(bad.begin() + std::min<std::ptrdiff_t>(4, std::ssize(bad)), bad.end(),
                      [&] { return random.byte(); });
      Levels levels = spoilt(part);
      const bool sound = decode(decoder, bad, levels);
      ++(sound ? accepted : refused);
      if (may_travel_as_list(part)) {
        std::vector<QuadEntry> entries(quads_of(part) + 1, {kGuardPlace, {}});
        QuadList list{entries.data(), 0};
        ASSERT_EQ(decoder.decode(bad, list), sound);
        ASSERT_EQ(entries.back().place, kGuardPlace);
      }
      for (size_t b = 0; b < part.bands.size(); ++b) {
        const size_t end =
            part.bands[b].offset + static_cast<size_t>(part.bands[b].rows * part.bands[b].cols);
        for (size_t i = 0; i < 8; ++i) ASSERT_EQ(levels[end + i], kGuard);
      }
    }
  }
  EXPECT_GT(refused, accepted);
}

TEST(Context, BytesCutOrLongerAreRefused) {
  Random random(8);
  for (int trial = 0; trial < 40; ++trial) {
    const Part part = random_part(random);
    const Bytes bytes = encode(part);
    ContextDecoder decoder(part.bands);
    Levels levels = spoilt(part);
    for (size_t size = 1; size < bytes.size(); size += 1 + size / 16) {
      EXPECT_FALSE(
          decode(decoder, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), levels));
    }
    if (bytes.empty()) continue;
    Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(decode(decoder, longer, levels));
  }
}

TEST(Context, TheBytesOfALargerBandAreRefused) {
  Part part;
  part.add(16, 16);
  part.fill([] { return Level{1}; });
  const Bytes bytes = encode(part);
  for (const int rows : {1, 8, 14}) {
    Part other;
    other.add(rows, 16);
    ContextDecoder decoder(other.bands);
    EXPECT_FALSE(decode(decoder, bytes, other.levels)) << rows;
  }
}

TEST(Context, ARunBeyondTheBandIsRefused) {
  Part part;
  part.add(64, 64);
  part.levels[part.bands[0].offset + 63 * 64 + 63] = 1;
  const Bytes bytes = encode(part);
  for (const int rows : {2, 32, 62}) {
    Part other;
    other.add(rows, 64);
    ContextDecoder decoder(other.bands);
    EXPECT_FALSE(decode(decoder, bytes, other.levels)) << rows;
  }
}

TEST(ContextBands, EveryLayoutHasParentsBeforeTheirChildrenAndOfFittingExtent) {
  for (const auto pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet5_3, Pyramid::kWavelet13_7}) {
    for (const std::array<uint8_t, kMaxScales> directions :
         {std::array<uint8_t, kMaxScales>{2}, {}, {1, 2, 3, 4}, {3, 3, 2, 2}, {2, 0, 2, 0}, {1, 1, 1, 0}}) {
      TransformParameters t;
      t.pyramid = pyramid;
      t.scales = 4;
      t.directions_log2 = directions;
      PictureLayout picture;
      picture.chroma = {1, 1};
      picture.width = 97;
      picture.height = 61;
      for (int p = 0; p < 3; ++p)
        picture.subbands[static_cast<size_t>(p)] = make_layout(t, picture.extent(p));
      const auto components =
          make_components(picture, {ComponentScope::kLayer, 5, 0}, EntropyCoding::kContext);
      ASSERT_EQ(components.size(), 1U);
      const auto bands = make_context_bands(picture, components[0]);
      ASSERT_EQ(bands.size(), 3 * picture.subbands[0].subbands.size());
      size_t levels = 0;
      int parents = 0;
      for (size_t b = 0; b < bands.size(); ++b) {
        levels += static_cast<size_t>(bands[b].rows) * static_cast<size_t>(bands[b].cols);
        for (const int s : bands[b].siblings) {
          ASSERT_LT(s, static_cast<int>(b));
          if (s < 0) continue;
          EXPECT_EQ(bands[static_cast<size_t>(s)].rows, bands[b].rows);
          EXPECT_EQ(bands[static_cast<size_t>(s)].cols, bands[b].cols);
        }
        ASSERT_LT(bands[b].parent, static_cast<int>(b));
        if (bands[b].parent < 0) continue;
        ++parents;
        const ContextBand& parent = bands[static_cast<size_t>(bands[b].parent)];
        EXPECT_FALSE(parent.lowpass);
        EXPECT_EQ(parent.plane, bands[b].plane);
        const int scale = bands[b].parent_grid == ParentGrid::kHalf ? 2 : 1;
        EXPECT_EQ(parent.rows * scale, bands[b].rows);
        EXPECT_EQ(parent.cols * scale, bands[b].cols);
      }
      EXPECT_EQ(levels, components[0].levels);
      const bool undirected = directions[0] == 0 && directions[1] == 0;
      if (undirected) {
        EXPECT_EQ(parents, pyramid == Pyramid::kLaplacian ? 9 : 27);
      }
    }
  }
}

}  // namespace
}  // namespace ctv
