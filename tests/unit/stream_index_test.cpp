// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/stream_index.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ctv {
namespace {

constexpr uint32_t kDuration = 1001;

std::vector<IndexEntry> read(const IndexBuilder& index) {
  const auto unit = index.unit(kDuration);
  std::vector<IndexEntry> entries;
  if (!unit.ok()) return entries;
  const auto count = read_index(
      *unit,
      [](void* list, size_t, IndexEntry entry) {
        static_cast<std::vector<IndexEntry>*>(list)->push_back(entry);
      },
      &entries);
  EXPECT_TRUE(count.ok());
  return entries;
}

TEST(StreamIndex, CountsPacketsAndHeaders) {
  for (const int64_t late : {0, 7}) {  // with timestamps, and without where they follow from the rate
    IndexBuilder index(40);
    index.add(100, true, late);
    index.add(30, false, kDuration + late);
    index.skip(44);
    index.add(90, true, 2 * kDuration + late);
    const std::vector<IndexEntry> entries = read(index);
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].offset, 40U);
    EXPECT_EQ(entries[1].offset, 140U);
    EXPECT_EQ(entries[2].offset, 214U);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(entries[i].key, i != 1);
      EXPECT_EQ(entries[i].timestamp, static_cast<int64_t>(i) * kDuration + late);
    }
  }
}

TEST(StreamIndex, EndsWithAStreamThatIsTooLong) {
  IndexBuilder index(40);
  for (size_t i = 0; i < IndexBuilder::kMaxPackets; ++i) index.add(1, i == 0, 0);
  EXPECT_EQ(read(index).size(), IndexBuilder::kMaxPackets);
  index.add(1, false, 0);
  const auto unit = index.unit(kDuration);
  EXPECT_EQ(unit.status().code(), CTV_ERROR_LIMIT);
  EXPECT_EQ(unit.status().message(), "index: the stream has more than 4194304 packets");
}

}  // namespace
}  // namespace ctv
