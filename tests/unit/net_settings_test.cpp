// SPDX-License-Identifier: BSD-3-Clause
// What a sender measures, and the settings that follow from it.
#include <functional>

#include "tests/support/net_pair.hpp"

namespace ctv::test {
namespace {

ctv_net_settings settings_for(const std::function<void(ctv_net_measurement&)>& change) {
  ctv_net_measurement m;
  ctv_net_measurement_init(&m);
  m.bitrate = 2000000;
  change(m);
  ctv_net_settings s;
  ctv_net_settings_init(&s);
  EXPECT_EQ(ctv_net_settings_choose(&m, &s), CTV_OK) << ctv_net_last_error();
  return s;
}

TEST(Settings, FollowWhatIsMeasured) {
  const ctv_net_settings usual = settings_for([](auto&) {});
  EXPECT_EQ(usual.bitrate, 1700000);
  EXPECT_EQ(usual.frame_interval, 1);
  EXPECT_EQ(usual.temporal_layers, 1);
  EXPECT_EQ(usual.repeats, 0) << "the round trip is not known";
  EXPECT_EQ(ctv_net_parity_count(&usual.protection, 0, 4, 4), 0);
  EXPECT_GT(ctv_net_parity_count(&usual.key_protection, 0, 20, 0), 0);
  EXPECT_EQ(settings_for([](auto& m) { m.part_permille = 600; }).bitrate, 1200000);
  EXPECT_EQ(settings_for([](auto& m) { m.part_permille = 0; }).bitrate, 800000) << "as with 400";
  const ctv_net_settings slow = settings_for([](auto& m) { m.bitrate = 80000; });
  EXPECT_EQ(slow.frame_interval, 3) << "68 kb/s: 2266 bits for each of 30 pictures, of 4800";
  EXPECT_EQ(settings_for([](auto& m) { m.bitrate = 1; }).frame_interval, 4);
  EXPECT_EQ(settings_for([](auto& m) { m.forwarded = 1; }).temporal_layers, 3);
  EXPECT_EQ(settings_for([](auto& m) { m.forwarded = 1, m.fps_num = 15; }).temporal_layers, 2);
  const auto waits = [](int64_t round_trip) {
    return settings_for([=](auto& m) { m.round_trip_us = round_trip, m.playout_us = 100000; });
  };
  EXPECT_EQ(waits(90000).repeats, 2);
  EXPECT_EQ(waits(90001).repeats, 0);
  EXPECT_EQ(waits(50000).deadline_us, 100000);
  EXPECT_EQ(usual.pause, 0);
  EXPECT_EQ(settings_for([](auto& m) { m.waiting_us = 150000; }).pause, 0);
  EXPECT_EQ(settings_for([](auto& m) { m.waiting_us = 150001; }).pause, 1);
  EXPECT_EQ(settings_for([](auto& m) { m.silent_us = 1000001; }).pause, 1);
  EXPECT_EQ(settings_for([](auto& m) { m.silent_us = 1000001, m.round_trip_us = 300000; }).pause, 0);
  const ctv_net_settings lossy = settings_for([](auto& m) { m.loss_permille = 50, m.burst_permille = 3000; });
  ctv_net_protection p;
  ctv_net_protection_init(&p);
  ASSERT_EQ(ctv_net_protection_choose(50, 3000, &p), CTV_OK);
  for (int count = 1; count < 20; ++count) {
    EXPECT_EQ(ctv_net_parity_count(&lossy.protection, 0, count, 5), ctv_net_parity_count(&p, 0, count, 5));
  }
  // Where a lost datagram can come again in time, less parity is enough; key frames keep theirs.
  const ctv_net_settings repaired = settings_for([](auto& m) {
    m.loss_permille = 50, m.burst_permille = 3000, m.round_trip_us = 50000, m.playout_us = 100000;
  });
  EXPECT_EQ(repaired.protection.failures[0], 26666) << "600000 over the square of 3 and 2.5 frames";
  const ctv_net_settings single = settings_for([](auto& m) {
    m.loss_permille = 50, m.burst_permille = 1053, m.round_trip_us = 50000, m.playout_us = 100000;
  });
  ASSERT_EQ(ctv_net_protection_choose(50, 1053, &p), CTV_OK);
  EXPECT_EQ(single.protection.failures[0], 4 * p.failures[0]);
  const ctv_net_settings far_away = settings_for([](auto& m) {
    m.loss_permille = 50, m.burst_permille = 1053, m.round_trip_us = 300000, m.playout_us = 400000;
  });
  EXPECT_EQ(far_away.protection.failures[0], p.failures[0]) << "a frame that is lost freezes ten";
  EXPECT_EQ(single.protection.failures[1], p.failures[1]) << "levels come again";
  const ctv_net_settings alone = settings_for([](auto& m) { m.loss_permille = 50, m.burst_permille = 1053; });
  EXPECT_EQ(ctv_net_parity_count(&alone.protection, 1, 8, 1), 1) << "levels do not come again";
  EXPECT_EQ(ctv_net_parity_count(&alone.protection, 1, 2, 1), 0);
  const ctv_net_settings little = settings_for([](auto& m) { m.loss_permille = 29; });
  EXPECT_EQ(ctv_net_parity_count(&little.protection, 1, 100, 1), 0);
  EXPECT_EQ(repaired.key_protection.failures[0], lossy.key_protection.failures[0]);
  EXPECT_EQ(waits(50000).protection.failures[0], usual.protection.failures[0]) << "no parity, no loss";
}

TEST(Settings, MeasurementsAreChecked) {
  const auto refused = [](auto change) {
    ctv_net_measurement m;
    ctv_net_measurement_init(&m);
    m.bitrate = 1000;
    change(m);
    ctv_net_settings s;
    ctv_net_settings_init(&s);
    return ctv_net_settings_choose(&m, &s) == CTV_ERROR_ARGUMENT;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& m) { m.bitrate = 0; }));
  EXPECT_TRUE(refused([](auto& m) { m.loss_permille = 1001; }));
  EXPECT_TRUE(refused([](auto& m) { m.burst_permille = 999; }));
  EXPECT_TRUE(refused([](auto& m) { m.round_trip_us = -2; }));
  EXPECT_TRUE(refused([](auto& m) { m.playout_us = -1; }));
  EXPECT_TRUE(refused([](auto& m) { m.fps_den = 0; }));
  EXPECT_TRUE(refused([](auto& m) { m.forwarded = 2; }));
  EXPECT_TRUE(refused([](auto& m) { m.part_permille = -1; }));
  EXPECT_TRUE(refused([](auto& m) { m.part_permille = 1001; }));
  EXPECT_TRUE(refused([](auto& m) { m.waiting_us = -1; }));
  EXPECT_TRUE(refused([](auto& m) { m.silent_us = -1; }));
  EXPECT_TRUE(refused([](auto& m) { m.struct_size = 0; }));
  EXPECT_EQ(ctv_net_settings_choose(nullptr, nullptr), CTV_ERROR_ARGUMENT);
}

