// SPDX-License-Identifier: BSD-3-Clause
// The bands of a component in the order of coding, and which earlier bands of it foretell each
// (docs/symbols.md, 3).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "codec/entropy/components.hpp"
#include "codec/frame/picture_layout.hpp"

namespace ctv {

enum class ParentGrid {
  kHalf,  // the parent has half the rows and columns: one of its levels to a quad
  kSame   // a directional band below an undirected one: quad to quad
};

struct ContextBand {
  int rows = 0, cols = 0;
  int plane = 0;
  size_t offset = 0;  // of its first level in the plane's array; rows follow each other without gaps
  bool lowpass = false;
  int parent = -1;  // index among the bands, or -1
  ParentGrid parent_grid = ParentGrid::kHalf;
  std::array<int, 2> siblings{-1, -1};  // nearest first, or -1

  int quad_rows() const { return (rows + 1) / 2; }
  int quad_cols() const { return (cols + 1) / 2; }
  size_t quads() const { return static_cast<size_t>(quad_rows()) * static_cast<size_t>(quad_cols()); }
};

/// Coarse to fine, by layer, then plane, then as in the layout.
std::vector<ContextBand> make_context_bands(const PictureLayout& picture, const Component& component);

/// Fills in `siblings`: for each band but a lowpass, the last two before it that are no lowpass and of equal
/// extent.
void link_siblings(std::vector<ContextBand>& bands);

}  // namespace ctv
