// SPDX-License-Identifier: BSD-3-Clause
// The contourlet transform of one plane with quantisation: the order of the launches. Per pyramid scale: one
// kernel for the wavelet (two for the Laplacian's analysis, one for its synthesis; one for two small scales),
// three per tree level of the directional bank, and one that gathers and quantises the directional subbands
// (the inverse also predicts them). The pyramid's kernel quantises scales without directions.
#include "cuda/transform/transform_coder.hpp"

#include <algorithm>

#include "codec/format/gains.hpp"
#include "cuda/transform/directed_bands.hpp"
#include "cuda/transform/directional.hpp"
#include "cuda/transform/fft_engine.hpp"
#include "cuda/transform/laplacian.hpp"
#include "cuda/transform/quantise.hpp"
#include "cuda/transform/slope_lifting.hpp"
#include "cuda/transform/subband_prediction.hpp"
#include "cuda/transform/wavelet.hpp"

namespace ctv::cuda {
namespace {

using Quantisers = std::span<const SubbandQuantiser>;

class CudaTransformCoder final : public TransformCoder {
 public:
  CudaTransformCoder(std::shared_ptr<Device> device, const SubbandLayout& layout)
      : device_(std::move(device)), layout_(layout), grid_(make_slope_grid(layout)) {}

  Status initialise(Engine engine);
  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 Quantisers quantisers, Level* levels, const int8_t* slopes,
                 const SkippedCells& skipped) override;
  Status inverse(const Level* levels, Quantisers quantisers, PlaneView<const Sample> prediction,
                 int dc_offset, SampleRange range, int reduction, PlaneView<Sample> samples,
                 const int8_t* slopes, const SkippedCells& skipped) override {
    return inverse_of(levels, nullptr, quantisers, prediction, dc_offset, range, reduction, samples, slopes,
                      skipped);
  }
  Status inverse_predicted(SubbandPredictor& predictor, const PredictedLevels& predicted,
                           Quantisers quantisers, int dc_offset, SampleRange range, int reduction,
                           PlaneView<Sample> samples) override;

 private:
  struct PyramidScale {
    Extent extent;  // of the input: padded >> (scale - 1)
    Extent band;    // of each band
    size_t first_subband = 0;
    size_t subband_count = 0;
    DirectionalPlan plan;  // directions_log2 0: none
    GatheredScale gathered;
    DeviceArray<Coefficient>
        input;  // [extent], levels 2..: lowpass of the scale before; laplacian by FFT: also scale 1
  };

  /// inverse(). predicted: null, or how to compute the levels while they are dequantised.
  Status inverse_of(const Level* levels, const PredictedLevels* predicted, Quantisers quantisers,
                    PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                    PlaneView<Sample> samples, const int8_t* slopes, const SkippedCells& skipped);

  const TransformParameters& transform() const { return layout_.transform; }
  bool is_laplacian() const { return transform().pyramid == Pyramid::kLaplacian; }
  int scales() const { return transform().scales; }
  PyramidScale& at(int scale) { return pyramid_[static_cast<size_t>(scale - 1)]; }
  Coefficient* low() const { return low_.data(); }
  /// The lowpass of a scale: output of its analysis, input of its synthesis.
  Coefficient* low_of(int scale) { return scale == scales() ? low() : at(scale + 1).input.data(); }

