// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/quad_contexts.hpp"

#include <cstring>

namespace ctv {
namespace {

// In 16 bits, where -32768 becomes 32768, for the sake of vector instructions.
inline uint16_t clamped_magnitude(Level level) {
  const auto magnitude = static_cast<uint16_t>(level < 0 ? -level : level);
  return std::min<uint16_t>(magnitude, kMaxQuadSum);
}

}  // namespace

void sum_quads(const Level* __restrict above, const Level* __restrict below, int cols,
               uint16_t* __restrict folded, uint8_t* __restrict sums) {
  folded[cols] = 0;
  if (below != nullptr) {
    for (int x = 0; x < cols; ++x) {
      folded[x] = static_cast<uint16_t>(clamped_magnitude(above[x]) + clamped_magnitude(below[x]));
    }
  } else {
    for (int x = 0; x < cols; ++x) folded[x] = clamped_magnitude(above[x]);
  }
  for (int x = 0; x < (cols + 1) / 2; ++x) {
    uint32_t pair = 0;  // both halves are added, so their order does not matter
    std::memcpy(&pair, folded + 2 * x, sizeof pair);
    sums[x] = static_cast<uint8_t>(std::min((pair & 0xffffU) + (pair >> 16), uint32_t{kMaxQuadSum}));
  }
}

QuadContexts::QuadContexts(std::span<const ContextBand> bands) : bands_(bands), sums_(bands.size()) {
  for (size_t b = 0; b < bands.size(); ++b) {
    sums_[b].stride = static_cast<size_t>(bands[b].quad_cols()) + 4;
    sums_[b].cells.resize(sums_[b].stride * static_cast<size_t>(bands[b].quad_rows() + 2));
    longest_row_ = std::max(longest_row_, bands[b].quad_cols());
    most_cols_ = std::max(most_cols_, bands[b].cols);
  }
}

void QuadContexts::fill_row(size_t b, int y, std::span<const Level* const> planes,
                            uint16_t* __restrict out) const {
  const ContextBand& band = bands_[b];
  const int cols = band.quad_cols();
  const uint8_t* __restrict n = row(b, y - 1);
  const uint8_t* __restrict nn = row(b, y - 2);
  for (int x = 0; x < cols; ++x) {
    out[x] = static_cast<uint16_t>(kSameWeight * n[x] + n[x - 1] + n[x + 1] + nn[x]);
  }
  std::fill_n(out + cols, kPadding, uint16_t{0});
  if (band.siblings[0] >= 0) add_siblings(band, y, out);
  if (band.parent >= 0) add_parent(band, y, planes, out);
}

void QuadContexts::add_siblings(const ContextBand& band, int y, uint16_t* __restrict out) const {
  const int cols = band.quad_cols();
  const uint8_t* __restrict first = row(static_cast<size_t>(band.siblings[0]), y);
  if (band.siblings[1] < 0) {
    for (int x = 0; x < cols; ++x) out[x] = static_cast<uint16_t>(out[x] + kSiblingWeight * first[x]);
    return;
  }
  const uint8_t* __restrict second = row(static_cast<size_t>(band.siblings[1]), y);
  for (int x = 0; x < cols; ++x) {
    out[x] = static_cast<uint16_t>(out[x] + kSiblingWeight * ((first[x] + second[x] + 1) >> 1));
  }
}

void QuadContexts::add_parent(const ContextBand& band, int y, std::span<const Level* const> planes,
                              uint16_t* __restrict out) const {
  const ContextBand& parent = bands_[static_cast<size_t>(band.parent)];
  if (band.parent_grid == ParentGrid::kHalf) {
    if (y >= parent.rows) return;
    const Level* __restrict levels = planes[static_cast<size_t>(parent.plane)] + parent.offset +
                                     static_cast<size_t>(y) * static_cast<size_t>(parent.cols);
    const int cols = std::min(band.quad_cols(), parent.cols);
    for (int x = 0; x < cols; ++x) {
      out[x] = static_cast<uint16_t>(out[x] + kParentWeight * clamped_magnitude(levels[x]));
    }
  } else {
    if (y >= parent.quad_rows()) return;
    const uint8_t* __restrict sums = row(static_cast<size_t>(band.parent), y);
    const int cols = std::min(band.quad_cols(), parent.quad_cols());
    for (int x = 0; x < cols; ++x) out[x] = static_cast<uint16_t>(out[x] + (kParentWeight * sums[x] >> 1));
  }
}

}  // namespace ctv
