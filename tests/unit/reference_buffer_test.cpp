// SPDX-License-Identifier: BSD-3-Clause
// Which frames the slots hold after a sequence of frames, kept and discarded.
#include <gtest/gtest.h>

#include <set>

#include "codec/pipeline/reference_buffer.hpp"
#include "cpu/cpu_backend.hpp"
#include "tests/support/components.hpp"

namespace ctv {
namespace {

using Numbers = std::set<uint32_t>;

class References : public testing::Test {
 protected:
  ReferenceBuffer make(int references, const ReferenceBuffer::Content& content = {true, true}) {
    auto buffer = ReferenceBuffer::make(*backend_, picture_, content, references);
    EXPECT_TRUE(buffer.ok());
    return std::move(*buffer);
  }
  static Numbers available(const ReferenceBuffer& buffer) {
    Numbers numbers;
    for (uint32_t n = 0; n < 100; ++n) {
      if (const Reference* r = buffer.find(n)) {
        EXPECT_EQ(r->number, n);
        EXPECT_NE(r, &buffer.current());
        numbers.insert(n);
      }
    }
    return numbers;
  }

  std::unique_ptr<Backend> backend_ = make_cpu_backend(1);
  PictureLayout picture_ = test::picture_of(3, 40, 24, Pyramid::kWavelet5_3, 2, 0);
};

TEST_F(References, OneSlotHasTheLastFrame) {
  ReferenceBuffer buffer = make(1);
  EXPECT_EQ(available(buffer), Numbers{});
  EXPECT_EQ(buffer.latest(), nullptr);
  const Reference* first = &buffer.current();
  buffer.keep(7, 0);
  EXPECT_EQ(available(buffer), Numbers{7});
  EXPECT_EQ(buffer.latest(), first);
  buffer.keep(8, 0);
  EXPECT_EQ(available(buffer), Numbers{8});
  EXPECT_EQ(&buffer.current(), first);
  buffer.discard(9);
  EXPECT_EQ(available(buffer), Numbers{8});
  EXPECT_EQ(buffer.latest(), first);
  EXPECT_EQ(buffer.latest()->number, 9U);
  EXPECT_EQ(&buffer.current(), first) << "the other is kept";
}

TEST_F(References, ASlotHoldsItsFrameUntilTheNextOne) {
  ReferenceBuffer buffer = make(3);
  for (const int n : {0, 1, 2}) buffer.keep(static_cast<uint32_t>(n), n);
  EXPECT_EQ(available(buffer), (Numbers{0, 1, 2}));
  for (const uint32_t n : {3U, 4U, 5U}) buffer.keep(n, 1);
  EXPECT_EQ(available(buffer), (Numbers{0, 2, 5}));
  EXPECT_EQ(buffer.in_slot(1)->number, 5U);
  EXPECT_EQ(buffer.in_slot(0)->number, 0U);
  buffer.discard(6);
  EXPECT_EQ(available(buffer), (Numbers{0, 2, 5}));
  buffer.clear();
  EXPECT_EQ(available(buffer), Numbers{});
  EXPECT_EQ(buffer.latest(), nullptr);
  EXPECT_EQ(buffer.in_slot(1), nullptr);
  buffer.keep(7, 2);
  EXPECT_EQ(available(buffer), Numbers{7});
}

TEST_F(References, ANumberThatComesAgainReplacesTheFrame) {
  ReferenceBuffer buffer = make(3);
  for (const int n : {1, 2, 1}) buffer.keep(static_cast<uint32_t>(n), n - 1);
  buffer.keep(1, 2);
  EXPECT_EQ(available(buffer), (Numbers{1, 2}));
  EXPECT_EQ(buffer.find(1), buffer.latest());
  EXPECT_EQ(buffer.in_slot(0), nullptr);
}

TEST_F(References, HoldWhatIsAskedForInMemoryOfTheirOwn) {
  for (const bool pictures : {false, true}) {
    ReferenceBuffer buffer = make(3, {pictures, !pictures});
    std::set<const void*> places;
    for (uint32_t n = 0; n < 4; ++n) {
      const Reference& r = buffer.current();
      EXPECT_EQ(r.picture.memory().data() != nullptr, pictures);
      EXPECT_EQ(r.level_memory.data() != nullptr, !pictures);
      EXPECT_EQ(r.levels[0] != nullptr, !pictures);
      places.insert(pictures ? r.picture.memory().data() : r.level_memory.data());
      buffer.keep(n, static_cast<int>(n) % 3);
    }
    EXPECT_EQ(places.size(), 4U);
  }
}

}  // namespace
}  // namespace ctv
