// SPDX-License-Identifier: BSD-3-Clause
// Concatenates streams with one header. Frames are numbered from 0 and shown from time 0 without gaps. So
// each packet's header is rewritten, including the checks that tie predicted frames to their references.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/format/packet.hpp"
#include "codec/format/stream_index.hpp"
#include "io/output_file.h"

namespace ctv::tools {

class StreamJoiner {
 public:
  explicit StreamJoiner(OutputFile& out) : out_(out) {}

  /// Begins another stream, or another section: its first packet must be a key frame. name: for messages.
  void begin(const std::string& name);
  /// Writes the first header; all others must equal it. Throws Failure.
  void header(std::span<const uint8_t> unit);
  /// Throws Failure for a damaged packet, or one that refers to a frame before begin().
  void packet(std::span<const uint8_t> unit);
  void finish();

  /// Parses a packet without writing it. Throws Failure.
  bool is_key(std::span<const uint8_t> unit);
  uint64_t frames() const { return index_.packets(); }

 private:
  /// Checks of a frame in the input and in the output.
  struct Checks {
    uint64_t number = UINT64_MAX;  // number in the input
    uint16_t came = 0, went = 0;
  };
  void read(std::span<const uint8_t> unit);
  [[noreturn]] void fail(const std::string& what) const;
  Checks& checks_of(uint64_t number) { return checks_[static_cast<size_t>(number % checks_.size())]; }

  OutputFile& out_;
  std::string name_, first_name_;
  bool headed_ = false;                // a header was read since begin()
  std::optional<uint64_t> last_came_;  // input number of the latest frame since begin()
  std::vector<uint8_t> header_;
  PacketLayout layout_;
  uint32_t fps_den_ = 1;
  PacketHeader packet_;
  std::vector<uint8_t> bytes_;
  IndexBuilder index_{0};

  bool begins_ = true;
  uint64_t next_number_ = 0, number_shift_ = 0;  // modulo 2^64
  uint64_t next_time_ = 0, time_shift_ = 0;
  std::array<Checks, kMaxReference + 1> checks_{};  // of the latest frames since begin()
};

}  // namespace ctv::tools
