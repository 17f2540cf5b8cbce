// SPDX-License-Identifier: BSD-3-Clause
// Layouts of pictures, and properties of every list of components.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codec/format/components.hpp"

namespace ctv::test {

/// Directions in the finest scale only; chroma 4:2:0.
inline PictureLayout picture_of(int planes, int width, int height, Pyramid pyramid, int levels,
                                int directions_log2) {
  TransformParameters t;
  t.pyramid = pyramid;
  t.scales = levels;
  t.directions_log2[0] = static_cast<uint8_t>(directions_log2);
  PictureLayout picture;
  picture.planes = planes;
  picture.width = width;
  picture.height = height;
  picture.chroma = {1, 1};
  for (int p = 0; p < planes; ++p)
    picture.subbands[static_cast<size_t>(p)] = make_layout(t, picture.extent(p));
  return picture;
}

inline void expect_every_level_once(const PictureLayout& picture, const std::vector<Component>& components) {
  std::vector<std::vector<int>> seen(3);
  for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p)
    seen[p].resize(picture.subbands[p].num_coefficients);
  int layer = 0;
  for (const Component& c : components) {
    EXPECT_GE(c.layer, layer);
    layer = c.layer;
    size_t count = 0;
    for (int p = c.first_plane; p <= c.last_plane; ++p) {
      const size_t begin = c.offset(picture, p);
      for (size_t i = 0; i < c.count(picture, p); ++i) ++seen[static_cast<size_t>(p)][begin + i];
      count += c.count(picture, p);
    }
    EXPECT_EQ(count, c.levels);
  }
  for (const auto& plane : seen) {
    EXPECT_TRUE(std::all_of(plane.begin(), plane.end(), [](int n) { return n == 1; }));
  }
}

}  // namespace ctv::test
