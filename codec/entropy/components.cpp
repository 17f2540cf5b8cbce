// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/components.hpp"

namespace ctv {
namespace {

void add(std::vector<Component>& components, const PictureLayout& picture, Component c) {
  c.levels = 0;
  for (int p = c.first_plane; p <= c.last_plane; ++p) c.levels += c.count(picture, p);
  components.push_back(c);
}

}  // namespace

std::vector<Component> make_components(const PictureLayout& picture, Grouping grouping) {
  std::vector<Component> components;
  const auto& subbands = picture.subbands[0].subbands;
  const int count = static_cast<int>(subbands.size());
  for (int first = 0; first < count;) {
    const int layer = subbands[static_cast<size_t>(first)].layer;
    int next = first;
    while (next < count && subbands[static_cast<size_t>(next)].layer == layer) ++next;
    if (grouping == Grouping::kLayer) {
      add(components, picture, {layer, 0, 0, first, next - 1, 0});
      if (picture.planes > 1) add(components, picture, {layer, 1, picture.planes - 1, first, next - 1, 0});
    } else {
      for (int plane = 0; plane < picture.planes; ++plane) {
        for (int s = first; s < next; ++s) add(components, picture, {layer, plane, plane, s, s, 0});
      }
    }
    first = next;
  }
  return components;
}

}  // namespace ctv
