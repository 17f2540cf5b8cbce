// SPDX-License-Identifier: BSD-3-Clause
// Memory runs out in a call of ctv_net, at every allocation in turn; and its heap is within its limits.
#include "tests/shortage/heap.hpp"
#include "tests/shortage/shortage.hpp"
#include "tests/support/net_pair.hpp"

namespace ctv::test {
namespace {

constexpr int64_t kFrames = 6;

struct Outcome {
  bool reached = false;
  int failures = 0;
  std::vector<int64_t> given;
};

// A call in which some allocation fails. Every call that fails is made once more, where the interface allows
// it.
void run(long n, Shortage kind, Outcome& out) {
  ctv_net_sender_config sending;
  ctv_net_sender_config_init(&sending);
  sending.mtu = 200;
  ctv_net_sender* sender = nullptr;
  ctv_net_receiver_config receiving = NetReceiver::config();
  receiving.deadline_us = 50000;
  receiving.round_trip_us = 10000;
  ctv_net_receiver* receiver = nullptr;
  const FailingAllocations failing(n, kind);
  const auto twice = [&](auto&& call) {
    ctv_status status = call();
    if (status == CTV_ERROR_MEMORY) {
      ++out.failures;
      EXPECT_STREQ(ctv_net_last_error(), "out of memory");
      status = call();
    }
    EXPECT_TRUE(status >= 0 || status == CTV_ERROR_MEMORY) << status;
    return status;
  };
  twice([&] { return ctv_net_sender_open(&sending, &sender); });
  twice([&] { return ctv_net_receiver_open(&receiving, &receiver); });
  ctv_net_settings settings;
  ctv_net_settings_init(&settings);
  settings.protection = settings.key_protection = fixed_parity(1, 1);
  for (int64_t number = 0; sender != nullptr && receiver != nullptr && number < kFrames; ++number) {
    const int64_t now = number * 33333;
    {
      std::unique_ptr<TestFrame> frame;
      {
        const Exempt exempt;
        frame = std::make_unique<TestFrame>(number, number - 1, std::vector<PartSpec>{{300, 0}, {700, 1}});
      }
      (void)ctv_net_sender_apply(sender, &settings);
      twice([&] { return ctv_net_sender_push(sender, &frame->frame); });
      const Exempt exempt;
      frame.reset();
    }
    const uint8_t* data = nullptr;
    size_t size = 0;
    for (int i = 0; ctv_net_sender_next(sender, now, &data, &size) == CTV_OK; ++i) {
      if (i % 5 == 3) continue;
      twice([&] { return ctv_net_receiver_push(receiver, now, data, size); });
    }
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    for (int i = 0; i < 20; ++i) {
      const ctv_status status = twice([&] { return ctv_net_receiver_next(receiver, now, &frame); });
      if (status == CTV_AGAIN) break;
      if (status != CTV_OK) continue;
      const Exempt exempt;
      out.given.push_back(frame.frame_number);
      for (size_t p = 0; p < frame.part_count; ++p) {
        const auto expected = part_bytes(frame.frame_number, p, frame.parts[p].size);
        const bool right =
            frame.parts[p].missing != 0 || std::equal(expected.begin(), expected.end(), frame.parts[p].data);
        EXPECT_TRUE(right);
      }
      (void)ctv_net_receiver_report(receiver, frame.frame_number, frame.state);
    }
    if (ctv_net_receiver_feedback(receiver, now + 20000, &data, &size) != CTV_OK) continue;
    ctv_net_feedback feedback;
    ctv_net_feedback_init(&feedback);
    twice([&] { return ctv_net_sender_feedback(sender, now + 20000, data, size, &feedback); });
  }
  out.reached = FailingAllocations::reached();
  ctv_net_sender_close(sender);
  ctv_net_receiver_close(receiver);
}

TEST(NetShortage, EveryAllocationMayFail) {
  for (const Shortage kind : {Shortage::kOnce, Shortage::kFrom}) {
    int failures = 0;
    for (long n = 0;; ++n) {
      ASSERT_LT(n, 100000);
      Outcome out;
      run(n, kind, out);
      for (size_t i = 1; i < out.given.size(); ++i) ASSERT_GT(out.given[i], out.given[i - 1]) << n;
      failures += out.failures;
      if (!out.reached) {
        EXPECT_EQ(out.failures, 0);
        EXPECT_GE(out.given.size(), 4U);
        break;
      }
    }
    EXPECT_GT(failures, 50);
  }
}

// Datagrams of as many frames, groups and blocks as headers can name.
TEST(NetShortage, AReceiverIsWithinItsLimits) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.max_memory = 1 << 20;
  config.max_frames = 1024;
  config.deadline_us = 60000000;
  const size_t before = heap_bytes();
  reset_heap_peak();
  {
    NetReceiver receiver(config);
    Datagram datagram(CTV_NET_HEADER_SIZE + 1, 0);
    for (uint32_t i = 0; i < 200000; ++i) {
      datagram[0] = 2 << 6;  // version
      datagram[1] = static_cast<uint8_t>(i % 4 << 1);
      datagram[4] = static_cast<uint8_t>(i / 4);
      datagram[5] = static_cast<uint8_t>(i / 4 / 256 % 4);
      datagram[6] = 1;
      datagram[8] = static_cast<uint8_t>(i / 4096 % 254);
      datagram[9] = 255;
      datagram[10] = static_cast<uint8_t>(i / 1000 % 128);
      datagram[11] = 128;
      (void)receiver.push(datagram);
    }
    EXPECT_LE(receiver.statistics().held_bytes, size_t{1} << 20);
    EXPECT_GT(receiver.statistics().held_bytes, size_t{1} << 19);
  }
  EXPECT_LE(heap_peak() - before, size_t{5} << 20);
}

}  // namespace
}  // namespace ctv::test
