// SPDX-License-Identifier: BSD-3-Clause
// The CPU's side of the three variants, block after block on one core.
#include <cmath>

#include "bench/lab/dct8x8/arithmetic.hpp"
#include "bench/lab/dct8x8/dct8x8.hpp"
#include "bench/statistics.h"

namespace ctv::lab {
namespace {

using tools::median, tools::time_ms;

// One block in place: 64 values, `stride` from row to row.
struct Definition {
  using Value = float;
  // A^T X A, or back A X A^T.
  template <bool kInverse>
  static void transform(float* x, int stride) {
    static const std::array<float, 64> waveforms = cosine_waveforms();
    const auto wave = [](int i, int k) {
      return waveforms[static_cast<size_t>(kInverse ? k * 8 + i : i * 8 + k)];
    };
    float half[64];  // NOLINT(*-member-init)
    for (int i = 0; i < 64; ++i) {
      half[i] = 0;
      for (int k = 0; k < 8; ++k) half[i] += wave(i / 8, k) * x[k * stride + i % 8];
    }
    for (int i = 0; i < 64; ++i) {
      float sum = 0;
      for (int k = 0; k < 8; ++k) sum += half[i / 8 * 8 + k] * wave(i % 8, k);
      x[i / 8 * stride + i % 8] = sum;
    }
  }
};

template <typename Lines>
struct Separable {
  using Value = typename Lines::Value;
  template <bool kInverse>
  static void transform(Value* x, int stride) {
    for (int i = 0; i < 8; ++i) transform_line<Lines, kInverse, false>(x, stride, i);
    for (int i = 0; i < 8; ++i) transform_line<Lines, kInverse, true>(x, stride, i);
  }
};

template <typename Variant>
GrayImage run(const GrayImage& image, int runs, DctTimes& times) {
  using Value = typename Variant::Value;
  const int width = image.width, height = image.height;
  std::vector<Value> source(image.samples.size()), forward, levels, inverse;
  for (size_t i = 0; i < source.size(); ++i) source[i] = value_of<Value>(image.samples[i]);
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
  times.forward =
      timed(source, forward, [&](auto& plane) { each_block(plane, Variant::template transform<false>); });
  times.quantise = timed(forward, levels, [&](auto& plane) {
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c) {
        Value& v = plane[static_cast<size_t>(r) * static_cast<size_t>(width) + static_cast<size_t>(c)];
        v = requantised(v, kQuantiserSteps[static_cast<size_t>((r & 7) * 8 + (c & 7))]);
      }
  });
  times.inverse =
      timed(levels, inverse, [&](auto& plane) { each_block(plane, Variant::template transform<true>); });
  GrayImage result = {width, height, std::vector<uint8_t>(image.samples.size())};
  for (size_t i = 0; i < inverse.size(); ++i) result.samples[i] = result_of<uint8_t>(inverse[i]);
  return result;
}

}  // namespace

GrayImage dct8x8_on_cpu(DctVariant variant, const GrayImage& image, int runs, DctTimes& times) {
  switch (variant) {
    case DctVariant::kDefinition:
      return run<Definition>(image, runs, times);
    case DctVariant::kSeparable:
      return run<Separable<FloatLines>>(image, runs, times);
    case DctVariant::kShort:
      break;
  }
  return run<Separable<ShortLines>>(image, runs, times);
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
