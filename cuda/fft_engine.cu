// SPDX-License-Identifier: BSD-3-Clause
// The engine of Katsigiannis et al. (section II): every two-dimensional convolution of pyramid and
// directional bank by FFT: pad, transform, multiply, transform back, round. 12 taps in two dimensions cost
// 144 products a sample, the FFT's cost does not depend on the taps. In double precision the sums come back
// as the exact integers, so this engine and the direct one give the same bits.
//
// Pyramid: the plane is extended by mirroring, four samples on each side, to a size that factors well.
// Directional bank: periodic, so the band's own size; the source coset alone is transformed, the others are
// zero. Tree level 1 takes the whole band; deeper splits stay within or between the phases of 2x2 samples, so
// the phases' quarter pictures are transformed, all splits and all bands of a level in one batch.
#include <array>

#include "codec/math/directional.hpp"
#include "codec/math/laplacian.hpp"
#include "codec/math/mirror.hpp"
#include "cuda/fft_engine.hpp"
#include "cuda/fft_plan.hpp"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kMargin = 4;  // of the pyramid's filters, even: parity must not change
constexpr int kMinExtent =
    4;  // of a directional band's phase: below it the direct engine is faster in any case

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
  if (r < rows + 2 * kMargin && c < cols + 2 * kMargin) {
    const int row = mirror(r - kMargin, rows);
    const int col = mirror(c - kMargin, cols);
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
  const int low =
      round_laplacian(rounded(sums[static_cast<ptrdiff_t>(2 * r + kMargin) * sums_cols + 2 * c + kMargin]));
  target[at] = static_cast<Coefficient>(from == nullptr ? low : from[at] - low);
}

__global__ void __launch_bounds__(kBlock* kBlock)
    take_interpolation_kernel(const double* sums, int sums_cols, int rows, int cols, const Coefficient* other,
                              int sign, const __grid_constant__ PlaneTarget target) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= rows || c >= cols) return;
  const int sum =
      round_laplacian(rounded(sums[static_cast<ptrdiff_t>(r + kMargin) * sums_cols + c + kMargin]));
  target.put(r, c, static_cast<Coefficient>(other[static_cast<ptrdiff_t>(r) * cols + c] + sign * sum));
}

// ---- Directional bank -----------------------------------------------------------------------------------

__device__ __forceinline__ Coefficient sheared(Coefficient x, int32_t sum, int sine, int sign) {
  return static_cast<Coefficient>(x + sign * (sine != 0 ? shear_sin(sum) : shear_tan(sum)));
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
    shear_quincunx_kernel(Bands bands, int target, const double* sums, int sine, int sign) {
  const int r = thread_row();
  const int c = thread_col();
  if (r >= bands.rows || c >= bands.cols || ((r + c) & 1) != target) return;
  const size_t at = (static_cast<size_t>(blockIdx.z) * bands.rows + r) * bands.cols + c;
  bands.data[at] = sheared(bands.data[at], rounded(sums[at]), sine, sign);
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
    shear_phases_kernel(Bands bands, const __grid_constant__ LatticeShears shears, const double* sums,
                        int sine, int sign) {
  const int r = thread_row();
  const int c = thread_col();
  const int rows = bands.rows / 2;
  const int cols = bands.cols / 2;
  if (r >= rows || c >= cols) return;
  const PhasePlace p = phase_place(bands, shears, r, c);
  if (wrap(p.row - p.s.target_row, p.s.stride) != 0) return;
  Coefficient* x = p.band + p.s.target_base + static_cast<ptrdiff_t>(p.row) * p.s.row_pitch +
                   static_cast<ptrdiff_t>(p.col) * p.s.col_pitch;
  *x = sheared(*x, rounded(sums[(static_cast<size_t>(blockIdx.z) * rows + r) * cols + c]), sine, sign);
}

// ---- Kernels as taps ------------------------------------------------------------------------------------

template <typename Tap>
std::vector<FftTap> symmetric_kernel(Tap tap, int reach) {
  std::vector<FftTap> taps;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      taps.push_back({y, x, static_cast<double>(tap(abs_of(y))) * tap(abs_of(x))});
    }
  }
  return taps;
}

// K with sample q + m b1 + n b2 at place(m, n), relative to p.
template <typename Place>
std::vector<FftTap> directional_kernel(int taps, Place place) {
  std::vector<FftTap> out;
  const int half = directional_half_taps(taps);
  const auto weight = [&](int m) {
    return m >= 0 ? directional_tap(taps, m + 1) : -directional_tap(taps, -m);
  };
  for (int m = -half; m < half; ++m) {
    for (int n = -half; n < half; ++n) {
      FftTap t = place(m, n);
      t.weight = static_cast<double>(weight(m)) * weight(n);
      out.push_back(t);
    }
  }
  return out;
}

// The next size from n on that is even and has no prime factor above 7.
int good_size(int n) {
  for (n += n & 1;; n += 2) {
    int rest = n;
    for (const int prime : {2, 3, 5, 7}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) return n;
  }
}

