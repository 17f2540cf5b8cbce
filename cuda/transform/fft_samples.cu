// SPDX-License-Identifier: BSD-3-Clause
// Steps of the FFT engine on single samples, outside its transforms; a thread per sample.
#include "cuda/transform/fft_samples.hpp"

#include "codec/dsp/directional.hpp"
#include "codec/dsp/laplacian.hpp"
#include "codec/dsp/mirror.hpp"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;

__device__ __forceinline__ int thread_row() { return static_cast<int>(blockIdx.y * kBlock + threadIdx.y); }
__device__ __forceinline__ int thread_col() { return static_cast<int>(blockIdx.x * kBlock + threadIdx.x); }
__device__ __forceinline__ int32_t rounded(double v) { return static_cast<int32_t>(__double2ll_rn(v)); }

// ---- Pyramid --------------------------------------------------------------------------------------------

// kSpread: source is the lowpass [rows / 2][cols / 2], put at even positions; else the plane itself.
template <bool kSpread>
__global__ void __launch_bounds__(kBlock* kBlock)
    extend_kernel(const Coefficient* source, int rows, int cols, double* out, int out_rows, int out_cols) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= out_rows || c >= out_cols) return;
  double v = 0;
  if (r < rows + 2 * kFftMargin && c < cols + 2 * kFftMargin) {
    const int row = mirror(r - kFftMargin, rows);
    const int col = mirror(c - kFftMargin, cols);
    if constexpr (!kSpread) {
      v = source[static_cast<ptrdiff_t>(row) * cols + col];
    } else if ((row & 1) == 0 && (col & 1) == 0) {
      v = source[static_cast<ptrdiff_t>(row >> 1) * (cols / 2) + (col >> 1)];
    }
  }
  out[static_cast<ptrdiff_t>(r) * out_cols + c] = v;
}

__global__ void __launch_bounds__(kBlock* kBlock)
    take_lowpass_kernel(const double* sums, int sums_cols, int rows, int cols, const Coefficient* from,
                        Coefficient* target) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= rows / 2 || c >= cols / 2) return;
  const ptrdiff_t at = static_cast<ptrdiff_t>(r) * (cols / 2) + c;
  const int low = round_laplacian(
      rounded(sums[static_cast<ptrdiff_t>(2 * r + kFftMargin) * sums_cols + 2 * c + kFftMargin]));
  target[at] = static_cast<Coefficient>(from == nullptr ? low : from[at] - low);
}

__global__ void __launch_bounds__(kBlock* kBlock)
    take_interpolation_kernel(const double* sums, int sums_cols, int rows, int cols, const Coefficient* other,
                              int sign, const __grid_constant__ PlaneTarget target) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= rows || c >= cols) return;
  const int sum =
      round_laplacian(rounded(sums[static_cast<ptrdiff_t>(r + kFftMargin) * sums_cols + c + kFftMargin]));
  target.put(r, c, static_cast<Coefficient>(other[static_cast<ptrdiff_t>(r) * cols + c] + sign * sum));
}

// ---- Directional bank -----------------------------------------------------------------------------------

__device__ __forceinline__ Coefficient sheared(Coefficient x, int32_t sum, const FftShear& shear) {
  return static_cast<Coefficient>(x + shear.sign * (shear.sine != 0 ? shear_sin(sum) : shear_tan(sum)));
}

__global__ void __launch_bounds__(kBlock* kBlock)
    gather_quincunx_kernel(Bands bands, int target, double* out) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= bands.rows || c >= bands.cols) return;
  const size_t at = (static_cast<size_t>(blockIdx.z) * bands.rows + r) * bands.cols + c;
  out[at] = ((r + c) & 1) != target ? bands.data[at] : 0;
}

__global__ void __launch_bounds__(kBlock* kBlock)
    shear_quincunx_kernel(Bands bands, FftShear shear, const double* sums) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= bands.rows || c >= bands.cols || ((r + c) & 1) != shear.target) return;
  const size_t at = (static_cast<size_t>(blockIdx.z) * bands.rows + r) * bands.cols + c;
  bands.data[at] = sheared(bands.data[at], rounded(sums[at]), shear);
}

// Phase sample (r, c), not transposed, of split z % count of band z / count.
struct PhasePlace {
  int row, col;  // as the split sees it
  Coefficient* band;
  const LatticeShear& s;
};
__device__ __forceinline__ PhasePlace phase_place(const Bands& bands, const LatticeShears& shears, int r,
                                                  int c) {
  const LatticeShear& s = shears.of[static_cast<int>(blockIdx.z) % shears.count];
  Coefficient* band = bands.data + static_cast<ptrdiff_t>(static_cast<int>(blockIdx.z) / shears.count) *
                                       bands.rows * bands.cols;
  return s.transposed != 0 ? PhasePlace{c, r, band, s} : PhasePlace{r, c, band, s};
}

