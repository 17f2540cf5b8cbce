// SPDX-License-Identifier: BSD-3-Clause
// Which frames can be referred to after a sequence of updates, drops and long-term marks.
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

TEST_F(References, OneIsTheLastFrame) {
  ReferenceBuffer buffer = make(1);
  EXPECT_EQ(available(buffer), Numbers{});
  EXPECT_EQ(buffer.latest(), nullptr);
  const Reference* first = &buffer.current();
  buffer.update(7);
  EXPECT_EQ(available(buffer), Numbers{7});
  EXPECT_EQ(buffer.latest(), first);
  buffer.update(8);
  EXPECT_EQ(available(buffer), Numbers{8});
  EXPECT_EQ(&buffer.current(), first);
  EXPECT_FALSE(buffer.mark_long_term(8));  // no place for the next frame were left
}

TEST_F(References, TheOldestOfThreeIsDropped) {
  ReferenceBuffer buffer = make(3);
  for (const uint32_t n : {1U, 2U, 3U}) buffer.update(n);
  EXPECT_EQ(available(buffer), (Numbers{1, 2, 3}));
  buffer.update(4);
  EXPECT_EQ(available(buffer), (Numbers{2, 3, 4}));
  EXPECT_EQ(buffer.latest()->number, 4U);
}

TEST_F(References, LongTermOnesStayUntilTheyAreDropped) {
  ReferenceBuffer buffer = make(3);
  for (const uint32_t n : {1U, 2U, 3U}) buffer.update(n);
  EXPECT_FALSE(buffer.mark_long_term(9));
  EXPECT_TRUE(buffer.mark_long_term(1));
  EXPECT_TRUE(buffer.mark_long_term(1));
  for (const uint32_t n : {4U, 5U, 6U}) buffer.update(n);
  EXPECT_EQ(available(buffer), (Numbers{1, 5, 6}));
  EXPECT_TRUE(buffer.mark_long_term(5));
  EXPECT_FALSE(buffer.mark_long_term(6));
  for (const uint32_t n : {7U, 8U}) buffer.update(n);
  EXPECT_EQ(available(buffer), (Numbers{1, 5, 8}));
  buffer.drop(1);
  for (const uint32_t n : {9U, 10U}) buffer.update(n);
  EXPECT_EQ(available(buffer), (Numbers{5, 9, 10}));
  buffer.clear();
  EXPECT_EQ(available(buffer), Numbers{});
  EXPECT_EQ(buffer.latest(), nullptr);
  for (const uint32_t n : {11U, 12U, 13U, 14U}) buffer.update(n);
  EXPECT_EQ(available(buffer), (Numbers{12, 13, 14}));  // the mark of 5 is gone
}

TEST_F(References, ANumberThatComesAgainReplacesTheFrame) {
  ReferenceBuffer buffer = make(3);
  for (const uint32_t n : {1U, 2U, 1U}) buffer.update(n);
  EXPECT_EQ(available(buffer), (Numbers{1, 2}));
  EXPECT_EQ(buffer.find(1), buffer.latest());
  buffer.drop(1);
  EXPECT_EQ(buffer.latest(), nullptr);
  EXPECT_EQ(available(buffer), Numbers{2});
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
      buffer.update(n);
    }
    EXPECT_EQ(places.size(), 4U);
  }
}

}  // namespace
}  // namespace ctv
