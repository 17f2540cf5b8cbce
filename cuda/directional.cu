// SPDX-License-Identifier: BSD-3-Clause
// Directional filter bank by direct convolution: integer shears on the pixel lattice, nothing is resampled.
//
// Each split rotates two cosets with three shears, coset += round(c K other coset), where K has (2k)^2 taps;
// taken as it is that is 144 loads a sample for 12 taps. K is separable along the lattice vectors b1 and b2,
// so a block of threads loads a tile of the other coset into shared memory, filters it along b1, then along
// b2: 24 multiplications and one load of each sample per shear. A shear reads one coset and writes the other,
// so it works in place; all splits of a tree level and all bands of a pyramid level go in one launch.
//
// With u, v counting along b1, b2: q = p + (b1 + b2) / 2 is a sample of the other coset and
//   t(u, v) = sum_k a_k (x(u + k - 1, v) - x(u - k, v)),   K x[p] = sum_k a_k (t(u, v + k - 1) - t(u, v - k))
//   at q.
#include "codec/math/directional.hpp"
#include "codec/math/mirror.hpp"
#include "cuda/directional.hpp"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 256;

// 0: p += sign * round(tan K), 1: p += sign * round(sin K).
struct Step {
  int sine;
  int sign;
};

__device__ __forceinline__ Coefficient sheared(Coefficient x, int32_t sum, Step step) {
  const int s = step.sine != 0 ? shear_sin(sum) : shear_tan(sum);
  return static_cast<Coefficient>(x + step.sign * s);
}

template <int kHalf>
__device__ __forceinline__ int tap(int k) {
  return directional_tap(2 * kHalf, k);
}

// ---- Level 1: quincunx, b1 = (1, 1), b2 = (-1, 1), in pixels --------------------------------------------

constexpr int kQuincunxRows = 32;
constexpr int kQuincunxCols = 32;

template <int kHalf>
__global__ void __launch_bounds__(kThreads) quincunx_shear_kernel(Bands bands, int target, Step step) {
  constexpr int kBorder = 2 * kHalf - 1;
  constexpr int kRows = kQuincunxRows + 2 * kBorder;
  constexpr int kCols = kQuincunxCols + 2 * kBorder;
  __shared__ int16_t
      x[kRows][kCols];  // both cosets; local (r, c) is (row0 - kBorder + r, col0 - kBorder + c)
  __shared__ int32_t t[kRows][kCols];  // along b1
  Coefficient* band = bands.data + static_cast<ptrdiff_t>(blockIdx.z) * bands.rows * bands.cols;
  const int row0 = static_cast<int>(blockIdx.y) * kQuincunxRows;
  const int col0 = static_cast<int>(blockIdx.x) * kQuincunxCols;
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kCols; i += kThreads) {
    const int r = i / kCols;
    const int c = i % kCols;
    x[r][c] = band[static_cast<ptrdiff_t>(wrap(row0 - kBorder + r, bands.rows)) * bands.cols +
                   wrap(col0 - kBorder + c, bands.cols)];
  }
  __syncthreads();
  // Local parity is that of the plane plus an odd border twice, so the same.
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kCols / 2; i += kThreads) {
    const int r = i / (kCols / 2);
    const int c = 2 * (i % (kCols / 2)) + ((r + 1 - target) & 1);
    if (r < kHalf || r >= kRows - (kHalf - 1) || c < kHalf || c >= kCols - (kHalf - 1)) continue;
    int32_t sum = 0;
#pragma unroll
    for (int k = 1; k <= kHalf; ++k) sum += tap<kHalf>(k) * (x[r + k - 1][c + k - 1] - x[r - k][c - k]);
    t[r][c] = sum;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kQuincunxRows * kQuincunxCols / 2; i += kThreads) {
    const int r = i / (kQuincunxCols / 2) + kBorder;
    const int c = 2 * (i % (kQuincunxCols / 2)) + kBorder + ((r + kBorder + target) & 1);
    const int row = row0 + r - kBorder;
    const int col = col0 + c - kBorder;
    if (row >= bands.rows || col >= bands.cols) continue;
    int32_t sum = 0;
#pragma unroll
    for (int k = 1; k <= kHalf; ++k) sum += tap<kHalf>(k) * (t[r - (k - 1)][c + k] - t[r + k][c + 1 - k]);
    band[static_cast<ptrdiff_t>(row) * bands.cols + col] = sheared(x[r][c], sum, step);
  }
}

