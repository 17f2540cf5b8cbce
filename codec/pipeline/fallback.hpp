// SPDX-License-Identifier: BSD-3-Clause
// When a device fails, the CPU backend goes on with the same bits: what the device knew is rebuilt by
// decoding the packets since the last key frame again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv {

/// Packets that lead to the frames still in flight, from a key frame on. Kept only for backends that can
/// fail; very long chains are given up.
class History {
 public:
  struct Entry {
    uint64_t frame;  // as the encoder or decoder counts them
    bool key;
    std::vector<uint8_t> packet;
  };
  void append(std::span<const uint8_t> packet, uint64_t frame, bool key);
  /// Forgets what is not needed to decode `frame` and those after it.
  void trim(uint64_t frame);
  void clear();
  /// False if the chain is not whole: it was too long, or no key frame has been seen.
  bool whole() const { return !entries_.empty(); }
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  static constexpr size_t kMaxBytes = size_t{256} << 20;
  std::deque<Entry> entries_;  // the first is a key frame
  size_t bytes_ = 0;
};

/// A failure that another backend can mend.
bool is_device_failure(const Status& status, const Backend& backend);
/// Whether a device lacks memory, perhaps only now: others use it too, so one more try is worth it.
bool is_out_of_device_memory(const Status& status, const Backend& backend);

/// Decodes the history with a new decoder, which then holds its references and, in its slots, its last
/// pictures. The last packet of the history belongs to frame `last`, frame i to slot i modulo `slots`.
Status replay(FrameDecoder& decoder, const Stream& stream, const History& history, size_t slots, int threads);

/// A picture in host memory of its own.
struct PictureCopy {
  ctv_picture picture{};
  std::vector<uint8_t> bytes;
};
/// `picture` lies in host memory. The copy's memory is used again if it is large enough.
void copy_picture(const ctv_picture& picture, PictureCopy& copy);

}  // namespace ctv
