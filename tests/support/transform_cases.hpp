// SPDX-License-Identifier: BSD-3-Clause
// Tests for every TransformCoder, written once: a backend provides a TransformMaker, whose coder takes and
// returns host memory, and calls these bodies.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/backend/backend.hpp"
#include "tests/reference/transform.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"

namespace ctv::test {

/// A TransformCoder with vectors as arguments. A coder of another address space copies before and after the
/// calls.
class HostTransform {
 public:
  virtual ~HostTransform() = default;
  virtual Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                         std::span<const SubbandQuantiser> quantisers, std::vector<Level>& levels) = 0;
  virtual Status inverse(const std::vector<Level>& levels, std::span<const SubbandQuantiser> quantisers,
                         PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                         PlaneView<Sample> samples) = 0;

  // Arguments of the calls.
  std::vector<int8_t> slopes;     // an array of SlopeGrid; empty: none
  CompensationGeometry geometry;  // at full resolution
  std::vector<uint8_t> skips;     // [grid.rows][grid.cols]; empty: none
};

/// Makes the coder under test. `variant` (threads, engine) must not change results.
using TransformMaker = std::function<std::unique_ptr<HostTransform>(const SubbandLayout&, int variant)>;

inline constexpr Pyramid kAllPyramids[] = {Pyramid::kLaplacian, Pyramid::kWavelet5_3, Pyramid::kWavelet9_7};

struct TransformCase {
  TransformParameters transform;
  Extent extent;
  uint64_t seed = 1;
  SubbandLayout layout() const { return make_layout(transform, extent); }
  /// An array of SlopeGrid with random slopes, in all scales but one, and directions, for a transform that
  /// may have them.
  std::vector<int8_t> slopes() const {
    const SlopeGrid grid = make_slope_grid(layout());
    std::vector<int8_t> all(grid.size());
    Random random(seed + 77);
    const int without = random.between(0, 2 * kSlopedScales);
    for (int scale = 1; scale <= grid.scales; ++scale) {
      if (scale == without) continue;
      all[static_cast<size_t>(scale - 1)] = 1;
      for (size_t i = 0; i < grid.extent(scale).area(); ++i)
        all[grid.offset(scale) + i] = static_cast<int8_t>(random.between(0, kSlopeCount - 1));
    }
    for (size_t i = kSlopedScales; grid.directed && i < SlopeGrid::kHead; ++i)
      all[i] = static_cast<int8_t>(random.between(0, kDirectedDepth));
    return all;
  }
};

inline std::string name_of(const TransformCase& c) {
  const TransformParameters& t = c.transform;
  const std::string extent = " extent " + std::to_string(c.extent.rows) + "x" + std::to_string(c.extent.cols);
  std::string s = t.pyramid == Pyramid::kLaplacian    ? "laplacian"
                  : t.pyramid == Pyramid::kWavelet5_3 ? "5/3"
                                                      : "9/7";
  s += t.projection ? " projection" : "";
  s += t.directional_lifting ? " with slopes" : "";
  s += " levels " + std::to_string(t.scales) + " directions";
  for (int i = 0; i < t.scales; ++i)
    s += " " + std::to_string(1 << t.directions_log2[static_cast<size_t>(i)]);
  s += " fraction " + std::to_string(t.fraction_bits);
  return s + extent;
}

inline TransformParameters transform_of(Pyramid pyramid, int levels, std::vector<int> directions_log2,
                                        int fraction_bits = 2, bool projection = false) {
  TransformParameters t;
  t.pyramid = pyramid;
  t.scales = levels;
  for (size_t i = 0; i < directions_log2.size(); ++i)
    t.directions_log2[i] = static_cast<uint8_t>(directions_log2[i]);
  t.fraction_bits = fraction_bits;
  t.projection = projection;
  return t;
}

/// The 9/7 with slopes.
inline TransformParameters sloped(int scales, int fraction_bits, std::vector<int> directions_log2 = {}) {
  TransformParameters t =
      transform_of(Pyramid::kWavelet9_7, scales, std::move(directions_log2), fraction_bits);
  t.directional_lifting = true;
  return t;
}

inline std::vector<SubbandQuantiser> lossless(const SubbandLayout& layout) {
  return std::vector<SubbandQuantiser>(layout.subbands.size());
}
inline std::vector<SubbandQuantiser> lossy(const SubbandLayout& layout, uint32_t step) {
  std::vector<SubbandQuantiser> q(layout.subbands.size());
  for (size_t i = 0; i < q.size(); ++i) {
    q[i].step = step + static_cast<uint32_t>(i);
    q[i].multiplier = ((1U << 20) + q[i].step / 2) / q[i].step;
    q[i].rounding_offset = 20000 + static_cast<uint32_t>(i);
    q[i].reconstruction_offset = i == 0 ? 0 : 3;
  }
  return q;
}

