// SPDX-License-Identifier: BSD-3-Clause
// Long calls without a codec: sizes of real packets are sent repeatedly by the real transport. Simulated are
// the encoder (after a loss it refers to the last acknowledged frame, at a measured price) and the decoder (a
// frame without its reference or its vectors is not decoded; missing levels damage it and the frames that
// depend on it).
#pragma once

#include <map>
#include <string>

#include "ctcall/call.h"

namespace ctv::tools {

struct TracePart {
  size_t size = 0;
  int32_t priority = 0;
};

/// The sizes of a clip's packets.
struct Trace {
  std::vector<std::vector<TracePart>> frames;  // the first is a key frame
  std::map<int64_t, double> prices;            // bytes by distance of the reference, relative to distance 1
  double fps = 30;
  double price(int64_t distance) const;
};

/// Lines: "fps 30", "price 2 1.22", "frame 100:0 2000:1 300:2". Throws Failure.
Trace read_trace(const std::string& path);
std::string trace_text(const Trace& trace);

class ReplaySource : public Source {
 public:
  ReplaySource(const Trace& trace, bool references) : trace_(trace), references_(references) {}
  bool code(CodedFrame& frame) override;
  bool skip() override { return true; }
  void acknowledge(int64_t number) override;
  void lose(int64_t number) override;
  void request_key_frame() override { key_wanted_ = true; }
  void set_bitrate(int64_t) override {}  // sizes are those of the trace
  /// Bytes of the same frames without loss.
  uint64_t plain_bytes() const { return plain_bytes_; }

 private:
  struct Sent {
    int64_t reference = -1;
    ctv_net_state fate = CTV_NET_UNKNOWN;
  };
  bool clean(int64_t number) const;
  const Trace& trace_;
  bool references_;
  bool key_wanted_ = false;
  int64_t next_ = 0, last_key_ = -1, acknowledged_ = -1;
  std::map<int64_t, Sent> sent_;
  uint64_t plain_bytes_ = 0;
};

class ReplaySink : public Sink {
 public:
  ctv_net_state decode(const ctv_net_frame& frame) override;
  void show(int64_t, int64_t) override {}
  bool wants_key_frame() const override { return wanted_; }

 private:
  bool wanted_ = true;
  std::map<int64_t, ctv_net_state> held_;
};

}  // namespace ctv::tools
