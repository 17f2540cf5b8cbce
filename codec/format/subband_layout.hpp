// SPDX-License-Identifier: BSD-3-Clause
// The subbands of a plane, and their offsets in the plane's array of levels, coarse to fine.
#pragma once

#include <cstddef>
#include <vector>

#include "codec/format/transform_parameters.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct Subband {
  int scale;        // 0: lowpass; else of the pyramid, 1 is the finest
  int orientation;  // wavelet: 1 horizontal detail (HL), 2 vertical (LH), 3 diagonal (HH); laplacian 0
  int direction;    // 0..directions-1
  int layer;        // 0: lowpass; layers 0..i give resolution 2^-(scales-i)
  int rows, cols;
  size_t offset;             // index of its first level in the plane's array; rows are contiguous
  int row_shift, col_shift;  // log2 of the distance of levels in plane samples
  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
};

struct SubbandLayout {
  TransformParameters transform;
  Extent extent;                  // of the plane
  Extent padded;                  // padded by repeating the last row and column
  std::vector<Subband> subbands;  // coarse to fine
  size_t num_coefficients = 0;    // of all subbands
  int layers = 0;                 // transform.scales + 1

  /// The extent of the plane at resolution 2^-reduction.
  Extent reduced(int reduction) const {
    return {(extent.rows + (1 << reduction) - 1) >> reduction,
            (extent.cols + (1 << reduction) - 1) >> reduction};
  }
  /// Extent of the band of pyramid scale 1.. (Laplacian), or of each of its three bands (wavelet).
  Extent band(int scale) const {
    const int shift = scale - 1 + transform.pyramid_traits().band_shift;
    return {padded.rows >> shift, padded.cols >> shift};
  }
};

inline constexpr int kMaxSubbandsPerPlane = 1 + 3 * (1 << kMaxDirectionsLog2) * kMaxScales;

int subband_count(const TransformParameters& transform);

/// Returns the layout of any extent from 1x1. multiples: the padded extent is a multiple of these, too.
SubbandLayout make_layout(const TransformParameters& transform, Extent extent, Extent multiples = {1, 1});

}  // namespace ctv
