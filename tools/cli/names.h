// SPDX-License-Identifier: BSD-3-Clause
// What the library's enumerators are called on the command line, in reports and in JSON: one table each.
#pragma once

#include <array>
#include <string>

#include <ctv/ctv.h>

namespace ctv::tools {

template <class E>
struct Name {
  const char* name;
  E value;
};

inline constexpr std::array kTransforms = {
    Name{"contourlet", CTV_TRANSFORM_CONTOURLET}, Name{"dct8x8", CTV_TRANSFORM_DCT8X8},
    Name{"h264-4x4", CTV_TRANSFORM_H264_4X4}, Name{"h264-8x8", CTV_TRANSFORM_H264_8X8}};
inline constexpr std::array kPyramids = {Name{"laplacian", CTV_PYRAMID_LAPLACIAN},
                                         Name{"5/3", CTV_PYRAMID_WAVELET_5_3},
                                         Name{"13/7", CTV_PYRAMID_WAVELET_13_7}};
inline constexpr std::array kPredictions = {Name{"subband", CTV_PREDICTION_SUBBAND},
                                            Name{"picture", CTV_PREDICTION_PICTURE}};
inline constexpr std::array kSymbols = {Name{"rle", CTV_SYMBOLS_RLE},
                                        Name{"rle-split", CTV_SYMBOLS_RLE_SPLIT},
                                        Name{"context", CTV_SYMBOLS_CONTEXT}};
inline constexpr std::array kChromas = {Name{"as-input", CTV_CHROMA_AS_INPUT}, Name{"420", CTV_CHROMA_420}};
inline constexpr std::array kBackends = {Name{"auto", CTV_BACKEND_AUTO}, Name{"cuda", CTV_BACKEND_CUDA},
                                         Name{"cpu", CTV_BACKEND_CPU}};
inline constexpr std::array kEngines = {Name{"auto", CTV_ENGINE_AUTO}, Name{"direct", CTV_ENGINE_DIRECT},
                                        Name{"fft", CTV_ENGINE_FFT}};
inline constexpr std::array kFormats = {Name{"gray", CTV_FORMAT_GRAY8}, Name{"i420", CTV_FORMAT_I420},
                                        Name{"i422", CTV_FORMAT_I422},  Name{"i444", CTV_FORMAT_I444},
                                        Name{"rgb", CTV_FORMAT_RGB8},   Name{"rgba", CTV_FORMAT_RGBA8},
                                        Name{"nv12", CTV_FORMAT_NV12}};

/// The name of a value; "?" for one that is not in the table.
template <class Table, class E>
const char* name_of(const Table& table, E value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  return "?";
}

/// "4,2,0": the directions of `levels` levels, finest first.
inline std::string directions_of(const int32_t* directions, int32_t levels) {
  std::string s;
  for (int32_t i = 0; i < levels && i < CTV_MAX_LEVELS; ++i)
    s += (i > 0 ? "," : "") + std::to_string(directions[i]);
  return s;
}

}  // namespace ctv::tools
