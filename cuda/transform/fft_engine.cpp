// SPDX-License-Identifier: BSD-3-Clause
// The engine of Katsigiannis et al. (section II): every two-dimensional convolution of pyramid and
// directional bank by FFT: pad, transform, multiply, transform back, round. 12 taps in two dimensions cost
// 144 products a sample, the FFT's cost does not depend on the taps. In double precision the sums come back
// as the exact integers, so this engine and the direct one give the same bits.
//
// Pyramid: the plane is extended by mirroring, four samples on each side, to a size that factors well.
// Directional bank: periodic, so the band's own size; the source coset alone is transformed, the others are
// zero. Tree scale 1 takes the whole band; deeper splits stay within or between the phases of 2x2 samples, so
// the phases' quarter pictures are transformed, all splits and all bands of a scale in one batch.
#include "cuda/transform/fft_engine.hpp"

#include <array>

#include "codec/dsp/directional.hpp"
#include "codec/dsp/laplacian.hpp"
#include "cuda/transform/fft_plan.hpp"
#include "cuda/transform/fft_samples.hpp"

namespace ctv::cuda {
namespace {

// Smallest extent of a directional band's phase; below it the direct engine is always faster.
constexpr int kMinExtent = 4;

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
  const int half = taps / 2;
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

class CufftEngine final : public FftEngine {
 public:
  CufftEngine(std::shared_ptr<Device> device, const SubbandLayout& layout)
      : device_(std::move(device)), layout_(layout) {}
  Status initialise();

  Status lowpass(int scale, const Coefficient* source, const Coefficient* from, Coefficient* target) override;
  Status detail(int scale, const Coefficient* low, const Coefficient* source, Coefficient* detail) override {
    return interpolate(scale, low, source, -1, coefficient_target(detail, extent_of(scale).cols));
  }
  Status merge(int scale, const Coefficient* low, const Coefficient* detail,
               const PlaneTarget& target) override {
    return interpolate(scale, low, detail, 1, target);
  }
  Status directional(int scale, const Bands& bands, const DirectionalPlan& plan, bool inverse) override;

 private:
  struct Level {
    FftPlan pyramid;  // kernels: lowpass, interpolation
    std::array<FftPlan, kMaxDirectionsLog2>
        splits;          // of tree scale 1..; scale 2: kernels of target 0, then of 1
    bool direct = true;  // too small
  };

  const TransformParameters& transform() const { return layout_.transform; }
  bool is_laplacian() const { return transform().pyramid == Pyramid::kLaplacian; }
  Level& at(int scale) { return levels_[static_cast<size_t>(scale - 1)]; }
  Extent extent_of(int scale) const {
    return {layout_.padded.rows >> (scale - 1), layout_.padded.cols >> (scale - 1)};
  }
  Status interpolate(int scale, const Coefficient* low, const Coefficient* other, int sign,
                     const PlaneTarget& target);
  Status shear(Level& l, const Bands& bands, const DirectionalPlan& plan, int tree_level,
               const FftShear& shear);
  FftPicture picture_of(const FftPlan& plan) const { return {work_.real.data(), plan.rows(), plan.cols()}; }
  Status make_plans(int scale, bool spectra);

