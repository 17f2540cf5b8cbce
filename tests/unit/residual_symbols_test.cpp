// SPDX-License-Identifier: BSD-3-Clause
// The symbols of predicted frames in macroblocks: random ones come back from regions and whole packets,
// damaged bytes are refused within the frame's memory, and every symbol has an interval.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "codec/entropy/residual_decoder.hpp"
#include "codec/entropy/residual_encoder.hpp"
#include "codec/entropy/residual_tables.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "tests/support/random.hpp"
#include "tests/support/residual.hpp"

namespace ctv {
namespace {

using test::coded_blocks;
using test::DrawnResidual;
using test::Random;

constexpr size_t kGuards = 16;
constexpr Level kGuardLevel = 1234;
constexpr uint8_t kGuardKind = 77;

/// A frame's grids, skips and residual. one_in: one of every n cells is skipped; 0: none.
struct ResidualFixture {
  ResidualFixture(int width, int height, int planes, ChromaShift chroma, int one_in, Random& random)
      : grid{ceil_div(height, kMacroblock), ceil_div(width, kMacroblock), planes, chroma},
        cells{kLog2Cell, ceil_div(height, kQuarterSide), ceil_div(width, kQuarterSide)} {
    for (size_t i = 0; i < cells.size(); ++i)
      skips.push_back(one_in != 0 && random.between(1, one_in) == 1 ? 1 : 0);
    drawn = test::draw_residual(grid, cells, skips.data(), false,
                                [&](int lo, int hi) { return random.between(lo, hi); });
  }
  CodedFrame frame() const {
    CodedFrame f;
    f.parameters.type = FrameType::kPredicted;
    f.side.skips = skips.data();
    f.side.macroblocks = drawn.macroblocks.data();
    for (size_t p = 0; p < 3; ++p) f.levels[p] = drawn.levels[p].data();
    return f;
  }

  MacroblockGrid grid;
  MotionGrid cells;
  std::vector<uint8_t> skips;
  DrawnResidual drawn;
};

/// What a decoder writes, with guards behind it.
struct DecodedResidual {
  explicit DecodedResidual(ResidualFixture& from) : grid(from.grid) {
    macroblocks.assign(grid.size() + kGuards, {kGuardKind, 0, 0, {0, 0}, 0});
    for (int p = 0; p < 3; ++p) {
      auto& plane = levels[static_cast<size_t>(p)];
      plane.assign((p < grid.planes ? grid.size() * grid.levels(p) : 0) + kGuards, kGuardLevel);
      buffers.levels[static_cast<size_t>(p)] = plane.data();
    }
    buffers.parameters.type = FrameType::kPredicted;
    buffers.side.skips = from.skips.data();
    buffers.side.macroblocks = macroblocks.data();
  }
  bool intact() const {
    return std::all_of(macroblocks.end() - kGuards, macroblocks.end(),
                       [](const Macroblock& m) { return m.kind == kGuardKind; }) &&
           std::ranges::all_of(levels, [](const auto& plane) {
             return std::all_of(plane.end() - kGuards, plane.end(), [](Level l) { return l == kGuardLevel; });
           });
  }
  void expect_equal(const DrawnResidual& drawn) const {
    for (size_t i = 0; i < grid.size(); ++i) {
      const Macroblock& m = drawn.macroblocks[i];
      const Macroblock& own = macroblocks[i];
      ASSERT_EQ(own.kind, m.kind) << i;
      ASSERT_EQ(own.quarters, m.quarters) << i;
      ASSERT_EQ(own.blocks, m.blocks) << i;
      ASSERT_EQ(own.chroma[0], m.chroma[0]) << i;
      ASSERT_EQ(own.chroma[1], m.chroma[1]) << i;
      for (int p = 0; p < grid.planes; ++p) {
        for (const auto& [first, count] : coded_blocks(grid, m, p)) {
          const size_t at = i * grid.levels(p) + first;
          const auto plane = static_cast<size_t>(p);
          ASSERT_TRUE(
              std::equal(&drawn.levels[plane][at], &drawn.levels[plane][at] + count, &levels[plane][at]))
              << "macroblock " << i << " plane " << p << " level " << first;
        }
      }
    }
  }

