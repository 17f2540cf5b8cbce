// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/part_slices.hpp"

#include <algorithm>

#include "codec/format/bytes.hpp"

namespace ctv {

void PartSlices::begin(size_t parts) {
  slices_.clear();
  if (parts_.size() != parts) parts_ = std::vector<Part>(parts);
}

void PartSlices::add(size_t part, size_t bytes) {
  Part& p = parts_[part];
  p.size = bytes;
  p.slices = std::max<size_t>(1, (bytes + kBytes - 1) / kBytes);
  p.checksum = 0;
  for (size_t i = 0; i < p.slices; ++i)
    slices_.push_back({part, i * kBytes, std::min(bytes - i * kBytes, kBytes)});
}

bool PartSlices::take(size_t i, std::span<const uint8_t> bytes) {
  const Slice& slice = slices_[i];
  Part& part = parts_[slice.part];
  part.checksum ^= crc32_before(crc32_of(bytes), part.size - slice.begin - slice.size);
  return --part.slices == 0;
}

}  // namespace ctv
