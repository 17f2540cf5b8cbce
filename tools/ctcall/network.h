// SPDX-License-Identifier: BSD-3-Clause
// A network that loses, delays and reorders datagrams, and a link of limited bandwidth with a queue. It has
// its own generator: a seed gives the same losses on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ctv::tools {

struct NetworkOptions {
  double loss = 0;   // share of lost datagrams, 0..1
  double burst = 1;  // mean length of a burst; 1: independent losses
  int64_t delay_us = 25000;
  int64_t jitter_us = 0;  // largest additional delay, uniformly distributed
  uint64_t seed = 1;
  /// Bandwidth of the slowest link from a time on, in bits per second. The first step is at 0; none:
  /// unlimited.
  struct Step {
    int64_t time_us = 0, bandwidth = 0;
  };
  std::vector<Step> steps;
  /// Time from end to end from a time on, instead of delay_us.
  struct Route {
    int64_t time_us = 0, delay_us = 0;
  };
  std::vector<Route> routes;
  int64_t queue_us = 200000;  // length of the queue before this link, in time at its present bandwidth
};

/// A link that sends one datagram after the other. Datagrams that the queue cannot hold are lost.
class Bottleneck {
 public:
  Bottleneck(std::vector<NetworkOptions::Step> steps, int64_t queue_us)
      : steps_(std::move(steps)), queue_us_(queue_us) {}
  /// When a datagram that comes now, not earlier than the one before, has been sent; nothing if it is lost.
  std::optional<int64_t> send(int64_t now_us, size_t bytes);
  /// Bits that the link can send between two times.
  double bits(int64_t from_us, int64_t to_us) const;
  /// Times that datagrams waited in the queue, in microseconds.
  const std::vector<int64_t>& waits_us() const { return waits_us_; }
  bool limited() const { return !steps_.empty(); }

 private:
  std::vector<NetworkOptions::Step> steps_;
  int64_t queue_us_;
  int64_t free_us_ = 0;  // when the link has sent what waits
  std::vector<int64_t> waits_us_;
};

/// One direction.
class Channel {
 public:
  Channel(const NetworkOptions& options, uint64_t salt);
  /// When a datagram that leaves now arrives; nothing if it is lost. `link`: null, or the slowest link, which
  /// several channels may share.
  std::optional<int64_t> send(int64_t now_us, size_t bytes, Bottleneck* link);
  uint64_t sent() const { return sent_; }
  uint64_t lost() const { return lost_; }

 private:
  uint64_t next();
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool loses();
  NetworkOptions options_;
  uint64_t state_;
  bool bad_ = false;  // the losing state of Gilbert's channel
  uint64_t sent_ = 0, lost_ = 0;
};

}  // namespace ctv::tools