  MacroblockGrid grid;
  std::vector<Macroblock> macroblocks;
  std::array<std::vector<Level>, 3> levels;
  CodedFrameBuffers buffers;
};

std::vector<std::vector<uint8_t>> region_bytes(const ResidualEncoder& encoder,
                                               const Growing<uint8_t>& heads) {
  std::vector<std::vector<uint8_t>> all;
  for (const WrittenRegion& r : encoder.regions()) {
    std::vector<uint8_t> bytes(heads.data() + r.head_begin, heads.data() + r.head_begin + r.head_size);
    bytes.insert(bytes.end(), r.bytes.begin(), r.bytes.end());
    all.push_back(std::move(bytes));
  }
  return all;
}

const ChromaShift kSubsamplings[] = {{0, 0}, {0, 1}, {1, 1}};

TEST(ResidualSymbols, ComeBackInAnyNumberOfRegions) {
  Random random(1);
  size_t most = 0;
  for (const Extent extent : {Extent{1, 1}, {16, 16}, {17, 50}, {90, 130}, {300, 400}}) {
    for (const ChromaShift chroma : kSubsamplings) {
      for (const int planes : {1, 3}) {
        for (const int one_in : {0, 2, 1}) {
          for (const bool resilient : {false, true}) {
            SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " planes " << planes
                                            << " chroma " << chroma.y << "," << chroma.x << " one skipped in "
                                            << one_in << " resilient " << resilient);
            ResidualFixture f(extent.cols, extent.rows, planes, chroma, one_in, random);
            ResidualEncoder encoder(f.grid, f.cells, resilient);
            Growing<uint8_t> heads;
            encoder.encode(f.frame(), heads);
            const auto regions = region_bytes(encoder, heads);
            const bool any = std::ranges::any_of(f.drawn.macroblocks, &Macroblock::coded);
            ASSERT_EQ(regions.empty(), !any);
            ASSERT_LE(regions.size(), resilient ? kMostRegions : 1);
            most = std::max(most, regions.size());
            DecodedResidual decoded(f);
            RegionDecoder decoder(f.grid, f.cells);
            if (!any) {
              decoder.set_range(0, f.grid.size());
              ASSERT_TRUE(decoder.decode({}, decoded.buffers));
            }
            size_t first = 0;
            for (size_t i = 0; i < regions.size(); ++i) {
              const size_t count = encoder.regions()[i].macroblocks;
              decoder.set_range(first, count);
              ASSERT_TRUE(decoder.decode(regions[i], decoded.buffers)) << i;
              first += count;
            }
            ASSERT_EQ(first, any ? f.grid.size() : 0);
            EXPECT_TRUE(decoded.intact());
            decoded.expect_equal(f.drawn);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(most, 10U);
}

TEST(ResidualSymbols, OfARegionThatIsLostNothingIsCoded) {
  Random random(2);
  ResidualFixture f(200, 120, 3, {1, 1}, 5, random);
  DecodedResidual decoded(f);
  RegionDecoder decoder(f.grid, f.cells);
  decoder.set_range(3, 40);
  ASSERT_TRUE(decoder.decode({}, decoded.buffers));
  for (size_t i = 0; i < f.grid.size(); ++i) {
    EXPECT_EQ(decoded.macroblocks[i].kind, i >= 3 && i < 43 ? 0 : kGuardKind) << i;
  }
}

TEST(ResidualSymbols, DamagedRegionsNeverReachBeyondTheirMacroblocks) {
  Random random(3);
  for (const ChromaShift chroma : kSubsamplings) {
    ResidualFixture f(150, 100, 3, chroma, 4, random);
    ResidualEncoder encoder(f.grid, f.cells, true);
    Growing<uint8_t> heads;
    encoder.encode(f.frame(), heads);
    const auto regions = region_bytes(encoder, heads);
    ASSERT_GT(regions.size(), 2U);
    DecodedResidual decoded(f);
    RegionDecoder decoder(f.grid, f.cells);
    int refused = 0;
    constexpr int kTrials = 1500;
    for (int trial = 0; trial < kTrials; ++trial) {
      // The last region ends where the frame's memory does.
      std::vector<uint8_t> bytes = trial % 2 == 0 ? regions.back() : regions.front();
      const size_t count =
          trial % 2 == 0 ? encoder.regions().back().macroblocks : encoder.regions()[0].macroblocks;
      switch (random.between(0, 3)) {
        case 0:
          bytes.resize(static_cast<size_t>(random.between(1, 300)));
          std::ranges::generate(bytes, [&] { return random.byte(); });
          break;
        case 1:
          bytes.resize(static_cast<size_t>(random.between(1, static_cast<int>(bytes.size()) - 1)));
          break;
        default:
          for (int flips = random.between(1, 8); flips > 0; --flips)
            bytes[static_cast<size_t>(random.between(0, static_cast<int>(bytes.size()) - 1))] ^=
                static_cast<uint8_t>(1 << random.between(0, 7));
      }
      decoder.set_range(trial % 2 == 0 ? f.grid.size() - count : 0, count);
      bytes.shrink_to_fit();
      refused += decoder.decode(bytes, decoded.buffers) ? 0 : 1;
      ASSERT_TRUE(decoded.intact()) << trial;
    }
    EXPECT_GT(refused, kTrials * 9 / 10);
    // Afterwards sound ones decode.
    size_t first = 0;
    for (size_t i = 0; i < regions.size(); ++i) {
      decoder.set_range(first, encoder.regions()[i].macroblocks);
      ASSERT_TRUE(decoder.decode(regions[i], decoded.buffers));
      first += encoder.regions()[i].macroblocks;
    }
    decoded.expect_equal(f.drawn);
  }
}

TEST(ResidualSymbols, EverySymbolThatMayOccurHasAnInterval) {
  const SymbolTable* const tables = residual_tables();
  for (size_t t = 0; t < kResidualTables; ++t) {
    for (size_t s = 0; s < kTableSymbols; ++s) {
      const unsigned end = s + 1 < kTableSymbols ? tables[t].begin[s + 1] : kWhole;
      EXPECT_EQ(end > tables[t].begin[s], residual_symbol_occurs(t, s)) << t << ", " << s;
    }
  }
}

TEST(ResidualSymbols, NoOthersAreCoded) {
  Random random(4);
  const auto counts = std::make_unique<ResidualCounts>();
  for (const ChromaShift chroma : kSubsamplings) {
    for (const int one_in : {0, 3}) {
      ResidualFixture f(320, 240, 3, chroma, one_in, random);
      ResidualEncoder encoder(f.grid, f.cells, false);
      encoder.count_in(counts.get());
      Growing<uint8_t> heads;
      encoder.encode(f.frame(), heads);
    }
  }
  size_t used = 0;
  for (size_t t = 0; t < kResidualTables; ++t) {
    for (size_t s = 0; s < kTableSymbols; ++s) {
      EXPECT_TRUE((*counts)[t][s] == 0 || residual_symbol_occurs(t, s)) << t << ", " << s;
    }
    used += std::accumulate((*counts)[t].begin(), (*counts)[t].end(), uint64_t{0}) != 0 ? 1 : 0;
  }
  EXPECT_GT(used, kResidualTables * 3 / 4);
}

/// Predicted frames of macroblocks as whole packets.
class RegionPackets : public testing::Test {
 protected:
  void make(int width, int height, int one_in, bool resilient, int threads) {
    TransformParameters t;
    t.scales = 3;
    picture_ = {};
    picture_.planes = 3;
    picture_.width = width;
    picture_.height = height;
    picture_.chroma = {1, 1};
    for (int p = 0; p < 3; ++p) {
      const int side = p == 0 ? kMacroblock : kMacroblock / 2;
      picture_.subbands[static_cast<size_t>(p)] = make_layout(t, picture_.extent(p), {side, side});
    }
    header_.prediction = Prediction::kPicture;
    f_ = std::make_unique<ResidualFixture>(width, height, 3, picture_.chroma, one_in, random_);
    coder_ = std::make_unique<SymbolCoder>(picture_, header_, f_->cells, threads, resilient);
    vectors_.assign(f_->cells.size(), {});
    for (size_t i = 0; i < vectors_.size(); ++i) {
      if (f_->skips[i] == 0 && random_.between(0, 3) == 0)
        vectors_[i] = {static_cast<int16_t>(8 * random_.between(-9, 9)), 0};
    }
    changes_.assign(f_->cells.roots(), 0);
  }
  CodedFrame frame() const {
    CodedFrame f = f_->frame();
    f.parameters.reference = 1;
    f.side.vectors = vectors_.data();
    f.side.changes = changes_.data();
    return f;
  }
  Random random_{5};
  PictureLayout picture_;
  SequenceHeader header_;
  std::unique_ptr<ResidualFixture> f_;
  std::unique_ptr<SymbolCoder> coder_;
  std::vector<MotionVector> vectors_;
  std::vector<int64_t> changes_;
};

TEST_F(RegionPackets, ComeBackWholeWithAnyNumberOfThreads) {
  for (const bool resilient : {false, true}) {
    for (const Extent extent : {Extent{1, 1}, {40, 50}, {200, 300}}) {
      make(extent.cols, extent.rows, 4, resilient, 2);
      std::vector<uint8_t> packet;
      coder_->encode(frame(), packet);
      for (const int threads : {1, 5}) {
        SymbolCoder other(picture_, header_, f_->cells, threads, resilient);
        std::vector<uint8_t> again;
        other.encode(frame(), again);
        EXPECT_EQ(again, packet) << threads;
        DecodedResidual decoded(*f_);
        std::vector<MotionVector> vectors(vectors_.size());
        std::vector<uint8_t> skips(f_->skips.size(), 9);
        std::vector<int64_t> changes(changes_.size());
        decoded.buffers.side.vectors = vectors.data();
        decoded.buffers.side.skips = skips.data();
        decoded.buffers.side.changes = changes.data();
        ASSERT_TRUE(other.read_header(packet).ok());
        EXPECT_EQ(other.header().checked, resilient);
        ASSERT_TRUE(other.decode(packet, 1, decoded.buffers).ok());
        EXPECT_EQ(skips, f_->skips);
        EXPECT_EQ(vectors, vectors_);
        EXPECT_TRUE(decoded.intact());
        decoded.expect_equal(f_->drawn);
      }
    }
  }
}

TEST_F(RegionPackets, WithoutResidualHaveNoRegions) {
  make(100, 60, 1, true, 1);
  std::vector<uint8_t> packet;
  coder_->encode(frame(), packet);
  ASSERT_TRUE(coder_->read_header(packet).ok());
  EXPECT_TRUE(coder_->header().component_sizes.empty());
  DecodedResidual decoded(*f_);
  decoded.buffers.side.vectors = vectors_.data();
  decoded.buffers.side.changes = changes_.data();
  ASSERT_TRUE(coder_->decode(packet, 1, decoded.buffers).ok());
  decoded.expect_equal(f_->drawn);
}

TEST_F(RegionPackets, ALostRegionCostsItsMacroblocks) {
  make(300, 200, 6, true, 2);
  std::vector<uint8_t> packet;
  coder_->encode(frame(), packet);
  ASSERT_TRUE(coder_->read_header(packet).ok());
  const size_t regions = coder_->header().component_sizes.size();
  ASSERT_GT(regions, 3U);
  for (size_t lost = 0; lost < regions; ++lost) {
    DecodedResidual decoded(*f_);
    decoded.buffers.side.vectors = vectors_.data();
    decoded.buffers.side.changes = changes_.data();
    std::vector<uint8_t> missing(lost + 2);
    missing.back() = 1;
    ASSERT_TRUE(coder_->read_header(packet).ok());
    ASSERT_FALSE(coder_->decode(packet, 1, decoded.buffers, {false, missing}).ok());
    ASSERT_TRUE(coder_->decode(packet, 1, decoded.buffers, {true, missing}).ok());
    EXPECT_EQ(coder_->missing(), 1);
    DrawnResidual expected = f_->drawn;
    size_t emptied = 0;
    for (size_t i = 0; i < f_->grid.size(); ++i) {
      if (decoded.macroblocks[i].coded() || !expected.macroblocks[i].coded()) continue;
      expected.macroblocks[i] = {};
      ++emptied;
    }
    decoded.expect_equal(expected);
    EXPECT_GT(emptied, 0U);
    EXPECT_LT(emptied, f_->grid.size() / 2);
  }
}

}  // namespace
}  // namespace ctv
