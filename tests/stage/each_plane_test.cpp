// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <new>
#include <string>

#include "tests/support/backends.hpp"

namespace ctv::test {
namespace {

class EachPlane : public BackendTest {
 protected:
  // After an error a device may still be with one plane.
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_TRUE(ok(backend().synchronize()));
    }
    BackendTest::TearDown();
  }
};

TEST_P(EachPlane, IsWorkedOnOnce) {
  for (const int planes : {1, 3}) {
    std::array<std::atomic<int>, 4> calls{};
    const auto work = [&](int p) {
      ++calls[static_cast<size_t>(p)];
      return Status();
    };
    EXPECT_TRUE(ok(backend().each_plane(planes, work)));
    EXPECT_TRUE(ok(backend().each_plane(planes, work, [&] { return work(3); })));
    for (int p = 0; p < 3; ++p) EXPECT_EQ(calls[static_cast<size_t>(p)], p < planes ? 2 : 0);
    EXPECT_EQ(calls[3], 1);
  }
}

TEST_P(EachPlane, ReturnsTheFirstPlanesError) {
  const auto fails_from = [](int first) {
    return [first](int p) {
      return p < first ? Status() : Status(CTV_ERROR_INTERNAL, "plane " + std::to_string(p));
    };
  };
  for (const int first : {0, 1, 2}) {
    EXPECT_EQ(backend().each_plane(3, fails_from(first)).message(), "plane " + std::to_string(first));
  }
  const auto beside = [] { return Status(CTV_ERROR_DEVICE, "beside"); };
  EXPECT_EQ(backend().each_plane(3, fails_from(3), beside).message(), "beside");
}

TEST_P(EachPlane, MayLackMemory) {
  const auto work = [](int p) -> Status {
    if (p == 1) throw std::bad_alloc();
    return {};
  };
  EXPECT_EQ(guarded([&] { return backend().each_plane(3, work); }).code(), CTV_ERROR_MEMORY);
}

CTV_FOR_EACH_BACKEND(EachPlane);

}  // namespace
}  // namespace ctv::test
