// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/fields.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "codec/dsp/directional.hpp"
#include "codec/dsp/motion_vectors.hpp"

namespace ctv {
namespace {

using H = SequenceHeader;

constexpr int32_t kDirections[] = {0, 2, 4, 8, 16};
constexpr int32_t kPyramids[] = {CTV_PYRAMID_LAPLACIAN, CTV_PYRAMID_WAVELET_5_3, CTV_PYRAMID_WAVELET_9_7};
constexpr int32_t kBlockSizes[] = {8, 16, 32};

using T = TransformParameters;
using D = PictureDescription;
using R = HighDynamicRange;

template <auto Member, typename Object>
auto& member(Object& object) {
  return object.*Member;
}
template <auto Part, auto Member, typename Object>
auto& member(Object& object) {
  return object.*Part.*Member;
}

/// A row under construction. Path: from the header to the member.
struct Row : StreamField {
  template <auto... Path>
  static constexpr Row of(const char* title, int bytes, int64_t lo, int64_t hi) {
    return {{title, bytes, lo, hi, [](const H& h, int) { return static_cast<int64_t>(member<Path...>(h)); },
             [](H& h, int, int64_t v) {
               auto& m = member<Path...>(h);
               m = static_cast<std::remove_reference_t<decltype(m)>>(v);
             }}};
  }
  constexpr Row as(const char* public_name, size_t in_config, size_t in_info, const char* text) const {
    Row row = *this;
    row.name = public_name;
    row.config = in_config;
    row.info = in_info;
    row.description = text;
    return row;
  }
  constexpr Row one_of(std::span<const int32_t> list, bool as_log2) const {
    Row row = *this;
    row.values = list;
    row.log2 = as_log2;
    return row;
  }
  constexpr Row in_bits(unsigned number) const {
    Row row = *this;
    row.width = number;
    return row;
  }
  constexpr Row only_if(bool (*condition)(const H&)) const {
    Row row = *this;
    row.present = condition;
    return row;
  }
  constexpr Row at_most(int64_t (*limit)(const H&), const char* otherwise = nullptr) const {
    Row row = *this;
    row.most = limit;
    row.needs = otherwise;
    return row;
  }
};
#define CTV_PUBLIC(member) #member, offsetof(ctv_config, member), offsetof(ctv_stream_info, member)

int64_t of_picture(const H& h) { return h.prediction == Prediction::kPicture ? 1 : 0; }
int64_t may_have_slopes(const H& h) {
  return h.transform.pyramid == Pyramid::kWavelet9_7 ? of_picture(h) : 0;
}
bool by_layer(const H& h) { return h.grouping.scope == ComponentScope::kLayer; }

constexpr Row version() {
  return {{"version", 1, kBitstreamVersion, kBitstreamVersion,
           [](const H&, int) { return int64_t{kBitstreamVersion}; }, [](H&, int, int64_t) {}}};
}
constexpr Row directions() {
  Row row{{"directions", 1, 0, kMaxDirectionsLog2,
           [](const H& h, int i) -> int64_t { return h.transform.directions_log2[static_cast<size_t>(i)]; },
           [](H& h, int i, int64_t v) {
             h.transform.directions_log2[static_cast<size_t>(i)] = static_cast<uint8_t>(v);
           }}};
  row.count = [](const H& h) { return h.transform.scales; };
  return row;
}
// A row of an array of the header's HighDynamicRange.
template <auto Array, auto Flag>
constexpr Row hdr_row(const char* title, int bytes, int64_t hi) {
  Row row{{title, bytes, 0, hi,
           [](const H& h, int i) -> int64_t { return (h.hdr.*Array)[static_cast<size_t>(i)]; },
           [](H& h, int i, int64_t v) {
             auto& value = (h.hdr.*Array)[static_cast<size_t>(i)];
             value = static_cast<std::remove_reference_t<decltype(value)>>(v);
           }}};
  row.count = [](const H& h) { return static_cast<int>((h.hdr.*Array).size()); };
  row.present = [](const H& h) { return h.hdr.*Flag != 0; };
  return row;
}
constexpr Row reserved() {
  return Row{{"reserved", 1, 0, 0, [](const H&, int) { return int64_t{0}; }, [](H&, int, int64_t) {}}}
      .in_bits(5);
}
// Follows from other fields. A wavelet without directions has had two taps, which nothing uses.
constexpr Row filter_taps() {
  return {{"filter taps", 1, 2, 12,
           [](const H& h, int) -> int64_t {
             const TransformParameters& t = h.transform;
             const bool any = std::ranges::any_of(t.directions_log2, [](uint8_t n) { return n > 0; });
             return any || t.pyramid == Pyramid::kLaplacian ? t.pyramid_traits().taps : 2;
           },
           [](H&, int, int64_t) {}}};
}

constexpr StreamField kFields[] = {
    version(),
    Row::of<&H::width>("width", 2, 1, 65535).as(CTV_PUBLIC(width), "Luma samples"),
    Row::of<&H::height>("height", 2, 1, 65535).as(CTV_PUBLIC(height), "Luma samples"),
    Row::of<&H::fps_num>("frame rate numerator", 4, 1, INT32_MAX)
        .as(CTV_PUBLIC(fps_num), "Frame rate, numerator"),
    Row::of<&H::fps_den>("frame rate denominator", 4, 1, INT32_MAX)
        .as(CTV_PUBLIC(fps_den), "Frame rate, denominator"),
    Row::of<&H::source>("source format", 1, CTV_FORMAT_GRAY8, CTV_FORMAT_RGB8).in_bits(4),
    Row::of<&H::depth>("depth", 1, 0, 2).in_bits(4).at_most([](const H& h) -> int64_t {
      return h.source == CTV_FORMAT_RGB8 ? 0 : 2;
    }),
    Row::of<&H::chroma_420>("chroma 4:2:0", 1, 0, 1).in_bits(1).at_most([](const H& h) -> int64_t {
      return h.source == CTV_FORMAT_GRAY8 || h.source == CTV_FORMAT_I420 ? 0 : 1;
    }),
    Row::of<&H::hdr, &R::mastering>("mastering display", 1, 0, 1).in_bits(1),
    Row::of<&H::hdr, &R::light>("light level", 1, 0, 1).in_bits(1),
    reserved(),
    Row::of<&H::description, &D::aspect_width>("aspect width", 2, 0, UINT16_MAX)
        .as(CTV_PUBLIC(aspect_width), "Shape of a sample, width; 0: unspecified"),
    Row::of<&H::description, &D::aspect_height>("aspect height", 2, 0, UINT16_MAX)
        .as(CTV_PUBLIC(aspect_height), "Shape of a sample, height; 0: unspecified"),
    Row::of<&H::description, &D::range>("range", 1, 0, CTV_RANGE_FULL)
        .as(CTV_PUBLIC(range), "Range of the samples"),
    Row::of<&H::description, &D::primaries>("primaries", 1, 1, UINT8_MAX)
        .as(CTV_PUBLIC(primaries), "ColourPrimaries of ITU-T H.273; 2: unspecified"),
    Row::of<&H::description, &D::transfer>("transfer", 1, 1, UINT8_MAX)
        .as(CTV_PUBLIC(transfer), "TransferCharacteristics of ITU-T H.273; 2: unspecified"),
    Row::of<&H::description, &D::matrix>("matrix", 1, 0, UINT8_MAX)
        .as(CTV_PUBLIC(matrix), "MatrixCoefficients of ITU-T H.273; 2: unspecified"),
    Row::of<&H::description, &D::siting>("chroma siting", 1, 0, CTV_SITING_TOP_LEFT)
        .as(CTV_PUBLIC(siting), "Place of 4:2:0 chroma samples"),
    Row::of<&H::description, &D::interlace>("interlace", 1, 0, CTV_INTERLACE_BOTTOM_FIRST)
        .as(CTV_PUBLIC(interlace), "Fields"),
    hdr_row<&R::mastering_primaries, &R::mastering>("mastering primaries", 2, 50000),
    hdr_row<&R::mastering_luminance, &R::mastering>("mastering luminance", 4, INT32_MAX),
    hdr_row<&R::content_light, &R::light>("content light", 2, UINT16_MAX),
    Row::of<&H::transform, &T::pyramid>("pyramid", 1, CTV_PYRAMID_LAPLACIAN, CTV_PYRAMID_WAVELET_9_7)
        .as(CTV_PUBLIC(pyramid), "Pyramid of the transform")
        .one_of(kPyramids, false),
    Row::of<&H::transform, &T::scales>("scales", 1, 1, kMaxScales)
        .as(CTV_PUBLIC(scales), "Scales of the pyramid"),
    directions().as(CTV_PUBLIC(directions), "Directions per scale, finest first").one_of(kDirections, true),
    filter_taps(),
    Row::of<&H::transform, &T::fraction_bits>("fraction bits", 1, 0, 2),
    Row::of<&H::transform, &T::projection>("projection", 1, 0, 1),
    Row::of<&H::prediction>("prediction", 1, 0, CTV_PREDICTION_PICTURE)
        .as(CTV_PUBLIC(prediction), "What predicted frames predict"),
    Row::of<&H::transform, &T::directional_lifting>("directional lifting", 1, 0, 1)
        .as(CTV_PUBLIC(directional_lifting), "1: 9/7 lifted along directions in key frames")
        .at_most(may_have_slopes),
    Row::of<&H::entropy_coding>("entropy coding", 1, 0, CTV_ENTROPY_TILES)
        .as(CTV_PUBLIC(entropy_coding), "Entropy coding"),
    Row::of<&H::grouping, &Grouping::scope>("grouping", 1, 0, static_cast<int64_t>(ComponentScope::kLayer)),
    Row::of<&H::grouping, &Grouping::pooled_layers>("pooled layers", 1, 0, kMaxScales + 1)
        .at_most([](const H& h) -> int64_t { return by_layer(h) ? h.transform.scales + 1 : 0; }),
    Row::of<&H::lossless>("lossless", 1, 0, 1).as(CTV_PUBLIC(lossless), "1: lossless"),
    Row::of<&H::lowpass_rounded>("lowpass rounded", 1, 0, 1),
    Row::of<&H::log2_block>("block size", 1, 3, 5)
        .as(CTV_PUBLIC(block_size), "Motion blocks in luma samples")
        .one_of(kBlockSizes, true),
    Row::of<&H::subpel>("vector precision", 1, 0, kMaxSubpel)
        .as(CTV_PUBLIC(subpel), "Vectors in 1 / 2^subpel luma samples")
        .at_most([](const H& h) { return of_picture(h) * kMaxSubpel; }, "picture prediction"),
    Row::of<&H::overlap>("overlap", 1, 0, 1)
        .as(CTV_PUBLIC(overlap), "1: overlapped block motion compensation")
        .at_most(of_picture, "picture prediction"),
    Row::of<&H::loop_filter>("loop filter", 1, 0, 1)
        .as(CTV_PUBLIC(loop_filter), "1: decoded samples are filtered")
        .at_most([](const H& h) -> int64_t { return of_picture(h) * (1 - h.lossless); }),
    Row::of<&H::slots>("slots", 1, 1, kMaxSlots)
        .as(CTV_PUBLIC(slots), "Pictures that later frames may refer to"),
    Row::of<&H::masking>("masking", 1, 0, 15).only_if([](const H& h) { return h.macroblocks(); }),
    Row::of<&H::residual_chroma_weight>("residual chroma weight", 2, 1, UINT16_MAX).only_if([](const H& h) {
      return h.macroblocks();
    }),
};
#undef CTV_PUBLIC

}  // namespace

std::span<const StreamField> stream_fields() { return kFields; }

int64_t StreamField::to_public(int64_t value) const {
  if (!log2 || (value == 0 && lo == 0)) return value;
  return int64_t{1} << value;
}

int64_t StreamField::from_public(int64_t value) const {
  if (!log2) return value;
  if (value == 0 && lo == 0) return 0;
  const auto bits = static_cast<uint64_t>(value);
  return value > 0 && std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
}

bool StreamField::allows(int64_t value) const {
  if (values.empty()) return true;
  return value >= lo && value <= hi && std::ranges::find(values, to_public(value)) != values.end();
}

std::string StreamField::list_values() const {
  std::string list;
  for (const int32_t v : values) list += (list.empty() ? "" : ", ") + std::to_string(v);
  return list;
}

int32_t member_at(const void* structure, size_t offset, int i) {
  int32_t value = 0;
  std::memcpy(&value, static_cast<const char*>(structure) + offset + sizeof value * static_cast<size_t>(i),
              sizeof value);
  return value;
}

void set_member_at(void* structure, size_t offset, int i, int64_t value) {
  const auto v = static_cast<int32_t>(value);
  std::memcpy(static_cast<char*>(structure) + offset + sizeof v * static_cast<size_t>(i), &v, sizeof v);
}

}  // namespace ctv
