// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

constexpr size_t kPieceOfAThread = size_t{1} << 15;  // 10 us, about what it costs to share a shorter one
constexpr size_t kMostPieces = 16;

}  // namespace

uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before, int threads) {
  if (bytes.empty()) return before;  // its address may be null, which zlib takes for a reset
  const size_t pieces =
      std::min({bytes.size() / kPieceOfAThread, static_cast<size_t>(std::max(threads, 1)), kMostPieces});
  if (pieces < 2) return static_cast<uint32_t>(crc32_z(before, bytes.data(), bytes.size()));
  std::array<uint32_t, kMostPieces> checksums;
  const auto piece = [&](size_t i) {
    const size_t begin = bytes.size() * i / pieces;
    return bytes.subspan(begin, bytes.size() * (i + 1) / pieces - begin);
  };
  parallel_for(threads, static_cast<int>(pieces), [&](int i) {
    const auto at = static_cast<size_t>(i);
    checksums[at] = static_cast<uint32_t>(crc32_z(0, piece(at).data(), piece(at).size()));
  });
  for (size_t i = 0; i < pieces; ++i) {
    before =
        static_cast<uint32_t>(crc32_combine(before, checksums[i], static_cast<z_off_t>(piece(i).size())));
  }
  return before;
}

}  // namespace ctv
