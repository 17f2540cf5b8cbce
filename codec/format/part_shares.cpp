// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/part_shares.hpp"

#include <algorithm>

#include "codec/format/bytes.hpp"

namespace ctv {

void PartShares::begin(size_t parts, int threads) {
  most_ = threads > 1 ? kBytes : SIZE_MAX;
  shares_.clear();
  if (parts_.size() != parts) parts_ = std::vector<Part>(parts);
}

void PartShares::add(size_t part, size_t bytes) {
  Part& p = parts_[part];
  p.size = bytes;
  p.shares = 0;
  p.checksum = 0;
  size_t begin = 0;
  do {
    const size_t size = std::min(bytes - begin, most_);
    shares_.push_back({part, begin, size});
    begin += size;
    ++p.shares;
  } while (begin < bytes);
}

bool PartShares::take(size_t i, std::span<const uint8_t> bytes) {
  const Share& share = shares_[i];
  Part& part = parts_[share.part];
  part.checksum ^= crc32_before(crc32_of(bytes), part.size - share.begin - share.size);
  return --part.shares == 0;
}

}  // namespace ctv
