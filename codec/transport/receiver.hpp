// SPDX-License-Identifier: BSD-3-Clause
// The receiver: returns frames in order, each as soon as it is whole or its deadline has passed, and writes
// feedback.
#pragma once

#include <array>
#include <bitset>

#include "codec/transport/frame_assembly.hpp"

namespace ctv::net {

/// Records which of the last datagrams arrived and when, by sequence number.
class SequenceWindow {
 public:
  /// Returns how long after a later datagram this one arrived; 0: it arrived in order.
  int64_t note(uint32_t sequence, int64_t now_us);
  /// Share of lost datagrams. The newest may still arrive and do not count.
  int loss_permille() const;
  /// Mean length of a burst, in thousandths; 1000 if none is lost.
  int burst_permille() const;
  uint32_t highest() const { return static_cast<uint32_t>(highest_ & 0xFFFF); }
  int64_t highest_us() const { return highest_us_; }
  bool any() const { return any_; }
  /// Whether datagrams arrived since the last written message.
  bool news() const { return news_; }
  /// Writes ages of datagrams into a message, at most `most`. Each datagram is in two messages, because one
  /// may be lost.
  void write(int64_t now_us, size_t most, Message& message);

 private:
  static constexpr int64_t kWindow = 512, kNewest = 8;
  struct Losses {
    int64_t datagrams = 0, lost = 0, bursts = 0;
  };
  Losses losses() const;
  bool any_ = false;
  int64_t first_ = 0, highest_ = 0, highest_us_ = 0;
  std::bitset<kWindow> came_;
  std::array<int64_t, kWindow> times_us_{};
  bool news_ = false;
  int64_t written_ = -1, written_before_ = -1;  // highest sequences of the last two messages
};

class Receiver {
 public:
  explicit Receiver(const ctv_net_receiver_config& config);
  ctv_status push(int64_t now_us, std::span<const uint8_t> datagram);
  ctv_status next(int64_t now_us, ctv_net_frame& frame);
  /// Leaves bytes of each message to a cipher.
  void reserve(int bytes) { config_.mtu -= bytes; }
  void report(int64_t number, ctv_net_state state);
  void request_key_frame();
  ctv_status feedback(int64_t now_us, std::span<const uint8_t>& message);
  int64_t due_us() const;
  ctv_net_receiver_statistics statistics() const;

 private:
  using Frames = std::map<int64_t, FrameAssembly>;
  bool place(const ctv_net_header& header, int64_t now_us, int64_t& number);
  bool jumps(int64_t number);
  void go_to(int64_t number);
  bool begins_anew(const ctv_net_header& header, int64_t number, std::span<const uint8_t> datagram);
  void make_frames_up_to(int64_t number, int64_t now_us);
  void give(ctv_net_frame& frame);
  void give_gap(ctv_net_frame& frame);
  bool ready(const FrameAssembly& frame, int64_t now_us) const;
  void learn_spacing(const ctv_net_header& header, int64_t now_us, int64_t late_us);
  void note_passed(int64_t number, bool last, int64_t now_us);
  void take_timing(int64_t number, const Timing& timing);
  /// Time at which the missing datagrams of a frame count as lost.
  int64_t missing_us(const FrameAssembly& frame) const;
  /// How often datagrams of a frame are requested.
  int repeats(const FrameAssembly& frame) const;
  bool asks_for_key_frame() const;
  /// Time of the next message about arrivals.
  int64_t news_due_us() const;
  /// Time at which the frame is returned incomplete.
  int64_t end_us(const FrameAssembly& frame) const;
  /// Time at which the last request for priority 0 is repeated; INT64_MAX: never.
  int64_t ask_again_us(const FrameAssembly& frame) const;
  /// Time of the next message that requests a key frame.
  int64_t key_due_us() const;
  /// Latest time to request datagrams of a frame.
  int64_t last_ask_us(const FrameAssembly& frame) const;
  /// Time of the next request for datagrams of a frame; INT64_MAX: never.
  int64_t ask_us(const FrameAssembly& frame) const;
  void collect_requests(int64_t now_us, Message& message);
  void collect_reports(Message& message) const;

  struct Recent {
    int64_t number = -1;
    ctv_net_state state = CTV_NET_UNKNOWN;
    bool key_frame = false;
  };

  ctv_net_receiver_config config_;
  Frames frames_;  // from next_ to highest_, without gaps
  bool started_ = false, given_ = false;
  bool crowded_ = false;  // the oldest frame must be returned
  int64_t next_ = 0, highest_ = -1;
  int64_t gap_ = 0;  // frames skipped before next_ and not yet reported as lost
  int64_t far_ = 0;  // a frame number far from all others, and the number of datagrams near it
  int far_count_ = 0;
  // Datagrams of a key frame that is behind, and of frames after it, while no other datagram arrives.
  std::vector<Bytes> behind_;
  int64_t behind_key_ = 0;
  size_t behind_bytes_ = 0;
  size_t held_ = 0;
  SequenceWindow window_;
  // Learnt: how late datagrams out of order are, and the time between a frame's consecutive datagrams.
  int64_t reorder_us_, spacing_us_;
  uint32_t before_sequence_ = 0;  // the datagram that arrived before
  int32_t before_frame_ = -1;
  int64_t before_us_ = 0;
  int64_t passed_ = INT64_MIN;  // frames below it have passed
  int64_t timing_frame_ = INT64_MIN;
  std::array<Recent, kMaxReports> recent_{};
  bool changed_ = false;  // there are reports that no message contained yet
  bool lost_ = false;     // one of these reports is about a lost frame
  int again_ = 0;         // repetitions left of the last message
  int64_t again_us_ = 0;
  bool key_wanted_ = false;
  int64_t key_asked_us_ = INT64_MIN;
  int64_t served_us_ = INT64_MIN;   // time of the last feedback()
  int64_t written_us_ = INT64_MIN;  // time of the last message
  uint32_t message_number_ = 0;
  Bytes bytes_, message_;
  std::vector<ctv_net_part> parts_;
  ctv_net_receiver_statistics statistics_{};
};

}  // namespace ctv::net
