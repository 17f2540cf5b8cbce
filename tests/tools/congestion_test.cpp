// SPDX-License-Identifier: BSD-3-Clause
// Calls over a narrow link: the cases of RFC 8867. The transport is real; a camera gives frames of the size
// that the transport asks for, with noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/latency.h"
#include "ctcall/call.h"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

using namespace ctv::tools;  // NOLINT(*-using-namespace)

constexpr double kFps = 30;

class NoisySource : public Source {
 public:
  explicit NoisySource(uint64_t seed) : random_(seed) {}
  bool skip() override { return true; }
  bool code(CodedFrame& frame) override {
    const bool key = next_ == 0 || key_wanted_;
    const double noise = 0.6 + 0.008 * random_.between(0, 100);
    const auto bytes = static_cast<size_t>(std::max(100.0, bits_ / 8 / kFps * noise * (key ? 5 : 1)));
    frame.number = next_++;
    frame.reference = key ? -1 : frame.number - 1;
    frame.parts.clear();
    frame.parts.push_back({std::vector<uint8_t>(bytes / 6), 0});
    for (size_t rest = bytes - bytes / 6; rest > 0; rest -= std::min<size_t>(rest, 1000))
      frame.parts.push_back({std::vector<uint8_t>(std::min<size_t>(rest, 1000)), key ? 0 : 1});
    key_wanted_ = false;
    return true;
  }
  void acknowledge(int64_t) override {}
  void lose(int64_t) override {}
  void request_key_frame() override { key_wanted_ = true; }
  void set_bitrate(int64_t bitrate) override { bits_ = static_cast<double>(bitrate); }

 private:
  Random random_;
  int64_t next_ = 0;
  bool key_wanted_ = false;
  double bits_ = 0;
};

class PlainSink : public Sink {
 public:
  ctv_net_state decode(const ctv_net_frame& frame) override { return frame.state; }
  void show(int64_t, int64_t) override {}
  bool wants_key_frame() const override { return false; }
};

struct Setting {
  std::vector<NetworkOptions::Step> steps;
  int64_t queue_us = 300000;
  int64_t delay_us = 25000;
  int64_t jitter_us = 0;
  double loss = 0;
  std::vector<NetworkOptions::Route> routes = {};
  std::vector<Traffic> traffic = {};
};

CallOptions options(const Setting& s, double seconds) {
  CallOptions o;
  o.network.steps = s.steps;
  o.network.queue_us = s.queue_us;
  o.network.delay_us = s.delay_us;
  o.network.jitter_us = s.jitter_us;
  o.network.loss = s.loss;
  o.network.routes = s.routes;
  o.bitrate = 10000000;
  o.first_bitrate = 300000;
  o.playout_us = 100000;
  o.frames = static_cast<int64_t>(seconds * kFps);
  o.fps = kFps;
  return o;
}

/// Share of what the link can carry from one second to another.
double utilisation(const std::vector<const CallResult*>& calls, const Bottleneck& link, double from,
                   double to) {
  double bits = 0;
  for (const CallResult* call : calls) {
    for (const Delivery& d : call->deliveries) {
      const double time = static_cast<double>(d.time_us) / 1e6;
      if (time >= from && time < to) bits += 8.0 * static_cast<double>(d.bytes);
    }
  }
  return bits / link.bits(static_cast<int64_t>(1e6 * from), static_cast<int64_t>(1e6 * to));
}

struct Outcome {
  std::vector<CallResult> calls;
  Bottleneck link;
  double p95_ms() const {
    Latency waits;
    for (const int64_t wait : link.waits_us()) waits.add(static_cast<double>(wait) / 1000);
    return waits.percentile(0.95);
  }
  double used(double from, double to) const {
    std::vector<const CallResult*> all;
    for (const CallResult& call : calls) all.push_back(&call);
    return utilisation(all, link, from, to);
  }
};

Outcome call(const Setting& s, double seconds, const std::vector<double>& starts = {0}) {
  Outcome out{{}, Bottleneck(s.steps, s.queue_us)};
  std::vector<NoisySource> sources;
  std::vector<PlainSink> sinks(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) sources.emplace_back(i + 1);
  std::vector<Caller> callers;
  for (size_t i = 0; i < starts.size(); ++i)
    callers.push_back(
        {options(s, seconds - starts[i]), &sources[i], &sinks[i], std::llround(1e6 * starts[i])});
  out.calls = run_calls(callers, out.link, s.traffic);
  return out;
}

