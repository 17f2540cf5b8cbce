// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/motion_decisions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ctv {
namespace {

TEST(OverlapWeights, OppositeWeightsSumTo32AndRise) {
  for (int log2_size = 0; log2_size <= 5; ++log2_size) {
    const int size = 1 << log2_size;
    for (int i = 0; i < size; ++i) {
      EXPECT_EQ(overlap_weight(log2_size, i) + overlap_weight(log2_size, size - 1 - i), 32)
          << log2_size << " " << i;
      EXPECT_GE(overlap_weight(log2_size, i), i > 0 ? overlap_weight(log2_size, i - 1) : 0);
    }
  }
}

TEST(OverlapWeights, AreAStraightLineToTheNearest32nd) {
  for (int log2_size = 0; log2_size <= 5; ++log2_size) {
    const int size = 1 << log2_size;
    for (int i = 0; i < size; ++i) {
      EXPECT_LE(std::abs(overlap_weight(log2_size, i) - 32 * (i + 0.5) / size), 0.5) << log2_size << " " << i;
    }
  }
}

TEST(BlockPairs, MeetInTheMiddleOfBlocksAndGiveTheirWholeWeight) {
  for (const int shift : {0, 1, 3}) {
    for (const int log2_block : {3, 4, 5}) {
      const int size = 1 << (log2_block - shift);
      const int count = 3;
      for (int s = 0; s < count * size; ++s) {
        const BlockPair pair = block_pair(s, shift, log2_block, count);
        EXPECT_EQ(block_of(s, shift, log2_block, count), s / size);
        // one of the two is the block the sample lies in, the other the nearer neighbour, or itself at the
        // border
        EXPECT_TRUE(pair.first == s / size || pair.second == s / size);
        const bool left_half = s % size < size / 2;
        EXPECT_EQ(pair.first, size == 1 ? s : std::max(0, s / size - (left_half ? 1 : 0)));
        EXPECT_EQ(pair.second, size == 1 ? s : std::min(count - 1, s / size + (left_half ? 0 : 1)));
        EXPECT_GE(pair.weight, 0);
        EXPECT_LE(pair.weight, 32);
        if (size > 1) {
          EXPECT_EQ(2 * pair.weight > 32, left_half) << "the sample's own block weighs more";
        }
      }
    }
  }
}

TEST(Displacement, SplitsAVectorIntoWholeSamplesAndEighths) {
  for (int shift = 0; shift <= 4; ++shift) {
    for (int v = -300; v <= 300; ++v) {
      const Displacement d = displacement(v, shift);
      const int eighths = static_cast<int>(std::nearbyint(std::ldexp(v, -shift)));  // halves to even
      EXPECT_EQ(8 * d.whole + d.eighth, eighths);
      EXPECT_GE(d.eighth, 0);
      EXPECT_LT(d.eighth, 8);
    }
  }
}

TEST(InterpolationWeights, SumTo64AndMirror) {
  for (int eighth = 0; eighth < 8; ++eighth) {
    int sum = 0;
    for (int tap = 0; tap < kInterpolationTaps; ++tap) {
      sum += interpolation_weight(eighth, tap);
      if (eighth == 0) continue;
      EXPECT_EQ(interpolation_weight(eighth, tap),
                interpolation_weight(8 - eighth, kInterpolationTaps - 1 - tap))
          << eighth << " " << tap;
    }
    EXPECT_EQ(sum, 64) << eighth;
    EXPECT_EQ(interpolation_weight(0, eighth), eighth == kInterpolationBefore ? 64 : 0);
  }
}

TEST(InterpolationWeights, MoveAStraightRampByTheDisplacement) {
  for (int eighth = 0; eighth < 8; ++eighth) {
    int moment = 0;  // in 64ths of a sample
    for (int tap = 0; tap < kInterpolationTaps; ++tap) {
      moment += interpolation_weight(eighth, tap) * (tap - kInterpolationBefore);
    }
    EXPECT_LE(std::abs(moment - 8 * eighth), 3) << eighth;
  }
}

TEST(InterpolationWeights, FlatAreasStayAndHalvesRoundUp) {
  EXPECT_EQ(round_interpolated(200 * 4096), 200);
  EXPECT_EQ(round_interpolated(200 * 4096 + 2047), 200);
  EXPECT_EQ(round_interpolated(200 * 4096 + 2048), 201);
}

TEST(CandidateRank, IsUniqueAndPutsShortVectorsThenRasterOrderFirst) {
  for (const int range : {0, 1, 4, 8, 16, kMaxSearchRange}) {
    std::set<uint32_t> seen;
    for (int dy = -range; dy <= range; ++dy) {
      for (int dx = -range; dx <= range; ++dx) {
        EXPECT_TRUE(seen.insert(candidate_rank(dy, dx, range)).second) << range << " " << dy << " " << dx;
      }
    }
    EXPECT_EQ(*seen.begin(), candidate_rank(0, 0, range));
  }
  EXPECT_LT(candidate_rank(0, 1, 8), candidate_rank(1, 1, 8));    // shorter
  EXPECT_LT(candidate_rank(-1, 0, 8), candidate_rank(0, -1, 8));  // equally short: the upper row
  EXPECT_LT(candidate_rank(0, -1, 8), candidate_rank(0, 1, 8));   // same row: the left one
  EXPECT_LT(candidate_rank(-8, -8, 8), candidate_rank(-8, 8, 8));
}

TEST(ScaleVector, RoundsToTheNearestHalvesTowardsPlusInfinity) {
  for (int shift = 0; shift <= 10; ++shift) {
    for (int v = -260; v <= 260; ++v) {
      EXPECT_EQ(scale_vector(v, shift),
                static_cast<int>(std::floor(std::ldexp(v, -shift) + (shift > 0 ? 0.5 : 0.0))));
    }
  }
}

}  // namespace
}  // namespace ctv
