// SPDX-License-Identifier: BSD-3-Clause
// A call in one direction: pictures are coded, divided into datagrams, transmitted, assembled, decoded and
// shown at their time; feedback returns. A Source codes and a Sink decodes: a codec, or a replay of a codec's
// sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ctv/net.h>

#include "ctcall/network.h"

namespace ctv::tools {

/// Reaction to loss.
struct Strategy {
  bool references = true;  // after a loss, refer to an acknowledged frame; else send a key frame
  bool parts = true;       // vectors and levels have priorities; else a frame is lost with any datagram
  bool parity = true;
  int32_t repeats = 0;  // how often lost datagrams are requested
  bool operator==(const Strategy&) const = default;
};

struct CallOptions {
  NetworkOptions network;
  Strategy strategy;
  int64_t bitrate = 1000000;  // of all datagrams, at most
  int64_t first_bitrate = 0;  // at first; 0: the same
  int32_t mtu = 1200;
  int64_t playout_us = 0;  // additional delay, in which repetitions may arrive
  int64_t frames = 300;
  double fps = 30;
};

struct CodedPart {
  std::vector<uint8_t> bytes;
  int32_t priority = 0;
};

/// A frame for the transport. Its part 0 may be a sequence header.
struct CodedFrame {
  int64_t number = 0;
  int64_t reference = -1;
  int32_t temporal_id = 0;
  bool discardable = false;
  std::vector<CodedPart> parts;
};

class Source {
 public:
  virtual ~Source() = default;
  /// Codes the next picture; false at the end of the input.
  virtual bool code(CodedFrame& frame) = 0;
  /// Drops the next picture; false at the end of the input.
  virtual bool skip() = 0;
  virtual void acknowledge(int64_t number) = 0;
  virtual void lose(int64_t number) = 0;
  virtual void request_key_frame() = 0;
  /// Sets the bits per second of later frames.
  virtual void set_bitrate(int64_t bitrate) = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// Takes a received frame; a lost one has no parts. Returns its result: LOST if there is no picture.
  virtual ctv_net_state decode(const ctv_net_frame& frame) = 0;
  /// Shows what the viewer sees instead of a picture of the camera at its time: a frame, or the same as
  /// before if the frame was not decoded, or -1 because the picture was not coded.
  virtual void show(int64_t picture, int64_t frame) = 0;
  /// Whether only a key frame can continue the stream.
  virtual bool wants_key_frame() const = 0;
};

/// Bytes sent, by kind.
struct CallBytes {
  uint64_t headers = 0, vectors = 0, levels = 0, parity = 0, repeated = 0, feedback = 0;
  uint64_t coded() const { return vectors + levels; }
  uint64_t all() const { return headers + coded() + parity + repeated; }
};

struct Delivery {
  int64_t time_us = 0;
  size_t bytes = 0;
};

struct CallResult {
  // A process at one end of a call does not know the other end's counts.
  bool sends = true, receives = true;
  int64_t frames = 0, skipped = 0, frozen = 0, damaged = 0, key_frames = 0;
  int64_t longest_freeze = 0;  // frames
  uint64_t datagrams = 0, lost_datagrams = 0, repaired = 0, repeated = 0;
  double delay_p50_ms = 0, delay_p95_ms = 0, delay_p99_ms = 0;  // from the camera to the decoder
  double queue_p95_ms = 0;                                      // wait before the slowest link
  double utilisation = 0;  // bits through it, of those that it could send
  double seconds = 0;
  CallBytes bytes;
  std::vector<Delivery> deliveries;  // datagrams that arrived
};

/// Time after which a received frame is used although it is incomplete.
int64_t deadline_us(const CallOptions& options);
/// Enables repetition if it arrives within the playout delay.
void choose_repeats(CallOptions& options);

class SendingEnd {
 public:
  SendingEnd(const CallOptions& options, Source& source);
  ~SendingEnd();
  SendingEnd(const SendingEnd&) = delete;
  SendingEnd& operator=(const SendingEnd&) = delete;

  /// Codes the next picture, unless it should wait, and divides it into datagrams; false at the end of the
  /// input.
  bool capture(int64_t now_us);
  /// Number of the frame of each captured picture; -1: it was not coded.
  const std::vector<int64_t>& coded() const { return coded_; }
  /// The next datagram; empty if there is none.
  std::span<const uint8_t> next(int64_t now_us);
  /// When to call next() again; INT64_MAX: after the next picture or message.
  int64_t due_us() const;
  void feedback(int64_t now_us, std::span<const uint8_t> message);
  void count(CallResult& result) const;

 private:
  void adapt(int64_t now_us);
  const CallOptions& options_;
  Source& source_;
  ctv_net_sender* sender_ = nullptr;
  CallBytes bytes_;
  int64_t key_frames_ = 0;
  std::vector<int64_t> coded_;
  ctv_net_measurement measured_;
  ctv_net_settings settings_;
};

class ReceivingEnd {
 public:
  ReceivingEnd(const CallOptions& options, Sink& sink);
  ~ReceivingEnd();
  ReceivingEnd(const ReceivingEnd&) = delete;
  ReceivingEnd& operator=(const ReceivingEnd&) = delete;

  void push(int64_t now_us, std::span<const uint8_t> datagram);
  /// Decodes the frames that are due. `captured_us`: when a frame was captured.
  void decode(int64_t now_us);
  /// A message for the sender; empty if there is none.
  std::span<const uint8_t> feedback(int64_t now_us);
  int64_t due_us();
  /// Shows a picture at its time; frame: its number, or -1.
  void show(int64_t picture, int64_t frame);
  void count(CallResult& result) const;
  /// When each frame was decoded, by number from 0; -1: not decoded.
  const std::vector<int64_t>& decoded_us() const { return decoded_us_; }

 private:
  void note(int64_t number, ctv_net_state state, int64_t now_us);
  Sink& sink_;
  ctv_net_receiver* receiver_ = nullptr;
  std::vector<int64_t> decoded_us_;
  std::vector<ctv_net_state> fates_;
  int64_t shown_ = 0, skipped_ = 0, frozen_ = 0, damaged_ = 0, run_ = 0, longest_ = 0;
  uint64_t feedback_bytes_ = 0;
};

/// One of several calls over the same link.
struct Caller {
  CallOptions options;
  Source* source = nullptr;
  Sink* sink = nullptr;
  int64_t start_us = 0;
};

/// Other traffic through the link, at a constant rate between two times.
struct Traffic {
  int64_t from_us = 0, to_us = 0, bitrate = 0;
};

/// Whole calls in one process with a virtual clock: equal arguments give equal results.
std::vector<CallResult> run_calls(std::span<const Caller> callers, Bottleneck& link,
                                  std::span<const Traffic> traffic = {});
CallResult run_call(const CallOptions& options, Source& source, Sink& sink);

}  // namespace ctv::tools
