// SPDX-License-Identifier: BSD-3-Clause
// Compares the tables of constants of docs/bitstream.md with the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/dsp/dct.hpp"
#include "codec/dsp/directional.hpp"
#include "codec/dsp/laplacian.hpp"
#include "codec/dsp/loop_filter.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "codec/entropy/motion_tree.hpp"
#include "codec/entropy/range_coder.hpp"
#include "codec/format/directional_plan.hpp"
#include "codec/format/gain_table.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/slope_grid.hpp"
#include "codec/model/residual_contexts.hpp"
#include "tests/reference/directional.hpp"
#include "tests/support/document.hpp"

namespace ctv {
namespace {

using test::numbers;
using test::Row;
using test::table;

/// The numbers of column `col`, row by row, from a table with `rows` rows.
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
      const LoopFilter f = loop_filter(16, key, chroma, 0);
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

/// Where a class that grows with a value rises, of the values below `end`.
template <typename F>
std::vector<int> thresholds(int end, F class_of) {
  std::vector<int> out;
  for (int i = 1; i < end; ++i) {
    if (class_of(i) != class_of(i - 1)) out.push_back(i);
  }
  return out;
}

TEST(Document, Macroblocks) {
  const auto firsts = column("residual tables", 10);
  const std::vector<uint32_t> expected = {kModeTable,  kQuarterTable, kBlocksTable,   kChromaTable,
                                          kLastTable,  kLastLowTable, kLastQuadTable, kQuadTable,
                                          kLargeTable, kEscapeTable};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(firsts[i], std::vector{static_cast<int>(expected[i])});
  for (size_t i = 0; i < kBlockTypes; ++i) {
    const auto type = static_cast<BlockType>(i);
    const int side = quads_on_side(type);
    EXPECT_EQ(column("block types", kBlockTypes, 1)[i], std::vector{side});
    EXPECT_EQ(column("block types", kBlockTypes, 2)[i],
              thresholds(16, [&](int diagonal) { return frequency_class(side, diagonal); }));
    EXPECT_EQ(column("block types", kBlockTypes, 3)[i],
              thresholds(64, [&](int last) { return block_density(type, static_cast<uint32_t>(last)); }));
  }
}

template <int kSize>
void check_dct() {
  const auto rows = column("DCT " + std::to_string(kSize), kSize);
  for (size_t k = 0; k < kSize; ++k)
    EXPECT_EQ(rows[k], listed(kSize, [&](int n) { return DctMatrix<kSize>::kRows[k][n]; }));
}

TEST(Document, Dct) {
  check_dct<4>();
  check_dct<8>();
  check_dct<16>();
}

TEST(Document, Motion) {
  const auto adaptation = column("adaptation", 4);
  EXPECT_EQ(adaptation[0].at(0), AdaptiveBit::kFast);
  EXPECT_EQ(adaptation[1].at(0), AdaptiveBit::kSlow);
  EXPECT_EQ(adaptation[2].at(0), AdaptiveBit::kPriorBits);
  EXPECT_EQ(adaptation[3].at(0), AdaptiveBit::kLeast);
  const std::vector<int> expected(kDifferenceThresholds.begin(), kDifferenceThresholds.end());
  for (const auto& row : column("vector contexts", 2, 2)) EXPECT_EQ(row, expected);
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
