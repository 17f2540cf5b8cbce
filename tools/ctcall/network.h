// SPDX-License-Identifier: BSD-3-Clause
// A network that loses, delays and reorders datagrams, with its own generator: a seed gives the same losses
// on every machine.
#pragma once

#include <cstdint>
#include <optional>

namespace ctv::tools {

struct NetworkOptions {
  double loss = 0;   // share of lost datagrams, 0..1
  double burst = 1;  // mean length of a burst; 1: independent losses
  int64_t delay_us = 25000;
  int64_t jitter_us = 0;  // largest additional delay, uniformly distributed
  uint64_t seed = 1;
};

/// One direction.
class Channel {
 public:
  Channel(const NetworkOptions& options, uint64_t salt);
  /// When a datagram that leaves now arrives; nothing if it is lost.
  std::optional<int64_t> send(int64_t now_us);
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
