// SPDX-License-Identifier: BSD-3-Clause
// Seals datagrams and messages with the program's cipher, and opens each once.
//
// A sealed datagram is the header, the sealed rest, and bits 16 to 47 of its number; bits 0 to 15 are in the
// header. The number of a datagram never repeats, so it serves as nonce; bit 63 is 1 for messages. Numbers
// that were opened before, and those more than kWindow below the highest, are refused.
#pragma once

#include <bitset>
#include <optional>

#include "codec/transport/datagram.hpp"

namespace ctv::net {

class Cipher {
 public:
  static constexpr size_t kTrailer = 4;
  /// The beginning of a message that is authenticated, but not encrypted.
  static constexpr size_t kMessageHeader = 4;

  bool on() const { return cipher_.has_value(); }
  /// `largest`: bytes of the largest sealed datagram.
  void start(const ctv_net_cipher& cipher, size_t largest);
  /// Bytes by which sealing makes a datagram longer.
  static int overhead(const ctv_net_cipher& cipher) { return cipher.overhead + static_cast<int>(kTrailer); }
  /// Replaces `bytes` by sealed ones, which this object owns.
  ctv_status seal(std::span<const uint8_t>& bytes, bool message);
  /// Replaces `bytes` by opened ones, which this object owns.
  ctv_status open(std::span<const uint8_t>& bytes, bool message);

 private:
  static constexpr int64_t kWindow = 1024;
  std::optional<ctv_net_cipher> cipher_;
  int64_t sealed_ = 0;    // number of the next datagram
  int64_t highest_ = -1;  // opened
  std::bitset<kWindow> opened_;
  Bytes out_, in_;
};

}  // namespace ctv::net
