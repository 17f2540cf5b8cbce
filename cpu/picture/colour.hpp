// SPDX-License-Identifier: BSD-3-Clause
// Conversion between rows of pictures and rows of samples.
#pragma once

#include <cstdint>

#include "codec/dsp/ycbcr.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Bytes to samples, and samples, clamped to 0..255, to bytes.
void widen_row(const uint8_t* bytes, int n, Sample* samples);
void narrow_row(const Sample* samples, int n, uint8_t* bytes);
/// The same with samples of 8 + down bits, rounded.
void narrow_row(const Sample* samples, int n, int down, uint8_t* bytes);
/// Samples of `bits` bits as little-endian words, at every `step`-th word, above `unused` low bits. Larger
/// values are limited.
struct WordFormat {
  int bits, unused, step;
};
void read_words_row(const uint8_t* words, int n, const WordFormat& format, Sample* samples);
void write_words_row(const Sample* samples, int n, const WordFormat& format, uint8_t* words);
/// Samples of bits + down bits as samples of `bits` bits, rounded; out may be samples.
void reduce_depth_row(const Sample* samples, int n, int bits, int down, Sample* out);
/// n pairs of bytes (NV12 chroma) to two rows of samples, and the inverse.
void split_row(const uint8_t* pairs, int n, Sample* first, Sample* second);
/// down: as in narrow_row().
void merge_row(const Sample* first, const Sample* second, int n, int down, uint8_t* pairs);

/// n pixels of `channels` (3 or 4) bytes. The fourth byte is ignored, and written as 255.
void rgb_to_ycocg_row(const uint8_t* pixels, int channels, int n, Sample* y, Sample* co, Sample* cg);
void ycocg_to_rgb_row(const Sample* y, const Sample* co, const Sample* cg, int n, int channels,
                      uint8_t* pixels);
void ycbcr_to_rgb_row(const YcbcrMatrix& matrix, const Sample* y, const Sample* cb, const Sample* cr, int n,
                      int channels, uint8_t* pixels);
void gray_to_rgb_row(const Sample* y, int n, int channels, uint8_t* pixels);
/// Converts through RGB, clamped to 0..255. Outputs may be the inputs.
void ycocg_to_ycbcr_row(const YcbcrMatrix& matrix, const Sample* y, const Sample* co, const Sample* cg, int n,
                        Sample* out_y, Sample* out_cb, Sample* out_cr);

/// Returns the instruction set of the kernels, for example "AVX2".
const char* simd_name();

}  // namespace ctv
