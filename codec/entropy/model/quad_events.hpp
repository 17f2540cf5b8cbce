// SPDX-License-Identifier: BSD-3-Clause
// What crosses to the host instead of levels where contexts code them: only the quads that are not 0, or not
// expected to be, each with its class (docs/bitstream.md, 6.5), row by row. A decoder finds classes one after
// the other; an encoder knows all levels, so a backend finds them all at once, leaves zero blocks behind as
// in Wang et al. (2013), and the host is left with counting and Huffman codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/entropy/model/quads.hpp"

namespace ctv {

enum class ParentGrid {
  kHalf,  // the parent has half the rows and columns: one of its levels to a quad
  kSame   // a directional band below an undirected one: quad to quad
};

/// A subband as the symbol coder sees it: cut into quads of 2x2 levels, and foretold by earlier bands of its
/// component.
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

/// How a frame may travel: down as events, or up as lists of quads. Empty: as levels.
struct QuadPlan {
  std::vector<std::vector<ContextBand>> components;  // bands of each; none: it travels as levels
  std::array<size_t, 3> levels{};  // per plane: how many, from the first on, travel as levels
  bool up = false;
  bool empty() const { return components.empty(); }
};

struct QuadRow {
  uint32_t events;
  uint32_t magnitudes;
};

/// One component's events, of all bands but lowpasses. A row's lie at the number of quads in all rows before
/// it, in all these bands before, and its magnitudes at four times that; there is memory for four a quad.
struct QuadEvents {
  const QuadRow* rows = nullptr;  // [quad rows of the bands]; null: the component travels as levels
  const QuadEvent* events = nullptr;
  const uint16_t* magnitudes =
      nullptr;  // |level| - 2 of each level of magnitude 2 and above, by quad and position
};

/// A quad that is not 0.
struct QuadEntry {
  uint32_t place;     // among the quads of the component's bands, in order
  int16_t levels[4];  // an array of C, since kernels read it
};

/// What a decoder has found of one component.
struct QuadList {
  QuadEntry* entries = nullptr;  // room for all quads; null: the component travels as levels
  size_t count = 0;
};

}  // namespace ctv
