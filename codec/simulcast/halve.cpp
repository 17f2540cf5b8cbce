// SPDX-License-Identifier: BSD-3-Clause
// A separable filter of 6 taps: a Lanczos window of two lobes, in 64ths. Output samples lie in the middle of
// 2x2 input samples. Columns are filtered first, into rows of even and odd samples, so that all loops access
// contiguous memory and the compiler vectorises them. Rounding happens only at the end.
#include "codec/simulcast/halve.hpp"

#include <algorithm>

#include "codec/format/bytes.hpp"
#include "codec/format/picture_format.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

constexpr int kInner = 28, kMiddle = 7, kOuter = -3;
constexpr int kShift = 12;  // 64 x 64

struct Plane {
  const uint8_t* data;
  ptrdiff_t stride;
  int rows, cols;  // columns of `step` samples
  int step;
  int bits, unused;  // PictureFormat
  const uint8_t* row(int r) const { return data + std::clamp(r, 0, rows - 1) * stride; }
  int shift() const { return bits - 8; }
};

uint16_t load_word(const uint8_t* row, int c) {
  return static_cast<uint16_t>(row[2 * c] | row[2 * c + 1] << 8);
}

// Filters vertically: row r of the result at full width, shifted to 16 bits. sums: [cols][step].
void filter_columns(const Plane& in, int r, int16_t* sums) {
  const uint8_t* rows[6];
  for (int i = 0; i < 6; ++i) rows[i] = in.row(2 * r - 2 + i);
  if (in.bits > 8) {
    const auto sample = [&](int i, int c) { return load_word(rows[i], c) >> in.unused; };
    for (int c = 0; c < in.cols * in.step; ++c) {
      const int sum = kInner * (sample(2, c) + sample(3, c)) + kMiddle * (sample(1, c) + sample(4, c)) +
                      kOuter * (sample(0, c) + sample(5, c));
      sums[c] = static_cast<int16_t>(std::clamp(sum >> in.shift(), INT16_MIN, INT16_MAX));
    }
    return;
  }
  for (int c = 0; c < in.cols * in.step; ++c) {
    sums[c] = static_cast<int16_t>(kInner * (rows[2][c] + rows[3][c]) + kMiddle * (rows[1][c] + rows[4][c]) +
                                   kOuter * (rows[0][c] + rows[5][c]));
  }
}

// Splits a row into even and odd columns, with one more column on the left and on the right. even, odd: [half
// + 2][kStep].
template <int kStep>
void split_columns(const int16_t* sums, int cols, int16_t* even, int16_t* odd) {
  const int half = half_of(cols);
  const auto copy = [&](int from, int16_t* to) {
    std::copy_n(sums + std::clamp(from, 0, cols - 1) * kStep, kStep, to);
  };
  copy(0, even), copy(0, odd);
  for (int i = 0; i < cols / 2; ++i) {
    for (int s = 0; s < kStep; ++s) {
      even[(i + 1) * kStep + s] = sums[2 * i * kStep + s];
      odd[(i + 1) * kStep + s] = sums[(2 * i + 1) * kStep + s];
    }
  }
  for (int i = cols / 2; i <= half; ++i)
    copy(2 * i, even + (i + 1) * kStep), copy(2 * i + 1, odd + (i + 1) * kStep);
}

void filter_row(const Plane& in, const int16_t* even, const int16_t* odd, int count, uint8_t* out) {
  const int step = in.step;
  const int shift = kShift - in.shift();
  const int most = (1 << in.bits) - 1;
  for (int i = 0; i < count; ++i) {
    const int sum = kInner * (even[i + step] + odd[i + step]) + kMiddle * (odd[i] + even[i + 2 * step]) +
                    kOuter * (even[i] + odd[i + 2 * step]);
    const int sample = std::clamp((sum + (1 << (shift - 1))) >> shift, 0, most) << in.unused;
    if (in.bits == 8) {
      out[i] = static_cast<uint8_t>(sample);
    } else {
      store_u16({out, static_cast<size_t>(2 * count)}, static_cast<size_t>(2 * i),
                static_cast<uint16_t>(sample));
    }
  }
}

template <int kStep>
void halve_rows(const Plane& in, int begin, int end, uint8_t* out) {
  const int count = half_of(in.cols) * kStep;
  std::vector<int16_t> sums(static_cast<size_t>(in.cols) * kStep);
  std::vector<int16_t> even(static_cast<size_t>(count + 2 * kStep)), odd(even.size());
  for (int r = begin; r < end; ++r) {
    filter_columns(in, r, sums.data());
    split_columns<kStep>(sums.data(), in.cols, even.data(), odd.data());
    filter_row(in, even.data(), odd.data(), count, out + ptrdiff_t{r} * count * (in.bits > 8 ? 2 : 1));
  }
}

void halve_plane(const Plane& in, int threads, uint8_t* out) {
  constexpr int kGrain = 8;  // rows
  parallel_ranges(threads, half_of(in.rows), kGrain, [&](int begin, int end) {
    if (in.step == 1) halve_rows<1>(in, begin, end, out);
    if (in.step == 2) halve_rows<2>(in, begin, end, out);
    if (in.step == 3) halve_rows<3>(in, begin, end, out);
    if (in.step == 4) halve_rows<4>(in, begin, end, out);
  });
}

}  // namespace

void halve_picture(const ctv_picture& picture, int threads, PictureCopy& half) {
  half.picture = picture;
  half.picture.borrowed = 0;
  half.picture.width = half_of(picture.width);
  half.picture.height = half_of(picture.height);
  const PictureFormat format = picture_format(picture.format);
  half.bytes.resize(picture_bytes(picture.format, half.picture.width, half.picture.height));
  uint8_t* out = half.bytes.data();
  for (int p = 0; p < format.planes; ++p) {
    const int step = p == 0 ? format.step : format.chroma_step;
    const int cols = static_cast<int>(plane_row_bytes(picture.format, picture.width, p)) / step;
    const int rows = plane_rows(picture.format, picture.height, p);
    half.picture.data[p] = out;
    half.picture.stride[p] = half_of(cols) * step;
    const int samples = format.bits > 8 ? step / 2 : step;
    halve_plane({static_cast<const uint8_t*>(picture.data[p]), picture.stride[p], rows, cols, samples,
                 format.bits, format.unused},
                threads, out);
    out += static_cast<size_t>(half_of(rows)) * static_cast<size_t>(half_of(cols) * step);
  }
}

}  // namespace ctv