// ---- Level 2 and deeper: within or between the phases of 2x2 samples ------------------------------------

constexpr int kLatticeU = 16;
constexpr int kLatticeV = 32;

__device__ __forceinline__ ptrdiff_t place(const LatticeShear& s, int base, int row, int col) {
  return base + static_cast<ptrdiff_t>(wrap(row, s.rows)) * s.row_pitch +
         static_cast<ptrdiff_t>(wrap(col, s.cols)) * s.col_pitch;
}

template <int kHalf>
__global__ void __launch_bounds__(kThreads)
    lattice_shear_kernel(Bands bands, const __grid_constant__ LatticeShears shears, Step step) {
  constexpr int kU = kLatticeU + 2 * kHalf - 1;
  constexpr int kV = kLatticeV + 2 * kHalf - 1;
  __shared__ int16_t x[kU][kV];         // source; local (u, v) is q of (u0 - kHalf + u, v0 - kHalf + v)
  __shared__ int32_t t[kLatticeU][kV];  // along b1
  const int split = static_cast<int>(blockIdx.z) % shears.count;
  const LatticeShear& s = shears.of[split];
  Coefficient* band = bands.data + static_cast<ptrdiff_t>(static_cast<int>(blockIdx.z) / shears.count) *
                                       bands.rows * bands.cols;
  const int count_u = s.rows / s.stride;
  const int u0 = static_cast<int>(blockIdx.y) * kLatticeU;
  const int v0 = static_cast<int>(blockIdx.x) * kLatticeV;
  if (u0 >= count_u || v0 >= s.cols) return;
  for (int i = static_cast<int>(threadIdx.x); i < kU * kV; i += kThreads) {
    const int lu = s.transposed == 0 ? i / kV : i % kU;
    const int lv = s.transposed == 0 ? i % kV : i / kU;
    const int u = u0 - kHalf + lu;
    const int v = v0 - kHalf + lv;
    x[lu][lv] = band[place(s, s.source_base, s.source_row + u * s.stride, s.source_col + u * s.shear + v)];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kLatticeU * kV; i += kThreads) {
    const int lu = i / kV;
    const int lv = i % kV;
    int32_t sum = 0;
#pragma unroll
    for (int k = 1; k <= kHalf; ++k)
      sum += tap<kHalf>(k) * (x[lu + kHalf + k - 1][lv] - x[lu + kHalf - k][lv]);
    t[lu][lv] = sum;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kLatticeU * kLatticeV; i += kThreads) {
    const int lu = s.transposed == 0 ? i / kLatticeV : i % kLatticeU;
    const int lv = s.transposed == 0 ? i % kLatticeV : i / kLatticeU;
    const int u = u0 + lu;
    const int v = v0 + lv;
    if (u >= count_u || v >= s.cols) continue;
    int32_t sum = 0;
#pragma unroll
    for (int k = 1; k <= kHalf; ++k)
      sum += tap<kHalf>(k) * (t[lu][lv + kHalf + k - 1] - t[lu][lv + kHalf - k]);
    Coefficient* p = band + place(s, s.target_base, s.target_row + u * s.stride, u * s.shear + v);
    *p = sheared(*p, sum, step);
  }
}

int phase_base(int phase, int cols) { return (phase >> 1) * cols + (phase & 1); }

}  // namespace