/// Noise in [lo, hi], half of it exactly lo or hi.
inline GuardedPlane<Sample> extreme_plane(Extent e, int lo, int hi, uint64_t seed) {
  GuardedPlane<Sample> plane(e);
  Random random(seed);
  for (int r = 0; r < e.rows; ++r) {
    for (int c = 0; c < e.cols; ++c) {
      const int k = random.between(0, 3);
      plane.at(r, c) = static_cast<Sample>(k == 0 ? lo : k == 1 ? hi : random.between(lo, hi));
    }
  }
  return plane;
}

/// Lossless quantisers reproduce any samples, with and without prediction.
inline void check_reversible(const TransformMaker& make, const TransformCase& c, int variant) {
  SCOPED_TRACE(name_of(c) + " variant " + std::to_string(variant));
  const SubbandLayout layout = c.layout();
  const auto coder = make(layout, variant);
  ASSERT_NE(coder, nullptr);
  coder->slopes = c.slopes();
  const Extent e = layout.padded;
  const GuardedPlane<Sample> pictures[] = {random_plane<Sample>(e.rows, e.cols, 0, 255, c.seed),
                                           extreme_plane(e, -255, 255, c.seed + 1),
                                           GuardedPlane<Sample>(e, 255)};
  for (const auto& picture : pictures) {
    for (const bool predicted : {false, true}) {
      const auto prediction = extreme_plane(e, -255, 255, c.seed + 2);
      const PlaneView<const Sample> p = predicted ? prediction.view() : PlaneView<const Sample>{};
      std::vector<Level> levels(layout.num_coefficients + 8, 4711);
      ASSERT_TRUE(coder->forward(picture.view(), p, 128, lossless(layout), levels).ok());
      for (size_t i = layout.num_coefficients; i < levels.size(); ++i)
        ASSERT_EQ(levels[i], 4711) << "level written beyond the end";
      GuardedPlane<Sample> result(e);
      ASSERT_TRUE(coder->inverse(levels, lossless(layout), p, 128, {-255, 255}, 0, result.view()).ok());
      ASSERT_TRUE(result.intact());
      ASSERT_EQ(result.values(), picture.values());
    }
  }
}

/// Levels and pictures at every reduction equal the reference's, also quantised. Extreme levels do no harm.
inline void check_reference(const TransformMaker& make, const TransformCase& c, int variant) {
  SCOPED_TRACE(name_of(c) + " variant " + std::to_string(variant));
  const SubbandLayout layout = c.layout();
  const auto coder = make(layout, variant);
  ASSERT_NE(coder, nullptr);
  coder->slopes = c.slopes();
  const Extent e = layout.padded;
  const auto picture = random_plane<Sample>(e.rows, e.cols, 0, 255, c.seed);
  const auto prediction = random_plane<Sample>(e.rows, e.cols, 0, 255, c.seed + 1);
  reference::Grid difference(e.rows, e.cols);
  for (int r = 0; r < e.rows; ++r) {
    for (int x = 0; x < e.cols; ++x) difference.at(r, x) = picture.at(r, x) - prediction.at(r, x);
  }
  for (const auto& quantisers : {lossless(layout), lossy(layout, 100)}) {
    std::vector<Level> levels(layout.num_coefficients);
    ASSERT_TRUE(coder->forward(picture.view(), prediction.view(), 0, quantisers, levels).ok());
    ASSERT_EQ(levels, reference::forward(layout, difference, quantisers, coder->slopes));
    std::vector<Level> wild(layout.num_coefficients);
    Random random(c.seed + 3);
    for (Level& l : wild) l = static_cast<Level>(random.between(-32768, 32767));
    for (const auto& in : {levels, wild}) {
      for (int reduction = 0; reduction <= c.transform.scales; ++reduction) {
        const reference::Grid expected = reference::inverse(layout, in, quantisers, reduction, coder->slopes);
        // In place: the result overwrites the prediction.
        GuardedPlane<Sample> result = random_plane<Sample>(expected.rows, expected.cols, 0, 255, c.seed + 2);
        std::vector<Sample> sum = result.values();
        for (size_t i = 0; i < sum.size(); ++i) {
          sum[i] = static_cast<Sample>(std::clamp<int64_t>(expected.values[i] + sum[i], 0, 255));
        }
        ASSERT_TRUE(
            coder->inverse(in, quantisers, result.view(), 0, {0, 255}, reduction, result.view()).ok());
        ASSERT_TRUE(result.intact());
        ASSERT_EQ(result.values(), sum) << "reduction " << reduction;
      }
    }
  }
}

