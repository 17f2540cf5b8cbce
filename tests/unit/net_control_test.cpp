// SPDX-License-Identifier: BSD-3-Clause
// What a sender of ctv_net does about the network: its rate, its pace, what it spends on parity and
// repetition, key frames on request, and silence.
#include <algorithm>
#include <cmath>

#include "codec/transport/rate_control.hpp"
#include "tests/support/net_pair.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

class ControlledSender : public NetSender {
 public:
  explicit ControlledSender(int64_t bitrate) : NetSender(1200, 4 << 20, bitrate) {}
  ctv_net_measurement measure(int64_t now_us) {
    ctv_net_measurement m;
    ctv_net_measurement_init(&m);
    EXPECT_EQ(ctv_net_sender_measure(handle, now_us, &m), CTV_OK);
    return m;
  }
  void push(int64_t number, int64_t reference, const std::vector<PartSpec>& specs) {
    const TestFrame frame(number, reference, specs);
    ASSERT_EQ(ctv_net_sender_push(handle, &frame.frame), CTV_OK) << ctv_net_last_error();
  }
  int64_t due() {
    int64_t time = 0;
    EXPECT_EQ(ctv_net_sender_due(handle, &time), CTV_OK);
    return time;
  }
  ctv_net_feedback give(const Datagram& message, int64_t now_us) {
    ctv_net_feedback f;
    ctv_net_feedback_init(&f);
    EXPECT_EQ(ctv_net_sender_feedback(handle, now_us, message.data(), message.size(), &f), CTV_OK);
    return f;
  }
};

TEST(Pace, LargeFramesLeaveOneAfterTheOther) {
  ControlledSender sender(1000000);
  sender.push(0, -1, {{50000, 0}});
  size_t bytes = 0;
  int64_t now_us = 0, calls = 0;
  for (; sender.due() != INT64_MAX && calls < 1000; ++calls) {
    now_us = std::max(now_us, sender.due());
    for (const Datagram& d : sender.take(now_us)) bytes += d.size();
    if (bytes < 50000) {
      EXPECT_LE(8e6 * static_cast<double>(bytes), 1.1e6 * static_cast<double>(now_us + 30000) + 8e6 * 2400)
          << "at " << now_us;
    }
    if (bytes > 50000) break;
  }
  EXPECT_GT(bytes, 50000U);
  EXPECT_NEAR(static_cast<double>(now_us), 8e6 * 50000 / 1.1e6 - 30000, 15000);
  sender.push(1, 0, {{3000, 0}});
  EXPECT_EQ(sender.take(now_us + 200000).size(), 3U) << "a small frame leaves at once";
}

TEST(Pace, WithoutABitrateAllLeaves) {
  NetSender sender;
  EXPECT_EQ(sender.cut(0, -1, {{500000, 0}}).size(), 421U);
  int64_t due = 0;
  ASSERT_EQ(ctv_net_sender_due(sender.handle, &due), CTV_OK);
  EXPECT_EQ(due, INT64_MAX);
}

// However much the receiver lacks: the parts are two fifths of the bytes at least.
TEST(Pace, ParityAndRepetitionHaveALimit) {
  ControlledSender sender(1000000);
  NetReceiver receiver;
  sender.protect(fixed_parity(64, 64));
  uint64_t parts = 0, all = 0;
  int64_t now_us = 0;
  for (int64_t n = 0; n < 100; ++n, now_us += 33333) {
    sender.push(n, n - 1, {{500, 0}, {1000, 1}});
    parts += 1500;
    int i = 0;
    for (const Datagram& d : sender.take(now_us)) {
      all += d.size();
      if (i++ % 2 == 0) {
        ASSERT_EQ(receiver.push(d, now_us), CTV_OK);
      }
    }
    (void)receiver.take(now_us);
    if (const Datagram message = receiver.feedback(now_us); !message.empty())
      (void)sender.give(message, now_us);
  }
  EXPECT_LT(static_cast<double>(all), 2.6 * static_cast<double>(parts));
  EXPECT_GT(static_cast<double>(all), 1.8 * static_cast<double>(parts)) << "nothing was limited";
}

