// SPDX-License-Identifier: BSD-3-Clause
// The reference at half samples: three planes of 8 products per sample, and a copy of the whole samples. The
// passes over the field read 4 rows of 8 samples at any position, so a plane is stored by columns of words:
// rows that a warp reads are contiguous. A block of threads loads a tile, and a lane filters a row of it,
// four columns at a time, by dp4a.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/interpolate.cuh"
#include "cuda/motion/search.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kWords = 16;                           // per row of a tile
constexpr int kRows = kWarp;                         // per tile
constexpr int kReach = kInterpolationTaps / 2;       // rows and columns around a tile
constexpr int kWindowWords = kWords + 2;             // with a word on both sides
constexpr int kWindowRows = kRows + 2 * kReach - 1;  // from row -3
constexpr int kPitch = kWindowWords + 1;             // odd: lanes access different rows
static_assert(kWindowWords % 2 == 0);

// sum + four signed weights times four unsigned samples.
__device__ __forceinline__ int dot4(uint32_t weights, uint32_t samples, int sum) {
  int result;
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(samples), "r"(sum));
  return result;
}
__device__ __forceinline__ int dot8(PackedTaps taps, uint32_t low, uint32_t high) {
  return dot4(taps.high, high, dot4(taps.low, low, 32)) >> 6;
}
// Four samples, clamped to bytes.
__device__ __forceinline__ uint32_t packed(const int (&v)[4]) {
  uint32_t low, all;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(low) : "r"(v[3]), "r"(v[2]), "r"(0));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(v[1]), "r"(v[0]), "r"(low));
  return all;
}

// Half samples to the right of w[1].
__device__ __forceinline__ uint32_t along_row(PackedTaps taps, const uint32_t* w) {
  const uint32_t a = w[0];
  const uint32_t b = w[1];
  const uint32_t c = w[2];
  const int v[4] = {dot8(taps, __funnelshift_r(a, b, 8), __funnelshift_r(b, c, 8)),
                    dot8(taps, __funnelshift_r(a, b, 16), __funnelshift_r(b, c, 16)),
                    dot8(taps, __funnelshift_r(a, b, 24), __funnelshift_r(b, c, 24)), dot8(taps, b, c)};
  return packed(v);
}

// Transposes words of four rows to words of four columns.
__device__ __forceinline__ void transpose(const uint32_t* w, uint32_t (&columns)[4]) {
  const uint32_t a = __byte_perm(w[0], w[kPitch], 0x5140);
  const uint32_t b = __byte_perm(w[2 * kPitch], w[3 * kPitch], 0x5140);
  const uint32_t c = __byte_perm(w[0], w[kPitch], 0x7362);
  const uint32_t d = __byte_perm(w[2 * kPitch], w[3 * kPitch], 0x7362);
  columns[0] = __byte_perm(a, b, 0x5410);
  columns[1] = __byte_perm(a, b, 0x7632);
  columns[2] = __byte_perm(c, d, 0x5410);
  columns[3] = __byte_perm(c, d, 0x7632);
}

// Half samples below the fourth of eight rows.
__device__ __forceinline__ uint32_t down_columns(PackedTaps taps, const uint32_t* w) {
  uint32_t upper[4];
  uint32_t lower[4];
  transpose(w, upper);
  transpose(w + 4 * kPitch, lower);
  int v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = dot8(taps, upper[i], lower[i]);
  return packed(v);
}

__global__ void __launch_bounds__(kWarp* kWarps)
    half_kernel(const __grid_constant__ SearchPlanes planes, const __grid_constant__ HalfPlanes halves) {
  pdl_begin();
  __shared__ uint32_t whole[kWindowRows * kPitch];
  __shared__ uint32_t below[kRows * kPitch];
  const PackedTaps taps = packed_taps(kVectorUnit / 2);
  const int lane = thread_x() % kWarp;
  const int warp = thread_x() / kWarp;
  const int row0 = static_cast<int>(blockIdx.y) * kRows;  // in the planes of half samples
  const int word0 = static_cast<int>(blockIdx.x) * kWords;
  const int y0 = row0 - halves.margin - kReach + 1;
  const int x0 = 4 * (word0 - 1) - halves.margin;
  for (int i = thread_x(); i < kWindowRows * kWindowWords; i += kWarp * kWarps) {
    const int r = i / kWindowWords;
    const int c = i % kWindowWords;
    const int y = min_of(y0 + r, planes.rows + planes.border - 1);
    const int x = min_of(x0 + 4 * c, planes.reference_stride - planes.border - 4);
    whole[r * kPitch + c] = *reinterpret_cast<const uint32_t*>(
        planes.reference + static_cast<ptrdiff_t>(y) * planes.reference_stride + x);
  }
  __syncthreads();
  for (int c = warp; c < kWindowWords; c += kWarps)
    below[lane * kPitch + c] = down_columns(taps, whole + lane * kPitch + c);
  __syncthreads();
  if (row0 + lane >= halves.pitch) return;
  for (int c = warp; c < kWords && word0 + c < halves.words; c += kWarps) {
    uint32_t* to = halves.samples + static_cast<ptrdiff_t>(word0 + c) * halves.pitch + row0 + lane;
    const uint32_t* own = whole + (lane + kReach - 1) * kPitch + c;
    const uint32_t* own_below = below + lane * kPitch + c;
    to[0] = own[1];
    to[halves.size()] = along_row(taps, own);
    to[2 * halves.size()] = own_below[1];
    to[3 * halves.size()] = along_row(taps, own_below);
  }
}

}  // namespace

HalfPlanes half_planes(const SearchPlanes& planes) {
  HalfPlanes halves;
  halves.margin = planes.border - kReach;
  halves.words = (planes.cols + 2 * halves.margin) / 4;
  halves.pitch = round_up(planes.rows + 2 * halves.margin, kRows);
  return halves;
}

Status fill_half_planes(Device& device, const SearchPlanes& planes, const HalfPlanes& halves) {
  const dim3 blocks(blocks_for(halves.words, kWords), blocks_for(halves.pitch, kRows));
  launch_kernel(device, half_kernel, blocks, kWarp * kWarps, 0, planes, halves);
  return device.launched("half_kernel");
}

}  // namespace ctv::cuda
