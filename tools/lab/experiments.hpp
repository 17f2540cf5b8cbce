// SPDX-License-Identifier: BSD-3-Clause
// The experiments of the papers, each measured as the paper did and set beside its figures.
#pragma once

#include <span>

#include "lab/dct8x8/dct8x8.hpp"
#include "lab/h264_idct/h264_idct.hpp"
#include "lab/h264_tq/h264_tq.hpp"
#include "lab/report.hpp"

namespace ctv::lab {

/// Obukhov and Kharlamov 2008, tables 1 and 2, and times. The image in its own size and doubled up to three
/// times; extents must be multiples of 8.
void measure_dct8x8(const LabSettings& settings, const GrayImage& image, LabReport& report);

/// What a stream's frames are like, in the place of the paper's encoding modes.
struct IdctMode {
  std::string name;
  Densities densities;
};
/// Wang et al. 2013, tables 3 and 4, figures 4 and 5, for 1080p and 2160p. Modes from sparse to dense, three
/// as in the paper.
void measure_h264_idct(const LabSettings& settings, std::span<const IdctMode> modes, LabReport& report);

/// Husemann et al. 2011, tables 1 and 2: a frame of 704x576 and one of 1920x1080 (both in whole macroblocks).
void measure_h264_tq(const LabSettings& settings, std::span<const YuvFrame> frames, int qp,
                     LabReport& report);

}  // namespace ctv::lab
