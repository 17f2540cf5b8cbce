// SPDX-License-Identifier: BSD-3-Clause
// Feedback of ctv_net: reports, requests, round trip, loss; references of frames that come.
#include <bit>
#include <map>

#include "codec/transport/feedback.hpp"
#include "codec/transport/receiver.hpp"
#include "tests/support/net_pair.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

using Specs = std::vector<PartSpec>;

ctv_net_feedback give(NetSender& sender, const Datagram& message, int64_t now_us) {
  ctv_net_feedback f;
  ctv_net_feedback_init(&f);
  EXPECT_EQ(ctv_net_sender_feedback(sender.handle, now_us, message.data(), message.size(), &f), CTV_OK)
      << ctv_net_last_error();
  return f;
}

TEST(Feedback, MessagesComeBack) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    net::Message m;
    m.key_frame = random.between(0, 1) != 0;
    m.number = static_cast<uint32_t>(random.between(0, 65535));
    m.sequence = static_cast<uint32_t>(random.between(0, 65535));
    m.newest = static_cast<uint32_t>(random.between(0, 65535));
    m.loss_permille = static_cast<uint32_t>(random.between(0, 1000));
    m.burst_permille = static_cast<uint32_t>(random.between(1000, 65535));
    m.time_us = static_cast<uint32_t>(random.next());
    m.report_count = static_cast<size_t>(random.between(0, net::kMaxReports));
    m.request_count = static_cast<size_t>(random.between(0, net::kMaxRequests));
    for (size_t i = 0; i < m.report_count; ++i)
      m.reports[i] = static_cast<ctv_net_state>(random.between(0, 3));
    for (size_t i = 0; i < m.request_count; ++i) {
      m.requests[i] = {
          static_cast<uint16_t>(random.between(0, 65535)), static_cast<uint8_t>(random.between(0, 3)),
          static_cast<uint8_t>(random.between(0, 254)), static_cast<uint8_t>(random.between(0, 127))};
    }
    m.arrival_count = static_cast<size_t>(random.between(0, net::kMaxArrivals));
    for (size_t i = 0; i < m.arrival_count; ++i)
      m.ages[i] = static_cast<uint16_t>(random.between(0, i == 0 ? net::kOldest : net::kNotArrived));
    Datagram bytes(net::message_size(m.report_count, m.request_count, m.arrival_count));
    net::write_message(m, bytes.data());
    net::Message back;
    ASSERT_EQ(net::read_message(bytes, back), CTV_OK) << ctv_net_last_error();
    EXPECT_EQ(back.key_frame, m.key_frame);
    EXPECT_EQ(back.number, m.number);
    EXPECT_EQ(back.sequence, m.sequence);
    EXPECT_EQ(back.burst_permille, m.burst_permille);
    EXPECT_EQ(back.time_us, m.time_us);
    EXPECT_TRUE(std::equal(m.reports.begin(), m.reports.begin() + static_cast<ptrdiff_t>(m.report_count),
                           back.reports.begin()));
    ASSERT_EQ(back.request_count, m.request_count);
    for (size_t i = 0; i < m.request_count; ++i) {
      EXPECT_EQ(back.requests[i].frame, m.requests[i].frame);
      EXPECT_EQ(back.requests[i].index, m.requests[i].index);
    }
    ASSERT_EQ(back.arrival_count, m.arrival_count);
    EXPECT_EQ(back.ages, m.ages);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      ASSERT_EQ(net::read_message(std::span(bytes).first(cut), back), CTV_ERROR_STREAM) << cut;
    }
  }
}

