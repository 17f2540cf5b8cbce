// SPDX-License-Identifier: BSD-3-Clause
// What the encoder refers to and keeps, from the calls it gets.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codec/control/reference_policy.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

constexpr uint32_t kKey = UINT32_MAX;

/// Frames as the encoder codes them, one after the other.
class Chain {
 public:
  Chain(int slot_count, int layers) : policy(slot_count, layers) { ctv_frame_options_init(&options); }
  /// Returns the number of the frame that the next one refers to, or kKey.
  uint32_t next() {
    FrameParameters f;
    f.number = count++;
    EXPECT_TRUE(policy.check(options, f).ok());
    f.type =
        policy.needs_key_frame(f.number) || options.key_frame != 0 ? FrameType::kKey : FrameType::kPredicted;
    policy.choose(options, f);
    policy.coded(f);
    frames.push_back(f);
    const uint32_t reference = f.number - f.reference;
    if (f.type == FrameType::kPredicted) {
      EXPECT_TRUE(held().contains(reference)) << "frame " << f.number << " refers to " << reference;
      EXPECT_LE(frames[reference].temporal_id, f.temporal_id);
    }
    if (f.kept) slots[f.slot] = f.number;
    return f.type == FrameType::kKey ? kKey : reference;
  }
  std::set<uint32_t> held() const {
    std::set<uint32_t> numbers;
    for (const auto& [slot, number] : slots) numbers.insert(number);
    return numbers;
  }
  ReferencePolicy policy;
  ctv_frame_options options{};
  uint32_t count = 0;
  std::vector<FrameParameters> frames;
  std::map<int, uint32_t> slots;
};

TEST(ReferencePolicy, EachFrameRefersToTheOneBeforeWhileNothingIsLost) {
  for (const int slots : {1, 2, 3, 8}) {
    Chain chain(slots, 1);
    EXPECT_EQ(chain.next(), kKey);
    for (uint32_t n = 1; n < 600; ++n) {
      EXPECT_EQ(chain.next(), n - 1);
      if (n % 3 == 2 && n > 7) chain.policy.acknowledge(n - 7);
    }
  }
}

TEST(ReferencePolicy, WithOneSlotALossNeedsAKeyFrame) {
  Chain chain(1, 1);
  for (int i = 0; i < 5; ++i) chain.next();
  chain.policy.acknowledge(2);
  chain.policy.lost(3);
  EXPECT_EQ(chain.next(), kKey);
  EXPECT_EQ(chain.next(), 5U);
  chain.policy.lost(3);  // told again: the chain is another
  EXPECT_EQ(chain.next(), 6U);
}

TEST(ReferencePolicy, AfterALossTheNewestAcknowledgedFrameIsReferredTo) {
  for (const int slots : {3, 4, 8}) {
    constexpr uint32_t kRoundTrip = 6;
    Chain chain(slots, 1);
    for (uint32_t n = 0; n < 100; ++n) {
      chain.next();
      if (n >= kRoundTrip) chain.policy.acknowledge(n - kRoundTrip);
    }
    chain.policy.lost(95);
    const uint32_t reference = chain.next();
    EXPECT_LE(reference, 93U) << slots << " slots";
    EXPECT_GE(reference, 99U - (slots == 8 ? 9U : 13U)) << slots << " slots";
    EXPECT_EQ(chain.next(), 100U) << "a new chain";
    chain.policy.lost(95);
    chain.policy.lost(97);
    chain.policy.acknowledge(96);  // of no use: it descends from a lost one
    EXPECT_EQ(chain.next(), 101U);
    chain.policy.lost(100);
    EXPECT_EQ(chain.next(), reference);
  }
}

TEST(ReferencePolicy, AKeyFrameFreesWhatWaitsSinceBefore) {
  Chain chain(4, 1);
  for (int i = 0; i < 10; ++i) chain.next();
  EXPECT_EQ(chain.held(), (std::set<uint32_t>{0, 1, 2, 9}));
  chain.policy.acknowledge(1);
  chain.options.key_frame = 1;
  EXPECT_EQ(chain.next(), kKey);
  chain.options.key_frame = 0;
  for (int i = 0; i < 5; ++i) chain.next();
  EXPECT_EQ(chain.held(), (std::set<uint32_t>{1, 10, 14, 15})) << "what is acknowledged stays";
}

TEST(ReferencePolicy, AnAcknowledgementCountsForAllAncestors) {
  Chain chain(3, 1);
  for (int i = 0; i < 10; ++i) chain.next();
  EXPECT_EQ(chain.held(), (std::set<uint32_t>{0, 1, 9}));
  chain.policy.acknowledge(8);
  chain.policy.lost(9);
  EXPECT_EQ(chain.next(), 1U);
}

