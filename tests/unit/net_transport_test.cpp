// SPDX-License-Identifier: BSD-3-Clause
// Frames through sender and receiver of ctv_net: loss, reordering, repetition, damage, deadlines.
#include <algorithm>
#include <bit>

#include "tests/support/net_pair.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

using Specs = std::vector<PartSpec>;
const Specs kSpecs = {{700, 0}, {1500, 1}, {300, 1}, {0, 2}, {900, 2}};

TEST(Transport, CarriesFrames) {
  for (const int mtu : {64, 100, 576, 1200, 65000}) {
    NetSender sender(mtu);
    ctv_net_receiver_config config = NetReceiver::config();
    config.mtu = 65000;
    NetReceiver receiver(config);
    for (int64_t n = 0; n < 5; ++n) {
      for (const Datagram& d : sender.cut(n, n == 0 ? -1 : n - 1, kSpecs)) {
        EXPECT_LE(d.size(), static_cast<size_t>(mtu));
        ASSERT_EQ(receiver.push(d), CTV_OK) << ctv_net_last_error();
      }
      const auto frames = receiver.take();
      ASSERT_EQ(frames.size(), 1U);
      EXPECT_EQ(frames[0].number, n);
      EXPECT_EQ(frames[0].reference, n == 0 ? -1 : n - 1);
      EXPECT_EQ(frames[0].state, CTV_NET_WHOLE);
      expect_parts(frames[0], kSpecs);
    }
    EXPECT_EQ(receiver.statistics().held_bytes, 0U);
  }
}

TEST(Transport, CarriesFramesOfManyBlocks) {
  NetSender sender(64);
  NetReceiver receiver;
  sender.protect(fixed_parity(3, 2));
  const Specs specs = {{30000, 0}, {70001, 1}};
  std::vector<Datagram> datagrams = sender.cut(0, -1, specs);
  Random random(1);
  std::vector<int> lost_in_block(600);
  size_t dropped = 0;
  for (const Datagram& d : datagrams) {
    ctv_net_header h;
    ctv_net_header_init(&h);
    ASSERT_EQ(ctv_net_header_parse(d.data(), d.size(), &h), CTV_OK);
    int& lost = lost_in_block[static_cast<size_t>(h.priority * 300 + h.block)];
    if (h.parity == 0 && lost < (h.priority == 0 ? 3 : 2) && random.between(0, 9) == 0) {
      ++lost, ++dropped;
      continue;
    }
    ASSERT_EQ(receiver.push(d), CTV_OK);
  }
  const auto frames = receiver.take();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].state, CTV_NET_WHOLE);
  EXPECT_EQ(static_cast<size_t>(frames[0].repaired), dropped);
  EXPECT_GT(dropped, 20U);
  expect_parts(frames[0], specs);
}

// Every subset of a frame's datagrams: what arrives is right, what cannot be rebuilt is named.
TEST(Transport, EveryLossPatternGivesWhatCanBeRebuilt) {
  const Specs specs = {{150, 0}, {60, 1}, {70, 1}, {20, 2}};
  NetSender cutter(100);
  cutter.protect(fixed_parity(1, 1, 0));
  const std::vector<Datagram> datagrams = cutter.cut(7, 6, specs);
  ASSERT_EQ(datagrams.size(), 7U);  // 2 + 1, 2 + 1, 1
  for (unsigned lost = 0; lost < 1U << datagrams.size(); ++lost) {
    NetReceiver receiver;
    int of_priority[3] = {};
    bool data_lost[3] = {};
    for (size_t i = 0; i < datagrams.size(); ++i) {
      ctv_net_header h;
      ctv_net_header_init(&h);
      ASSERT_EQ(ctv_net_header_parse(datagrams[i].data(), datagrams[i].size(), &h), CTV_OK);
      if ((lost >> i & 1) == 0) {
        ASSERT_EQ(receiver.push(datagrams[i]), CTV_OK);
      } else {
        ++of_priority[h.priority];
        data_lost[h.priority] |= h.parity == 0;
      }
    }
    const auto frames = receiver.take(300000);
    if (lost + 1 == 1U << datagrams.size()) {
      EXPECT_TRUE(frames.empty());
      continue;
    }
    ASSERT_EQ(frames.size(), 1U) << lost;
    const bool gone[] = {of_priority[0] > 1, of_priority[1] > 1 && data_lost[1], of_priority[2] > 0};
    EXPECT_EQ(frames[0].state, gone[0]              ? CTV_NET_LOST
                               : gone[1] || gone[2] ? CTV_NET_INCOMPLETE
                                                    : CTV_NET_WHOLE)
        << lost;
    if (gone[0]) continue;
    expect_parts(frames[0], specs);
    EXPECT_FALSE(frames[0].missing[0]);
    EXPECT_EQ(frames[0].missing[3], gone[2]);
    EXPECT_EQ(frames[0].missing[1] || frames[0].missing[2], gone[1]);
  }
}