// Each frame's fate reaches the sender once, also if most messages are lost.
TEST(Feedback, ReportsSurviveLostMessages) {
  NetSender sender;
  NetReceiver receiver;
  Random random(2);
  std::map<int64_t, ctv_net_state> told, expected;
  for (int64_t n = 0; n < 200; ++n) {
    const int64_t now = n * 33333;
    const auto datagrams = sender.cut(n, n - 1, {{100, 0}, {2000, 1}});
    ASSERT_EQ(datagrams.size(), 3U);
    const int fate = n == 199 ? 0 : random.between(0, 5);
    for (size_t i = 0; i < datagrams.size(); ++i) {
      if ((fate == 1 && i == 2) || (fate == 2 && i == 0)) continue;
      ASSERT_EQ(receiver.push(datagrams[i], now), CTV_OK);
    }
    for (const Received& r : receiver.take(now + 25000)) {
      expected[r.number] = r.state;
      if (r.state != CTV_NET_LOST) {
        EXPECT_EQ(ctv_net_receiver_report(receiver.handle, r.number, r.state), CTV_OK);
      }
    }
    const Datagram message = receiver.feedback(now + 25000);
    if (message.empty()) continue;  // the end of a frame is awaited
    EXPECT_TRUE(receiver.feedback(now + 25000).empty()) << "nothing new";
    if (n != 199 && random.between(0, 3) != 0) continue;  // lost
    const ctv_net_feedback f = give(sender, message, now + 50000);
    for (size_t i = 0; i < f.report_count; ++i) {
      EXPECT_TRUE(told.emplace(f.reports[i].frame_number, f.reports[i].state).second) << "twice";
    }
  }
  EXPECT_EQ(told, expected);
}

TEST(Feedback, LostDatagramsAreAskedForAndComeAgain) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 100000;
  config.round_trip_us = 50000;
  config.repeats = 1;
  const Specs specs = {{1500, 0}, {3000, 1}};
  for (unsigned lost = 0; lost < 1U << 5; ++lost) {
    NetSender sender;
    NetReceiver receiver(config);
    auto before = sender.cut(0, -1, specs);
    for (const Datagram& d : before) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
    ASSERT_EQ(receiver.take(0).size(), 1U);
    (void)receiver.feedback(0);
    const auto datagrams = sender.cut(1, 0, specs);
    ASSERT_EQ(datagrams.size(), 5U);
    for (size_t i = 0; i < 5; ++i) {
      if ((lost >> i & 1) != 0) continue;
      ASSERT_EQ(receiver.push(datagrams[i], 33333), CTV_OK);
    }
    // The next frame shows that all are lost.
    for (const Datagram& d : sender.cut(2, 1, specs)) ASSERT_EQ(receiver.push(d, 66666), CTV_OK);
    EXPECT_TRUE(lost == 0 || receiver.take(66666).empty());
    if (lost == 0) continue;
    const Datagram message = receiver.feedback(75000);
    const ctv_net_feedback f = give(sender, message, 90000);
    const auto again = sender.take(90000);
    EXPECT_EQ(static_cast<size_t>(f.repeats), again.size());
    size_t of_priority_0 = 0;
    for (const Datagram& d : again) of_priority_0 += (d[1] >> 1 & 3) == 0 ? 1 : 0;
    ASSERT_EQ(f.report_count, of_priority_0 > 0 ? 1U : 0U) << "it may come too late";
    if (of_priority_0 > 0) {
      EXPECT_EQ(f.reports[0].state, CTV_NET_LOST);
    }

    EXPECT_EQ(again.size(), static_cast<size_t>(std::popcount(lost))) << lost;
    for (const Datagram& d : again) ASSERT_EQ(receiver.push(d, 115000), CTV_OK);
    const auto frames = receiver.take(115000);
    ASSERT_EQ(frames.size(), 2U) << lost;
    EXPECT_EQ(frames[0].state, CTV_NET_WHOLE) << lost;
    EXPECT_EQ(frames[0].repeated, std::popcount(lost));
    // The same request again repeats nothing more often than allowed.
    for (int i = 0; i < 5; ++i) (void)give(sender, message, 120000), (void)sender.take(120000);
    ctv_net_sender_statistics s;
    ctv_net_sender_statistics_init(&s);
    ASSERT_EQ(ctv_net_sender_get_statistics(sender.handle, &s), CTV_OK);
    EXPECT_LE(s.repeated_bytes, 2U * 5 * 1200);
  }
}