TEST(ReferencePolicy, LayersReferDownwards) {
  Chain two(2, 2);
  const std::vector<uint32_t> expected_two = {kKey, 0, 0, 2, 2, 4, 4, 6};
  for (const uint32_t e : expected_two) EXPECT_EQ(two.next(), e);
  for (size_t i = 0; i < expected_two.size(); ++i) {
    EXPECT_EQ(two.frames[i].temporal_id, i % 2);
    EXPECT_EQ(two.frames[i].kept, i % 2 == 0);
  }
  Chain three(2, 3);
  for (const uint32_t e : {kKey, 0U, 0U, 2U, 0U, 4U, 4U, 6U, 4U}) EXPECT_EQ(three.next(), e);
  three.policy.lost(7);  // discardable: nothing descends from it
  EXPECT_EQ(three.next(), 8U);
  three.policy.lost(10);
}

TEST(ReferencePolicy, ALossInALayerLeavesTheLayersBelow) {
  Chain chain(3, 3);
  for (int i = 0; i < 7; ++i) chain.next();  // 4 is of the lowest layer, 6 of the middle one
  chain.policy.lost(6);
  EXPECT_EQ(chain.next(), 4U);
  EXPECT_EQ(chain.next(), 4U);
  EXPECT_EQ(chain.frames.back().temporal_id, 0);
}

TEST(ReferencePolicy, OptionsAreCheckedAndObeyed) {
  Chain chain(3, 1);
  for (int i = 0; i < 4; ++i) chain.next();
  chain.options.refer_to = 0;
  chain.options.keep_in = CTV_KEEP_NOWHERE;
  chain.options.temporal_id = 5;
  EXPECT_EQ(chain.next(), 0U);
  EXPECT_FALSE(chain.frames.back().kept);
  EXPECT_EQ(chain.frames.back().temporal_id, 5);
  chain.options.keep_in = 1;
  chain.next();
  EXPECT_EQ(chain.slots[1], 5U);
  FrameParameters f;
  f.number = 6;
  const auto refusal = [&](auto change) {
    ctv_frame_options o;
    ctv_frame_options_init(&o);
    change(o);
    return chain.policy.check(o, f).message();
  };
  EXPECT_EQ(refusal([](auto& o) { o.refer_to = 1; }), "options.refer_to: frame 1 is not held");
  EXPECT_EQ(refusal([](auto& o) { o.refer_to = 5; }), "options.refer_to: frame 5 has a higher temporal id");
  EXPECT_EQ(refusal([](auto& o) { o.refer_to = 5, o.temporal_id = 5; }), "");
  EXPECT_EQ(refusal([](auto& o) { o.refer_to = int64_t{1} << 40; }),
            "options.refer_to: frame 1099511627776 is not held");
  EXPECT_EQ(refusal([](auto& o) { o.keep_in = 3; }), "options.keep_in: the stream has 3 slots");
  EXPECT_EQ(refusal([](auto& o) { o.temporal_id = 8; }), "options.temporal_id: 8 is outside -1..7");
  f.number = 256;
  EXPECT_EQ(refusal([](auto& o) { o.refer_to = 0; }),
            "options.refer_to: frame 0 is more than 255 frames back");
}

// Whatever is reported, and when: references are held, and none is known to be lost unless a key frame waits.
TEST(ReferencePolicy, AnyReportsLeaveAValidChain) {
  test::Random random(3);
  for (int round = 0; round < 200; ++round) {
    const int slots = random.between(1, 8);
    Chain chain(slots, random.between(1, slots > 1 ? 3 : 2));
    std::set<uint32_t> lost;
    for (int i = 0; i < 400; ++i) {
      const uint32_t reference = chain.next();
      if (reference != kKey) {
        EXPECT_FALSE(lost.contains(reference));
        if (lost.contains(reference)) return;
      }
      for (int reports = random.between(0, 2); reports > 0; --reports) {
        const auto number = static_cast<uint32_t>(random.between(0, static_cast<int>(chain.count) - 1));
        if (random.between(0, 5) == 0) {
          chain.policy.lost(number);
          lost.insert(number);
          for (uint32_t n = number + 1; n < chain.count; ++n) {
            const FrameParameters& f = chain.frames[n];
            if (f.type == FrameType::kPredicted && lost.contains(n - f.reference)) lost.insert(n);
          }
        } else {
          chain.policy.acknowledge(number);
        }
      }
    }
  }
}

TEST(ReferencePolicy, AReportOfLongAgoLeavesOnlyWhatIsAcknowledged) {
  Chain chain(3, 1);
  for (int i = 0; i < 1100; ++i) {
    chain.next();
    if (i == 1090) chain.policy.acknowledge(1085);
  }
  chain.policy.acknowledge(3);
  chain.policy.lost(3);
  const uint32_t reference = chain.next();
  EXPECT_TRUE(reference == kKey || reference <= 1085) << reference;
}

}  // namespace
}  // namespace ctv
