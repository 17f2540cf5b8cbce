// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/planes.hpp"

#include "codec/util/host_device.hpp"

namespace ctv {

// Rows begin at multiples of 64 bytes.
constexpr int kRowMultiple = 32;

Result<PlaneSet> PlaneSet::make(Backend& backend, const PictureLayout& picture, int reduction) {
  PlaneSet set;
  std::array<size_t, 3> offsets{};
  size_t samples = 0;
  for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p) {
    const Extent padded = picture.subbands[p].padded;
    const int cols = padded.cols >> reduction;
    offsets[p] = samples;
    set.planes_[p] = {nullptr, padded.rows >> reduction, cols, round_up(cols, kRowMultiple)};
    samples += static_cast<size_t>(set.planes_[p].stride) * static_cast<size_t>(set.planes_[p].rows);
  }
  CTV_ASSIGN_OR_RETURN(set.memory_, backend.allocate(samples * sizeof(Sample)));
  for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p) {
    set.planes_[p].data = static_cast<Sample*>(set.memory_.data()) + offsets[p];
    const Extent extent = picture.subbands[p].reduced(reduction);
    set.cropped_[p] = set.planes_[p].crop(extent.rows, extent.cols);
  }
  return set;
}

Result<Memory> allocate_levels(Backend& backend, const PictureLayout& picture,
                               std::array<Level*, 3>& levels) {
  size_t count = 0;
  for (int p = 0; p < picture.planes; ++p)
    count += level_room(picture.subbands[static_cast<size_t>(p)].num_coefficients);
  CTV_ASSIGN_OR_RETURN(Memory memory, backend.allocate(count * sizeof(Level)));
  auto* next = static_cast<Level*>(memory.data());
  for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p) {
    levels[p] = next;
    next += level_room(picture.subbands[p].num_coefficients);
  }
  return memory;
}

Result<Memory> allocate_side(Backend& backend, const MotionGrid& grid, bool skips, const SlopeGrid& slopes,
                             size_t macroblocks, SideInfo& side) {
  const size_t cells = grid.size();
  CTV_ASSIGN_OR_RETURN(Memory memory,
                       backend.allocate(grid.roots() * sizeof(int64_t) + macroblocks * sizeof(Macroblock) +
                                        cells * (sizeof(MotionVector) + sizeof(uint8_t)) + slopes.size()));
  auto* const changes = static_cast<int64_t*>(memory.data());
  auto* const records = reinterpret_cast<Macroblock*>(changes + grid.roots());
  side.vectors = reinterpret_cast<MotionVector*>(records + macroblocks);
  auto* const behind = reinterpret_cast<uint8_t*>(side.vectors + cells);
  if (skips) side.skips = behind, side.changes = changes;
  if (macroblocks > 0) side.macroblocks = records;
  if (slopes.size() > 0) side.slopes = reinterpret_cast<int8_t*>(behind + cells);
  return memory;
}

}  // namespace ctv
