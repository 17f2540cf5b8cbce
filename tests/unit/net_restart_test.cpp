// SPDX-License-Identifier: BSD-3-Clause
// A sender of ctv_net that begins again while its receiver goes on.
#include "tests/support/net_pair.hpp"

namespace ctv::test {
namespace {

const std::vector<PartSpec> kFrame = {{700, 0}, {1500, 1}, {300, 1}, {0, 2}, {900, 2}};

// A restarted program with the same RTP source, or a flushing seek: numbers from 0 again.
TEST(Restart, ASenderThatBeginsAgainIsReceivedFromItsFirstKeyFrame) {
  for (const int64_t before : {3, 30, 150, 250, 400}) {
    for (const std::vector<PartSpec>& specs : {kFrame, std::vector<PartSpec>{{200, 0}}}) {
      NetReceiver receiver;
      NetSender first;
      for (int64_t n = 0; n < before; ++n) {
        for (const Datagram& d : first.cut(n, n == 0 ? -1 : n - 1, specs))
          ASSERT_EQ(receiver.push(d), CTV_OK);
        receiver.take();
      }
      NetSender second;
      std::vector<Received> frames;
      for (int64_t n = 0; n < 12; ++n) {
        for (const Datagram& d : second.cut(n, n == 0 ? -1 : n - 1, specs))
          ASSERT_EQ(receiver.push(d), CTV_OK);
        for (Received& r : receiver.take(1000000 * n)) frames.push_back(std::move(r));
      }
      ASSERT_FALSE(frames.empty()) << before;
      EXPECT_EQ(frames.back().number & 0xFFFF, 11) << before;
      EXPECT_EQ(frames.back().state, CTV_NET_WHOLE);
      if (before == 3 || before == 400) continue;     // too near to tell before it is overtaken, and a jump
      EXPECT_EQ(frames.front().state, CTV_NET_LOST);  // what was jumped over
      EXPECT_EQ(frames[1].number & 0xFFFF, 0);
      EXPECT_EQ(frames[1].reference, -1);
      EXPECT_EQ(frames.size(), 13U);
      EXPECT_EQ(receiver.statistics().late, 0U);
    }
  }
}

TEST(Restart, LateDatagramsAreNoNewBeginning) {
  NetReceiver receiver;
  NetSender sender;
  std::vector<std::vector<Datagram>> sent;
  for (int64_t n = 0; n < 40; ++n) {
    sent.push_back(sender.cut(n, n % 10 == 0 ? -1 : n - 1, kFrame));
    for (const Datagram& d : sent.back()) ASSERT_EQ(receiver.push(d), CTV_OK);
    const auto late = static_cast<size_t>(n / 2);  // all of an earlier frame once more
    for (const Datagram& d : sent[late]) ASSERT_EQ(receiver.push(d), CTV_OK);
    const auto frames = receiver.take();
    ASSERT_EQ(frames.size(), 1U) << n;
    EXPECT_EQ(frames[0].number, n);
  }
}

}  // namespace
}  // namespace ctv::test
