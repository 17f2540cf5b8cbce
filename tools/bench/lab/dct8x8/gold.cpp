// SPDX-License-Identifier: BSD-3-Clause
// The CPU's side of the three variants, block after block on one core.
#include <cmath>

#include "bench/lab/dct8x8/arithmetic.hpp"
#include "bench/lab/dct8x8/dct8x8.hpp"
#include "bench/lab/dct8x8/waveforms.hpp"
#include "bench/lab/measure.hpp"

namespace ctv::lab {
namespace {

// One block in place: 64 values, `stride` from row to row.
struct Definition {
  using Value = float;
  static void forward(float* x, int stride) { two_products(x, stride, 8, 1); }
  static void inverse(float* x, int stride) { two_products(x, stride, 1, 8); }
  // A^T X A with W[u][x] at waveforms[u * row + x * col], or A X A^T with row and col exchanged.
  static void two_products(float* x, int stride, int row, int col) {
    static const std::array<float, 64> waveforms = cosine_waveforms();
    float half[64];  // NOLINT(*-member-init)
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        float sum = 0;
        for (int k = 0; k < 8; ++k)
          sum += waveforms[static_cast<size_t>(i * row + k * col)] * x[k * stride + j];
        half[i * 8 + j] = sum;
      }
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        float sum = 0;
        for (int k = 0; k < 8; ++k)
          sum += half[i * 8 + k] * waveforms[static_cast<size_t>(j * row + k * col)];
        x[i * stride + j] = sum;
      }
  }
};

// in[8] of a line, `step` from sample to sample, through transform(in, out) and round.
template <typename Value, typename Number, typename Round>
void transform_line(Value* x, int step, void (*transform)(const Number (&)[8], Number (&)[8]), Round round) {
  Number in[8], out[8];  // NOLINT(*-member-init)
  for (int k = 0; k < 8; ++k) in[k] = x[k * step];
  transform(in, out);
  for (int k = 0; k < 8; ++k) x[k * step] = static_cast<Value>(round(out[k]));
}

struct Separable {
  using Value = float;
  static float same(float v) { return v; }
  static void forward(float* x, int stride) {
    for (int r = 0; r < 8; ++r) transform_line<float, float>(x + r * stride, 1, forward_dct8, same);
    for (int c = 0; c < 8; ++c) transform_line<float, float>(x + c, stride, forward_dct8, same);
  }
  static void inverse(float* x, int stride) {
    for (int c = 0; c < 8; ++c) transform_line<float, float>(x + c, stride, inverse_dct8, same);
    for (int r = 0; r < 8; ++r) transform_line<float, float>(x + r * stride, 1, inverse_dct8, same);
  }
};

struct Short {
  using Value = int16_t;
  static void forward(int16_t* x, int stride) {
    for (int c = 0; c < 8; ++c)
      transform_line<int16_t, int32_t>(x + c, stride, ctv::forward_dct8, dct8_forward_first);
    for (int r = 0; r < 8; ++r)
      transform_line<int16_t, int32_t>(x + r * stride, 1, ctv::forward_dct8, dct8_forward_second);
  }
  static void inverse(int16_t* x, int stride) {
    for (int r = 0; r < 8; ++r)
      transform_line<int16_t, int32_t>(x + r * stride, 1, ctv::inverse_dct8, dct8_inverse_first);
    for (int c = 0; c < 8; ++c)
      transform_line<int16_t, int32_t>(x + c, stride, ctv::inverse_dct8, dct8_whole_sample);
  }
};

float quantised(float coefficient, int step) {
  const auto q = static_cast<float>(step);
  return std::nearbyint(coefficient / q) * q;
}
int16_t quantised(int16_t coefficient, int step) { return requantised(coefficient, step); }
int nearest(float v) { return static_cast<int>(std::nearbyint(v)); }
int nearest(int16_t v) { return v; }

template <typename Variant>
GrayImage run(const GrayImage& image, int runs, DctTimes& times) {
  using Value = typename Variant::Value;
  const int width = image.width, height = image.height;
  std::vector<Value> source(image.samples.size()), forward, levels, inverse;
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<Value>(image.samples[i] - 128);
  const auto each_block = [&](std::vector<Value>& plane, auto transform) {
    for (int r = 0; r < height; r += 8)
      for (int c = 0; c < width; c += 8) transform(plane.data() + r * width + c, width);
  };
  // Each step works in place, so every run gets a fresh copy, which is not timed.
  const auto timed = [&](const std::vector<Value>& from, std::vector<Value>& to, auto step) {
    std::vector<double> taken;
    for (int i = -1; i < runs; ++i) {
      to = from;
      const double ms = time_ms([&] { step(to); });
      if (i >= 0) taken.push_back(ms);
    }
    return median(std::move(taken));
  };
  times = {};
  times.forward = timed(source, forward, [&](auto& plane) { each_block(plane, Variant::forward); });
  times.quantise = timed(forward, levels, [&](auto& plane) {
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c) {
        Value& v = plane[static_cast<size_t>(r) * static_cast<size_t>(width) + static_cast<size_t>(c)];
        v = quantised(v, kQuantiserSteps[static_cast<size_t>((r & 7) * 8 + (c & 7))]);
      }
  });
  times.inverse = timed(levels, inverse, [&](auto& plane) { each_block(plane, Variant::inverse); });
  GrayImage result = {width, height, std::vector<uint8_t>(image.samples.size())};
  for (size_t i = 0; i < inverse.size(); ++i) result.samples[i] = sample_of(nearest(inverse[i]));
  return result;
}

}  // namespace

GrayImage dct8x8_on_cpu(DctVariant variant, const GrayImage& image, int runs, DctTimes& times) {
  switch (variant) {
    case DctVariant::kDefinition:
      return run<Definition>(image, runs, times);
    case DctVariant::kSeparable:
      return run<Separable>(image, runs, times);
    case DctVariant::kShort:
      break;
  }
  return run<Short>(image, runs, times);
}

double psnr(const GrayImage& a, const GrayImage& b) {
  double squares = 0;
  for (size_t i = 0; i < a.samples.size(); ++i) {
    const int difference = a.samples[i] - b.samples[i];
    squares += difference * difference;
  }
  const double mse = squares / static_cast<double>(a.samples.size());
  return 20 * std::log10(255 / std::sqrt(mse));
}

}  // namespace ctv::lab