// Each of the two times in three messages, and the last time at which it helps, without waiting for an answer
// to the first request.
TEST(Feedback, FramesWithoutPriority0AreAskedForTwice) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 100000;
  config.round_trip_us = 50000;
  for (const bool table_lost : {true, false}) {
    NetReceiver receiver(config);
    NetSender sender;
    const auto datagrams = sender.cut(1, 0, {{100, 0}, {2000, 1}});
    ASSERT_EQ(datagrams.size(), 3U);
    for (const Datagram& d : datagrams) {
      const bool is_priority_0 = (d[1] >> 1 & 3) == 0;
      if (is_priority_0 != table_lost) {
        ASSERT_EQ(receiver.push(d, 0), CTV_OK);
      }
    }
    for (const Datagram& d : sender.cut(2, 1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
    (void)receiver.feedback(0);  // arrivals
    EXPECT_TRUE(receiver.feedback(4999).empty());
    EXPECT_FALSE(receiver.feedback(5000).empty());
    for (const int64_t time : {10000, 15000, 45000, 50000}) {
      EXPECT_TRUE(receiver.feedback(time - 1).empty()) << time;
      int64_t due = 0;
      ASSERT_EQ(ctv_net_receiver_due(receiver.handle, &due), CTV_OK);
      EXPECT_EQ(due, table_lost ? time : 100000) << time;
      EXPECT_EQ(receiver.feedback(time).empty(), !table_lost) << time;
    }
    EXPECT_TRUE(receiver.feedback(99999).empty());
    EXPECT_EQ(receiver.statistics().asked, table_lost ? 4U : 1U) << "what is written again does not count";
  }
}

// Whichever of the messages arrives first is answered, the others are not. Before an answer can have come
// only priority 0 is asked for again.
TEST(Feedback, RequestsWrittenAgainAreAnsweredOnce) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 100000;
  config.round_trip_us = 50000;
  for (size_t first = 0; first < 3; ++first) {
    NetReceiver receiver(config);
    NetSender sender;
    for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
    ASSERT_EQ(receiver.take(0).size(), 1U);
    ASSERT_EQ(ctv_net_receiver_report(receiver.handle, 0, CTV_NET_WHOLE), CTV_OK);
    (void)give(sender, receiver.feedback(0), 50000);  // the round trip
    const auto datagrams = sender.cut(1, 0, {{100, 0}, {2000, 1}});
    ASSERT_EQ(datagrams.size(), 3U);
    ASSERT_EQ(receiver.push(datagrams.back(), 60000), CTV_OK);
    ASSERT_EQ(datagrams.back()[1] >> 1 & 3, 1) << "of priority 1";
    for (size_t i = 0; i < 3; ++i) {
      const int64_t time = 65000 + 5000 * static_cast<int64_t>(i);
      const Datagram message = receiver.feedback(time);
      ASSERT_FALSE(message.empty()) << i;
      if (i < first) continue;
      const int32_t wanted = i > first ? 0 : first == 0 ? 2 : 1;
      EXPECT_EQ(give(sender, message, time + 25000).repeats, wanted) << first << " " << i;
      EXPECT_EQ(sender.take(time + 25000).size(), static_cast<size_t>(wanted));
    }
    const Datagram message = receiver.feedback(105000);
    ASSERT_FALSE(message.empty());
    EXPECT_EQ(give(sender, message, 130000).repeats, 1) << "the first answer may be lost";
  }
}

