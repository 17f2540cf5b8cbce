// SPDX-License-Identifier: BSD-3-Clause
// The simulated network of ctcall: loss, and a link of limited bandwidth.
#include "ctcall/network.h"

#include <gtest/gtest.h>

namespace ctv::test {
namespace {

using tools::Bottleneck;
using tools::Channel;
using tools::NetworkOptions;

constexpr size_t kSize = 972;  // 1000 bytes with UDP and IP: 8 ms at 1 Mb/s

TEST(Network, LosesItsShareInBursts) {
  NetworkOptions options;
  options.loss = 0.1;
  options.burst = 3;
  Channel channel(options, 1);
  int lost = 0, bursts = 0;
  bool before = false;
  for (int i = 0; i < 100000; ++i) {
    const bool loses = !channel.send(i, kSize, nullptr);
    lost += loses ? 1 : 0;
    bursts += loses && !before ? 1 : 0;
    before = loses;
  }
  EXPECT_NEAR(lost / 100000.0, 0.1, 0.01);
  EXPECT_NEAR(static_cast<double>(lost) / bursts, 3, 0.3);
}

TEST(Network, LinkSendsOneAfterTheOther) {
  Bottleneck link({{0, 1000000}}, 100000);
  EXPECT_EQ(link.send(0, kSize), 8000);
  EXPECT_EQ(link.send(0, kSize), 16000);
  EXPECT_EQ(link.send(20000, kSize), 28000) << "the queue is empty again";
  EXPECT_EQ(link.waits_us(), (std::vector<int64_t>{0, 8000, 0}));
}

TEST(Network, QueueDropsItsTail) {
  Bottleneck link({{0, 1000000}}, 40000);
  int taken = 0;
  while (taken < 100 && link.send(0, kSize)) ++taken;
  EXPECT_EQ(taken, 5) << "of 8 ms each";
  EXPECT_FALSE(link.send(7000, kSize));
  EXPECT_TRUE(link.send(8000, kSize)) << "one has left";
  Bottleneck none({{0, 1000000}}, 0);
  EXPECT_TRUE(none.send(0, kSize)) << "a free link needs no queue";
  EXPECT_FALSE(none.send(1000, kSize));
}

TEST(Network, BandwidthChangesWhileDatagramsWait) {
  Bottleneck link({{0, 1000000}, {12000, 500000}, {20000, 2000000}}, 100000);
  EXPECT_EQ(link.send(0, kSize), 8000);
  // 4000 bits at 1 Mb/s, the other 4000 at 500 kb/s.
  EXPECT_EQ(link.send(0, kSize), 20000);
  EXPECT_EQ(link.send(0, kSize), 24000);
  EXPECT_DOUBLE_EQ(link.bits(10000, 22000), 2000 + 4000 + 4000);
}

}  // namespace
}  // namespace ctv::test
