// SPDX-License-Identifier: BSD-3-Clause
// Transform and quantisation of one plane.
#pragma once

#include <cstdint>
#include <span>

#include "codec/backend/subband_predictor.hpp"
#include "codec/dsp/quantise.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/format/skipped_cells.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Computation of convolutions: direct in integers, or by FFT, multiplication and rounding. Results are
/// equal.
enum class Engine : uint8_t { kDirect = 0, kFft = 1 };

/// Forward and inverse transform of one plane; owns plans and workspace.
class TransformCoder {
 public:
  virtual ~TransformCoder() = default;
  /// Transforms and quantises samples - prediction, or 0 in skipped cells. Levels are in the order of the
  /// layout. prediction.data null: the prediction is `dc_offset` everywhere, and no cell is skipped.
  /// quantisers: one per subband. samples and prediction have the padded extent. slopes: an array of
  /// SlopeGrid; null for a transform without slopes.
  virtual Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                         std::span<const SubbandQuantiser> quantisers, Level* levels,
                         const int8_t* slopes = nullptr, const SkippedCells& skipped = {}) = 0;
  /// samples = prediction + inverse(levels), or prediction in skipped cells, clamped to range, at resolution
  /// 2^-reduction. samples, prediction and skipped.geometry have the padded extent shifted right by
  /// reduction. samples may be prediction.
  virtual Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                         PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                         PlaneView<Sample> samples, const int8_t* slopes = nullptr,
                         const SkippedCells& skipped = {}) = 0;
  /// Calls predictor.add_subbands() for the layers of the resolution, then inverse() of the sums with
  /// dc_offset as prediction. A backend may fuse both; stage times then count them as inverse transform.
  /// predictor: the backend of this coder.
  virtual Status inverse_predicted(SubbandPredictor& predictor, const PredictedLevels& predicted,
                                   std::span<const SubbandQuantiser> quantisers, int dc_offset,
                                   SampleRange range, int reduction, PlaneView<Sample> samples) {
    const auto& [layout, chroma, grid, vectors, residual, previous, levels] = predicted;
    CTV_RETURN_IF_ERROR(predictor.add_subbands(layout, chroma, grid, vectors, residual, previous,
                                               layout.layers - reduction, levels));
    return inverse(levels, quantisers, {}, dc_offset, range, reduction, samples);
  }
};

}  // namespace ctv
