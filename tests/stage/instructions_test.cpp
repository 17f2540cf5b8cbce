// SPDX-License-Identifier: BSD-3-Clause
// The tests of this folder run on each instruction set of the build, not only on the machine's best.
#include <gtest/gtest.h>

#include "cpu/picture/colour.hpp"
#include "tests/support/backends.hpp"

namespace {

using namespace ctv;

class Instructions : public test::BackendTest {};

TEST_P(Instructions, AreThoseOfTheName) {
  const size_t cut = GetParam().find('_');
  const std::string best = test::choose_instructions("cpu2");
  if (cut == std::string::npos) {
    EXPECT_TRUE(best.empty() || simd_name() == best);
    return;
  }
  EXPECT_NE(simd_name(), GetParam().substr(cut + 1));
  test::choose_instructions(GetParam());
  EXPECT_EQ(simd_name(), GetParam().substr(cut + 1));
}

CTV_FOR_EACH_BACKEND(Instructions);

}  // namespace