// The picture stands still until the sender knows, and a message may be lost.
TEST(Feedback, LostFramesAreReportedThreeTimes) {
  NetReceiver receiver;
  NetSender sender;
  for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
  ASSERT_EQ(receiver.take(0).size(), 1U);
  EXPECT_EQ(ctv_net_receiver_report(receiver.handle, 0, CTV_NET_LOST), CTV_OK);
  EXPECT_EQ(give(sender, receiver.feedback(0), 0).report_count, 1U);
  for (const int64_t time : {5000, 10000}) {
    int64_t due = 0;
    ASSERT_EQ(ctv_net_receiver_due(receiver.handle, &due), CTV_OK);
    EXPECT_EQ(due, time);
    EXPECT_TRUE(receiver.feedback(time - 1).empty());
    EXPECT_EQ(give(sender, receiver.feedback(time), time).report_count, 0U) << "it came already";
  }
  EXPECT_TRUE(receiver.feedback(99999).empty());
}

TEST(Feedback, WhatCannotComeInTimeIsNotAskedFor) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 40000;
  config.round_trip_us = 50000;
  NetReceiver receiver(config);
  NetSender sender;
  const auto datagrams = sender.cut(1, 0, {{100, 0}, {2000, 1}});
  ASSERT_EQ(receiver.push(datagrams.back(), 0), CTV_OK);
  EXPECT_FALSE(receiver.feedback(0).empty()) << "arrivals";
  EXPECT_TRUE(receiver.feedback(10000).empty());
}

// A key frame is worth the wait, whatever the configuration.
TEST(Feedback, KeyFramesAreAlwaysAskedFor) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 0;
  config.round_trip_us = 50000;
  config.repeats = 0;
  NetReceiver receiver(config);
  NetSender sender;
  const auto datagrams = sender.cut(0, -1, {{2000, 0}});
  ASSERT_EQ(datagrams.size(), 2U);
  ASSERT_EQ(receiver.push(datagrams[1], 0), CTV_OK);
  (void)receiver.feedback(0);
  const ctv_net_feedback f = give(sender, receiver.feedback(5000), 30000);
  EXPECT_EQ(f.repeats, 1);
  EXPECT_TRUE(receiver.take(50000).empty());
  for (const Datagram& d : sender.take(30000)) ASSERT_EQ(receiver.push(d, 55000), CTV_OK);
  ASSERT_EQ(receiver.take(55000).size(), 1U);
}

TEST(Feedback, KeyFramesAreAskedForUntilOneIsDecoded) {
  NetReceiver receiver;
  NetSender sender;
  for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
  ASSERT_EQ(receiver.take(0).size(), 1U);
  EXPECT_EQ(ctv_net_receiver_request_key_frame(receiver.handle), CTV_OK);
  EXPECT_EQ(give(sender, receiver.feedback(0), 0).key_frame, 1);
  EXPECT_TRUE(receiver.feedback(99999).empty());
  EXPECT_EQ(give(sender, receiver.feedback(100000), 100000).key_frame, 1) << "one may be lost";
  for (const Datagram& d : sender.cut(1, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 110000), CTV_OK);
  ASSERT_EQ(receiver.take(110000).size(), 1U);
  EXPECT_EQ(ctv_net_receiver_report(receiver.handle, 1, CTV_NET_WHOLE), CTV_OK);
  const ctv_net_feedback f = give(sender, receiver.feedback(110000), 110000);
  EXPECT_EQ(f.key_frame, 0);
  ASSERT_EQ(f.report_count, 1U);
  EXPECT_EQ(f.reports[0].frame_number, 1);
  EXPECT_TRUE(receiver.feedback(500000).empty());
}

int64_t due(const NetReceiver& receiver) {
  int64_t time_us = 0;
  EXPECT_EQ(ctv_net_receiver_due(receiver.handle, &time_us), CTV_OK);
  return time_us;
}

