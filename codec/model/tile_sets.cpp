// SPDX-License-Identifier: BSD-3-Clause
#include "codec/model/tile_sets.hpp"

namespace ctv {

std::vector<TileSet> make_tile_sets(const PictureLayout& picture, const Component& component) {
  std::vector<TileSet> sets;
  size_t tiles = 0;
  for (int plane = component.first_plane; plane <= component.last_plane; ++plane) {
    int layer = -1;
    for (int s = component.first_subband; s <= component.last_subband; ++s) {
      const Subband& band = picture.subbands[static_cast<size_t>(plane)].subbands[static_cast<size_t>(s)];
      if (band.size() == 0) continue;
      const int row_shift = band.row_shift + (plane == 0 ? 0 : picture.chroma.y);
      const int col_shift = band.col_shift + (plane == 0 ? 0 : picture.chroma.x);
      TileSet* last = sets.empty() ? nullptr : &sets.back();
      const bool joins = last != nullptr && last->plane == plane && layer == band.layer &&
                         last->rows == band.rows && last->cols == band.cols && last->row_shift == row_shift &&
                         last->col_shift == col_shift && last->bands < kTileBands && !last->lowpass &&
                         band.scale != 0;
      if (!joins) {
        sets.push_back({.rows = band.rows, .cols = band.cols, .plane = plane, .lowpass = band.scale == 0});
        last = &sets.back();
        last->first = tiles;
        last->row_shift = row_shift;
        last->col_shift = col_shift;
        tiles += last->tiles();
      }
      last->offsets[static_cast<size_t>(last->bands++)] = band.offset;
      layer = band.layer;
    }
  }
  return sets;
}

CodingPlan make_coding_plan(const PictureLayout& picture, const SequenceHeader& header, bool up) {
  CodingPlan plan;
  plan.up = up;
  if (header.macroblocks()) plan.macroblocks = make_macroblock_grid(picture);
  for (const Component& c : make_components(picture, header.grouping)) {
    if (header.entropy_coding == EntropyCoding::kRle) {
      plan.runs.push_back({run_ranges(picture, c), c.layer == 0});
    } else {
      plan.components.push_back(make_tile_sets(picture, c));
    }
  }
  return plan;
}

}  // namespace ctv
