// SPDX-License-Identifier: BSD-3-Clause
// The sender: divides frames into datagrams with parity, keeps them for repetition, and reads the receiver's
// feedback.
#pragma once

#include <array>
#include <cmath>
#include <deque>

#include "codec/transport/feedback.hpp"
#include "codec/transport/protection.hpp"
#include "codec/transport/rate_control.hpp"

namespace ctv::net {

struct SentDatagram {
  Bytes bytes;  // parity is freed after it is sent
  uint8_t priority = 0, block = 0, index = 0;
  bool parity = false;
  bool waiting = false;  // in `repeats`
  uint8_t repeated = 0;  // number of repetitions
  int64_t repeated_us = 0;
};

struct SentFrame {
  int64_t number = 0;
  std::vector<SentDatagram> datagrams;  // in sending order
  size_t sent = 0;                      // number of datagrams sent
  std::vector<size_t> repeats;          // datagrams to send again, without duplicates
  size_t repeats_sent = 0;
  size_t bytes = 0;
};

/// Divides a checked frame into datagrams. `most_parity`: bytes of parity at most. `table_bytes` receives the
/// size of its table of parts.
SentFrame cut_frame(const ctv_net_frame& frame, int mtu, const ctv_net_protection& protection,
                    const Timing& timing, size_t most_parity, size_t& table_bytes);

/// Share of parts in the sent bytes, with decreasing weight of earlier frames.
class PartShare {
 public:
  void add_frame(size_t parts, size_t all);
  void add_repeated(size_t bytes) { all_ += static_cast<double>(bytes); }
  int32_t permille() const { return static_cast<int32_t>(std::lround(1000 * parts_ / all_)); }

 private:
  double parts_ = 850, all_ = 1000;  // the value of ctv_net_measurement_init(), soon outweighed
};

class Sender {
 public:
  explicit Sender(const ctv_net_sender_config& config);
  void apply(const ctv_net_settings& settings) { settings_ = settings; }
  ctv_status push(const ctv_net_frame& frame);
  ctv_status next(int64_t now_us, std::span<const uint8_t>& datagram);
  int64_t due_us() const;
  /// Leaves bytes of each datagram to a cipher.
  void reserve(int bytes) { config_.mtu -= bytes; }
  ctv_status feedback(int64_t now_us, std::span<const uint8_t> bytes, ctv_net_feedback& out);
  void measure(int64_t now_us, ctv_net_measurement& measurement) const;
  ctv_net_sender_statistics statistics() const;

 private:
  ctv_status check(const ctv_net_frame& frame) const;
  void give(Bytes& bytes, int64_t now_us, std::span<const uint8_t>& datagram);
  Timing timing() const;
  bool controlled() const { return config_.bitrate > 0; }
  /// Whether the receiver has been silent for so long that datagrams are sent to see whether it is there.
  bool dark(int64_t now_us) const;
  ctv_status probe(int64_t now_us, std::span<const uint8_t>& datagram);
  void drop_oldest();
  void note_round_trip(int64_t now_us, const Message& message);
  void note_arrivals(int64_t now_us, const Message& message);
  bool grants_key_frame(int64_t now_us, const Message& message);
  void note_report(int64_t number, ctv_net_state state);
  void note_requests(const Message& message);
  void note_reports(const Message& message);
  int repeat(int64_t now_us, const Request& request);

  struct Departure {
    enum class Fate : uint8_t { kUnknown, kArrived, kLost };
    uint32_t sequence = 0;
    int64_t time_us = -1;
    uint32_t bytes = 0;
    Fate fate = Fate::kUnknown;
  };

  ctv_net_sender_config config_;
  ctv_net_settings settings_{};
  RateControl rate_;
  std::deque<SentFrame> frames_;  // oldest first
  size_t waiting_ = 0;            // bytes of datagrams to send
  double spare_ = 0;              // bytes that parity and repetition may take
  double paid_us_ = 0;            // time that the datagrams sent so far take at the capacity
  int64_t unanswered_us_ = -1;    // when the first datagram since the last message was sent; -1: none
  int64_t probed_us_ = INT64_MIN;
  Bytes latest_;               // the last datagram sent, for probes
  int64_t key_number_ = -1;    // the last key frame pushed
  uint32_t key_sequence_ = 0;  // of its last datagram
  int64_t key_sent_us_ = INT64_MIN, granted_us_ = INT64_MIN;
  int64_t receiver_us_ = 0;  // the receiver's time in its last message, without overflow
  size_t held_ = 0;          // bytes in frames_
  int64_t newest_ = -1;
  uint32_t sequence_ = 0;
  std::array<Departure, 4096> departures_{};
  int64_t round_trip_us_ = -1;
  int32_t loss_permille_ = 0, burst_permille_ = 1000;
  PartShare part_share_;
  std::array<ctv_net_report, 256> known_{};                // reports received, by number modulo 256
  std::array<ctv_net_report, 2 * kMaxReports> reports_{};  // new reports: from reports, then from requests
  size_t report_count_ = 0;
  Bytes current_;  // the parity datagram returned last
  ctv_net_sender_statistics statistics_{};
};

}  // namespace ctv::net
