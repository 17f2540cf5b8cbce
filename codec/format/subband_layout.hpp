// SPDX-License-Identifier: BSD-3-Clause
// Which subbands a plane has and where each lies in the plane's array of levels, coarse to fine.
#pragma once

#include <cstddef>
#include <vector>

#include "codec/format/transform_parameters.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct Subband {
  int scale;        // 0: lowpass; else of the pyramid, 1 is the finest; block: octave, see frequency_of
  int orientation;  // wavelet, block: 1 horizontal detail (HL), 2 vertical (LH), 3 diagonal (HH); laplacian 0
  int direction;    // 0..directions-1; block: frequency within the octave's orientation
  int layer;        // 0: lowpass; layer i makes the resolution 2^-(scales-i) possible
  int rows, cols;
  size_t offset;             // of its first level in the plane's array; rows follow each other without gaps
  int row_shift, col_shift;  // log2 of plane samples from level to level
  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
};

struct SubbandLayout {
  TransformParameters transform;
  Extent extent;  // of the plane
  Extent padded;  // extended to what the transform needs, by repeating the last row and column
  std::vector<Subband> subbands;  // coarse to fine
  size_t num_coefficients = 0;    // of all subbands
  int layers = 0;                 // transform.scales + 1
  int dc_row_log2 = 0;            // H.264 4x4: so many DC coefficients (log2) are transformed once more
  int dc_col_log2 = 0;

  /// The extent of the plane at resolution 2^-reduction.
  Extent reduced(int reduction) const {
    return {(extent.rows + (1 << reduction) - 1) >> reduction,
            (extent.cols + (1 << reduction) - 1) >> reduction};
  }
  /// Extent of the band that pyramid scale 1.. splits (laplacian) or of each of its three (wavelet).
  Extent band(int scale) const {
    const int shift = transform.pyramid == Pyramid::kLaplacian ? scale - 1 : scale;
    return {padded.rows >> shift, padded.cols >> shift};
  }
};

inline constexpr int kMaxSubbandsPerPlane = 1 + 3 * (1 << kMaxDirectionsLog2) * kMaxScales;

/// Number of subbands of every plane.
int subband_count(const TransformParameters& transform);

/// For any extent from 1x1 up. chroma: the plane's subsampling, which decides how many DC coefficients of the
/// H.264 4x4 transform make a macroblock's; planes with fewer have empty subbands in the place of the
/// missing.
SubbandLayout make_layout(const TransformParameters& transform, Extent extent, ChromaShift chroma = {});

/// Which coefficient of a block a subband of a block transform holds: of the block itself or, with `dc`, of
/// the transform of DC coefficients. Octave d >= 1, scales - scale + 1 in the block, holds the frequencies
/// whose larger coordinate is 2^(d-1)..2^d - 1.
struct Frequency {
  int row, col;  // vertical, horizontal
  bool dc;
};
Frequency frequency_of(const SubbandLayout& layout, const Subband& subband);

}  // namespace ctv
