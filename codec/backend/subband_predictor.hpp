// SPDX-License-Identifier: BSD-3-Clause
// Prediction of quantised subbands.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// The part of a backend that predicts levels of one plane from the previous frame's, moved subband by
/// subband with vectors scaled to each grid: residual = levels - moved(previous), and back.
class SubbandPredictor {
 public:
  virtual ~SubbandPredictor() = default;
  /// All arrays in the layout's order; residual may be levels in add only. `layers`: how many layers count,
  /// coarse to fine.
  virtual Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                                   const MotionVector* vectors, const Level* levels, const Level* previous,
                                   Level* residual) = 0;
  virtual Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                              const MotionVector* vectors, const Level* residual, const Level* previous,
                              int layers, Level* levels) = 0;
};

/// What add_subbands() is called with, apart from the layers.
struct PredictedLevels {
  const SubbandLayout& layout;
  ChromaShift chroma;
  const MotionGrid& grid;
  const MotionVector* vectors;
  const Level* residual;
  const Level* previous;
  Level* levels;
};

}  // namespace ctv
