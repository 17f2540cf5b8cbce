// SPDX-License-Identifier: BSD-3-Clause
// One row of blocks of a block transform: samples to levels and back.
#pragma once

#include <array>

#include "codec/format/block_plan.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/util/types.hpp"
#include "cpu/picture/skipped_runs.hpp"

namespace ctv {

struct BlockRow {
  int blocks = 0;
  const BlockQuantiser* quantisers = nullptr;  // [side * side]
  PlaneView<const Sample> prediction;          // of this row; data null: `dc_offset` everywhere
  int dc_offset = 0;
  const SkippedRuns* skipped = nullptr;
  int first_row = 0;  // in the plane of samples
};

/// samples: `side` rows of side * blocks. levels: one row per frequency, [side * side][blocks]. dc, if not
/// null, receives the DC coefficients before quantisation, [blocks]; levels[0] is then not written.
void forward_block_row(TransformKind kind, const BlockRow& row, PlaneView<const Sample> samples,
                       const std::array<Level*, kMaxBlockArea>& levels, Coefficient* dc);

/// The inverse, at resolution 2^-reduction of samples and prediction. samples may be prediction. levels: null
/// for a frequency that is 0 everywhere. dc: scaled DC coefficients.
void inverse_block_row(TransformKind kind, const BlockRow& row,
                       const std::array<const Level*, kMaxBlockArea>& levels, const Coefficient* dc,
                       SampleRange range, int reduction, PlaneView<Sample> samples);

}  // namespace ctv