// Parity of many small datagrams is small.
TEST(Transport, CutsSoThatDataAndParityAreFewBytes) {
  ctv_net_protection p;
  ctv_net_protection_init(&p);
  ASSERT_EQ(ctv_net_protection_choose(50, 1000, &p), CTV_OK);
  NetSender sender;
  const Specs specs = {{2000, 0}, {6000, 1}};
  EXPECT_EQ(sender.cut(0, -1, specs).size(), 2U + 6U) << "as few as possible without parity";
  sender.protect(p);
  size_t bytes = 0, count = 0;
  for (const Datagram& d : sender.cut(1, 0, specs)) {
    ctv_net_header h;
    ctv_net_header_init(&h);
    ASSERT_EQ(ctv_net_header_parse(d.data(), d.size(), &h), CTV_OK);
    if (h.priority != 0) continue;
    ++count;
    bytes += d.size();
  }
  const int parity_of_two = ctv_net_parity_count(&p, 0, 2, 6);
  EXPECT_GT(count, 2U + static_cast<size_t>(parity_of_two));
  EXPECT_LT(bytes, static_cast<size_t>(2 + parity_of_two) * (1000 + CTV_NET_HEADER_SIZE));
}

// Three losses in a row anywhere.
TEST(Transport, BurstsTakeFewDatagramsOfAPriority) {
  NetSender sender;
  sender.protect(fixed_parity(2));
  const Specs specs = {{3000, 0}, {9000, 1}};
  const auto datagrams = sender.cut(0, -1, specs);
  for (size_t first = 0; first + 3 <= datagrams.size(); ++first) {
    NetReceiver receiver;
    for (size_t i = 0; i < datagrams.size(); ++i) {
      if (i < first || i >= first + 3) {
        ASSERT_EQ(receiver.push(datagrams[i]), CTV_OK);
      }
    }
    const auto frames = receiver.take(300000);
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].state, CTV_NET_INCOMPLETE) << first;
    expect_parts(frames[0], specs);
  }
}

// A lost datagram takes only the parts with it that have bytes in it.
TEST(Transport, PartsBesideALostDatagramSurvive) {
  const Specs specs = {{20, 0}, {80, 1}, {80, 1}, {80, 1}};
  NetSender sender(CTV_NET_HEADER_SIZE + 80);
  const auto datagrams = sender.cut(0, -1, specs);
  ASSERT_EQ(datagrams.size(), 4U);
  NetReceiver receiver;
  for (const size_t i : {0U, 1U, 3U}) ASSERT_EQ(receiver.push(datagrams[i]), CTV_OK);
  const auto frames = receiver.take(20000);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].missing, (std::vector<bool>{false, false, true, false}));
  expect_parts(frames[0], specs);
}

TEST(Transport, OrderAndRepetitionDoNotMatter) {
  NetSender sender(200);
  sender.protect(fixed_parity(1, 1, 1));
  std::vector<Datagram> all;
  for (int64_t n = 0; n < 20; ++n) {
    for (Datagram& d : sender.cut(n, n - 1, kSpecs)) all.push_back(std::move(d));
  }
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<Datagram> shuffled = all;
    for (const Datagram& d : all) {
      if (random.between(0, 3) == 0) shuffled.push_back(d);
    }
    for (size_t i = shuffled.size(); i > 1; --i) {
      std::swap(shuffled[i - 1], shuffled[static_cast<size_t>(random.between(0, static_cast<int>(i) - 1))]);
    }
    NetReceiver receiver;
    std::vector<Received> frames;
    for (const Datagram& d : shuffled) ASSERT_EQ(receiver.push(d), CTV_OK) << ctv_net_last_error();
    for (Received& r : receiver.take()) frames.push_back(std::move(r));
    ASSERT_EQ(frames.size(), 20U);
    for (int64_t n = 0; n < 20; ++n) {
      EXPECT_EQ(frames[static_cast<size_t>(n)].number, n);
      EXPECT_EQ(frames[static_cast<size_t>(n)].state, CTV_NET_WHOLE);
      expect_parts(frames[static_cast<size_t>(n)], kSpecs);
    }
  }
}