TEST(KeyRequest, IsGrantedOncePerRoundTrip) {
  ControlledSender sender(10000000);
  NetReceiver receiver;
  sender.push(0, -1, {{100, 0}});
  for (const Datagram& d : sender.take(0)) ASSERT_EQ(receiver.push(d, 25000), CTV_OK);
  ASSERT_EQ(receiver.take(25000).size(), 1U);
  ASSERT_EQ(ctv_net_receiver_request_key_frame(receiver.handle), CTV_OK);
  const Datagram message = receiver.feedback(25000);
  EXPECT_EQ(sender.give(message, 50000).key_frame, 1);
  EXPECT_EQ(sender.give(message, 60000).key_frame, 0) << "a key frame was granted";
  sender.push(1, -1, {{5000, 0}});
  const auto datagrams = sender.take(66666);
  ASSERT_EQ(datagrams.size(), 5U);
  EXPECT_EQ(sender.give(message, 110000).key_frame, 0) << "it is on its way";
  for (size_t i = 0; i < 4; ++i) ASSERT_EQ(receiver.push(datagrams[i], 91666), CTV_OK);
  EXPECT_EQ(sender.give(receiver.feedback(150000), 175000).key_frame, 0) << "it still arrives";
  ASSERT_EQ(receiver.push(datagrams[4], 160000), CTV_OK);
  ASSERT_EQ(receiver.take(160000).size(), 1U);
  ASSERT_EQ(ctv_net_receiver_report(receiver.handle, 1, CTV_NET_LOST), CTV_OK);
  EXPECT_EQ(sender.give(receiver.feedback(160000), 185000).key_frame, 1) << "it was of no use";
}

TEST(Silence, NothingIsSentIntoTheDark) {
  ControlledSender sender(1000000);
  NetReceiver receiver;
  size_t sent = 0;
  int64_t now_us = 0, n = 0;
  const auto send = [&](bool arrives) {
    sender.push(n, n - 1, {{1000, 0}});
    ++n;
    for (const Datagram& d : sender.take(now_us)) {
      ++sent;
      if (arrives) {
        ASSERT_EQ(receiver.push(d, now_us), CTV_OK);
      }
    }
    for (const Received& r : receiver.take(now_us))
      (void)ctv_net_receiver_report(receiver.handle, r.number, r.state);
    if (const Datagram m = receiver.feedback(now_us); arrives && !m.empty())
      (void)sender.give(m, now_us + 1000);
    now_us += 33333;
  };
  while (now_us < 1000000) send(true);
  EXPECT_LT(sender.measure(now_us).silent_us, 40000);
  sent = 0;
  const int64_t quiet_us = now_us;
  while (now_us < quiet_us + 10000000) send(false);
  EXPECT_LE(sent, 31U + 10U) << "a second, then one datagram in a second";
  EXPECT_GE(sent, 31U + 7U);
  EXPECT_GT(sender.measure(now_us).silent_us, 9000000);
  sent = 0;
  const int64_t back_us = now_us;
  while (now_us < back_us + 2000000) send(true);
  EXPECT_GE(sent, 27U) << "a probe was answered within a second";
}

TEST(Timing, ReachesTheReceiver) {
  NetSender sender;
  ctv_net_settings settings;
  ctv_net_settings_init(&settings);
  settings.deadline_us = 70000;
  settings.repeats = 1;
  ASSERT_EQ(ctv_net_sender_apply(sender.handle, &settings), CTV_OK);
  NetReceiver receiver;
  for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
  ASSERT_EQ(receiver.take(0).size(), 1U);
  const auto datagrams = sender.cut(1, 0, {{100, 0}, {100, 1}});
  ASSERT_EQ(datagrams.size(), 2U);
  ASSERT_EQ(receiver.push(datagrams[1], 33333), CTV_OK);
  EXPECT_TRUE(receiver.take(33333 + 69999).empty());
  EXPECT_EQ(receiver.take(33333 + 70000).size(), 1U);
  settings.deadline_us = 60000001;
  EXPECT_EQ(ctv_net_sender_apply(sender.handle, &settings), CTV_ERROR_ARGUMENT);
  settings.deadline_us = 0, settings.repeats = 9;
  EXPECT_EQ(ctv_net_sender_apply(sender.handle, &settings), CTV_ERROR_ARGUMENT);
}

