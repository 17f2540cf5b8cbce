// SPDX-License-Identifier: BSD-3-Clause
// The transform of luma with its quantiser, forward and inverse, as the presets have it.
#include "tests/reference/transform.hpp"
#include "tools/bench/lab/stages/arrays.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {
namespace {

struct Case {
  const char* preset;
  const char* about;
  std::vector<Engine> engines;
};

constexpr int kDcOffset = 128;

int prediction_at(int r, int c) { return scene(r, c, 0); }
int sample_at(int r, int c) { return scene(r, c, 1); }

struct State {
  SubbandLayout layout;
  std::vector<SubbandQuantiser> quantisers;
  Plane samples, prediction;
  Array levels;
  std::unique_ptr<TransformCoder> coder;
};

SubbandLayout layout_of(const char* preset, Extent extent) {
  return stream_of(preset, extent).picture.subbands[0];
}

std::vector<Level> expected_levels(const char* preset, Extent extent) {
  const SubbandLayout layout = layout_of(preset, extent);
  reference::Grid difference(layout.padded.rows, layout.padded.cols);
  for (int r = 0; r < layout.padded.rows; ++r)
    for (int c = 0; c < layout.padded.cols; ++c) difference.at(r, c) = sample_at(r, c) - prediction_at(r, c);
  return reference::forward(layout, difference, luma_quantisers(preset, stream_of(preset, extent)));
}

std::vector<int16_t> expected_samples(const char* preset, Extent extent) {
  const SubbandLayout layout = layout_of(preset, extent);
  const reference::Grid difference = reference::inverse(
      layout, expected_levels(preset, extent), luma_quantisers(preset, stream_of(preset, extent)), 0);
  std::vector<int16_t> samples;
  for (int r = 0; r < difference.rows; ++r)
    for (int c = 0; c < difference.cols; ++c)
      samples.push_back(
          static_cast<int16_t>(std::clamp<int64_t>(difference.at(r, c) + prediction_at(r, c), 0, 255)));
  return samples;
}

Result<Prepared> prepare(Backend& backend, const char* preset, Engine engine, Extent extent, bool forward) {
  const auto s = std::make_shared<State>();
  const Stream stream = stream_of(preset, extent);
  s->layout = stream.picture.subbands[0];
  s->quantisers = luma_quantisers(preset, stream);
  CTV_ASSIGN_OR_RETURN(s->samples, Plane::make(backend, s->layout.padded));
  CTV_ASSIGN_OR_RETURN(s->prediction, Plane::make(backend, s->layout.padded));
  CTV_ASSIGN_OR_RETURN(s->levels, Array::make(backend, s->layout.num_coefficients));
  CTV_ASSIGN_OR_RETURN(s->coder, backend.make_transform(s->layout, engine));
  CTV_RETURN_IF_ERROR(s->samples.fill(&sample_at));
  CTV_RETURN_IF_ERROR(s->prediction.fill(&prediction_at));
  const auto encode = [=] {
    return s->coder->forward(s->samples.view(), s->prediction.view(), kDcOffset, s->quantisers,
                             s->levels.data());
  };
  if (forward) return Prepared{encode, [=] { return s->levels.read(); }};
  CTV_RETURN_IF_ERROR(encode());
  const auto decode = [=] {
    return s->coder->inverse(s->levels.data(), s->quantisers, s->prediction.view(), kDcOffset, {0, 255}, 0,
                             s->samples.view());
  };
  return Prepared{decode, [=] { return s->samples.read(); }};
}

/// Operations of one direction (docs/transform.md); filters are separable, a tap is a product and a sum.
double operations(const SubbandLayout& layout, bool forward) {
  const TransformParameters& t = layout.transform;
  const auto filter = [](double taps) { return 2 * taps - 1; };
  double sum = 3 * static_cast<double>(layout.padded.area());  // difference, scale, clamp or the like
  for (int scale = 1; scale <= t.scales; ++scale) {
    const int shift = scale - 1;
    const Extent in{layout.padded.rows >> shift, layout.padded.cols >> shift};
    const auto area = static_cast<double>(in.area());
    double bands = 0;
    if (t.pyramid == Pyramid::kLaplacian) {
      bands = area;
      sum += area * (filter(9) / 2 + filter(9) / 4);      // lowpass, halved along rows, then columns
      sum += area * (filter(3.5) / 2 + filter(3.5) + 1);  // interpolated: every other of 7 taps; difference
      if (t.projection && !forward) sum += area * (filter(9) * 3 / 4 + 0.25);  // the lowpass minus the band's
    } else {
      bands = area * 3 / 4;
      // Lifting, along rows and columns: each step is for half the samples. 5/3: two steps of a sum, the
      // rounding, a shift, a sum; 13/7: two of four taps; 9/7: four with a product.
      const double step = t.pyramid == Pyramid::kWavelet13_7 ? 7 : t.pyramid == Pyramid::kWavelet9_7 ? 5 : 4;
      const double steps = t.pyramid == Pyramid::kWavelet9_7 ? 4 : 2;
      sum += area * 2 * steps * step / 2;
    }
    const int directions = t.directions_log2[static_cast<size_t>(shift)];
    // Three shears a scale, each for half the samples: taps along both diagonals, rounded, scaled, added.
    sum += bands * directions * 3 / 2.0 * (2 * filter(t.taps) + 4);
  }
  return sum +
         5 * static_cast<double>(layout.num_coefficients);  // quantiser: magnitude, product, sum, shift, sign
}

}  // namespace

std::vector<Stage> transform_stages() {
  const Case cases[] = {{"default", "luma, with prediction and quantiser", {Engine::kDirect}},
                        {"paper", "luma, with prediction and quantiser", {Engine::kDirect, Engine::kFft}}};
  std::vector<Stage> stages;
  for (const Case& c : cases) {
    for (const bool forward : {true, false}) {
      const char* const preset = c.preset;
      stages.push_back(
          {std::string(forward ? "forward" : "inverse") + " transform, " + preset, c.about, c.engines, false,
           false,
           [=](Extent e) {
             const SubbandLayout layout = layout_of(preset, e);
             const auto area = static_cast<double>(layout.padded.area());
             const auto levels = static_cast<double>(layout.num_coefficients);
             return Work{area * 4 + levels * 2, 0, 0, operations(layout, forward)};
           },
           [=](Backend& b, Engine engine, Extent e) { return prepare(b, preset, engine, e, forward); },
           [=](Extent e) { return forward ? expected_levels(preset, e) : expected_samples(preset, e); }});
    }
  }
  return stages;
}

}  // namespace ctv::lab