// Cut or changed at every byte, with and without the rest of the frame.
TEST(Transport, DamageIsRefusedOrBounded) {
  NetSender sender(100);
  sender.protect(fixed_parity(1, 1));
  const Specs specs = {{120, 0}, {150, 1}};
  const auto datagrams = sender.cut(3, 2, specs);
  Random random(2);
  for (const Datagram& original : datagrams) {
    for (size_t at = 0; at <= original.size(); ++at) {
      NetReceiver receiver;
      Datagram cut(original.begin(), original.begin() + static_cast<ptrdiff_t>(at));
      if (at <= CTV_NET_HEADER_SIZE) {
        EXPECT_EQ(receiver.push(cut), CTV_ERROR_STREAM);
        EXPECT_STRNE(ctv_net_last_error(), "");
      } else {
        (void)receiver.push(cut);
      }
      Datagram changed = original;
      if (at < changed.size()) changed[at] = static_cast<uint8_t>(changed[at] ^ (1 << random.between(0, 7)));
      (void)receiver.push(changed);
      for (const Datagram& d : datagrams) (void)receiver.push(d);
      for (const Received& r : receiver.take(1000000)) EXPECT_LE(r.parts.size(), size_t{CTV_NET_MAX_PARTS});
      (void)receiver.feedback(1000000);
    }
  }
}

TEST(Transport, RandomBytesChangeNothing) {
  Random random(4);
  NetReceiver receiver;
  NetSender sender;
  for (int round = 0; round < 20000; ++round) {
    Datagram bytes(static_cast<size_t>(random.between(0, 80)));
    for (uint8_t& b : bytes) b = random.byte();
    if (!bytes.empty() && random.between(0, 1) == 0) bytes[0] = static_cast<uint8_t>(64 | (bytes[0] & 63));
    (void)receiver.push(bytes, round);
    ctv_net_feedback feedback;
    ctv_net_feedback_init(&feedback);
    (void)ctv_net_sender_feedback(sender.handle, round, bytes.data(), bytes.size(), &feedback);
    if (round % 100 == 0) (void)receiver.take(round);
    ASSERT_LE(receiver.statistics().held_bytes, 8U << 20);
  }
}

TEST(Transport, NumbersWrapAround) {
  NetSender sender;
  NetReceiver receiver;
  std::vector<int64_t> seen;
  for (int64_t n = 65530; n < 65545; ++n) {
    for (const Datagram& d : sender.cut(n, n == 65530 ? -1 : n - 1, kSpecs))
      ASSERT_EQ(receiver.push(d), CTV_OK);
    for (const Received& r : receiver.take()) seen.push_back(r.number);
  }
  ASSERT_EQ(seen.size(), 15U);
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], 65530 + static_cast<int64_t>(i));
}

// One datagram of a frame far away is not believed; a sender that has gone on is.
TEST(Transport, JumpsAfterSeveralDatagramsOnly) {
  NetSender sender(200);
  NetReceiver receiver;
  const auto push = [&](const std::vector<Datagram>& datagrams) {
    for (const Datagram& d : datagrams) ASSERT_EQ(receiver.push(d), CTV_OK);
  };
  push(sender.cut(0, -1, kSpecs));
  EXPECT_EQ(receiver.take().size(), 1U);
  NetSender other(200);
  const auto stray = other.cut(20000, -1, {{10, 0}});
  ASSERT_EQ(stray.size(), 1U);
  push(stray);
  push(sender.cut(1, 0, kSpecs));
  ASSERT_EQ(receiver.take().size(), 1U);
  push(sender.cut(10000, 9999, kSpecs));
  for (int64_t n = 10001; n < 10003; ++n) push(sender.cut(n, n - 1, kSpecs));
  const auto frames = receiver.take(1000000);
  ASSERT_GE(frames.size(), 3U);
  EXPECT_EQ(frames[0].state, CTV_NET_LOST);
  EXPECT_EQ(frames[0].number, 2);
  EXPECT_EQ(frames[0].lost_frames, 9998);
  EXPECT_EQ(frames.back().number, 10002);
  EXPECT_EQ(frames.back().state, CTV_NET_WHOLE);
  // A sender that begins again.
  NetSender fresh(200);
  for (int64_t n = 0; n < 3; ++n) push(fresh.cut(n, n - 1, kSpecs));
  const auto again = receiver.take(2000000);
  ASSERT_FALSE(again.empty());
  EXPECT_EQ(again.back().number, 65538);
  EXPECT_EQ(again.back().state, CTV_NET_WHOLE);
}

