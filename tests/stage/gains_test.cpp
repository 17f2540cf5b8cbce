// SPDX-License-Identifier: BSD-3-Clause
// The table of gains against impulses sent through the inverse transform, and the program that makes the
// table:
//   ctv_stage_tests --gtest_also_run_disabled_tests --gtest_filter=Gains.DISABLED_PrintTables
#include "codec/format/gains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "cpu/transform/transform_coder.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

constexpr int kAmplitude = 1 << 13;

/// Gains by measurement; holds the coder of one transform.
class Meter {
 public:
  explicit Meter(const TransformParameters& t) : layout_(make_layout(t, extent(t))), coder_(make(layout_)) {}

  const SubbandLayout& layout() const { return layout_; }

  double gain(const Subband& s) const {
    // A Laplacian band is not the same at even and odd places; subbands of four and more directions do not
    // mix them.
    const TransformParameters& t = layout_.transform;
    const bool mixed = t.pyramid == Pyramid::kLaplacian && s.scale > 0 &&
                       t.directions_log2[static_cast<size_t>(s.scale - 1)] < 2;
    const int places = mixed ? 4 : 1;
    double energy = 0;
    for (int i = 0; i < places; ++i) energy += energy_of(s, s.rows / 2 + (i >> 1), s.cols / 2 + (i & 1));
    return std::sqrt(energy / places) / kAmplitude;
  }

 private:
  static Extent extent(const TransformParameters& t) {
    const int side = std::max(256, (t.scales > 4 ? 16 : 64) << t.scales);
    return {side, side};
  }
  static std::unique_ptr<TransformCoder> make(const SubbandLayout& layout) {
    auto coder = make_cpu_transform(layout, 1);
    return coder.ok() ? std::move(*coder) : nullptr;
  }
  double energy_of(const Subband& s, int r, int c) const {
    std::vector<Level> levels(layout_.num_coefficients);
    levels[s.offset + static_cast<size_t>(r * s.cols + c)] = kAmplitude;
    std::vector<Sample> samples(layout_.padded.area());
    const PlaneView<Sample> view{samples.data(), layout_.padded.rows, layout_.padded.cols,
                                 layout_.padded.cols};
    EXPECT_TRUE(coder_->inverse(levels.data(), lossless(layout_), {}, 0, {-32768, 32767}, 0, view).ok());
    double energy = 0;
    for (const Sample v : samples) energy += static_cast<double>(v) * v;
    return energy;
  }

  SubbandLayout layout_;
  std::unique_ptr<TransformCoder> coder_;
};

struct Kind {
  Pyramid pyramid;
  bool projection;
  const char* name;
};
constexpr Kind kKinds[] = {{Pyramid::kLaplacian, false, "Laplacian"},
                           {Pyramid::kLaplacian, true, "Laplacian with projection"},
                           {Pyramid::kWavelet5_3, false, "5/3"},
                           {Pyramid::kWavelet9_7, false, "9/7"}};

void check(const TransformParameters& t) {
  const Meter meter(t);
  for (const Subband& s : meter.layout().subbands) {
    const double measured = meter.gain(s);
    EXPECT_NEAR(subband_gain(t, s) / 4096.0 / measured, 1, 0.01)
        << name_of({t, {}}) << ": scale " << s.scale << " band " << s.orientation << " direction "
        << s.direction;
    EXPECT_EQ(subband_weight(t, s), std::lround(4096.0 * 4096 / subband_gain(t, s)));
  }
}

TEST(Gains, AreThoseOfImpulses) {
  for (const Kind& kind : kKinds) {
    check(transform_of(kind.pyramid, 4, {0, 0, 0, 0}, 0, kind.projection));
    check(transform_of(kind.pyramid, 2, {2, 2}, 0, kind.projection));
    check(transform_of(kind.pyramid, 1, {3}, 0, kind.projection));
    check(transform_of(kind.pyramid, 3, {1, 0, 3}, 0, kind.projection));
  }
  check(transform_of(Pyramid::kWavelet9_7, 2, {0, 4}, 0));
}

TEST(Gains, HalveAndDoubleDown) {
  const auto weight = [](int levels) {
    const TransformParameters t = transform_of(Pyramid::kWavelet5_3, levels, {});
    return static_cast<double>(subband_weight(t, make_layout(t, {1, 1}).subbands[0]));
  };
  for (int levels = 2; levels < kMaxScales; ++levels)
    EXPECT_NEAR(weight(levels) / weight(levels + 1), 2, 0.1);
}

TEST(Gains, DISABLED_PrintTables) {
  for (const Kind& kind : kKinds) {
    std::printf("%s: lowpass, band, diagonal, levels 1 to %d\n", kind.name, kMaxScales);
    for (int scale = 1; scale <= kMaxScales; ++scale) {
      const Meter meter(transform_of(kind.pyramid, scale, {}, 0, kind.projection));
      const auto& s = meter.layout().subbands;
      const double diagonal = kind.pyramid == Pyramid::kLaplacian ? 0 : meter.gain(s[3]);
      std::printf("{%.0f, %.0f, %.0f},\n", 4096 * meter.gain(s[0]), 4096 * meter.gain(s[1]), 4096 * diagonal);
    }
  }
  for (const Kind& kind : kKinds) {
    for (int scale = 1; scale <= 3; ++scale) {
      const Meter plain(transform_of(kind.pyramid, scale, {}, 0, kind.projection));
      for (int band = 1; band <= (kind.pyramid == Pyramid::kLaplacian ? 1 : 3); ++band) {
        std::printf("%s, scale %d, band %d\n", kind.name, scale, band);
        for (int n = 1; n <= kMaxDirectionsLog2; ++n) {
          std::vector<int> directions(static_cast<size_t>(scale), 0);
          directions.back() = n;
          const Meter meter(transform_of(kind.pyramid, scale, directions, 0, kind.projection));
          for (int k = 0; k < 1 << n; ++k) {
            const size_t index = static_cast<size_t>(1 + ((band - 1) << n) + k);
            const double whole = plain.gain(plain.layout().subbands[static_cast<size_t>(band)]);
            std::printf("%.0f,", 100 * meter.gain(meter.layout().subbands[index]) / whole);
          }
        }
        std::printf("\n");
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test
