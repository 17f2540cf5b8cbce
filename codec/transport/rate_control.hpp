// SPDX-License-Identifier: BSD-3-Clause
// The rate at which a sender may send, from the times at which its datagrams arrived.
//
// The wait of a datagram in the queues of the network is its time on the way minus the least such time of the
// last 10 to 20 s. While the least wait of the last datagrams is short, the rate rises. If it exceeds a limit
// that falls with the rate, so that the faster of two calls gives way first, a queue grows. Then what arrives
// is what the link can carry: the rate falls below that until the queue is empty, and continues a little
// below. Rising by a constant and falling by a factor makes the rates of several calls equal (Chiu and Jain,
// 1989). A wait that does not shrink although less is sent is the route's, or another sender's: it becomes
// part of the time on the way. GCC, SCReAM (RFC 8298) and NADA (RFC 8698) use the same signals.
//
// Lost datagrams matter if they become more as the rate rises: then the rate falls to what arrives. If the
// loss remains it is that of the network, whatever is sent, and the rate returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

namespace ctv::net {

/// A datagram that arrived. The receiver's clock has another origin.
struct Arrival {
  int64_t departure_us = 0, arrival_us = 0;
  size_t bytes = 0;
};

class RateControl {
 public:
  /// Bits per second at first, and at most.
  RateControl(int64_t first, int64_t most);
  /// Takes the contents of a message: datagrams that arrived, in the order of departure, and the number that
  /// is lost. round_trip_us: -1 if unknown.
  void update(int64_t now_us, std::span<const Arrival> arrivals, int lost, int64_t round_trip_us);
  int64_t bitrate() const;
  /// The rate at which datagrams leave one after the other: a little more than what the network carries, and
  /// twice as much if datagrams arrived much faster than any are sent on average.
  double pace() const { return (peak_ > 2 * most_ ? 2 : 1.1) * rate_; }

 private:
  void note(int64_t now_us, std::span<const Arrival> arrivals);
  void note_losses(int64_t now_us, size_t arrived, int lost);
  double limit_us() const;
  void give_way(int64_t now_us);
  void drain(int64_t now_us);
  void rise(double seconds);

  double rate_, most_;
  int64_t round_trip_us_ = 100000;
  int64_t updated_us_ = INT64_MIN;
  // The least time on the way: of the present 10 s, and of those before.
  int64_t least_us_ = INT64_MAX, least_before_us_ = INT64_MAX, least_since_us_ = 0;
  struct Wait {
    int64_t time_us, wait_us;
  };
  std::deque<Wait> waits_;  // least of each message
  int64_t wait_us_ = 0;
  std::deque<Arrival> delivered_;  // in the last kWindow, by arrival
  double delivery_ = 0;            // bits per second that arrive; 0: unknown
  double peak_ = 0;                // the same of the fastest message
  bool starting_ = true;           // no queue was seen yet
  bool draining_ = false;
  int in_vain_ = 0;                                   // how often the rate fell, but not the wait
  double carried_ = 0;                                // what arrived when the rate fell last
  int64_t gave_way_us_ = INT64_MIN, longest_us_ = 0;  // when, and the longest wait since
  int seen_ = 0, lost_ = 0;                           // datagrams since losses were judged
  double usual_loss_ = 0;                             // share that is lost whatever is sent
  int64_t judge_after_us_ = INT64_MIN;
  double before_ = 0;  // rate before it fell because of a loss; 0: that is confirmed
};

}  // namespace ctv::net