TEST(Transport, MemoryIsBounded) {
  ctv_net_receiver_config config = NetReceiver::config();
  config.max_memory = 65536;
  config.deadline_us = 60000000;
  NetReceiver receiver(config);
  NetSender sender(1200, 1 << 20);
  int64_t n = 0;
  int limits = 0;
  for (; n < 40; ++n) {
    std::vector<Datagram> datagrams = sender.cut(n, n - 1, {{9000, 0}, {9000, 1}});
    datagrams.pop_back();  // none is whole
    for (const Datagram& d : datagrams) {
      ctv_status status = receiver.push(d);
      if (status == CTV_ERROR_LIMIT) {
        ++limits;
        ASSERT_FALSE(receiver.take().empty());
        status = receiver.push(d);
      }
      ASSERT_EQ(status, CTV_OK);
      ASSERT_LE(receiver.statistics().held_bytes, 65536U + 8192U);
    }
  }
  EXPECT_GT(limits, 3);
  // A frame above the limit is given as it is; one above the sender's is refused.
  NetSender large(1200, 65536);
  const TestFrame frame(0, -1, {{70000, 0}});
  EXPECT_EQ(ctv_net_sender_push(large.handle, &frame.frame), CTV_ERROR_LIMIT);
  for (int64_t i = 0; i < 50; ++i) {
    (void)large.cut(i, i - 1, {{9000, 0}});
    ctv_net_sender_statistics s;
    ctv_net_sender_statistics_init(&s);
    ASSERT_EQ(ctv_net_sender_get_statistics(large.handle, &s), CTV_OK);
    ASSERT_LE(s.held_bytes, 65536U);
  }
}

TEST(Transport, ContradictionsAreRefused) {
  NetSender a(100), b(100);
  const auto first = a.cut(0, -1, {{60, 0}, {150, 1}});
  const auto second = b.cut(0, -1, {{60, 0}, {400, 1}});
  NetReceiver receiver;
  for (size_t i = 0; i + 1 < first.size(); ++i) ASSERT_EQ(receiver.push(first[i]), CTV_OK);
  EXPECT_EQ(receiver.push(second.back()), CTV_ERROR_STREAM);
  EXPECT_EQ(receiver.push(first.back()), CTV_OK);
  EXPECT_EQ(receiver.take().at(0).state, CTV_NET_WHOLE);
}

TEST(Transport, ArgumentsAreChecked) {
  NetSender sender;
  EXPECT_EQ(ctv_net_sender_push(sender.handle, nullptr), CTV_ERROR_ARGUMENT);
  const auto refused = [&](auto change) {
    TestFrame frame(5, 4, {{10, 0}});
    change(frame.frame, frame.parts[0]);
    return ctv_net_sender_push(sender.handle, &frame.frame);
  };
  EXPECT_EQ(refused([](auto& f, auto&) { f.frame_number = -1; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto& f, auto&) { f.reference = 5; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto& f, auto&) { f.frame_number = 300, f.reference = 4; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto& f, auto&) { f.temporal_id = 8; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto& f, auto&) { f.part_count = 256; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto& f, auto&) { f.part_count = 0; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto&, auto& p) { p.priority = 4; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto&, auto& p) { p.data = nullptr; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto& f, auto&) { f.struct_size = 0; }), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](auto&, auto&) {}), CTV_OK);
  EXPECT_EQ(refused([](auto&, auto&) {}), CTV_ERROR_ARGUMENT) << "numbers rise";

  ctv_net_sender_config sending;
  ctv_net_sender_config_init(&sending);
  sending.mtu = 63;
  ctv_net_sender* none = nullptr;
  EXPECT_EQ(ctv_net_sender_open(&sending, &none), CTV_ERROR_ARGUMENT);
  EXPECT_STREQ(ctv_net_last_error(), "config.mtu: 63 is not in 64..65000");
  ctv_net_receiver_config receiving = NetReceiver::config();
  receiving.max_frames = 0;
  ctv_net_receiver* no_receiver = nullptr;
  EXPECT_EQ(ctv_net_receiver_open(&receiving, &no_receiver), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(no_receiver, nullptr);
  ctv_net_sender_close(nullptr);
  ctv_net_receiver_close(nullptr);
}

}  // namespace
}  // namespace ctv::test
