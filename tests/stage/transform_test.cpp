// SPDX-License-Identifier: BSD-3-Clause
// The transform and its quantisers on every backend and engine: against the definition, against one thread of
// the CPU where the definition takes too long, and back again.
#include <gtest/gtest.h>

#include "tests/support/backend_transform.hpp"

namespace ctv::test {
namespace {

class Transform : public BackendTest {
 protected:
  /// Variant 0: one thread of the CPU, direct; all others: the backend with the engine.
  TransformMaker maker(Engine engine) {
    return [this, engine](const SubbandLayout& layout, int variant) {
      return variant == 0 ? BackendTransform::make(*find_backend("cpu1"), layout, Engine::kDirect)
                          : BackendTransform::make(backend(), layout, engine);
    };
  }
  TransformMaker direct() { return maker(Engine::kDirect); }
};

const std::vector<Extent> kTiny = {{1, 1}, {3, 5}, {16, 16}};
const std::vector<ChromaShift> kCellShifts = {{0, 0}, {0, 1}, {1, 1}, {2, 2}, {3, 3}, {5, 4}};

TEST_P(Transform, IsReversible) {
  for (const int fraction_bits : {0, 2}) {
    for (const auto& c : transform_cases(kTiny, fraction_bits, false)) check_reversible(direct(), c, 1);
    for (const auto& c : transform_cases({{17, 33}, {97, 61}}, fraction_bits, false))
      check_reversible(direct(), c, 1);
    if (kSanitized) continue;
    for (const auto& c : transform_cases({{240, 320}}, fraction_bits, false))
      check_reversible(direct(), c, 1);
  }
}

TEST_P(Transform, IsTheReference) {
  for (const auto& c : transform_cases(kTiny, 2, true)) check_reference(direct(), c, 1);
  for (const auto& c : transform_cases({{17, 33}}, 2, false)) check_reference(direct(), c, 1);
  for (const auto& c : transform_cases({{97, 61}}, 0, true)) check_reference(direct(), c, 1);
}

TEST_P(Transform, IsThatOfOneThread) {
  const Extent large = kSanitized ? Extent{120, 160} : Extent{240, 320};
  for (const auto& c : transform_cases({large, {97, 61}}, 2, true)) check_variants(direct(), c, {0, 1});
}

TEST_P(Transform, TakesTheDeepestPyramid) {
  for (const Pyramid pyramid : kAllPyramids) {
    check_reversible(direct(), {transform_of(pyramid, kMaxScales, {4, 3, 2, 1, 4, 3, 2, 1}), {300, 17}}, 1);
    check_variants(direct(), {transform_of(pyramid, kMaxScales, {2, 0, 0, 1, 4, 3, 2, 1}), {300, 17}},
                   {0, 1});
  }
}

// A backend may take two scales at once where they are small (CUDA: up to 2^18 samples).
TEST_P(Transform, TakesSmallScalesAndLargeOnes) {
  for (const Pyramid pyramid : kAllPyramids) {
    for (const int scales : {4, 5})
      check_reference(direct(), {transform_of(pyramid, scales, {}), {97, 161}}, 1);
    if (kSanitized) continue;
    for (const Extent extent : {Extent{512, 512}, {512, 514}, {1100, 700}})
      check_variants(direct(), {transform_of(pyramid, 4, {}), extent}, {0, 1});
  }
}

// Also more cells and blocks in a row than a word has bits.
TEST_P(Transform, LeavesNoResidualInSkippedCells) {
  for (const Pyramid pyramid : kAllPyramids) {
    for (const ChromaShift shift : kCellShifts) {
      for (const Extent extent : {Extent{3, 5}, {97, 161}})
        check_skipped(direct(), {transform_of(pyramid, 3, {1, 0, 2}), extent}, shift, 1);
    }
    check_skipped(direct(), {transform_of(pyramid, 2, {}), {24, 4800}}, {0, 0}, 1);
  }
}

TEST_P(Transform, FftGivesTheSameIntegers) {
  if (const Status status = backend().check_engine(Engine::kFft); !status.ok())
    GTEST_SKIP() << status.message();
  const TransformMaker fft = maker(Engine::kFft);
  for (const auto& c : transform_cases(kTiny, 2, true)) check_reference(fft, c, 1);
  for (const auto& c : transform_cases({{97, 61}}, 2, false)) check_reversible(fft, c, 1);
  check_skipped(fft, {transform_of(Pyramid::kLaplacian, 3, {2, 0, 2}), {97, 161}}, {1, 1}, 1);
  for (const auto& c : transform_cases({{240, 320}}, 2, true)) check_variants(fft, c, {0, 1});
}

CTV_FOR_EACH_BACKEND(Transform);

}  // namespace
}  // namespace ctv::test
