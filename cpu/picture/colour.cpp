// SPDX-License-Identifier: BSD-3-Clause
// Colour: interleaved or planar bytes to planes of samples and back; YCoCg-R (Malvar and Sullivan) by its two
// lifting steps. Memory bandwidth dominates, so each row is read and written once. The compiler vectorises.
#include "cpu/picture/colour.hpp"

#include <cstring>

#include "codec/dsp/ycocg.hpp"
#include "codec/util/little_endian.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/colour.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

const char* TargetName() {
#if defined(CTV_HAVE_HIGHWAY)
  return hwy::TargetName(HWY_TARGET);
#else
  return "baseline";
#endif
}

// Prefetches, because hardware prefetchers stop at the end of a page.
void Widen(const uint8_t* __restrict bytes, int n, Sample* __restrict samples) {
  constexpr int kLine = 64 / sizeof(Sample);
  int i = 0;
  for (; i + kLine <= n; i += kLine) {
    __builtin_prefetch(samples + i + 1024, 1);
    for (int k = 0; k < kLine; ++k) samples[i + k] = bytes[i + k];
  }
  for (; i < n; ++i) samples[i] = bytes[i];
}

constexpr int kAhead = 1024;  // samples to prefetch, in this row or the next

void Narrow(const Sample* __restrict samples, int n, uint8_t* __restrict bytes) {
  constexpr int kPiece = 64;
  const auto narrow = [&](int i) { bytes[i] = static_cast<uint8_t>(clamp_to<int>(samples[i], 0, 255)); };
  int i = 0;
  for (; i + kPiece <= n; i += kPiece) {
    __builtin_prefetch(samples + i + kAhead);
    __builtin_prefetch(samples + i + kAhead + kPiece / 2);
    __builtin_prefetch(bytes + i + kAhead);
    for (int k = i; k < i + kPiece; ++k) narrow(k);
  }
  for (; i < n; ++i) narrow(i);
}

void ReduceDepth(const Sample* samples, int n, int bits, int down, Sample* out) {
  const int half = 1 << down >> 1;
  const auto most = static_cast<Sample>((1 << bits) - 1);
  for (int i = 0; i < n; ++i)
    out[i] = clamp_to(static_cast<Sample>((samples[i] + half) >> down), Sample{0}, most);
}

void NarrowDeep(const Sample* __restrict samples, int n, int down, uint8_t* __restrict bytes) {
  const int half = 1 << (down - 1);
  for (int i = 0; i < n; ++i)
    bytes[i] = static_cast<uint8_t>(clamp_to<int>((samples[i] + half) >> down, 0, 255));
}

template <int kStep>
void ReadWords(const uint8_t* __restrict words, int n, int unused, int bits, Sample* __restrict samples) {
  const auto most = static_cast<uint16_t>((1 << bits) - 1);
  for (int i = 0; i < n; ++i) {
    uint16_t word;
    std::memcpy(&word, words + 2 * kStep * i, sizeof word);
    word = static_cast<uint16_t>(from_little_endian(word) >> unused);
    samples[i] = static_cast<Sample>(min_of(word, most));
  }
}
void ReadWordsRow(const uint8_t* words, int n, const WordFormat& f, Sample* samples) {
  f.step == 1 ? ReadWords<1>(words, n, f.unused, f.bits, samples)
              : ReadWords<2>(words, n, f.unused, f.bits, samples);
}

template <int kStep>
void WriteWords(const Sample* __restrict samples, int n, int unused, int bits, uint8_t* __restrict words) {
  const auto most = static_cast<Sample>((1 << bits) - 1);
  for (int i = 0; i < n; ++i) {
    const auto word = static_cast<uint16_t>(clamp_to(samples[i], Sample{0}, most) << unused);
    const uint16_t stored = from_little_endian(word);
    std::memcpy(words + 2 * kStep * i, &stored, sizeof stored);
  }
}
void WriteWordsRow(const Sample* samples, int n, const WordFormat& f, uint8_t* words) {
  f.step == 1 ? WriteWords<1>(samples, n, f.unused, f.bits, words)
              : WriteWords<2>(samples, n, f.unused, f.bits, words);
}

