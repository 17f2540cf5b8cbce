// SPDX-License-Identifier: BSD-3-Clause
// The codec as source and sink of a call.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>

#include <ctv/ctv.hpp>

#include "cli/quality.h"
#include "ctcall/call.h"
#include "io/frame_reader.h"

namespace ctv::tools {

/// The camera's latest pictures, for comparison with shown ones.
class Originals {
 public:
  void add(int64_t number, const Frame& frame);
  /// Null if it was dropped.
  const Frame* find(int64_t number) const;

 private:
  std::map<int64_t, Frame> frames_;
};

/// Divides a packet into parts (packet_parts()).
std::vector<CodedPart> cut_packet(std::span<const uint8_t> header, const ctv_unit& unit);

class CodecSource : public Source {
 public:
  /// `originals` may be null. `references`: after a loss, refer to an acknowledged frame; else send a key
  /// frame.
  CodecSource(const ctv_config& config, FrameReader& reader, Originals* originals, bool references);
  bool code(CodedFrame& frame) override;
  bool skip() override;
  void acknowledge(int64_t number) override;
  void lose(int64_t number) override;
  void request_key_frame() override;
  void set_bitrate(int64_t bitrate) override;

 private:
  Encoder encoder_;
  FrameReader& reader_;
  Originals* originals_;
  bool references_;
  int64_t duration_;
  int32_t width_, height_;
  int64_t bitrate_;
  bool key_next_ = true;  // the next frame is a key frame
  std::vector<uint8_t> header_;
  Frame frame_;
  int64_t next_ = 0, last_key_ = -1;
};

class CodecSink : public Sink {
 public:
  /// Compares shown pictures with `originals`, unless it is null.
  CodecSink(const ctv_decoder_config& config, const Originals* originals);
  ctv_net_state decode(const ctv_net_frame& frame) override;
  void show(int64_t picture, int64_t frame) override;
  bool wants_key_frame() const override { return !decoded_; }
  /// Mean PSNR of luma over the shown pictures; nothing if none was compared.
  std::optional<double> psnr() const;

 private:
  Decoder decoder_;
  const Originals* originals_;
  bool decoded_ = false;
  std::map<int64_t, Frame> waiting_;  // decoded, not shown yet
  Frame screen_;
  double psnr_sum_ = 0;
  int64_t psnr_count_ = 0;
};

}  // namespace ctv::tools
