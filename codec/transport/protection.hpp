// SPDX-License-Identifier: BSD-3-Clause
// The amount of parity for a block.
//
// The channel has two states, one of which loses every datagram (E. N. Gilbert, "Capacity of a burst-noise
// channel", 1960). Its parameters are the loss p and the mean length b of a burst; with b = 1 / (1 - p)
// losses are independent. A block of k data datagrams and m parity datagrams fails if more than m of the k +
// m are lost. They are spread over the frame: every n-th datagram of such a channel sees a channel of the
// same kind, with the same p and shorter bursts.
//
// The target: a lost group 0 freezes the picture for R frames, until feedback has arrived and a frame is sent
// that refers to an earlier one. With a failure rate f, the share of frozen frames is about R f. R is 2 to
// 2.5 at 30 frames a second and a round trip of 50 ms, also with repetition, because requested frames are not
// referred to. f = p p b is the rate of a datagram sent twice, but with fewer bytes: 0.25 % at 5 % loss. The
// maximum of 2.5 % keeps frozen frames below 6 % at any loss; below 0.05 % feedback is as good. Other groups
// get no parity here: a lost region costs its area for R frames. choose_settings() gives them some if losses
// are many and repetitions too late. docs/calls.md has measurements.
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