__global__ void __launch_bounds__(kBlock* kBlock)
    gather_phases_kernel(Bands bands, const __grid_constant__ LatticeShears shears, double* out) {
  const int r = thread_row();
  const int c = thread_col();
  const int rows = bands.rows / 2;
  const int cols = bands.cols / 2;
  if (r >= rows || c >= cols) return;
  const PhasePlace p = phase_place(bands, shears, r, c);
  const bool in_source = wrap(p.row - p.s.source_row, p.s.stride) == 0;
  out[(static_cast<size_t>(blockIdx.z) * rows + r) * cols + c] =
      in_source ? p.band[p.s.source_base + static_cast<ptrdiff_t>(p.row) * p.s.row_pitch +
                         static_cast<ptrdiff_t>(p.col) * p.s.col_pitch]
                : 0;
}

__global__ void __launch_bounds__(kBlock* kBlock)
    shear_phases_kernel(Bands bands, const __grid_constant__ LatticeShears shears, FftShear shear,
                        const double* sums) {
  const int r = thread_row();
  const int c = thread_col();
  const int rows = bands.rows / 2;
  const int cols = bands.cols / 2;
  if (r >= rows || c >= cols) return;
  const PhasePlace p = phase_place(bands, shears, r, c);
  if (wrap(p.row - p.s.target_row, p.s.stride) != 0) return;
  Coefficient* x = p.band + p.s.target_base + static_cast<ptrdiff_t>(p.row) * p.s.row_pitch +
                   static_cast<ptrdiff_t>(p.col) * p.s.col_pitch;
  *x = sheared(*x, rounded(sums[(static_cast<size_t>(blockIdx.z) * rows + r) * cols + c]), shear);
}

dim3 blocks(int rows, int cols, int layers) {
  return {blocks_for(cols, kBlock), blocks_for(rows, kBlock), static_cast<unsigned>(layers)};
}
const dim3 kThreads(kBlock, kBlock);

}  // namespace

Status fft_extend(Device& device, const Coefficient* source, Extent extent, bool spread,
                  const FftPicture& out) {
  auto* kernel = spread ? extend_kernel<true> : extend_kernel<false>;
  kernel<<<blocks(out.rows, out.cols, 1), kThreads, 0, device.stream()>>>(source, extent.rows, extent.cols,
                                                                          out.data, out.rows, out.cols);
  return device.launched("extend_kernel");
}

Status fft_take_lowpass(Device& device, const FftPicture& sums, Extent extent, const Coefficient* from,
                        Coefficient* target) {
  take_lowpass_kernel<<<blocks(extent.rows / 2, extent.cols / 2, 1), kThreads, 0, device.stream()>>>(
      sums.data, sums.cols, extent.rows, extent.cols, from, target);
  return device.launched("take_lowpass_kernel");
}

Status fft_take_interpolation(Device& device, const FftPicture& sums, Extent extent, const Coefficient* other,
                              int sign, const PlaneTarget& target) {
  take_interpolation_kernel<<<blocks(extent.rows, extent.cols, 1), kThreads, 0, device.stream()>>>(
      sums.data, sums.cols, extent.rows, extent.cols, other, sign, target);
  return device.launched("take_interpolation_kernel");
}

Status fft_gather_quincunx(Device& device, const Bands& bands, int target, double* out) {
  gather_quincunx_kernel<<<blocks(bands.rows, bands.cols, bands.count), kThreads, 0, device.stream()>>>(
      bands, target, out);
  return device.launched("gather_quincunx_kernel");
}

Status fft_shear_quincunx(Device& device, const Bands& bands, const FftShear& shear, const double* sums) {
  shear_quincunx_kernel<<<blocks(bands.rows, bands.cols, bands.count), kThreads, 0, device.stream()>>>(
      bands, shear, sums);
  return device.launched("shear_quincunx_kernel");
}

Status fft_gather_phases(Device& device, const Bands& bands, const LatticeShears& shears, double* out) {
  gather_phases_kernel<<<blocks(bands.rows / 2, bands.cols / 2, bands.count * shears.count), kThreads, 0,
                         device.stream()>>>(bands, shears, out);
  return device.launched("gather_phases_kernel");
}

Status fft_shear_phases(Device& device, const Bands& bands, const LatticeShears& shears,
                        const FftShear& shear, const double* sums) {
  shear_phases_kernel<<<blocks(bands.rows / 2, bands.cols / 2, bands.count * shears.count), kThreads, 0,
                        device.stream()>>>(bands, shears, shear, sums);
  return device.launched("shear_phases_kernel");
}

}  // namespace ctv::cuda
