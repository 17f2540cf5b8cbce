// SPDX-License-Identifier: BSD-3-Clause
// The CPU's transform against its definition, against itself on other numbers of threads, and back again.
#include <gtest/gtest.h>

#include "cpu/transform_coder.hpp"
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
                     {transform_of(pyramid, kMaxLevels, {4, 3, 2, 1, 4, 3, 2, 1}, 12), {300, 17}}, 2);
    check_variants(make_direct, {transform_of(pyramid, kMaxLevels, {2, 0, 0, 1, 4, 3, 2, 1}, 12), {300, 17}},
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

TEST(Transform, RefusesWhatItDoesNotHave) {
  TransformParameters t;
  t.kind = TransformKind::kDct8x8;
  const auto coder = make_cpu_transform(make_layout(t, {16, 16}), Engine::kDirect, 1);
  ASSERT_FALSE(coder.ok());
  EXPECT_EQ(coder.status().code(), CTV_ERROR_UNSUPPORTED);
}

}  // namespace
}  // namespace ctv::test