  std::shared_ptr<Device> device_;
  const SubbandLayout layout_;
  FftWorkspace work_;
  std::array<Level, kMaxScales> levels_;
};

// First the plans, which say how much workspace they need, then the spectra.
Status CufftEngine::initialise() {
  size_t real = 0;
  size_t complex = 0;
  for (int scale = 1; scale <= transform().scales; ++scale) {
    CTV_RETURN_IF_ERROR(make_plans(scale, false));
    const auto needs = [&](const FftPlan& plan) {
      real = max_of(real, plan.real_size());
      complex = max_of(complex, plan.complex_size());
    };
    needs(at(scale).pyramid);
    for (const FftPlan& plan : at(scale).splits) needs(plan);
  }
  CTV_RETURN_IF_ERROR(work_.real.allocate(*device_, real));
  CTV_RETURN_IF_ERROR(work_.complex.allocate(*device_, complex));
  for (int scale = 1; scale <= transform().scales; ++scale) CTV_RETURN_IF_ERROR(make_plans(scale, true));
  return {};
}

Status CufftEngine::make_plans(int scale, bool spectra) {
  Device& d = *device_;
  Level& l = at(scale);
  const int taps = transform().pyramid_traits().taps;
  if (is_laplacian()) {
    if (!spectra) {
      const Extent e = extent_of(scale);
      CTV_RETURN_IF_ERROR(
          l.pyramid.make(d, good_size(e.rows + 2 * kFftMargin), good_size(e.cols + 2 * kFftMargin), 1));
    } else {
      CTV_RETURN_IF_ERROR(l.pyramid.make_spectra(d, work_,
                                                 {symmetric_kernel(lowpass_tap, kLowpassReach),
                                                  symmetric_kernel(interpolation_tap, kInterpolationReach)}));
    }
  }
  const int n = transform().directions_log2[static_cast<size_t>(scale - 1)];
  const Extent band = layout_.band(scale);
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

Status CufftEngine::lowpass(int scale, const Coefficient* source, const Coefficient* from,
                            Coefficient* target) {
  const FftPlan& plan = at(scale).pyramid;
  CTV_RETURN_IF_ERROR(fft_extend(*device_, source, extent_of(scale), false, picture_of(plan)));
  CTV_RETURN_IF_ERROR(plan.convolve(*device_, work_, 0, 1));
  return fft_take_lowpass(*device_, picture_of(plan), extent_of(scale), from, target);
}

Status CufftEngine::interpolate(int scale, const Coefficient* low, const Coefficient* other, int sign,
                                const PlaneTarget& target) {
  const FftPlan& plan = at(scale).pyramid;
  CTV_RETURN_IF_ERROR(fft_extend(*device_, low, extent_of(scale), true, picture_of(plan)));
  CTV_RETURN_IF_ERROR(plan.convolve(*device_, work_, 1, 1));
  return fft_take_interpolation(*device_, picture_of(plan), extent_of(scale), other, sign, target);
}

Status CufftEngine::shear(Level& l, const Bands& bands, const DirectionalPlan& plan, int tree_level,
                          const FftShear& shear) {
  Device& d = *device_;
  const FftPlan& split = l.splits[static_cast<size_t>(tree_level - 1)];
  double* sums = work_.real.data();
  if (tree_level == 1) {
    CTV_RETURN_IF_ERROR(fft_gather_quincunx(d, bands, shear.target, sums));
    CTV_RETURN_IF_ERROR(split.convolve(d, work_, 0, 1));
    return fft_shear_quincunx(d, bands, shear, sums);
  }
  const LatticeShears shears = lattice_shears(bands.rows, bands.cols, plan, tree_level, shear.target);
  CTV_RETURN_IF_ERROR(fft_gather_phases(d, bands, shears, sums));
  CTV_RETURN_IF_ERROR(
      split.convolve(d, work_, tree_level == 2 ? shear.target * shears.count : 0, shears.count));
  return fft_shear_phases(d, bands, shears, shear, sums);
}

Status CufftEngine::directional(int scale, const Bands& bands, const DirectionalPlan& plan, bool inverse) {
  Level& l = at(scale);
  if (l.direct) {
    return inverse ? directional_inverse(*device_, bands, plan, transform().pyramid_traits().taps)
                   : directional_forward(*device_, bands, plan, transform().pyramid_traits().taps);
  }
  const int sign = inverse ? -1 : 1;
  for (int i = 1; i <= plan.directions_log2; ++i) {
    const int tree_level = inverse ? plan.directions_log2 + 1 - i : i;
    CTV_RETURN_IF_ERROR(shear(l, bands, plan, tree_level, {0, 0, -sign}));
    CTV_RETURN_IF_ERROR(shear(l, bands, plan, tree_level, {1, 1, sign}));
    CTV_RETURN_IF_ERROR(shear(l, bands, plan, tree_level, {0, 0, -sign}));
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
