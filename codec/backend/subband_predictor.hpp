// SPDX-License-Identifier: BSD-3-Clause
// Prediction of quantised subbands.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

// Predicts the levels of one plane from those of the previous frame, moved subband by subband by vectors
// scaled to its resolution: residual = levels - moved(previous), and the inverse.
class SubbandPredictor {
 public:
  virtual ~SubbandPredictor() = default;
  // All arrays are in the layout's order. residual and levels may be one array in add_subbands() only.
  // `layers`: number of layers, coarse to fine.
  virtual Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                                   const MotionVector* vectors, const Level* levels, const Level* previous,
                                   Level* residual) = 0;
  virtual Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                              const MotionVector* vectors, const Level* residual, const Level* previous,
                              int layers, Level* levels) = 0;
};

// Arguments of add_subbands() except `layers`.
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
