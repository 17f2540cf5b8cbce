// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/network.h"

namespace ctv::tools {

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

std::optional<int64_t> Channel::send(int64_t now_us) {
  ++sent_;
  const bool lost = loses();
  const double jitter = uniform() * static_cast<double>(options_.jitter_us);
  if (lost) {
    ++lost_;
    return std::nullopt;
  }
  return now_us + options_.delay_us + static_cast<int64_t>(jitter);
}

}  // namespace ctv::tools