LatticeShears lattice_shears(int band_rows, int band_cols, const DirectionalPlan& plan, int level,
                             int target) {
  LatticeShears shears;
  const int rows = band_rows / 2;
  const int cols = band_cols / 2;
  if (level == 2) {
    // {A, D}: q is the other phase at the same place; from B it is C one column on, from C it is B one row
    // on.
    const int pairs[2][2] = {{kPhaseA, kPhaseD}, {kPhaseB, kPhaseC}};
    for (const auto& pair : pairs) {
      const int p = pair[target];
      const int q = pair[1 - target];
      // (1, 1) from phase p: a carry into the next row or column where p is odd already.
      shears.of[shears.count++] = {phase_base(p, band_cols),
                                   phase_base(q, band_cols),
                                   2 * band_cols,
                                   2,
                                   rows,
                                   cols,
                                   1,
                                   0,
                                   0,
                                   p >> 1,
                                   p & 1,
                                   0};
    }
  } else {
    for (const PhaseSplit& split : plan.splits) {
      if (split.level != level) continue;
      const bool transposed = is_transposed(split.phase);
      const int base = phase_base(split.phase, band_cols);
      const int row = target == 0 ? split.row0 : split.row1;
      shears.of[shears.count++] = {base,
                                   base,
                                   transposed ? 2 : 2 * band_cols,
                                   transposed ? 2 * band_cols : 2,
                                   transposed ? cols : rows,
                                   transposed ? rows : cols,
                                   split.row_stride,
                                   split.shear,
                                   row,
                                   row + split.row_stride / 2,
                                   (split.shear + 1) >> 1,
                                   transposed ? 1 : 0};
    }
  }
  for (int i = 0; i < shears.count; ++i) {
    shears.max_u = max_of(shears.max_u, shears.of[i].rows / shears.of[i].stride);
    shears.max_v = max_of(shears.max_v, shears.of[i].cols);
  }
  return shears;
}

namespace {

template <int kHalf>
Status shear(Device& device, const Bands& bands, const DirectionalPlan& plan, int level, int target,
             Step step) {
  if (level == 1) {
    const dim3 grid(blocks_for(bands.cols, kQuincunxCols), blocks_for(bands.rows, kQuincunxRows),
                    static_cast<unsigned>(bands.count));
    quincunx_shear_kernel<kHalf><<<grid, kThreads, 0, device.stream()>>>(bands, target, step);
    return device.launched("quincunx_shear_kernel");
  }
  const LatticeShears shears = lattice_shears(bands.rows, bands.cols, plan, level, target);
  const dim3 grid(blocks_for(shears.max_v, kLatticeV), blocks_for(shears.max_u, kLatticeU),
                  static_cast<unsigned>(shears.count * bands.count));
  lattice_shear_kernel<kHalf><<<grid, kThreads, 0, device.stream()>>>(bands, shears, step);
  return device.launched("lattice_shear_kernel");
}

template <int kHalf>
Status run(Device& device, const Bands& bands, const DirectionalPlan& plan, bool inverse) {
  const int sign = inverse ? -1 : 1;
  for (int i = 1; i <= plan.directions_log2; ++i) {
    const int level = inverse ? plan.directions_log2 + 1 - i : i;
    CTV_RETURN_IF_ERROR(shear<kHalf>(device, bands, plan, level, 0, {0, -sign}));
    CTV_RETURN_IF_ERROR(shear<kHalf>(device, bands, plan, level, 1, {1, sign}));
    CTV_RETURN_IF_ERROR(shear<kHalf>(device, bands, plan, level, 0, {0, -sign}));
  }
  return {};
}

Status run_taps(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps, bool inverse) {
  switch (taps) {
    case 2:
      return run<1>(device, bands, plan, inverse);
    case 4:
      return run<2>(device, bands, plan, inverse);
    case 6:
      return run<3>(device, bands, plan, inverse);
    case 8:
      return run<4>(device, bands, plan, inverse);
    default:
      return run<6>(device, bands, plan, inverse);
  }
}

}  // namespace

Status directional_forward(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps) {
  return run_taps(device, bands, plan, taps, false);
}

Status directional_inverse(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps) {
  return run_taps(device, bands, plan, taps, true);
}

}  // namespace ctv::cuda