ctv_net_measurement measure(const NetSender& sender, ctv_net_measurement m) {
  EXPECT_EQ(ctv_net_sender_measure(sender.handle, 0, &m), CTV_OK) << ctv_net_last_error();
  return m;
}

ctv_net_measurement initial() {
  ctv_net_measurement m;
  ctv_net_measurement_init(&m);
  return m;
}

TEST(Measure, BeforeAnythingIsSentNothingChanges) {
  const NetSender sender;
  ctv_net_measurement m = initial();
  m.bitrate = 7, m.playout_us = 8, m.fps_num = 9, m.fps_den = 10, m.forwarded = 1;
  const ctv_net_measurement same = measure(sender, m);
  EXPECT_EQ(same.struct_size, sizeof same);
  EXPECT_EQ(same.bitrate, 7);
  EXPECT_EQ(same.loss_permille, 0);
  EXPECT_EQ(same.burst_permille, 1000);
  EXPECT_EQ(same.round_trip_us, -1);
  EXPECT_EQ(same.playout_us, 8);
  EXPECT_EQ(same.fps_num, 9);
  EXPECT_EQ(same.fps_den, 10);
  EXPECT_EQ(same.forwarded, 1);
  EXPECT_EQ(same.part_permille, 850);
  EXPECT_EQ(ctv_net_sender_measure(nullptr, 0, &m), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_net_sender_measure(sender.handle, 0, nullptr), CTV_ERROR_ARGUMENT);
  m.struct_size = 0;
  EXPECT_EQ(ctv_net_sender_measure(sender.handle, 0, &m), CTV_ERROR_ARGUMENT);
}

// A message that comes after a pause does not keep settings from being chosen.
TEST(Measure, RoundTripHasALimit) {
  NetSender sender;
  NetReceiver receiver;
  for (const Datagram& d : sender.cut(0, -1, {{100, 0}})) ASSERT_EQ(receiver.push(d), CTV_OK);
  ASSERT_EQ(receiver.take().size(), 1U);
  ASSERT_EQ(ctv_net_receiver_report(receiver.handle, 0, CTV_NET_WHOLE), CTV_OK);
  const Datagram message = receiver.feedback(0);
  ctv_net_feedback f;
  ctv_net_feedback_init(&f);
  ASSERT_EQ(ctv_net_sender_feedback(sender.handle, 3600000000, message.data(), message.size(), &f), CTV_OK);
  EXPECT_EQ(measure(sender, initial()).round_trip_us, 60000000);
}

