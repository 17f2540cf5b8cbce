// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/components.hpp"

#include <algorithm>
#include <utility>

namespace ctv {
namespace {

constexpr uint32_t kSmallPicture = 640 * 480;  // luma samples

class Builder {
 public:
  explicit Builder(const PictureLayout& picture)
      : picture_(picture), subbands_(picture.subbands[0].subbands) {}

  void add(int layer, int first_plane, int last_plane, int first, int last) {
    Component c{layer, first_plane, last_plane, first, last};
    for (int p = first_plane; p <= last_plane; ++p) c.levels += c.count(picture_, p);
    components_.push_back(c);
  }
  int layer(int s) const { return subbands_[static_cast<size_t>(s)].layer; }
  int count() const { return static_cast<int>(subbands_.size()); }
  /// Returns the first subband from s on for which `same` is false.
  template <typename Same>
  int end(int s, Same same) const {
    while (s < count() && same(s)) ++s;
    return s;
  }
  std::vector<Component> take() { return std::move(components_); }

 private:
  const PictureLayout& picture_;
  const std::vector<Subband>& subbands_;
  std::vector<Component> components_;
};

}  // namespace

Component::Range Component::range(const PictureLayout& picture, int plane) const {
  const auto& subbands = picture.subbands[static_cast<size_t>(plane)].subbands;
  const Subband& last = subbands[static_cast<size_t>(last_subband)];
  const size_t offset = subbands[static_cast<size_t>(first_subband)].offset;
  return {offset, last.offset + last.size() - offset};
}

std::vector<Component> make_components(const PictureLayout& picture, const Grouping& grouping) {
  Builder b(picture);
  const int pooled = b.end(0, [&](int s) { return b.layer(s) < grouping.pooled_layers; });
  if (pooled > 0) b.add(0, 0, picture.planes - 1, 0, pooled - 1);
  for (int first = pooled; first < b.count();) {
    const int layer = b.layer(first);
    const int next = b.end(first, [&](int s) { return b.layer(s) == layer; });
    if (grouping.scope == ComponentScope::kSubband) {
      for (int plane = 0; plane < picture.planes; ++plane) {
        for (int s = first; s < next; ++s) b.add(layer, plane, plane, s, s);
      }
    } else {
      b.add(layer, 0, 0, first, next - 1);
      if (picture.planes > 1) b.add(layer, 1, picture.planes - 1, first, next - 1);
    }
    first = next;
  }
  return b.take();
}

Grouping choose_grouping(const SequenceHeader& header) {
  if (header.entropy_coding == EntropyCoding::kRle) return {ComponentScope::kSubband, 0};
  // Each separate layer costs bytes for component sizes. A device codes all components except the first,
  // which is kept small in large pictures.
  const auto luma = uint32_t{header.width} * header.height;
  const int apart = std::min(luma <= kSmallPicture ? 1 : 3, int{header.transform.scales});
  return {ComponentScope::kLayer, static_cast<uint8_t>(header.transform.scales + 1 - apart)};
}

}  // namespace ctv
