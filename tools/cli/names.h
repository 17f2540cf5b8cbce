// SPDX-License-Identifier: BSD-3-Clause
// Names of the library's enumerators on the command line, in reports and in JSON: one table each.
#pragma once

#include <span>
#include <string>

#include <ctv/ctv.h>

namespace ctv::tools {

template <class E>
struct Name {
  const char* name;
  E value;
};

inline constexpr Name<ctv_pyramid> kPyramids[] = {
    {"laplacian", CTV_PYRAMID_LAPLACIAN}, {"5/3", CTV_PYRAMID_WAVELET_5_3}, {"9/7", CTV_PYRAMID_WAVELET_9_7}};
inline constexpr Name<ctv_prediction> kPredictions[] = {{"subband", CTV_PREDICTION_SUBBAND},
                                                        {"picture", CTV_PREDICTION_PICTURE}};
inline constexpr Name<ctv_entropy_coding> kEntropyCodings[] = {{"rle", CTV_ENTROPY_RLE},
                                                               {"tiles", CTV_ENTROPY_TILES}};
inline constexpr Name<ctv_chroma> kChromas[] = {{"as-input", CTV_CHROMA_AS_INPUT}, {"420", CTV_CHROMA_420}};
inline constexpr Name<ctv_range> kRanges[] = {
    {"unspecified", CTV_RANGE_UNSPECIFIED}, {"limited", CTV_RANGE_LIMITED}, {"full", CTV_RANGE_FULL}};
inline constexpr Name<ctv_siting> kSitings[] = {{"unspecified", CTV_SITING_UNSPECIFIED},
                                                {"left", CTV_SITING_LEFT},
                                                {"centre", CTV_SITING_CENTRE},
                                                {"top-left", CTV_SITING_TOP_LEFT}};
inline constexpr Name<ctv_interlace> kInterlaces[] = {{"progressive", CTV_INTERLACE_NONE},
                                                      {"top-first", CTV_INTERLACE_TOP_FIRST},
                                                      {"bottom-first", CTV_INTERLACE_BOTTOM_FIRST}};
// Code points of ITU-T H.273 by the names that x264 and ffmpeg use.
inline constexpr Name<int32_t> kPrimaries[] = {
    {"unspecified", 2}, {"bt709", 1},  {"bt470m", 4},    {"bt470bg", 5},   {"smpte170m", 6}, {"smpte240m", 7},
    {"film", 8},        {"bt2020", 9}, {"smpte428", 10}, {"smpte431", 11}, {"smpte432", 12}};
inline constexpr Name<int32_t> kTransfers[] = {
    {"unspecified", 2}, {"bt709", 1},     {"bt470m", 4},        {"bt470bg", 5},    {"smpte170m", 6},
    {"smpte240m", 7},   {"linear", 8},    {"iec61966-2-1", 13}, {"bt2020-10", 14}, {"bt2020-12", 15},
    {"smpte2084", 16},  {"smpte428", 17}, {"arib-std-b67", 18}};
inline constexpr Name<int32_t> kMatrices[] = {{"unspecified", 2}, {"bt709", 1},     {"fcc", 4},
                                              {"bt470bg", 5},     {"smpte170m", 6}, {"smpte240m", 7},
                                              {"ycgco", 8},       {"bt2020nc", 9},  {"bt2020c", 10}};
inline constexpr Name<ctv_tune> kTunes[] = {{"visual", CTV_TUNE_VISUAL}, {"psnr", CTV_TUNE_PSNR}};
inline constexpr Name<ctv_backend> kBackends[] = {
    {"auto", CTV_BACKEND_AUTO}, {"cuda", CTV_BACKEND_CUDA}, {"cpu", CTV_BACKEND_CPU}};
inline constexpr Name<ctv_memory> kMemories[] = {{"host", CTV_MEMORY_HOST}, {"cuda", CTV_MEMORY_CUDA}};
inline constexpr Name<ctv_engine> kEngines[] = {
    {"auto", CTV_ENGINE_AUTO}, {"direct", CTV_ENGINE_DIRECT}, {"fft", CTV_ENGINE_FFT}};
inline constexpr Name<ctv_format> kInputFormats[] = {
    {"gray", CTV_FORMAT_GRAY8},      {"i420", CTV_FORMAT_I420},       {"i422", CTV_FORMAT_I422},
    {"i444", CTV_FORMAT_I444},       {"rgb", CTV_FORMAT_RGB8},        {"rgba", CTV_FORMAT_RGBA8},
    {"nv12", CTV_FORMAT_NV12},       {"gray10", CTV_FORMAT_GRAY10},   {"i420p10", CTV_FORMAT_I420_10},
    {"i422p10", CTV_FORMAT_I422_10}, {"i444p10", CTV_FORMAT_I444_10}, {"p010", CTV_FORMAT_P010},
    {"gray12", CTV_FORMAT_GRAY12},   {"i420p12", CTV_FORMAT_I420_12}, {"i422p12", CTV_FORMAT_I422_12},
    {"i444p12", CTV_FORMAT_I444_12}, {"bgr", CTV_FORMAT_BGR8},        {"bgra", CTV_FORMAT_BGRA8},
    {"nv21", CTV_FORMAT_NV21},       {"yuy2", CTV_FORMAT_YUY2},       {"uyvy", CTV_FORMAT_UYVY}};
/// Those that decoders give.
inline constexpr std::span<const Name<ctv_format>> kFormats(kInputFormats, 16);

/// The name of a value; "?" for one that is not in the table.
template <class Table, class E>
const char* name_of(const Table& table, E value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  return "?";
}

/// The name of a code point of ITU-T H.273, or its number.
template <class Table>
std::string code_point(const Table& table, int32_t value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  return std::to_string(value);
}

/// "4,2,0": the directions of `levels` levels, finest first.
inline std::string directions_of(const int32_t* directions, int32_t levels) {
  std::string s;
  for (int32_t i = 0; i < levels && i < CTV_MAX_SCALES; ++i)
    s += (i > 0 ? "," : "") + std::to_string(directions[i]);
  return s;
}

}  // namespace ctv::tools