  Status forward_wavelet(const PlaneSource& source, Quantisers quantisers, Level* levels,
                         const int8_t* slopes);
  Status inverse_wavelet(const Level* levels, Quantisers quantisers, int reduction, const PlaneTarget& target,
                         const int8_t* slopes);
  /// Slopes of a scale if the device may lift along slopes, else null.
  const int8_t* along(int scale, const int8_t* slopes) const {
    return slopes == nullptr || scale > grid_.scales ? nullptr : slopes + scale - 1;
  }
  /// Directions of HL and LH if the device may choose them, else null.
  const int8_t* directed(int scale, const int8_t* slopes) const {
    return slopes == nullptr || scale > 1 || !grid_.directed ? nullptr : slopes + kSlopedScales;
  }
  SlopeView view(int scale, const int8_t* slopes) const {
    return {slopes + grid_.offset(scale), grid_.extent(scale).cols};
  }
  template <typename T>
  WaveletScale<T> wavelet_scale(int scale, Quantisers quantisers, T* levels, const int8_t* slopes);
  /// Whether one launch computes a scale and the next one. Forward and inverse transform group scales alike.
  bool goes_with_next(int scale, const int8_t* slopes);
  Status forward_laplacian(const PlaneSource& source, Quantisers quantisers, Level* levels);
  Status inverse_laplacian(const Level* levels, const PredictedLevels* predicted, Quantisers quantisers,
                           int reduction, const PlaneTarget& target);
  Status directional(int scale, bool inverse);
  /// Converts the bands of a scale to the levels of its subbands, and the inverse.
  Status finish_bands(int scale, Quantisers quantisers, Level* levels);
  Status begin_bands(int scale, Quantisers quantisers, const Level* levels);
  /// The same for predicted levels; the coarsest scale includes the lowpass.
  Status predict_bands(int scale, Quantisers quantisers, const PredictedLevels& predicted);

  std::shared_ptr<Device> device_;
  SubbandLayout layout_;
  SlopeGrid grid_;
  std::array<PyramidScale, kMaxScales> pyramid_;
  GatheredScale lowpass_;           // subband 0
  DeviceArray<Coefficient> low_;    // [padded >> levels]
  DeviceArray<Coefficient> bands_;  // bands of one scale: [1 or 3][band of the finest scale]
  std::unique_ptr<FftEngine> fft_;  // null: direct engine
};

Status CudaTransformCoder::initialise(Engine engine) {
  Device& d = *device_;
  lowpass_ = gather_level(std::span(layout_.subbands).first(1), 0,
                          {layout_.subbands[0].rows, layout_.subbands[0].cols});
  CTV_RETURN_IF_ERROR(low_.allocate(d, layout_.subbands[0].size()));
  CTV_RETURN_IF_ERROR(bands_.allocate(d, layout_.band(1).area() * (is_laplacian() ? 1 : 3)));
  for (int scale = 1; scale <= scales(); ++scale) {
    PyramidScale& p = at(scale);
    p.extent = {layout_.padded.rows >> (scale - 1), layout_.padded.cols >> (scale - 1)};
    p.band = layout_.band(scale);
    const int n = transform().directions_log2[static_cast<size_t>(scale - 1)];
    if (n > 0) p.plan = make_directional_plan(n);
    while (layout_.subbands[p.first_subband].scale != scale) ++p.first_subband;
    p.subband_count = static_cast<size_t>((is_laplacian() ? 1 : 3) << n);
    p.gathered =
        gather_level(std::span(layout_.subbands).subspan(p.first_subband, p.subband_count), n, p.band);
    const bool subtracted = is_laplacian() && engine == Engine::kFft;
    if (scale > 1 || subtracted) CTV_RETURN_IF_ERROR(p.input.allocate(d, p.extent.area()));
  }
  if (engine == Engine::kFft) {
    CTV_ASSIGN_OR_RETURN(fft_, FftEngine::make(device_, layout_));
  }
  return {};
}

Status CudaTransformCoder::directional(int scale, bool inverse) {
  const PyramidScale& p = at(scale);
  if (p.plan.directions_log2 == 0) return {};
  const Bands bands{bands_.data(), p.band.rows, p.band.cols, is_laplacian() ? 1 : 3};
  if (fft_ != nullptr) return fft_->directional(scale, bands, p.plan, inverse);
  return inverse ? directional_inverse(*device_, bands, p.plan, transform().pyramid_traits().taps)
                 : directional_forward(*device_, bands, p.plan, transform().pyramid_traits().taps);
}

Status CudaTransformCoder::finish_bands(int scale, Quantisers quantisers, Level* levels) {
  const PyramidScale& p = at(scale);
  const Quantisers own = quantisers.subspan(p.first_subband, p.subband_count);
  CTV_RETURN_IF_ERROR(directional(scale, false));
  return quantise_scale(*device_, p.gathered, own, bands_.data(), levels);
}

Status CudaTransformCoder::begin_bands(int scale, Quantisers quantisers, const Level* levels) {
  const PyramidScale& p = at(scale);
  const Quantisers own = quantisers.subspan(p.first_subband, p.subband_count);
  CTV_RETURN_IF_ERROR(dequantise_scale(*device_, p.gathered, own, levels, bands_.data()));
  return directional(scale, true);
}

Status CudaTransformCoder::predict_bands(int scale, Quantisers quantisers, const PredictedLevels& predicted) {
  const PyramidScale& p = at(scale);
  const ScaleBands to[] = {{p.gathered, p.first_subband, bands_.data()}, {lowpass_, 0, low()}};
  CTV_RETURN_IF_ERROR(
      dequantise_predicted(*device_, predicted, quantisers, std::span(to).first(scale == scales() ? 2 : 1)));
  return directional(scale, true);
}

Status CudaTransformCoder::forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction,
                                   int dc_offset, Quantisers quantisers, Level* levels, const int8_t* slopes,
                                   const SkippedCells& skipped) {
  CTV_RETURN_IF_ERROR(device_->enter());
  const StageMark mark(*device_, Stage::kForward);
  const PlaneSource source{
      samples.data, static_cast<int>(samples.stride), prediction.data, static_cast<int>(prediction.stride),
      dc_offset,    transform().fraction_bits,        skipped};
  return is_laplacian() ? forward_laplacian(source, quantisers, levels)
                        : forward_wavelet(source, quantisers, levels, slopes);
}

