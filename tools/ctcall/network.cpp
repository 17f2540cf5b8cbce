// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/network.h"

#include <algorithm>
#include <cmath>

namespace ctv::tools {
namespace {

constexpr size_t kLowerHeaders = 28;  // bytes of UDP and IP, which the link sends, too

}  // namespace

double Bottleneck::bits(int64_t from_us, int64_t to_us) const {
  double sum = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const int64_t from = std::max(from_us, steps_[i].time_us);
    const int64_t to = i + 1 < steps_.size() ? std::min(to_us, steps_[i + 1].time_us) : to_us;
    if (to > from) sum += static_cast<double>(to - from) * static_cast<double>(steps_[i].bandwidth) / 1e6;
  }
  return sum;
}

std::optional<int64_t> Bottleneck::send(int64_t now_us, size_t bytes) {
  if (!limited()) return now_us;
  const auto after = std::ranges::upper_bound(steps_, now_us, {}, &NetworkOptions::Step::time_us);
  const double bandwidth = static_cast<double>(std::prev(after)->bandwidth);
  const auto size = static_cast<double>(8 * (bytes + kLowerHeaders));
  const int64_t starts = std::max(now_us, free_us_);
  // A datagram that finds the link free is sent, however short the queue is.
  if (starts > now_us && bits(now_us, starts) + size > static_cast<double>(queue_us_) * bandwidth / 1e6)
    return std::nullopt;
  double left = size;
  int64_t ends = starts;
  for (auto step = std::prev(std::ranges::upper_bound(steps_, starts, {}, &NetworkOptions::Step::time_us));
       left > 0; ++step) {
    const bool last = std::next(step) == steps_.end();
    const double room = last ? left : bits(ends, std::next(step)->time_us);
    if (room >= left) {
      ends += static_cast<int64_t>(std::ceil(left * 1e6 / static_cast<double>(step->bandwidth)));
      break;
    }
    left -= room;
    ends = std::next(step)->time_us;
  }
  free_us_ = ends;
  waits_us_.push_back(starts - now_us);
  return ends;
}

Channel::Channel(const NetworkOptions& options, uint64_t salt)
    : options_(options), state_(options.seed * 0x9E3779B97F4A7C15U + salt) {}

// SplitMix64 (Steele, Lea and Flood 2014).
uint64_t Channel::next() {
  uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

bool Channel::loses() {
  if (options_.burst <= 1) return uniform() < options_.loss;
  const double heal = 1 / options_.burst;
  const double fail = options_.loss >= 1 ? 1 : options_.loss * heal / (1 - options_.loss);
  bad_ = bad_ ? uniform() >= heal : uniform() < fail;
  return bad_;
}

std::optional<int64_t> Channel::send(int64_t now_us, size_t bytes, Bottleneck* link) {
  ++sent_;
  const bool lost = loses();
  const double jitter = uniform() * static_cast<double>(options_.jitter_us);
  const std::optional<int64_t> leaves = lost              ? std::nullopt
                                        : link == nullptr ? now_us
                                                          : link->send(now_us, bytes);
  if (!leaves) {
    ++lost_;
    return std::nullopt;
  }
  int64_t delay_us = options_.delay_us;
  for (const NetworkOptions::Route& route : options_.routes) {
    if (now_us >= route.time_us) delay_us = route.delay_us;
  }
  return *leaves + delay_us + static_cast<int64_t>(jitter);
}

}  // namespace ctv::tools
