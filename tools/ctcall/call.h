// SPDX-License-Identifier: BSD-3-Clause
// A call in one direction: pictures are coded, cut into datagrams, carried, put together, decoded and shown
// at their time; feedback goes back. What is coded comes from a Source and goes to a Sink: a codec, or the
// sizes of one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ctv/net.h>

#include "ctcall/network.h"

namespace ctv::tools {

/// What is done about loss.
struct Strategy {
  enum class Parity { kNone, kAuto, kAll };
  bool references = true;  // after a loss refer to an acknowledged frame; else a key frame
  bool parts = true;       // vectors and levels have priorities; else a frame is lost with any datagram
  Parity parity = Parity::kAuto;
  double share = 0;     // of kAll: parity datagrams per datagram
  int32_t repeats = 0;  // how often lost datagrams are asked for
  bool operator==(const Strategy&) const = default;
};

struct CallOptions {
  NetworkOptions network;
  Strategy strategy;
  int64_t bitrate = 1000000;  // of all that is sent
  int32_t mtu = 1200;
  int64_t playout_us = 0;  // added delay, in which repetition may come
  int64_t frames = 300;
  double fps = 30;
};

struct CodedPart {
  std::vector<uint8_t> bytes;
  int32_t priority = 0;
};

/// A frame on its way to the transport. Its part 0 may be a sequence header.
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
  virtual void acknowledge(int64_t number) = 0;
  virtual void lose(int64_t number) = 0;
  virtual void request_key_frame() = 0;
  /// Bits per second of the frames that follow.
  virtual void set_bitrate(int64_t bitrate) = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// Takes a frame that was received; a lost one has no parts. Returns what came of it: LOST if there is no
  /// picture.
  virtual ctv_net_state decode(const ctv_net_frame& frame) = 0;
  /// The time of a picture has come; `fate` is what was decoded of it until now, UNKNOWN if nothing was.
  virtual void show(int64_t number, ctv_net_state fate) = 0;
  /// Whether only a key frame helps.
  virtual bool wants_key_frame() const = 0;
};

/// The bytes of each kind that the sender sent.
struct CallBytes {
  uint64_t headers = 0, vectors = 0, levels = 0, parity = 0, repeated = 0, feedback = 0;
  uint64_t coded() const { return vectors + levels; }
  uint64_t all() const { return headers + coded() + parity + repeated; }
};

struct CallResult {
  // A process that is one end of a call knows nothing of what the other one counts.
  bool sends = true, receives = true;
  int64_t frames = 0, frozen = 0, damaged = 0, key_frames = 0;
  int64_t longest_freeze = 0;  // frames
  uint64_t datagrams = 0, lost_datagrams = 0, repaired = 0, repeated = 0;
  double delay_p50_ms = 0, delay_p99_ms = 0;  // from the camera to the decoder
  double seconds = 0;
  CallBytes bytes;
};

/// The time after which a received frame is used as it is.
int64_t deadline_us(const CallOptions& options);
/// Repeats lost datagrams if they come within the playout delay.
void choose_repeats(CallOptions& options);

class SendingEnd {
 public:
  SendingEnd(const CallOptions& options, Source& source);
  ~SendingEnd();
  SendingEnd(const SendingEnd&) = delete;
  SendingEnd& operator=(const SendingEnd&) = delete;

  /// Codes and cuts the next picture; false at the end of the input.
  bool capture();
  /// The next datagram; empty if there is none.
  std::span<const uint8_t> next(int64_t now_us);
  void feedback(int64_t now_us, std::span<const uint8_t> message);
  void count(CallResult& result) const;

 private:
  void adapt();
  void protect(const CodedFrame& frame, size_t bytes);
  const CallOptions& options_;
  Source& source_;
  ctv_net_sender* sender_ = nullptr;
  CallBytes bytes_;
  int64_t key_frames_ = 0;
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
  /// Decodes what is due. `captured_us` is when a frame was captured.
  void decode(int64_t now_us);
  /// A message for the sender; empty if there is none.
  std::span<const uint8_t> feedback(int64_t now_us);
  int64_t due_us();
  /// The time of a frame has come: shows it.
  void show(int64_t number);
  void count(CallResult& result) const;
  /// When each frame was decoded, -1: not; by number from 0.
  const std::vector<int64_t>& decoded_us() const { return decoded_us_; }

 private:
  void note(int64_t number, ctv_net_state state, int64_t now_us);
  Sink& sink_;
  ctv_net_receiver* receiver_ = nullptr;
  std::vector<int64_t> decoded_us_;
  std::vector<ctv_net_state> fates_;
  int64_t shown_ = 0, frozen_ = 0, damaged_ = 0, run_ = 0, longest_ = 0;
  uint64_t feedback_bytes_ = 0;
};

/// The whole call in one process, on a clock of its own: the same result each time.
CallResult run_call(const CallOptions& options, Source& source, Sink& sink);

}  // namespace ctv::tools
