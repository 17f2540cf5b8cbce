// SPDX-License-Identifier: BSD-3-Clause
// Times of one kernel and its copies on a GPU.
#pragma once

namespace ctv::lab {

/// Milliseconds by the GPU's own clock, medians. Copies are to and from pinned memory.
struct GpuTimes {
  double upload = 0, kernel = 0, download = 0;
  double sum() const { return upload + kernel + download; }
};

}  // namespace ctv::lab