// The wavelets' kernels read levels themselves.
Status CudaTransformCoder::inverse_predicted(SubbandPredictor& predictor, const PredictedLevels& predicted,
                                             Quantisers quantisers, int dc_offset, SampleRange range,
                                             int reduction, PlaneView<Sample> samples) {
  if (!is_laplacian() || reduction >= scales()) {
    return TransformCoder::inverse_predicted(predictor, predicted, quantisers, dc_offset, range, reduction,
                                             samples);
  }
  return inverse_of(predicted.levels, &predicted, quantisers, {}, dc_offset, range, reduction, samples,
                    nullptr, {});
}

Status CudaTransformCoder::inverse_of(const Level* levels, const PredictedLevels* predicted,
                                      Quantisers quantisers, PlaneView<const Sample> prediction,
                                      int dc_offset, SampleRange range, int reduction,
                                      PlaneView<Sample> samples, const int8_t* slopes,
                                      const SkippedCells& skipped) {
  CTV_RETURN_IF_ERROR(device_->enter());
  const StageMark mark(*device_, Stage::kInverse);
  const PlaneTarget target{samples.data,
                           static_cast<int>(samples.stride),
                           prediction.data,
                           static_cast<int>(prediction.stride),
                           dc_offset,
                           transform().fraction_bits,
                           1,
                           range.lo,
                           range.hi,
                           lowpass_scale(transform(), reduction),
                           skipped};
  if (reduction >= transform().scales) {
    CTV_RETURN_IF_ERROR(dequantise_scale(*device_, lowpass_, quantisers.first(1), levels, low()));
    return add_prediction(*device_, low(), {samples.rows, samples.cols}, target);
  }
  return is_laplacian() ? inverse_laplacian(levels, predicted, quantisers, reduction, target)
                        : inverse_wavelet(levels, quantisers, reduction, target, slopes);
}

// ---- Wavelet --------------------------------------------------------------------------------------------

