// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/cipher.hpp"

#include <algorithm>

namespace ctv::net {
namespace {

constexpr uint64_t kMessageBit = uint64_t{1} << 63;

}  // namespace

void Cipher::start(const ctv_net_cipher& cipher, size_t largest) {
  out_.resize(largest);
  in_.resize(largest);
  cipher_ = cipher;
}

ctv_status Cipher::seal(std::span<const uint8_t>& bytes, bool message) {
  const size_t header = message ? kMessageHeader : kHeaderSize;
  const auto more = static_cast<size_t>(cipher_->overhead);
  const int64_t number = sealed_++;
  std::ranges::copy(bytes.first(header), out_.begin());
  uint8_t* const rest = out_.data() + header;
  const size_t size = bytes.size() - header;
  if (cipher_->seal(cipher_->context, static_cast<uint64_t>(number) | (message ? kMessageBit : 0),
                    bytes.data(), header, bytes.data() + header, size, rest) != 0)
    return fail(CTV_ERROR_INTERNAL, "cipher.seal: refused a datagram");
  put_16(rest + size + more, static_cast<uint32_t>(number >> 16));
  put_16(rest + size + more + 2, static_cast<uint32_t>(number >> 32));
  bytes = std::span(out_).first(bytes.size() + more + kTrailer);
  return CTV_OK;
}

ctv_status Cipher::open(std::span<const uint8_t>& bytes, bool message) {
  const auto refuse = [](const char* what) { return fail(CTV_ERROR_STREAM, "datagram: %s", what); };
  const size_t header = message ? kMessageHeader : kHeaderSize;
  const auto more = static_cast<size_t>(cipher_->overhead);
  if (bytes.size() < header + more + kTrailer || bytes.size() > in_.size())
    return refuse("size of a sealed one");
  const uint8_t* const trailer = bytes.data() + bytes.size() - kTrailer;
  const int64_t number = static_cast<int64_t>(get_16(&bytes[2])) |
                         static_cast<int64_t>(get_16(trailer)) << 16 |
                         static_cast<int64_t>(get_16(trailer + 2)) << 32;
  if (number <= highest_ - kWindow) return refuse("its number is old");
  if (number <= highest_ && opened_.test(static_cast<size_t>(number % kWindow))) return refuse("replayed");
  const size_t size = bytes.size() - header - more - kTrailer;
  std::ranges::copy(bytes.first(header), in_.begin());
  if (cipher_->open(cipher_->context, static_cast<uint64_t>(number) | (message ? kMessageBit : 0),
                    bytes.data(), header, bytes.data() + header, size + more, in_.data() + header) != 0)
    return refuse("not authentic");
  if (number - highest_ >= kWindow) opened_.reset();
  for (int64_t i = std::max(highest_ + 1, number - kWindow + 1); i < number; ++i)
    opened_.reset(static_cast<size_t>(i % kWindow));
  opened_.set(static_cast<size_t>(number % kWindow));
  highest_ = std::max(highest_, number);
  bytes = std::span(in_).first(header + size);
  return CTV_OK;
}

}  // namespace ctv::net
