// SPDX-License-Identifier: BSD-3-Clause
// The CPU's transform against its definition, against itself on other numbers of threads, and back again.
#include <gtest/gtest.h>

#include "cpu/transform/transform_coder.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

class CpuTransform final : public HostTransform {
 public:
  explicit CpuTransform(std::unique_ptr<TransformCoder> coder) : coder_(std::move(coder)) {}
  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int middle,
                 std::span<const SubbandQuantiser> quantisers, std::vector<Level>& levels) override {
    return coder_->forward(samples, prediction, middle, quantisers, levels.data());
  }
  Status inverse(const std::vector<Level>& levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int middle, SampleRange range, int reduction,
                 PlaneView<Sample> samples) override {
    return coder_->inverse(levels.data(), quantisers, prediction, middle, range, reduction, samples);
  }

 private:
  std::unique_ptr<TransformCoder> coder_;
};

std::unique_ptr<HostTransform> make(const SubbandLayout& layout, int threads, Engine engine) {
  auto coder = make_cpu_transform(layout, engine, threads);
  if (!coder.ok()) return nullptr;
  return std::make_unique<CpuTransform>(std::move(*coder));
}

std::unique_ptr<HostTransform> make_direct(const SubbandLayout& layout, int threads) {
  return make(layout, threads, Engine::kDirect);
}

const std::vector<Extent> kTiny = {{1, 1}, {3, 5}, {16, 16}};
const std::vector<int> kAllTaps = {2, 4, 6, 8, 12};

TEST(Transform, IsReversible) {
  for (const int fraction_bits : {0, 2}) {
    for (const auto& c : transform_cases(kTiny, kAllTaps, fraction_bits, false))
      check_reversible(make_direct, c, 1);
    for (const auto& c : transform_cases({{17, 33}, {97, 61}}, {2, 8}, fraction_bits, false))
      check_reversible(make_direct, c, 1);
    for (const auto& c : transform_cases({{240, 320}}, {12}, fraction_bits, false))
      check_reversible(make_direct, c, 2);
  }
}

TEST(Transform, IsTheReference) {
  for (const auto& c : transform_cases(kTiny, kAllTaps, 2, true)) check_reference(make_direct, c, 1);
  for (const auto& c : transform_cases({{17, 33}}, {2, 12}, 2, false)) check_reference(make_direct, c, 1);
  for (const auto& c : transform_cases({{97, 61}}, {6}, 0, true)) check_reference(make_direct, c, 3);
}

TEST(Transform, DoesNotDependOnThreads) {
  for (const auto& c : transform_cases({{240, 320}, {97, 61}}, {2, 12}, 2, true))
    check_variants(make_direct, c, {1, 2, 5});
}

TEST(Transform, TakesTheDeepestPyramid) {
  for (const Pyramid pyramid : kAllPyramids) {
    check_reversible(make_direct,
                     {transform_of(pyramid, kMaxScales, {4, 3, 2, 1, 4, 3, 2, 1}, 12), {300, 17}}, 2);
    check_variants(make_direct, {transform_of(pyramid, kMaxScales, {2, 0, 0, 1, 4, 3, 2, 1}, 12), {300, 17}},
                   {1, 5});
  }
}

TEST(Transform, FftGivesTheSameIntegers) {
  if (!check_cpu_engine(Engine::kFft).ok()) GTEST_SKIP() << check_cpu_engine(Engine::kFft).message();
  const auto make_fft = [](const SubbandLayout& layout, int) { return make(layout, 1, Engine::kFft); };
  for (const auto& c : transform_cases(kTiny, kAllTaps, 2, true)) check_reference(make_fft, c, 1);
  for (const auto& c : transform_cases({{97, 61}}, {6}, 2, false)) check_reversible(make_fft, c, 1);
  const auto either = [](const SubbandLayout& layout, int fft) {
    return make(layout, 1, fft ? Engine::kFft : Engine::kDirect);
  };
  for (const auto& c : transform_cases({{240, 320}}, {2, 12}, 2, true)) check_variants(either, c, {0, 1});
}

TEST(BlockTransform, IsTheReference) {
  for (const auto& c : block_cases(kTiny)) check_reference(make_direct, c, 1);
  for (const auto& c : block_cases({{17, 33}, {97, 61}})) check_reference(make_direct, c, 3);
  // More blocks in a row than are worked on at once.
  for (const auto& c : block_cases({{16, 16 * 40 + 3}})) check_reference(make_direct, c, 1);
}

TEST(BlockTransform, IsTheReferenceAtEveryQp) {
  for (const auto& c : block_cases({{20, 27}})) check_every_qp(make_direct, c);
}

TEST(BlockTransform, DoesNotDependOnThreads) {
  for (const auto& c : block_cases({{240, 320}, {97, 61}})) check_variants(make_direct, c, {1, 2, 5});
}

// At the finest step samples come back but for the transform's rounding; extreme differences included.
TEST(BlockTransform, FineStepsGiveThePictureBack) {
  for (const auto& c : block_cases({{40, 56}})) {
    SCOPED_TRACE(name_of(c));
    const SubbandLayout layout = c.layout();
    const auto coder = make_direct(layout, 1);
    for (const int range : {0, 255}) {  // differences to the prediction: +-255, +-510
      const auto picture = extreme_plane(layout.padded, -range, 255, 3);
      const auto prediction = extreme_plane(layout.padded, -range, 255, 4);
      std::vector<Level> levels(layout.num_coefficients);
      GuardedPlane<Sample> result(layout.padded);
      const auto quantisers = at_qp(layout, 0);
      ASSERT_TRUE(coder->forward(picture.view(), prediction.view(), 0, quantisers, levels).ok());
      ASSERT_TRUE(
          coder->inverse(levels, quantisers, prediction.view(), 0, {-255, 255}, 0, result.view()).ok());
      int worst = 0;
      for (size_t i = 0; i < result.values().size(); ++i)
        worst = std::max(worst, std::abs(result.values()[i] - picture.values()[i]));
      EXPECT_LE(worst, 2);
    }
  }
}

}  // namespace
}  // namespace ctv::test
