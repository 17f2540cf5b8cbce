// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "codec/backends.hpp"
#include "codec/pipeline/planes.hpp"

namespace ctv {
namespace {

// A Laplacian pyramid of this size has an odd number of coefficients of luma.
TEST(Planes, LevelsOfEachPlaneBeginAtMultiplesOf16Bytes) {
  std::string why;
  auto backend = make_backend(CTV_BACKEND_CPU, 0, 1, why);
  ASSERT_TRUE(backend.ok());
  PictureLayout picture;
  picture.planes = 3;
  TransformParameters t;
  t.pyramid = Pyramid::kLaplacian;
  t.scales = 4;
  for (auto& plane : picture.subbands) plane = make_layout(t, {324, 485});
  ASSERT_EQ(picture.subbands[0].num_coefficients % 2, 1U);
  std::array<Level*, 3> levels{};
  const auto memory = allocate_levels(**backend, picture, levels);
  ASSERT_TRUE(memory.ok());
  for (size_t p = 0; p < levels.size(); ++p) EXPECT_EQ(reinterpret_cast<uintptr_t>(levels[p]) % 16, 0U) << p;
  EXPECT_GE(levels[2] - levels[1], static_cast<ptrdiff_t>(picture.subbands[1].num_coefficients));
}

}  // namespace
}  // namespace ctv