// A header has 12 bytes, the table of one part of 985 bytes has 4. Each parity datagram has 1000.
TEST(Measure, ShareOfPartsIsThatOfTheLastFrames) {
  NetSender sender;
  int64_t n = 0;
  const auto share_after = [&](const ctv_net_protection& protection) {
    sender.protect(protection);
    for (int i = 0; i < 1000; ++i, ++n) EXPECT_FALSE(sender.cut(n, n - 1, {{984, 0}}).empty());
    return measure(sender, initial()).part_permille;
  };
  EXPECT_EQ(share_after(fixed_parity(0)), 984);
  EXPECT_EQ(share_after(fixed_parity(2)), 328);
  EXPECT_EQ(share_after(fixed_parity(4)), 197);
  EXPECT_EQ(share_after(fixed_parity(0)), 984);
}

struct Sent {
  double bits = 0;  // per second
  ctv_net_measurement measured = initial();
  ctv_net_settings settings{};
};

// A call whose encoder meets the bitrate that it is given. One of `lost_one_of` datagrams is lost.
Sent send_call(int64_t bitrate, int lost_one_of) {
  constexpr int kFrames = 600, kCounted = 300, kFps = 30;
  ctv_net_receiver_config config = NetReceiver::config();
  config.deadline_us = 100000;
  config.round_trip_us = 50000;
  NetSender sender;
  NetReceiver receiver(config);
  Sent out;
  out.measured.bitrate = bitrate, out.measured.playout_us = config.deadline_us;
  ctv_net_settings_init(&out.settings);
  int datagrams = 0;
  const auto carry = [&](const std::vector<Datagram>& all, int64_t n, int64_t now_us) {
    for (const Datagram& d : all) {
      if (n >= kFrames - kCounted) out.bits += 8.0 * static_cast<double>(d.size()) * kFps / kCounted;
      if (++datagrams % lost_one_of == 0) continue;
      EXPECT_EQ(receiver.push(d, now_us), CTV_OK);
    }
  };
  for (int64_t n = 0; n < kFrames; ++n) {
    const int64_t now_us = n * 1000000 / kFps;
    out.measured = measure(sender, out.measured);
    EXPECT_EQ(ctv_net_settings_choose(&out.measured, &out.settings), CTV_OK) << ctv_net_last_error();
    sender.protect(out.settings.protection);
    const auto size = static_cast<size_t>(out.settings.bitrate / (8 * kFps));
    const TestFrame frame(n, n - 1, {{size / 3, 0}, {size - size / 3, 1}});
    EXPECT_EQ(ctv_net_sender_push(sender.handle, &frame.frame), CTV_OK) << ctv_net_last_error();
    carry(sender.take(now_us), n, now_us);
    for (const Received& r : receiver.take(now_us + 6000)) {
      if (r.state == CTV_NET_LOST) continue;
      EXPECT_EQ(ctv_net_receiver_report(receiver.handle, r.number, r.state), CTV_OK);
    }
    const Datagram message = receiver.feedback(now_us + 6000);
    if (message.empty()) continue;
    ctv_net_feedback f;
    ctv_net_feedback_init(&f);
    EXPECT_EQ(ctv_net_sender_feedback(sender.handle, now_us + 31000, message.data(), message.size(), &f),
              CTV_OK);
    carry(sender.take(now_us + 31000), n, now_us + 31000);
  }
  return out;
}

TEST(Measure, WhatIsSentKeepsToTheBitrate) {
  for (const int64_t bitrate : {300000, 2000000, 8000000}) {
    for (const int lost_one_of : {1000000, 20, 10, 5}) {
      const Sent sent = send_call(bitrate, lost_one_of);
      EXPECT_NEAR(sent.bits / static_cast<double>(bitrate), 1, 0.01) << bitrate << " " << lost_one_of;
      EXPECT_EQ(sent.measured.burst_permille, 1000);
      EXPECT_NEAR(sent.measured.loss_permille, 1000 / lost_one_of, 5);
      EXPECT_NEAR(static_cast<double>(sent.measured.round_trip_us), 25000, 64) << "ages have this unit";
    }
  }
}

}  // namespace
}  // namespace ctv::test
