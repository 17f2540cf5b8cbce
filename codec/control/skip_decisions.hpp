// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped. In streams with macroblocks those of them that move are coded after all
// (Backend::skip_still_only()). Both backends compile these formulas. Not normative.
//
// A unit of 2x2 cells is still, and skipped with the zero vector, if every coefficient of its difference to
// the reference is small. For other units, four alternatives are compared: all cells skipped with the zero
// vector, all skipped with their own vectors, all coded, or the cheapest choice for each cell. A skipped cell
// costs its squared error. A coded cell costs its quantisation error and bits, both estimated from Hadamard
// transforms of the difference. Costs are in 64ths of a squared sample.
//
// The prediction of luma is bilinear between half samples, as in the passes over the field of vectors
// (motion_decisions.hpp); that of chroma is bilinear between samples. For a decision this is almost as good
// as the filter of compensation, and much cheaper.
//
// decide_skips() compares samples of more than 8 bits as 8 bits. Other decisions use all bits of luma, and
// steps multiplied by 2^shift.
#pragma once

#include <cstdint>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr int kSkipUnit = 2;  // cells on a side
inline constexpr int kSkipCells = kSkipUnit * kSkipUnit;

/// Difference of a sample and its prediction, limited so that sums of 8x8 fit in 16 bits. The filter of
/// compensation may overshoot.
CTV_HOST_DEVICE int skip_difference(int sample, int prediction) {
  return clamp_to(sample - prediction, -511, 511);
}

/// Thresholds and prices of a frame. Hadamard coefficients of n x n samples are multiplied by 8 / n, which
/// makes them 8 times orthonormal ones; thresholds have this scale.
struct SkipPrices {
  int still;        // largest coefficient of a still unit
  int dead;         // coefficients up to this magnitude are quantised to 0
  int first;        // each threshold first x 2^k, k = 0..4, that a coefficient exceeds costs one `octave`
  uint64_t square;  // square of a step, in 64ths of a squared sample
};
inline constexpr int kSkipOctaves = 5;
CTV_HOST_DEVICE SkipPrices skip_prices(uint32_t base_step) {
  const auto step = static_cast<int>(base_step);  // 16ths of a sample
  return {step * 11 / 64, step * 23 / 64, step * 45 / 64, uint64_t{base_step} * base_step / 4};
}

/// Sums over the Hadamard coefficients of a cell.
struct SkipSums {
  uint64_t lost = 0;     // squares of those up to `dead`
  uint32_t coded = 0;    // number of the others
  uint32_t octaves = 0;  // thresholds that they exceed
};
/// A coded coefficient costs half the square of a step: its distortion and 4 bits of a tenth each. Each
/// octave above the step costs two bits more. Coefficients of cells with zero vectors are charged almost
/// double: they mostly code noise, which later frames would inherit.
CTV_HOST_DEVICE uint64_t coded_cost(const SkipPrices& p, const SkipSums& s, MotionVector v) {
  const uint64_t each = same_vector(v, MotionVector{}) ? 30 : 16;
  return s.lost + p.square * (each * s.coded + 6 * uint64_t{s.octaves}) / 32;
}

/// Prediction of a chroma sample from two samples each of the upper and the lower row, at an offset of `down`
/// and `right` eighths. First each row is interpolated, in eighths of samples >> shift; all values fit in 16
/// bits.
CTV_HOST_DEVICE int16_t between_columns(int16_t a, int16_t b, int16_t right, int shift) {
  return static_cast<int16_t>(((8 - right) * a + right * b) >> shift);
}
CTV_HOST_DEVICE int16_t between_rows(int16_t upper, int16_t lower, int16_t down) {
  const auto sum = static_cast<int16_t>((8 - down) * upper + down * lower + 32);
  return static_cast<int16_t>(sum >> 6);
}

struct SkipCosts {
  uint64_t zero = 0;  // skipped, zero vector
  uint64_t own = 0;   // skipped, its vector
  uint64_t code = 0;  // coded, its vector
};
enum class SkipChoice : uint8_t { kZero, kOwn, kCode };

/// The choice of each of a unit's cells; those outside the grid cost nothing.
CTV_HOST_DEVICE void choose_skips(const SkipPrices& p, const SkipCosts (&costs)[kSkipCells],
                                  SkipChoice (&choices)[kSkipCells]) {
  // Four alternatives: each choice for all cells, or the cheapest of each cell. The first of equal costs
  // wins. Coding is charged extra, because it divides the tree and passes noise to later frames.
  uint64_t ways[] = {0, 0, p.square / 2, p.square * 2};
  for (int k = 0; k < kSkipCells; ++k) {
    const SkipCosts& c = costs[k];
    const bool zero = c.zero <= c.own && c.zero <= c.code;
    choices[k] = zero ? SkipChoice::kZero : (c.own <= c.code ? SkipChoice::kOwn : SkipChoice::kCode);
    ways[0] += c.zero;
    ways[1] += c.own;
    ways[2] += c.code;
    ways[3] += zero ? c.zero : min_of(c.own, c.code);
  }
  int best = 0;
  for (int i = 1; i < 4; ++i) best = ways[i] < ways[best] ? i : best;
  if (best == 3) return;
  for (SkipChoice& choice : choices) choice = static_cast<SkipChoice>(best);
}

/// Decision by squared error, for the fast presets and lossless coding: a whole unit is still or skipped if
/// its squared error over all planes is at most this many squares of a step:
inline constexpr uint32_t kStillError = 3;
inline constexpr uint32_t kMovedError = 10;
inline constexpr uint32_t kZeroError = 27;  // zero vector: mostly noise
/// vector: of the unit's first cell; null for a still unit.
CTV_HOST_DEVICE uint64_t close_error(uint32_t base_step, const MotionVector* vector) {
  const uint32_t squares = vector == nullptr                      ? kStillError
                           : same_vector(*vector, MotionVector{}) ? kZeroError
                                                                  : kMovedError;
  return uint64_t{base_step} * base_step * squares / 256;
}

}  // namespace ctv