void Split(const uint8_t* __restrict pairs, int n, Sample* __restrict first, Sample* __restrict second) {
  for (int i = 0; i < n; ++i) {
    first[i] = pairs[2 * i];
    second[i] = pairs[2 * i + 1];
  }
}

void Merge(const Sample* __restrict first, const Sample* __restrict second, int n, int down,
           uint8_t* __restrict pairs) {
  const int half = 1 << down >> 1;
  const auto narrow = [=](int sample) {
    return static_cast<uint8_t>(clamp_to<int>((sample + half) >> down, 0, 255));
  };
  for (int i = 0; i < n; ++i) {
    pairs[2 * i] = narrow(first[i]);
    pairs[2 * i + 1] = narrow(second[i]);
  }
}

template <int kChannels>
void FromRgb(const uint8_t* __restrict pixels, int n, Sample* __restrict y, Sample* __restrict co,
             Sample* __restrict cg) {
  for (int i = 0; i < n; ++i) {
    const uint8_t* p = pixels + kChannels * i;
    const Ycocg c = rgb_to_ycocg(p[0], p[1], p[2]);
    y[i] = static_cast<Sample>(c.y);
    co[i] = static_cast<Sample>(c.co);
    cg[i] = static_cast<Sample>(c.cg);
  }
}

void RgbToYcocg(const uint8_t* pixels, int channels, int n, Sample* y, Sample* co, Sample* cg) {
  channels == 3 ? FromRgb<3>(pixels, n, y, co, cg) : FromRgb<4>(pixels, n, y, co, cg);
}

template <int kChannels>
void Put(uint8_t* pixel, const Rgb& c) {
  pixel[0] = static_cast<uint8_t>(clamp_to(c.r, 0, 255));
  pixel[1] = static_cast<uint8_t>(clamp_to(c.g, 0, 255));
  pixel[2] = static_cast<uint8_t>(clamp_to(c.b, 0, 255));
  if constexpr (kChannels == 4) pixel[3] = 255;
}

template <int kChannels>
void FromYcocg(const Sample* __restrict y, const Sample* __restrict co, const Sample* __restrict cg, int n,
               uint8_t* __restrict pixels) {
  for (int i = 0; i < n; ++i) Put<kChannels>(pixels + kChannels * i, ycocg_to_rgb(y[i], co[i], cg[i]));
}

void YcocgToRgb(const Sample* y, const Sample* co, const Sample* cg, int n, int channels, uint8_t* pixels) {
  channels == 3 ? FromYcocg<3>(y, co, cg, n, pixels) : FromYcocg<4>(y, co, cg, n, pixels);
}

template <int kChannels>
void FromYcbcr(YcbcrMatrix matrix, const Sample* __restrict y, const Sample* __restrict cb,
               const Sample* __restrict cr, int n, uint8_t* __restrict pixels) {
  for (int i = 0; i < n; ++i)
    Put<kChannels>(pixels + kChannels * i, ycbcr_to_rgb(matrix, y[i], cb[i], cr[i]));
}

void YcbcrToRgb(const YcbcrMatrix& matrix, const Sample* y, const Sample* cb, const Sample* cr, int n,
                int channels, uint8_t* pixels) {
  channels == 3 ? FromYcbcr<3>(matrix, y, cb, cr, n, pixels) : FromYcbcr<4>(matrix, y, cb, cr, n, pixels);
}

void GrayToRgb(const Sample* y, int n, int channels, uint8_t* pixels) {
  for (int i = 0; i < n; ++i) {
    const Rgb c{y[i], y[i], y[i]};
    channels == 3 ? Put<3>(pixels + 3 * i, c) : Put<4>(pixels + 4 * i, c);
  }
}

