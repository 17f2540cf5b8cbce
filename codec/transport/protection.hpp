// SPDX-License-Identifier: BSD-3-Clause
// How much parity a block gets.
//
// The channel has two states, of which one loses every datagram (E. N. Gilbert, "Capacity of a burst-noise
// channel", 1960). Its parameters are the loss p and the mean length b of a burst; p alone, with b = 1 / (1 -
// p), loses independently. A block of k datagrams with m of parity fails if more than m of its k + m are
// lost. They are spread over the frame, and every n-th datagram of such a channel meets such a channel again,
// with the same p and shorter bursts.
//
// What a call needs: a lost group 0 freezes the picture for R frames, until feedback has come and a frame
// goes out that refers to an earlier one; the share of frozen frames is about R f for a failure rate f. R is
// 2 to 2.5 at 30 frames a second and a round trip of 50 ms, with repetition as well, since what is asked for
// again is not referred to. f = p p b is that of a datagram sent twice, or of fewer bytes in smaller
// datagrams: 0.25 % at 5 % loss. At most 2.5 % keeps frozen frames below 6 % whatever the loss; below 0.05 %
// feedback does as much. Other groups get none: a lost residual costs quality for R frames, 0.2 to 1.1 dB,
// which is cheaper than parity of all bits. docs/calls.md has measured shares.
#pragma once

#include <ctv/net.h>

#include <array>

#include "codec/transport/erasure_code.hpp"

namespace ctv::net {

/// The probability that more than `spare` of `count` consecutive datagrams are lost.
double failure_rate(int count, int spare, double loss, double burst);

/// The mean length of a burst among every `distance`-th datagram of a channel; distance is at least 1.
double burst_at_distance(double loss, double burst, double distance);

/// ctv_net_parity_count() for a valid protection.
int parity_count(const ctv_net_protection& protection, int priority, int count, int others);

ctv_status check_protection(const ctv_net_protection& protection);

ctv_net_protection choose_protection(int loss_permille, int burst_permille);

}  // namespace ctv::net