dim3 blocks(int rows, int cols, int layers) {
  return {blocks_for(cols, kBlock), blocks_for(rows, kBlock), static_cast<unsigned>(layers)};
}

class CufftEngine final : public FftEngine {
 public:
  CufftEngine(std::shared_ptr<Device> device, const SubbandLayout& layout)
      : device_(std::move(device)), layout_(layout) {}
  Status initialise();

  Status lowpass(int level, const Coefficient* source, const Coefficient* from, Coefficient* target) override;
  Status detail(int level, const Coefficient* low, const Coefficient* source, Coefficient* detail) override {
    return interpolate(level, low, source, -1, coefficient_target(detail, extent_of(level).cols));
  }
  Status merge(int level, const Coefficient* low, const Coefficient* detail,
               const PlaneTarget& target) override {
    return interpolate(level, low, detail, 1, target);
  }
  Status directional(int level, const Bands& bands, const DirectionalPlan& plan, bool inverse) override;

 private:
  struct Level {
    FftPlan pyramid;  // kernels: lowpass, interpolation
    std::array<FftPlan, kMaxDirectionsLog2>
        splits;          // of tree level 1..; level 2: kernels of target 0, then of 1
    bool direct = true;  // too small
  };

  const TransformParameters& transform() const { return layout_.transform; }
  bool is_laplacian() const { return transform().pyramid == Pyramid::kLaplacian; }
  Level& at(int level) { return levels_[static_cast<size_t>(level - 1)]; }
  Extent extent_of(int level) const {
    return {layout_.padded.rows >> (level - 1), layout_.padded.cols >> (level - 1)};
  }
  Status interpolate(int level, const Coefficient* low, const Coefficient* other, int sign,
                     const PlaneTarget& target);
  Status shear(Level& l, const Bands& bands, const DirectionalPlan& plan, int tree_level, int target,
               int sine, int sign);
  Status make_plans(int level, bool spectra);

  std::shared_ptr<Device> device_;
  const SubbandLayout layout_;
  FftWorkspace work_;
  std::array<Level, kMaxLevels> levels_;
};

// First the plans, which say how much workspace they need, then the spectra.
Status CufftEngine::initialise() {
  size_t real = 0;
  size_t complex = 0;
  for (int level = 1; level <= transform().levels; ++level) {
    CTV_RETURN_IF_ERROR(make_plans(level, false));
    const auto needs = [&](const FftPlan& plan) {
      real = max_of(real, plan.real_size());
      complex = max_of(complex, plan.complex_size());
    };
    needs(at(level).pyramid);
    for (const FftPlan& plan : at(level).splits) needs(plan);
  }
  CTV_RETURN_IF_ERROR(work_.real.allocate(*device_, real));
  CTV_RETURN_IF_ERROR(work_.complex.allocate(*device_, complex));
  for (int level = 1; level <= transform().levels; ++level) CTV_RETURN_IF_ERROR(make_plans(level, true));
  return {};
}

Status CufftEngine::make_plans(int level, bool spectra) {
  Device& d = *device_;
  Level& l = at(level);
  const int taps = transform().taps;
  if (is_laplacian()) {
    if (!spectra) {
      const Extent e = extent_of(level);
      CTV_RETURN_IF_ERROR(
          l.pyramid.make(d, good_size(e.rows + 2 * kMargin), good_size(e.cols + 2 * kMargin), 1));
    } else {
      CTV_RETURN_IF_ERROR(l.pyramid.make_spectra(d, work_,
                                                 {symmetric_kernel(lowpass_tap, kLowpassReach),
                                                  symmetric_kernel(interpolation_tap, kInterpolationReach)}));
    }
  }
  const int n = transform().directions_log2[static_cast<size_t>(level - 1)];
  const Extent band = layout_.band(level);
  l.direct = band.rows < 2 * kMinExtent || band.cols < 2 * kMinExtent;
  if (n == 0 || l.direct) return {};
  const int bands = is_laplacian() ? 1 : 3;
  const DirectionalPlan plan = make_directional_plan(n);
  for (int tree_level = 1; tree_level <= n; ++tree_level) {
    FftPlan& split = l.splits[static_cast<size_t>(tree_level - 1)];
    if (tree_level == 1) {
      if (!spectra) {
        CTV_RETURN_IF_ERROR(split.make(d, band.rows, band.cols, bands));
      } else {
        CTV_RETURN_IF_ERROR(split.make_spectra(d, work_, {directional_kernel(taps, [](int m, int k) {
                                                 return FftTap{m - k, m + k + 1, 0};
                                               })}));
      }
      continue;
    }
    std::vector<std::vector<FftTap>> kernels;
    int count = 0;
    for (int target = 0; target < (tree_level == 2 ? 2 : 1); ++target) {
      const LatticeShears shears = lattice_shears(band.rows, band.cols, plan, tree_level, target);
      count = shears.count;
      for (int i = 0; i < count; ++i) {
        const LatticeShear& s = shears.of[i];
        kernels.push_back(directional_kernel(taps, [&s](int m, int k) {
          const int row = s.source_row - s.target_row + m * s.stride;
          const int col = s.source_col + m * s.shear + k;
          return s.transposed != 0 ? FftTap{col, row, 0} : FftTap{row, col, 0};
        }));
      }
    }
    CTV_RETURN_IF_ERROR(spectra ? split.make_spectra(d, work_, kernels)
                                : split.make(d, band.rows / 2, band.cols / 2, bands * count));
  }
  return {};
}

