// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_bands.hpp"

#include <span>

namespace ctv {
namespace {

// Parents have the same orientation one level coarser, in the same plane. Two shapes are related closely
// enough: subbands of the same direction, and four directions below none. All others go without.
bool is_parent(const Subband& parent, const Subband& child, ParentGrid& grid) {
  if (parent.scale != child.scale + 1 || parent.orientation != child.orientation) return false;
  const bool half = parent.row_shift == child.row_shift + 1 && parent.col_shift == child.col_shift + 1;
  const bool same = parent.row_shift == child.row_shift && parent.col_shift == child.col_shift;
  grid = half ? ParentGrid::kHalf : ParentGrid::kSame;
  return half ? parent.direction == child.direction : same;
}

// Of a block transform: within a block, magnitudes fall towards high frequencies, so each is foretold by the
// next lower ones in either direction and by the one both are next to.
void link_frequencies(const SubbandLayout& layout, std::span<const Subband* const> sources,
                      std::vector<ContextBand>& bands) {
  for (size_t b = 0; b < bands.size(); ++b) {
    if (bands[b].lowpass) continue;
    const Frequency f = frequency_of(layout, *sources[b]);
    size_t found = 0;
    for (size_t i = b; i-- > 0;) {
      if (bands[i].lowpass || bands[i].plane != bands[b].plane) continue;
      const Frequency g = frequency_of(layout, *sources[i]);
      const int down = f.row - g.row;
      const int right = f.col - g.col;
      if (g.dc != f.dc || down < 0 || right < 0 || down > 1 || right > 1) continue;
      if (down + right == 1) {
        bands[b].siblings[found++] = static_cast<int>(i);
      } else {
        bands[b].parent = static_cast<int>(i);
        bands[b].parent_grid = ParentGrid::kSame;
      }
    }
  }
}

}  // namespace

std::vector<ContextBand> make_context_bands(const PictureLayout& picture, const Component& component) {
  std::vector<ContextBand> bands;
  std::vector<const Subband*> sources;
  const bool blocks = picture.subbands[0].transform.kind != TransformKind::kContourlet;
  const auto& first_plane = picture.subbands[static_cast<size_t>(component.first_plane)].subbands;
  for (int first = component.first_subband; first <= component.last_subband;) {
    int next = first + 1;  // behind the layer's last subband
    const auto layer = [&](int s) { return first_plane[static_cast<size_t>(s)].layer; };
    while (next <= component.last_subband && layer(next) == layer(first)) ++next;
    for (int p = component.first_plane; p <= component.last_plane; ++p) {
      for (int s = first; s < next; ++s) {
        const Subband& source = picture.subbands[static_cast<size_t>(p)].subbands[static_cast<size_t>(s)];
        if (source.size() == 0) continue;
        ContextBand band{.rows = source.rows, .cols = source.cols, .plane = p, .offset = source.offset};
        band.lowpass = source.scale == 0;
        for (size_t b = 0; b < bands.size() && !band.lowpass && !blocks; ++b) {
          ParentGrid grid{};
          if (bands[b].lowpass || bands[b].plane != p || !is_parent(*sources[b], source, grid)) continue;
          band.parent = static_cast<int>(b);
          band.parent_grid = grid;
        }
        bands.push_back(band);
        sources.push_back(&source);
      }
    }
    first = next;
  }
  if (blocks) {
    link_frequencies(picture.subbands[0], sources, bands);
  } else {
    link_siblings(bands);
  }
  return bands;
}

void link_siblings(std::vector<ContextBand>& bands) {
  for (size_t b = 0; b < bands.size(); ++b) {
    bands[b].siblings = {-1, -1};
    if (bands[b].lowpass) continue;
    size_t found = 0;
    for (size_t i = b; i-- > 0 && found < 2;) {
      if (bands[i].lowpass || bands[i].rows != bands[b].rows || bands[i].cols != bands[b].cols) continue;
      bands[b].siblings[found++] = static_cast<int>(i);
    }
  }
}

QuadPlan make_quad_plan(const PictureLayout& picture, const SequenceHeader& header, bool up) {
  if (header.entropy_coding != EntropyCoding::kContext) return {};
  QuadPlan plan;
  plan.up = up;
  for (const Component& c : make_components(picture, header.grouping, header.entropy_coding)) {
    std::vector<ContextBand>& bands = plan.components.emplace_back();
    const bool lowpass = c.first_subband == 0;
    for (int p = c.first_plane; lowpass && p <= c.last_plane; ++p) {
      size_t& levels = plan.levels[static_cast<size_t>(p)];
      if (up) levels = c.count(picture, p);
      for (const Subband& s : picture.subbands[static_cast<size_t>(p)].subbands) {
        if (!up && s.scale == 0) levels += s.size();
      }
    }
    if (lowpass && up) continue;
    bands = make_context_bands(picture, c);
    for (const ContextBand& b : bands) {
      const bool levels_of_parent = b.parent >= 0 && b.parent_grid == ParentGrid::kHalf;
      if (up ? levels_of_parent : b.quad_cols() > kMaxEventQuads) return {};
    }
  }
  return plan;
}

}  // namespace ctv
