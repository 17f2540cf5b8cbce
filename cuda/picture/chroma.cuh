// SPDX-License-Identifier: BSD-3-Clause
// Chroma resampling: mean of 2x2 down, bilinear from four neighbours up (Katsigiannis et al., section II),
// one sample at a time. It needs no separate pass: the kernels of colour.cu read through it.
#pragma once

#include "codec/dsp/chroma.hpp"
#include "codec/util/types.hpp"

namespace ctv::cuda {

struct SamplePlane {
  const Sample* data;
  ptrdiff_t stride;
  int rows, cols;
  CTV_HOST_DEVICE int at(int r, int c) const { return data[r * stride + c]; }
};

// Sample (r, c) of a chroma plane with another subsampling. Plane: BytePlane or SamplePlane of the true
// extent.
template <typename Plane>
__device__ __forceinline__ int resampled(const Plane& p, ChromaShift from, ChromaShift to, int r, int c) {
  const int c0 = from.x < to.x ? 2 * c : c;
  const int c1 = min_of(c0 + 1, p.cols - 1);
  if (from.y < to.y) {
    const int r0 = 2 * r;
    const int r1 = min_of(r0 + 1, p.rows - 1);
    if (from.x < to.x) return subsample_2x2(p.at(r0, c0), p.at(r0, c1), p.at(r1, c0), p.at(r1, c1));
    return subsample_pair(p.at(r0, c), p.at(r1, c));
  }
  const int near_row = from.y > to.y ? r >> 1 : r;
  const int near_col = from.x > to.x ? c >> 1 : c;
  const int row = from.y > to.y ? clamp_to(near_row + ((r & 1) != 0 ? 1 : -1), 0, p.rows - 1) : near_row;
  const int col = from.x > to.x ? clamp_to(near_col + ((c & 1) != 0 ? 1 : -1), 0, p.cols - 1) : near_col;
  if (from.x < to.x) return subsample_pair(p.at(near_row, c0), p.at(near_row, c1));
  const int near = p.at(near_row, near_col);
  if (from.x > to.x && from.y > to.y) {
    return upsample_bilinear(near, p.at(near_row, col), p.at(row, near_col), p.at(row, col));
  }
  if (from.x > to.x) return upsample_linear(near, p.at(near_row, col));
  if (from.y > to.y) return upsample_linear(near, p.at(row, near_col));
  return near;
}

}  // namespace ctv::cuda