/// As check_reference() with skipped cells: the residual there is 0, and pictures are the clamped prediction.
/// Checks each sample by the cell that holds it; the grid's last cells extend beyond the plane.
inline void check_skipped(const TransformMaker& make, const TransformCase& c, ChromaShift shift,
                          int variant) {
  SCOPED_TRACE(name_of(c) + " shift " + std::to_string(shift.y) + "," + std::to_string(shift.x));
  const SubbandLayout layout = c.layout();
  const auto coder = make(layout, variant);
  ASSERT_NE(coder, nullptr);
  const Extent e = layout.padded;
  const MotionGrid grid =
      grid_for({std::max(1, (e.rows << shift.y) - 9), std::max(1, (e.cols << shift.x) - 9)}, kLog2Cell);
  coder->geometry = {grid, shift.y, shift.x, true, {0, 255}};
  // Long and short runs.
  Random random(c.seed);
  bool skip = true;
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      if (random.between(0, row % 2 == 0 ? 2 : 30) == 0) skip = !skip;
      coder->skips.push_back(skip ? 1 : 0);
    }
  }
  const auto skipped = [&](int r, int x, int reduction) {
    const int row = std::min((r << (shift.y + reduction)) / 8, grid.rows - 1);
    const int col = std::min((x << (shift.x + reduction)) / 8, grid.cols - 1);
    return coder->skips[static_cast<size_t>(row * grid.cols + col)] != 0;
  };
  const auto picture = random_plane<Sample>(e.rows, e.cols, 0, 255, c.seed);
  const auto prediction = random_plane<Sample>(e.rows, e.cols, -100, 350, c.seed + 1);
  reference::Grid difference(e.rows, e.cols);
  for (int r = 0; r < e.rows; ++r) {
    for (int x = 0; x < e.cols; ++x)
      difference.at(r, x) = skipped(r, x, 0) ? 0 : picture.at(r, x) - prediction.at(r, x);
  }
  const auto quantisers = lossy(layout, 100);
  std::vector<Level> levels(layout.num_coefficients);
  ASSERT_TRUE(coder->forward(picture.view(), prediction.view(), 128, quantisers, levels).ok());
  ASSERT_EQ(levels, reference::forward(layout, difference, quantisers));
  std::vector<Level> wild(layout.num_coefficients);
  for (Level& l : wild) l = static_cast<Level>(random.between(-32768, 32767));
  for (const auto& in : {levels, wild}) {
    for (int reduction = 0; reduction <= c.transform.scales; ++reduction) {
      reference::Grid expected = reference::inverse(layout, in, quantisers, reduction);
      auto result = random_plane<Sample>(expected.rows, expected.cols, -100, 350, c.seed + 2);
      std::vector<Sample> sum;
      for (int r = 0; r < expected.rows; ++r) {
        for (int x = 0; x < expected.cols; ++x) {
          const int64_t residual = skipped(r, x, reduction) ? 0 : expected.at(r, x);
          sum.push_back(static_cast<Sample>(std::clamp<int64_t>(residual + result.at(r, x), 0, 255)));
        }
      }
      ASSERT_TRUE(
          coder->inverse(in, quantisers, result.view(), 128, {0, 255}, reduction, result.view()).ok());
      ASSERT_TRUE(result.intact());
      ASSERT_EQ(result.values(), sum) << "reduction " << reduction;
    }
  }
}

/// Levels and pictures of all variants equal those of the first.
inline void check_variants(const TransformMaker& make, const TransformCase& c,
                           const std::vector<int>& variants) {
  SCOPED_TRACE(name_of(c));
  const SubbandLayout layout = c.layout();
  const Extent e = layout.padded;
  const auto picture = random_plane<Sample>(e.rows, e.cols, 0, 255, c.seed);
  const auto quantisers = lossy(layout, 60);
  std::optional<std::vector<Level>> first_levels;
  std::optional<std::vector<Sample>> first_samples;
  for (const int variant : variants) {
    SCOPED_TRACE(variant);
    const auto coder = make(layout, variant);
    ASSERT_NE(coder, nullptr);
    coder->slopes = c.slopes();
    std::vector<Level> levels(layout.num_coefficients);
    GuardedPlane<Sample> result(e);
    ASSERT_TRUE(coder->forward(picture.view(), {}, 128, quantisers, levels).ok());
    ASSERT_TRUE(coder->inverse(levels, quantisers, {}, 128, {0, 255}, 0, result.view()).ok());
    if (!first_levels) {
      first_levels = levels;
      first_samples = result.values();
    }
    ASSERT_EQ(levels, *first_levels);
    ASSERT_EQ(result.values(), *first_samples);
  }
}

/// The cases that every backend runs. Projection gives up exact reversibility: its correction of the lowpass
/// does not vanish quite.
inline std::vector<TransformCase> transform_cases(const std::vector<Extent>& extents, int fraction_bits,
                                                  bool projection) {
  std::vector<TransformCase> cases;
  for (const Extent extent : extents) {
    for (const int scales : {2, 4}) {
      for (const uint64_t seed : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{4}})
        cases.push_back({sloped(scales, fraction_bits), extent, seed});
    }
    cases.push_back({sloped(2, fraction_bits, {2, 0}), extent});
    for (const Pyramid pyramid : kAllPyramids) {
      const bool laplacian = pyramid == Pyramid::kLaplacian;
      cases.push_back({transform_of(pyramid, 3, {0, 0, 0}, fraction_bits, laplacian && projection), extent});
      for (int n = 1; n <= kMaxDirectionsLog2; ++n) {
        for (const int more : {1, 3}) {
          // The other levels have other numbers of directions.
          cases.push_back(
              {transform_of(pyramid, 2, {n, (n + more) % 5}, fraction_bits, laplacian && projection), extent,
               static_cast<uint64_t>(n * 100 + more)});
        }
      }
    }
  }
  return cases;
}

}  // namespace ctv::test