// Datagrams that come late but always as late are not requested, once that is known.
TEST(Timing, ReorderingIsLearnt) {
  NetSender sender;
  NetReceiver receiver;
  uint64_t before = 0;
  for (int64_t n = 0; n < 60; ++n) {
    const int64_t now_us = n * 33333;
    const auto datagrams = sender.cut(n, n - 1, {{100, 0}, {2000, 1}});
    ASSERT_EQ(datagrams.size(), 3U);
    ASSERT_EQ(receiver.push(datagrams[0], now_us), CTV_OK);
    ASSERT_EQ(receiver.push(datagrams[2], now_us), CTV_OK);
    for (int64_t t = 0; t < 15000; t += 1000) (void)receiver.feedback(now_us + t);
    ASSERT_EQ(receiver.push(datagrams[1], now_us + 15000), CTV_OK);
    (void)receiver.take(now_us + 15000);
    if (n == 9) before = receiver.statistics().asked;
  }
  EXPECT_EQ(receiver.statistics().asked, before);
  EXPECT_EQ(receiver.statistics().incomplete, 0U);
}

TEST(Timing, FramesAreGivenAtTheirDeadline) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 20000;
  config.frame_interval_us = 30000;
  NetReceiver receiver(config);
  NetSender sender(300);
  const std::vector<PartSpec> specs = {{200, 0}, {280, 1}};
  const auto first = sender.cut(0, -1, specs);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(receiver.push(first[0], 1000), CTV_OK);
  (void)receiver.feedback(1000);  // arrivals
  const auto due = [&] {
    int64_t time = 0;
    EXPECT_EQ(ctv_net_receiver_due(receiver.handle, &time), CTV_OK);
    return time;
  };
  // The rest may still come: nothing is known yet about the time between datagrams.
  EXPECT_GT(due(), 21000);
  EXPECT_TRUE(receiver.take(21000).empty());
  // No datagram of frame 1 arrives: it was due one interval before frame 2, which ends the wait for frame 0.
  (void)sender.cut(1, 0, specs);
  for (const Datagram& d : sender.cut(2, 1, specs)) ASSERT_EQ(receiver.push(d, 61000), CTV_OK);
  (void)receiver.feedback(61000);
  EXPECT_EQ(due(), 66000) << "reordering";
  EXPECT_TRUE(receiver.take(65999).empty());
  auto frames = receiver.take(66000);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].state, CTV_NET_INCOMPLETE);
  frames.erase(frames.begin());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].state, CTV_NET_LOST);
  EXPECT_EQ(frames[0].lost_frames, 1);
  EXPECT_EQ(frames[1].state, CTV_NET_WHOLE);
  // The rest of frame 0 is late.
  EXPECT_EQ(receiver.push(first[1], 67000), CTV_OK);
  EXPECT_EQ(receiver.statistics().late, 1U);
}

TEST(Rate, RandomLossCostsLittle) {
  for (const int percent : {2, 5, 10, 20}) {
    net::RateControl rate(2000000, 2000000);
    Random random(static_cast<uint64_t>(percent));
    double sum = 0;
    for (int64_t n = 0; n < 900; ++n) {
      const int64_t now_us = n * 33333;
      const auto count = static_cast<size_t>(rate.bitrate() / 30 / 9600);
      std::vector<net::Arrival> arrivals;
      int lost = 0;
      for (size_t i = 0; i < count; ++i) {
        if (random.between(1, 100) <= percent) {
          ++lost;
        } else {
          arrivals.push_back({now_us, now_us + 25000 + 500 * static_cast<int64_t>(i), 1200});
        }
      }
      rate.update(now_us + 50000, arrivals, lost, 50000);
      sum += static_cast<double>(rate.bitrate()) / 900;
    }
    EXPECT_GT(sum, 0.93 * 2000000) << percent;
  }
}

// A link without a queue loses what exceeds it.
TEST(Rate, LossAboveACapacityLowersTheRate) {
  net::RateControl rate(2000000, 4000000);
  double sum = 0, lost_share = 0;
  for (int64_t n = 0; n < 900; ++n) {
    const int64_t now_us = n * 33333;
    const auto count = static_cast<int>(rate.bitrate() / 30 / 2400);
    const int carried = 1000000 / 30 / 2400;
    std::vector<net::Arrival> arrivals;
    for (int i = 0; i < std::min(count, carried); ++i)
      arrivals.push_back({now_us, now_us + 25000 + 300 * i, 300});
    rate.update(now_us + 50000, arrivals, std::max(0, count - carried), 50000);
    if (n < 150) continue;
    sum += static_cast<double>(rate.bitrate()) / 750;
    lost_share += std::max(0.0, 1.0 - static_cast<double>(carried) / count) / 750;
  }
  EXPECT_GT(sum, 0.85 * 1000000);
  EXPECT_LT(sum, 1.2 * 1000000);
  EXPECT_LT(lost_share, 0.12);
}

}  // namespace
}  // namespace ctv::test