// Bandwidths and queues, which bufferbloat makes as long as a second.
TEST(Congestion, SteadyLinksAreUsedAndQueuesStayShort) {
  for (const int64_t kilobits : {400, 600, 1000, 2500, 6000}) {
    for (const int64_t queue_ms : {100, 300, 1000}) {
      const Outcome o = call({{{0, 1000 * kilobits}}, 1000 * queue_ms}, 40);
      EXPECT_GE(o.used(10, 40), 0.85) << kilobits << " kb/s, " << queue_ms << " ms";
      EXPECT_LE(o.p95_ms(), 80) << kilobits << " kb/s, " << queue_ms << " ms";
      EXPECT_LE(static_cast<double>(o.calls[0].lost_datagrams),
                0.01 * static_cast<double>(o.calls[0].datagrams));
    }
  }
}

// RFC 8867, 5.1.
TEST(Congestion, CapacityStepsAreFollowed) {
  const Outcome o = call({{{0, 1000000}, {40000000, 2500000}, {60000000, 600000}, {80000000, 1000000}}}, 100);
  EXPECT_GE(o.used(5, 100), 0.85);
  EXPECT_GE(o.used(50, 60), 0.85) << "after the step up";
  EXPECT_LE(o.p95_ms(), 80);
}

// A second after the capacity was halved no more is sent than it carries.
TEST(Congestion, HalvedCapacityIsNoticedWithinASecond) {
  for (const int64_t kilobits : {600, 1500, 4000}) {
    const Outcome o = call({{{0, 1000 * kilobits}, {20000000, 500 * kilobits}}, 1000000}, 30);
    Latency before, after;
    const auto& waits = o.link.waits_us();
    ASSERT_GT(waits.size(), 100U);
    // Datagrams of the last 8.5 seconds: at half the capacity.
    size_t late = 0;
    for (const Delivery& d : o.calls[0].deliveries) late += d.time_us > 21500000 ? 1 : 0;
    for (size_t i = waits.size() - std::min(late, waits.size()); i < waits.size(); ++i)
      after.add(static_cast<double>(waits[i]) / 1000);
    EXPECT_LE(after.percentile(0.95), 100) << kilobits;
    EXPECT_GE(o.used(21, 30), 0.8) << kilobits;
    EXPECT_EQ(o.calls[0].key_frames, 1) << kilobits;
  }
}

// RFC 8867, 5.4 and 5.5.
TEST(Congestion, TwoCallsShareALink) {
  for (const double second : {0.0, 10.0}) {
    const Outcome o = call({{{0, 2000000}}}, 90, {0, second});
    const double first = utilisation({&o.calls[0]}, o.link, 45, 90);
    const double other = utilisation({&o.calls[1]}, o.link, 45, 90);
    EXPECT_GE(first + other, 0.85) << second;
    EXPECT_LE(std::max(first, other) / std::min(first, other), 1.5) << first << " " << other;
    EXPECT_LE(o.p95_ms(), 80);
  }
}

// Other traffic takes two thirds of the link, which it gives back: RFC 8867, 5.7.
TEST(Congestion, OtherTrafficComesAndGoes) {
  Setting s{{{0, 1500000}}};
  s.traffic = {{20000000, 40000000, 1000000}};
  const Outcome o = call(s, 60);
  EXPECT_GE(o.used(21, 40), 0.6 / 3) << "of which the traffic has two thirds";
  EXPECT_LE(o.used(21, 40), 1.1 / 3);
  EXPECT_GE(o.used(45, 60), 0.85);
  EXPECT_LE(o.p95_ms(), 80);
}

// A longer route is not a queue: the rate is back within five seconds.
TEST(Congestion, TheRouteBecomesLongerAndShorter) {
  Setting s{{{0, 1500000}}};
  s.routes = {{20000000, 150000}, {40000000, 25000}};
  const Outcome o = call(s, 60);
  EXPECT_GE(o.used(25, 40), 0.85);
  EXPECT_GE(o.used(45, 60), 0.85);
  EXPECT_LE(o.p95_ms(), 80);
}

TEST(Congestion, JitterAndLossOfAWirelessLink) {
  Random random(5);
  Setting s;
  for (int64_t second = 0; second < 60; ++second)
    s.steps.push_back({1000000 * second, 100000 * random.between(10, 20)});
  s.jitter_us = 15000;
  s.loss = 0.02;
  const Outcome o = call(s, 60);
  EXPECT_GE(o.used(5, 60), 0.7);
  EXPECT_LE(o.p95_ms(), 150);
}

}  // namespace
}  // namespace ctv::test