Status CufftEngine::lowpass(int level, const Coefficient* source, const Coefficient* from,
                            Coefficient* target) {
  Device& d = *device_;
  const Extent e = extent_of(level);
  const FftPlan& plan = at(level).pyramid;
  const dim3 threads(kBlock, kBlock);
  extend_kernel<false><<<blocks(plan.rows(), plan.cols(), 1), threads, 0, d.stream()>>>(
      source, e.rows, e.cols, work_.real.data(), plan.rows(), plan.cols());
  CTV_RETURN_IF_ERROR(d.launched("extend_kernel"));
  CTV_RETURN_IF_ERROR(plan.convolve(d, work_, 0, 1));
  take_lowpass_kernel<<<blocks(e.rows / 2, e.cols / 2, 1), threads, 0, d.stream()>>>(
      work_.real.data(), plan.cols(), e.rows, e.cols, from, target);
  return d.launched("take_lowpass_kernel");
}

Status CufftEngine::interpolate(int level, const Coefficient* low, const Coefficient* other, int sign,
                                const PlaneTarget& target) {
  Device& d = *device_;
  const Extent e = extent_of(level);
  const FftPlan& plan = at(level).pyramid;
  const dim3 threads(kBlock, kBlock);
  extend_kernel<true><<<blocks(plan.rows(), plan.cols(), 1), threads, 0, d.stream()>>>(
      low, e.rows, e.cols, work_.real.data(), plan.rows(), plan.cols());
  CTV_RETURN_IF_ERROR(d.launched("extend_kernel"));
  CTV_RETURN_IF_ERROR(plan.convolve(d, work_, 1, 1));
  take_interpolation_kernel<<<blocks(e.rows, e.cols, 1), threads, 0, d.stream()>>>(
      work_.real.data(), plan.cols(), e.rows, e.cols, other, sign, target);
  return d.launched("take_interpolation_kernel");
}

Status CufftEngine::shear(Level& l, const Bands& bands, const DirectionalPlan& plan, int tree_level,
                          int target, int sine, int sign) {
  Device& d = *device_;
  const dim3 threads(kBlock, kBlock);
  const FftPlan& split = l.splits[static_cast<size_t>(tree_level - 1)];
  if (tree_level == 1) {
    const dim3 grid = blocks(bands.rows, bands.cols, bands.count);
    gather_quincunx_kernel<<<grid, threads, 0, d.stream()>>>(bands, target, work_.real.data());
    CTV_RETURN_IF_ERROR(d.launched("gather_quincunx_kernel"));
    CTV_RETURN_IF_ERROR(split.convolve(d, work_, 0, 1));
    shear_quincunx_kernel<<<grid, threads, 0, d.stream()>>>(bands, target, work_.real.data(), sine, sign);
    return d.launched("shear_quincunx_kernel");
  }
  const LatticeShears shears = lattice_shears(bands.rows, bands.cols, plan, tree_level, target);
  const dim3 grid = blocks(bands.rows / 2, bands.cols / 2, bands.count * shears.count);
  gather_phases_kernel<<<grid, threads, 0, d.stream()>>>(bands, shears, work_.real.data());
  CTV_RETURN_IF_ERROR(d.launched("gather_phases_kernel"));
  CTV_RETURN_IF_ERROR(split.convolve(d, work_, tree_level == 2 ? target * shears.count : 0, shears.count));
  shear_phases_kernel<<<grid, threads, 0, d.stream()>>>(bands, shears, work_.real.data(), sine, sign);
  return d.launched("shear_phases_kernel");
}

Status CufftEngine::directional(int level, const Bands& bands, const DirectionalPlan& plan, bool inverse) {
  Level& l = at(level);
  if (l.direct) {
    return inverse ? directional_inverse(*device_, bands, plan, transform().taps)
                   : directional_forward(*device_, bands, plan, transform().taps);
  }
  const int sign = inverse ? -1 : 1;
  for (int i = 1; i <= plan.directions_log2; ++i) {
    const int tree_level = inverse ? plan.directions_log2 + 1 - i : i;
    CTV_RETURN_IF_ERROR(shear(l, bands, plan, tree_level, 0, 0, -sign));
    CTV_RETURN_IF_ERROR(shear(l, bands, plan, tree_level, 1, 1, sign));
    CTV_RETURN_IF_ERROR(shear(l, bands, plan, tree_level, 0, 0, -sign));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<FftEngine>> FftEngine::make(std::shared_ptr<Device> device,
                                                   const SubbandLayout& layout) {
  auto engine = std::make_unique<CufftEngine>(std::move(device), layout);
  CTV_RETURN_IF_ERROR(engine->initialise());
  return std::unique_ptr<FftEngine>(std::move(engine));
}

}  // namespace ctv::cuda