// Positions of a scale's bands: levels, coefficients for a directional bank, or the lowpass for the next
// scale.
template <typename T>
WaveletScale<T> CudaTransformCoder::wavelet_scale(int scale, Quantisers quantisers, T* levels,
                                                  const int8_t* slopes) {
  const PyramidScale& p = at(scale);
  WaveletScale<T> w{p.extent.rows, p.extent.cols, {}, along(scale, slopes)};
  w.bands[0] =
      scale == scales() ? WaveletBand<T>{levels, 1, quantisers[0]} : WaveletBand<T>{low_of(scale), 0, {}};
  for (size_t b = 0; b < 3; ++b) {
    w.bands[b + 1] = p.plan.directions_log2 > 0
                         ? WaveletBand<T>{bands_.data() + b * p.band.area(), 0, {}}
                         : WaveletBand<T>{levels + layout_.subbands[p.first_subband + b].offset, 1,
                                          quantisers[p.first_subband + b]};
  }
  return w;
}

bool CudaTransformCoder::goes_with_next(int scale, const int8_t* slopes) {
  if ((scales() - scale) % static_cast<int>(kScalesAtOnce) == 0 || at(scale).extent.area() > kTwoScalesArea)
    return false;
  for (const int s : {scale, scale + 1}) {
    if (at(s).plan.directions_log2 > 0 || along(s, slopes) != nullptr || directed(s, slopes) != nullptr)
      return false;
  }
  return true;
}

Status CudaTransformCoder::forward_wavelet(const PlaneSource& source, Quantisers quantisers, Level* levels,
                                           const int8_t* slopes) {
  for (int scale = 1; scale <= scales(); ++scale) {
    PyramidScale& p = at(scale);
    WaveletScale<Level> w[kScalesAtOnce] = {wavelet_scale(scale, quantisers, levels, slopes)};
    const std::array<WaveletBand<Level>, kDirectedBands> plain = {w[0].bands[1], w[0].bands[2]};
    const int8_t* const directed_bands = directed(scale, slopes);
    for (size_t b = 0; directed_bands != nullptr && b < kDirectedBands; ++b)
      w[0].bands[b + 1] = {bands_.data() + b * p.band.area(), 0, {}};
    const PlaneSource in = scale == 1 ? source : coefficient_source(p.input.data(), p.extent.cols);
    if (goes_with_next(scale, slopes)) {
      w[1] = wavelet_scale(++scale, quantisers, levels, slopes);
      CTV_RETURN_IF_ERROR(wavelet_forward(*device_, transform().pyramid, w, in));
      continue;
    }
    CTV_RETURN_IF_ERROR(wavelet_forward(*device_, transform().pyramid, std::span(w).first(1), in));
    if (w[0].along != nullptr) CTV_RETURN_IF_ERROR(slope_forward(*device_, view(scale, slopes), w[0], in));
    if (p.plan.directions_log2 > 0) CTV_RETURN_IF_ERROR(finish_bands(scale, quantisers, levels));
    if (directed_bands != nullptr)
      CTV_RETURN_IF_ERROR(directed_forward(
          *device_, {bands_.data(), p.band.rows, p.band.cols, kDirectedBands}, directed_bands, plain.data()));
  }
  return {};
}

