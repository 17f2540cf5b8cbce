// SPDX-License-Identifier: BSD-3-Clause
// Transform and quantisation as Husemann et al. 2011, section 3.2, lay them out: a thread block for each
// macroblock of 16x16 samples, a thread for each coefficient, both matrix products and the quantiser on data
// in shared memory, matrices and tables in constant memory (here the kernel's parameters, which live there).
// Global memory is touched once on the way in and once on the way out.
#include "bench/lab/gpu.cuh"
#include "bench/lab/gpu.hpp"

namespace ctv::lab {
namespace {

struct Tables {
  int8_t core[4][4], hadamard[4][4];
  int32_t factors[16];  // MF of a position
  int qp;
};

Tables tables_of(int qp) {
  Tables t = {{{1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1}}, {}, {}, qp};
  for (int f = 0; f < 4; ++f)
    for (int p = 0; p < 4; ++p) {
      t.hadamard[f][p] = static_cast<int8_t>(hadamard_sign(f, p));
      t.factors[f * 4 + p] = h264_factor_4(qp % 6, h264_class_4(f, p));
    }
  return t;
}

struct Planes {
  const uint8_t *luma, *cb, *cr;
  int width;  // of luma
};

// What the threads of a macroblock share: luma 16x16, or Cb next to Cr, 8x16.
struct Shared {
  int32_t x[16][16], half[16][16], dc[4][4], dc_half[4][4];
};

// Coefficient (r, c) of the blocks in s.x, two products with a barrier before, between and after; all threads
// of the block come here. Those whose block has no row `r` stay idle.
__device__ __forceinline__ int32_t transformed(Shared& s, const Tables& t, int r, int c, bool active) {
  const int top = r & ~3, left = c & ~3;
  int32_t sum = 0;
  __syncthreads();
  if (active) {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += t.core[r & 3][k] * s.x[top + k][c];
    s.half[r][c] = sum;
  }
  __syncthreads();
  sum = 0;
  if (active) {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += s.half[r][left + k] * t.core[c & 3][k];
  }
  return sum;
}

__device__ __forceinline__ int32_t ac_of(const Tables& t, int32_t w, int r, int c) {
  return h264_quantise(w, t.factors[(r & 3) * 4 + (c & 3)], kIntraOffset, h264_bits_4(t.qp));
}
__device__ __forceinline__ int32_t dc_of(const Tables& t, int32_t w) {
  return h264_quantise(w, t.factors[0], kIntraOffset, h264_bits_4(t.qp) + 1);
}

__global__ void __launch_bounds__(256) transform_quantise_kernel(Planes planes, int16_t* levels, Tables t) {
  __shared__ Shared s;
  const int r = static_cast<int>(threadIdx.y), c = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y), col = static_cast<int>(blockIdx.x);
  int16_t* out = levels + static_cast<size_t>(row * static_cast<int>(gridDim.x) + col) * kMacroblockLevels;
  const int block = r / 4 * 4 + c / 4, place = (r & 3) * 4 + (c & 3);

  // Luma.
  s.x[r][c] = static_cast<int32_t>(planes.luma[(row * 16 + r) * planes.width + col * 16 + c]) - 128;
  const int32_t luma = transformed(s, t, r, c, true);
  if (place == 0) s.dc[r / 4][c / 4] = luma;
  __syncthreads();
  const bool has_dc = r < 4 && c < 4;
  if (has_dc) {
    int32_t sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += t.hadamard[r][k] * s.dc[k][c];
    s.dc_half[r][c] = sum;
  }
  __syncthreads();
  if (has_dc) {
    int32_t sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += s.dc_half[r][k] * t.hadamard[c][k];
    out[(r * 4 + c) * 16] = static_cast<int16_t>(dc_of(t, halved(sum)));
  }
  if (place != 0) out[block * 16 + place] = static_cast<int16_t>(ac_of(t, luma, r, c));

  // Chroma: Cb to the left, Cr to the right, eight rows.
  const bool chroma = r < 8;
  __syncthreads();
  if (chroma) {
    const uint8_t* plane = c < 8 ? planes.cb : planes.cr;
    s.x[r][c] = static_cast<int32_t>(plane[(row * 8 + r) * (planes.width / 2) + col * 8 + (c & 7)]) - 128;
  }
  const int32_t w = transformed(s, t, r, c, chroma);
  if (chroma && place == 0) s.dc[r / 4][c / 4] = w;
  __syncthreads();
  if (!chroma) return;
  int16_t* part = out + (c < 8 ? 16 : 20) * 16;
  const int of_plane = r / 4 * 2 + (c & 7) / 4;
  if (place != 0) {
    part[of_plane * 16 + place] = static_cast<int16_t>(ac_of(t, w, r, c));
    return;
  }
  // The first thread of each block has one coefficient of the 2x2 transform.
  const int v = r / 4, u = (c & 7) / 4, left = c < 8 ? 0 : 2;
  const int32_t upper = u == 0 ? s.dc[0][left] + s.dc[0][left + 1] : s.dc[0][left] - s.dc[0][left + 1];
  const int32_t lower = u == 0 ? s.dc[1][left] + s.dc[1][left + 1] : s.dc[1][left] - s.dc[1][left + 1];
  part[of_plane * 16] = static_cast<int16_t>(dc_of(t, v == 0 ? upper + lower : upper - lower));
}

}  // namespace

Status transform_quantise_on_gpu(const YuvFrame& frame, int qp, int runs, std::vector<int16_t>& levels,
                                 GpuTimes& times) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> opened, Device::open(0));
  Device& device = *opened;
  // One buffer, so that a frame is one copy each way.
  std::vector<uint8_t> samples = frame.luma;
  samples.insert(samples.end(), frame.cb.begin(), frame.cb.end());
  samples.insert(samples.end(), frame.cr.begin(), frame.cr.end());
  TwinArray<uint8_t> source;
  TwinArray<int16_t> target;
  CTV_RETURN_IF_ERROR(source.allocate(device, samples, samples.size()));
  CTV_RETURN_IF_ERROR(target.allocate(device, static_cast<size_t>(frame.macroblocks()) * kMacroblockLevels));
  const uint8_t* luma = source.device.data();
  const Planes planes = {luma, luma + frame.luma.size(), luma + frame.luma.size() + frame.cb.size(),
                         frame.width};
  const Tables tables = tables_of(qp);
  const dim3 grid(static_cast<unsigned>(frame.width / 16), static_cast<unsigned>(frame.height / 16));
  CTV_RETURN_IF_ERROR(source.upload(device, runs, times.upload));
  CTV_RETURN_IF_ERROR(time_kernel(device, runs, times.kernel, [&] {
    transform_quantise_kernel<<<grid, dim3(16, 16), 0, device.stream()>>>(planes, target.device.data(),
                                                                          tables);
  }));
  CTV_RETURN_IF_ERROR(target.download(device, runs, times.download));
  levels.assign(target.host.data(), target.host.data() + target.host.size());
  return {};
}

}  // namespace ctv::lab
