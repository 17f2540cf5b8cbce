// SPDX-License-Identifier: BSD-3-Clause
// When a device fails, the CPU backend goes on with the same bits: what the device knew is rebuilt by
// decoding the packets since the last key frame again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv {

/// Packets since the last key frame. Kept only for backends that can fail; very long chains are given up.
class History {
 public:
  void append(std::span<const uint8_t> packet, bool key);
  void clear();
  /// False if the chain is not whole: it was too long, or no key frame has been seen.
  bool whole() const { return whole_; }
  const std::vector<std::vector<uint8_t>>& packets() const { return packets_; }

 private:
  static constexpr size_t kMaxBytes = size_t{256} << 20;
  std::vector<std::vector<uint8_t>> packets_;
  size_t bytes_ = 0;
  bool whole_ = false;
};

/// A failure that another backend can mend.
bool is_device_failure(const Status& status, const Backend& backend);

/// Decodes the history with a new decoder, which then holds its references and, in its slots, its last
/// pictures. The last packet of the history belongs to frame `last`, frame i to slot i modulo `slots`.
Status replay(FrameDecoder& decoder, const Stream& stream, const History& history, uint64_t last,
              size_t slots, int threads);

/// A picture in host memory of its own.
struct PictureCopy {
  ctv_picture picture{};
  std::vector<uint8_t> bytes;
};
/// `picture` lies in host memory.
PictureCopy copy_picture(const ctv_picture& picture);

}  // namespace ctv