Status CudaTransformCoder::inverse_wavelet(const Level* levels, Quantisers quantisers, int reduction,
                                           const PlaneTarget& target, const int8_t* slopes) {
  for (int scale = scales(); scale > reduction; --scale) {
    const bool two = scale - 1 > reduction && goes_with_next(scale - 1, slopes);
    if (two) --scale;
    PyramidScale& p = at(scale);
    const PlaneTarget out =
        scale == reduction + 1 ? target : coefficient_target(p.input.data(), p.extent.cols);
    WaveletScale<const Level> w[kScalesAtOnce] = {wavelet_scale(scale, quantisers, levels, slopes)};
    if (two) {
      w[1] = wavelet_scale(scale + 1, quantisers, levels, slopes);
      CTV_RETURN_IF_ERROR(wavelet_inverse(*device_, transform().pyramid, w, out));
      continue;
    }
    if (p.plan.directions_log2 > 0) CTV_RETURN_IF_ERROR(begin_bands(scale, quantisers, levels));
    if (const int8_t* const directed_bands = directed(scale, slopes); directed_bands != nullptr) {
      CTV_RETURN_IF_ERROR(directed_inverse(*device_,
                                           {bands_.data(), p.band.rows, p.band.cols, kDirectedBands},
                                           directed_bands, w[0].bands + 1));
      for (size_t b = 0; b < kDirectedBands; ++b)
        w[0].bands[b + 1] = {bands_.data() + b * p.band.area(), 0, {}};
    }
    CTV_RETURN_IF_ERROR(wavelet_inverse(*device_, transform().pyramid, std::span(w).first(1), out));
    if (w[0].along != nullptr) CTV_RETURN_IF_ERROR(slope_inverse(*device_, view(scale, slopes), w[0], out));
  }
  return {};
}

// ---- Laplacian ------------------------------------------------------------------------------------------

Status CudaTransformCoder::forward_laplacian(const PlaneSource& source, Quantisers quantisers,
                                             Level* levels) {
  Device& d = *device_;
  if (fft_ != nullptr) CTV_RETURN_IF_ERROR(subtract_prediction(d, source, at(1).extent, at(1).input.data()));
  for (int scale = 1; scale <= scales(); ++scale) {
    PyramidScale& p = at(scale);
    Coefficient* low = low_of(scale);
    if (fft_ != nullptr) {
      CTV_RETURN_IF_ERROR(fft_->lowpass(scale, p.input.data(), nullptr, low));
      CTV_RETURN_IF_ERROR(fft_->detail(scale, low, p.input.data(), bands_.data()));
    } else {
      const PlaneSource input = scale == 1 ? source : coefficient_source(p.input.data(), p.extent.cols);
      CTV_RETURN_IF_ERROR(laplacian_lowpass(d, input, p.extent, low));
      CTV_RETURN_IF_ERROR(laplacian_detail(d, low, p.extent, input, bands_.data()));
    }
    CTV_RETURN_IF_ERROR(finish_bands(scale, quantisers, levels));
  }
  return quantise_scale(d, lowpass_, quantisers.first(1), low(), levels);
}

Status CudaTransformCoder::inverse_laplacian(const Level* levels, const PredictedLevels* predicted,
                                             Quantisers quantisers, int reduction,
                                             const PlaneTarget& target) {
  Device& d = *device_;
  if (predicted == nullptr)
    CTV_RETURN_IF_ERROR(dequantise_scale(d, lowpass_, quantisers.first(1), levels, low()));
  for (int scale = scales(); scale > reduction; --scale) {
    PyramidScale& p = at(scale);
    Coefficient* low = low_of(scale);
    const PlaneTarget out =
        scale == reduction + 1 ? target : coefficient_target(p.input.data(), p.extent.cols);
    CTV_RETURN_IF_ERROR(predicted != nullptr ? predict_bands(scale, quantisers, *predicted)
                                             : begin_bands(scale, quantisers, levels));
    if (fft_ != nullptr) {
      if (transform().projection) CTV_RETURN_IF_ERROR(fft_->lowpass(scale, bands_.data(), low, low));
      CTV_RETURN_IF_ERROR(fft_->merge(scale, low, bands_.data(), out));
    } else {
      CTV_RETURN_IF_ERROR(laplacian_merge(d, low, p.extent, bands_.data(), transform().projection, out));
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TransformCoder>> make_transform_coder(std::shared_ptr<Device> device,
                                                             const SubbandLayout& layout, Engine engine) {
  auto coder = std::make_unique<CudaTransformCoder>(std::move(device), layout);
  CTV_RETURN_IF_ERROR(coder->initialise(engine));
  return std::unique_ptr<TransformCoder>(std::move(coder));
}

}  // namespace ctv::cuda
