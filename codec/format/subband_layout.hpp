// SPDX-License-Identifier: BSD-3-Clause
// The subbands of a plane, and their offsets in the plane's array of levels, coarse to fine.
#pragma once

#include <cstddef>
#include <vector>

#include "codec/format/transform_parameters.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct Subband {
  int scale;        // 0: lowpass; else of the pyramid, 1 is the finest; block: octave, see frequency_of()
  int orientation;  // wavelet, block: 1 horizontal detail (HL), 2 vertical (LH), 3 diagonal (HH); laplacian 0
  int direction;    // 0..directions-1; block: frequency within the octave's orientation
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
  int dc_row_log2 = 0;            // H.264 4x4: log2 of a macroblock's DC coefficients
  int dc_col_log2 = 0;

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

/// Returns the layout of any extent from 1x1. chroma: the plane's subsampling, which determines the number of
/// DC coefficients per macroblock with the H.264 4x4 transform. Planes with fewer have empty subbands for the
/// missing ones.
SubbandLayout make_layout(const TransformParameters& transform, Extent extent, ChromaShift chroma = {});

/// The frequency of a subband of a block transform: of the block or, with `dc`, of the transform of DC
/// coefficients. Octave d >= 1 (scales - scale + 1 in the block) has the frequencies whose larger coordinate
/// is 2^(d-1)..2^d - 1.
struct Frequency {
  int row, col;  // vertical, horizontal
  bool dc;
};
Frequency frequency_of(const SubbandLayout& layout, const Subband& subband);

}  // namespace ctv
