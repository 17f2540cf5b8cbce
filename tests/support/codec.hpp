// SPDX-License-Identifier: BSD-3-Clause
// Encodes and decodes whole clips in memory with the public interface.
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

/// A stream as a list of units.
struct Stream {
  Bytes header;
  std::vector<Bytes> packets;
  Bytes index;
  friend bool operator==(const Stream&, const Stream&) = default;
};

/// Returns a preset with the extent and format of a clip's first frame. Names are the library's, and
/// "lossless".
Config config_for(const Frame& frame, const std::string& preset, int threads = 2);

/// Throws Error on failure. Appends the index only if asked for.
Stream encode(const std::vector<Frame>& clip, const ctv_config& config, bool with_index = false);

DecoderConfig decoder_config(int threads = 2, int reduction = 0, ctv_format format = CTV_FORMAT_NONE);
std::vector<Frame> decode(const Stream& stream, const ctv_decoder_config& config = decoder_config());
/// The part of a stream that decodes at a resolution: all, or of a stream with macroblocks its key frames.
Stream at_reduction(const Stream& stream, int reduction);

/// Any number as an enumerator, as C programs can pass it.
template <typename Enum>
Enum number(int value) {
  static_assert(sizeof(Enum) == sizeof(int));
  Enum out;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

/// Concatenates header, packets and index, as in a file.
Bytes file_of(const Stream& stream);
size_t packet_bytes(const Stream& stream);

}  // namespace ctv::test
