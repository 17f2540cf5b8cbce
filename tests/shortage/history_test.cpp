// SPDX-License-Identifier: BSD-3-Clause
// A frame whose packet found no memory is none that later frames can be rebuilt from.
#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "codec/pipeline/history.hpp"
#include "tests/shortage/shortage.hpp"

namespace ctv::test {
namespace {

TEST(PacketHistory, HasEveryPacketOfItsFramesWhateverMemoryThereIs) {
  const std::vector<uint8_t> packet(10);
  const auto frame = [](uint32_t number) {
    return FrameParameters{
        .number = number, .type = number == 0 ? FrameType::kKey : FrameType::kPredicted, .reference = 1};
  };
  bool reached = true;
  long n = 0;
  for (; reached; ++n) {
    History history;
    history.append(packet, 0, frame(0), {});
    {
      const FailingAllocations shortage(n, Shortage::kOnce);
      try {
        history.append(packet, 1, frame(1), {});
      } catch (const std::bad_alloc&) {
      }
      reached = FailingAllocations::reached();
    }
    history.append(packet, 2, frame(2), {});
    EXPECT_EQ(history.whole(), !reached) << "allocation " << n;
  }
  EXPECT_GT(n, 1) << "allocations are not counted";
}

}  // namespace
}  // namespace ctv::test
