// SPDX-License-Identifier: BSD-3-Clause
// Encoding and decoding whole clips in memory, over the public interface alone.
#pragma once

#include <ctv/ctv.h>
#include <ctv/ctv.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/support/clip.hpp"

namespace ctv::test {

using Bytes = std::vector<uint8_t>;

/// A stream unit by unit.
struct Stream {
  Bytes header;
  std::vector<Bytes> packets;
  Bytes index;
  friend bool operator==(const Stream&, const Stream&) = default;
};

/// A preset made ready for a clip's first frame; beside the library's own: "lossless", and "dct8x8",
/// "h264_4x4", "h264_8x8", also with "_subband" behind them, which are the default preset with that transform
/// and prediction.
Config config_for(const Frame& frame, const std::string& preset, int threads = 2);

/// Throws Error on failure, as ctv.hpp does. Without the index unless asked for.
Stream encode(const std::vector<Frame>& clip, const ctv_config& config, bool with_index = false);

DecoderConfig decoder_config(int threads = 2, int reduction = 0, ctv_format format = CTV_FORMAT_NONE);
std::vector<Frame> decode(const Stream& stream, const ctv_decoder_config& config = decoder_config());

/// Any number in an enumerator's place, as a C program can put it there.
template <typename Enum>
Enum number(int value) {
  static_assert(sizeof(Enum) == sizeof(int));
  Enum out;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

/// Header, packets, index one after the other, as in a file.
Bytes file_of(const Stream& stream);
size_t packet_bytes(const Stream& stream);

}  // namespace ctv::test