// A caller that takes messages until there are none must come to an end, also without a round trip.
TEST(Feedback, AtOneTimeOneMessageWantsAKeyFrame) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.round_trip_us = 0;
  NetReceiver receiver(config);
  NetSender sender;
  EXPECT_EQ(ctv_net_receiver_request_key_frame(receiver.handle), CTV_OK);
  EXPECT_GT(due(receiver), 0) << "nothing came yet";
  for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
  ASSERT_EQ(receiver.take(0).size(), 1U);
  EXPECT_EQ(give(sender, receiver.feedback(0), 0).key_frame, 1);
  EXPECT_TRUE(receiver.feedback(0).empty());
  const int64_t next = due(receiver);
  EXPECT_GT(next, 0);
  EXPECT_TRUE(receiver.feedback(next - 1).empty());
  EXPECT_FALSE(receiver.feedback(next).empty());
}

// Frames 1 and 2 are lost, and what came of frame 3 dates them back so far that they are not asked for.
TEST(Feedback, WhatComesTooLateToBeAskedForIsNotDue) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 40000;
  config.round_trip_us = 30000;
  NetReceiver receiver(config);
  NetSender sender;
  for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d, 0), CTV_OK);
  ASSERT_EQ(receiver.take(0).size(), 1U);
  sender.cut(1, 0, {{100, 0}});
  sender.cut(2, 1, {{100, 0}});
  const int64_t now = 100000;
  for (const Datagram& d : sender.cut(3, 2, {{100, 0}})) ASSERT_EQ(receiver.push(d, now), CTV_OK);
  receiver.take(now);
  for (int i = 0; i < 10 && !receiver.feedback(now).empty(); ++i) continue;
  EXPECT_GT(due(receiver), now);
}

// Who joins where numbers begin again must not take a predicted frame for a key frame.
TEST(Receiver, AReferenceBeforeTheFirstNumberIsNoKeyFrame) {
  for (const int64_t back : {1, 2, 255}) {
    NetSender sender;
    NetReceiver receiver;
    for (const Datagram& d : sender.cut(65536, 65536 - back, {{100, 0}})) ASSERT_EQ(receiver.push(d), CTV_OK);
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    ASSERT_EQ(ctv_net_receiver_next(receiver.handle, 0, &frame), CTV_OK);
    EXPECT_EQ(frame.frame_number, 0);
    EXPECT_EQ(frame.reference, -back - 1);
  }
}

TEST(Feedback, LossIsMeasured) {
  for (const int loss : {0, 5, 20, 50}) {
    net::SequenceWindow window;
    Random random(7);
    for (uint32_t i = 60000; i < 60000 + 20000; ++i) {
      if (random.between(0, 99) >= loss) window.note(i & 0xFFFF, i);
    }
    EXPECT_NEAR(window.loss_permille(), 10 * loss, 50) << loss;
  }
  net::SequenceWindow exact;  // every tenth
  for (uint32_t i = 0; i < 5000; ++i) {
    if (i % 10 != 3) exact.note(i, i);
  }
  EXPECT_NEAR(exact.loss_permille(), 100, 2);
  EXPECT_EQ(exact.burst_permille(), 1000);
  net::SequenceWindow bursts;  // three of thirty
  for (uint32_t i = 0; i < 5000; ++i) {
    if (i % 30 >= 3) bursts.note(i, i);
  }
  EXPECT_NEAR(bursts.burst_permille(), 3000, 100);
}

TEST(Feedback, ForgedReportsOfTheFutureAreIgnored) {
  NetSender sender;
  (void)sender.cut(0, -1, {{100, 0}});
  net::Message m;
  m.newest = 5;
  m.report_count = 1;
  m.reports[0] = CTV_NET_WHOLE;
  Datagram bytes(net::message_size(1, 0, 0));
  net::write_message(m, bytes.data());
  EXPECT_EQ(give(sender, bytes, 0).report_count, 0U);
  m.newest = 0;
  net::write_message(m, bytes.data());
  EXPECT_EQ(give(sender, bytes, 0).report_count, 1U);
  EXPECT_EQ(give(sender, bytes, 0).report_count, 0U) << "nothing new";
}

}  // namespace
}  // namespace ctv::test
