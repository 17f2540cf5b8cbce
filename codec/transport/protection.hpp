// SPDX-License-Identifier: BSD-3-Clause
// How much parity a block gets.
//
// The channel has two states, of which one loses every datagram (E. N. Gilbert, "Capacity of a burst-noise
// channel", 1960). Its parameters are the loss p and the mean length b of a burst; p alone, with b = 1 / (1 -
// p), loses independently. A block of k datagrams with m of parity fails if more than m of its k + m are
// lost. The parity follows the data at the end of the frame, so the model, in which all are sent in a row, is
// cautious for bursts.
//
// What a call needs: a lost group 0 freezes the picture for R frames, until feedback has come and a repaired
// frame goes out; the share of frozen frames is about R f for a failure rate f. R is 2 at 30 frames a second
// and a round trip of 50 ms. f = loss / 5 keeps frozen frames below 2 x 1 % at 5 % loss and 2 x 4 % at 20 %,
// with one parity datagram for a group 0 of one or two datagrams at 5 %. With repetition a frame is lost only
// if the request or the repeated datagram is lost as well, q = 1 - (1 - p)^2, but R is larger by the added
// delay: 5 for 100 ms. f = 1.5 % keeps R f q below 2.7 % at 20 %. Other groups get none: a lost residual
// costs quality for R frames, 0.2 to 1.1 dB, which is cheaper than parity of all bits. docs/calls.md has
// measured shares.
#pragma once

#include <ctv/net.h>

#include <array>

#include "codec/transport/erasure_code.hpp"

namespace ctv::net {

/// The probability that more than `spare` of `count` datagrams in a row are lost.
double failure_rate(int count, int spare, double loss, double burst);

/// ctv_net_parity_count() of a valid protection.
int parity_count(const ctv_net_protection& protection, int priority, int count);

ctv_status check_protection(const ctv_net_protection& protection);

/// parity_count() of one protection, each computed once.
class ParityCounts {
 public:
  explicit ParityCounts(const ctv_net_protection& protection) : protection_(protection) {
    for (auto& counts : counts_) counts.fill(-1);
  }
  int operator()(int priority, int count);

 private:
  ctv_net_protection protection_;
  std::array<std::array<int8_t, kMaxData + 1>, CTV_NET_PRIORITIES> counts_{};
};

ctv_net_protection choose_protection(int loss_permille, int burst_permille, bool repetition);

}  // namespace ctv::net