void YcocgToYcbcr(YcbcrMatrix matrix, const Sample* y, const Sample* co, const Sample* cg, int n,
                  Sample* out_y, Sample* out_cb, Sample* out_cr) {
  for (int i = 0; i < n; ++i) {
    const Rgb c = ycocg_to_rgb(y[i], co[i], cg[i]);
    const Ycbcr o = rgb_to_ycbcr(matrix, clamp_to(c.r, 0, 255), clamp_to(c.g, 0, 255), clamp_to(c.b, 0, 255));
    out_y[i] = static_cast<Sample>(o.y);
    out_cb[i] = static_cast<Sample>(o.cb);
    out_cr[i] = static_cast<Sample>(o.cr);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(TargetName);
HWY_EXPORT(Widen);
HWY_EXPORT(Narrow);
HWY_EXPORT(NarrowDeep);
HWY_EXPORT(ReduceDepth);
HWY_EXPORT(ReadWordsRow);
HWY_EXPORT(WriteWordsRow);
HWY_EXPORT(Split);
HWY_EXPORT(Merge);
HWY_EXPORT(RgbToYcocg);
HWY_EXPORT(YcocgToRgb);
HWY_EXPORT(YcbcrToRgb);
HWY_EXPORT(GrayToRgb);
HWY_EXPORT(YcocgToYcbcr);

const char* simd_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }
void widen_row(const uint8_t* bytes, int n, Sample* samples) {
  HWY_DYNAMIC_DISPATCH(Widen)(bytes, n, samples);
}
void narrow_row(const Sample* samples, int n, uint8_t* bytes) {
  HWY_DYNAMIC_DISPATCH(Narrow)(samples, n, bytes);
}
void narrow_row(const Sample* samples, int n, int down, uint8_t* bytes) {
  if (down == 0) return narrow_row(samples, n, bytes);
  HWY_DYNAMIC_DISPATCH(NarrowDeep)(samples, n, down, bytes);
}
void read_words_row(const uint8_t* words, int n, const WordFormat& format, Sample* samples) {
  HWY_DYNAMIC_DISPATCH(ReadWordsRow)(words, n, format, samples);
}
void write_words_row(const Sample* samples, int n, const WordFormat& format, uint8_t* words) {
  HWY_DYNAMIC_DISPATCH(WriteWordsRow)(samples, n, format, words);
}
void reduce_depth_row(const Sample* samples, int n, int bits, int down, Sample* out) {
  HWY_DYNAMIC_DISPATCH(ReduceDepth)(samples, n, bits, down, out);
}
void split_row(const uint8_t* pairs, int n, Sample* first, Sample* second) {
  HWY_DYNAMIC_DISPATCH(Split)(pairs, n, first, second);
}
void merge_row(const Sample* first, const Sample* second, int n, int down, uint8_t* pairs) {
  HWY_DYNAMIC_DISPATCH(Merge)(first, second, n, down, pairs);
}
void rgb_to_ycocg_row(const uint8_t* pixels, int channels, int n, Sample* y, Sample* co, Sample* cg) {
  HWY_DYNAMIC_DISPATCH(RgbToYcocg)(pixels, channels, n, y, co, cg);
}
void ycocg_to_rgb_row(const Sample* y, const Sample* co, const Sample* cg, int n, int channels,
                      uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(YcocgToRgb)(y, co, cg, n, channels, pixels);
}
void ycbcr_to_rgb_row(const YcbcrMatrix& matrix, const Sample* y, const Sample* cb, const Sample* cr, int n,
                      int channels, uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(YcbcrToRgb)(matrix, y, cb, cr, n, channels, pixels);
}
void gray_to_rgb_row(const Sample* y, int n, int channels, uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(GrayToRgb)(y, n, channels, pixels);
}
void ycocg_to_ycbcr_row(const YcbcrMatrix& matrix, const Sample* y, const Sample* co, const Sample* cg, int n,
                        Sample* out_y, Sample* out_cb, Sample* out_cr) {
  HWY_DYNAMIC_DISPATCH(YcocgToYcbcr)(matrix, y, co, cg, n, out_y, out_cb, out_cr);
}

}  // namespace ctv
#endif  // HWY_ONCE
