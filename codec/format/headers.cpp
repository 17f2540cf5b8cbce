// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/headers.hpp"

#include "codec/dsp/directional.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "codec/format/bytes.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/format/units.hpp"

namespace ctv {
namespace {

constexpr uint32_t kMaxRate = 0x7fffffff;

template <typename Visitor>
void visit_transform(Visitor& v, TransformParameters& t) {
  visit_enum(v, "transform", t.kind, TransformKind::kH264_8x8);
  if (t.kind != TransformKind::kContourlet) {
    t = block_transform(t.kind);
    return;
  }
  visit_enum(v, "pyramid", t.pyramid, Pyramid::kWavelet9_7);
  auto scales = static_cast<uint8_t>(t.scales);
  v.fixed("scales", scales, 1, kMaxScales);
  t.scales = scales < kMaxScales ? scales : kMaxScales;
  for (int i = 0; i < t.scales; ++i) {
    v.fixed("directions", t.directions_log2[static_cast<size_t>(i)], 0, kMaxDirectionsLog2);
  }
  auto taps = static_cast<uint8_t>(t.taps);
  v.fixed("filter taps", taps, 2, kMaxDirectionalTaps);
  if (directional_half_taps(taps) == 0)
    v.refuse("filter taps", std::to_string(taps) + " is none of 2, 4, 6, 8, 12");
  t.taps = taps;
  auto fraction = static_cast<uint8_t>(t.fraction_bits);
  v.fixed("fraction bits", fraction, 0, 2);
  t.fraction_bits = fraction;
  auto projection = static_cast<uint8_t>(t.projection);
  v.fixed("projection", projection, 0, 1);
  t.projection = projection != 0;
}

template <typename Visitor>
void visit(Visitor& v, SequenceHeader& h) {
  uint8_t version = kBitstreamVersion;
  v.fixed("version", version, kBitstreamVersion, kBitstreamVersion);
  v.fixed("width", h.width, 1, 65535);
  v.fixed("height", h.height, 1, 65535);
  v.fixed("frame rate numerator", h.fps_num, 1, kMaxRate);
  v.fixed("frame rate denominator", h.fps_den, 1, kMaxRate);
  v.fixed("source format", h.source, CTV_FORMAT_GRAY8, CTV_FORMAT_RGB8);
  v.fixed("chroma 4:2:0", h.chroma_420, 0,
          h.source == CTV_FORMAT_GRAY8 || h.source == CTV_FORMAT_I420 ? 0 : 1);
  visit_transform(v, h.transform);
  visit_enum(v, "prediction", h.prediction, Prediction::kPicture);
  visit_enum(v, "entropy coding", h.entropy_coding, EntropyCoding::kContext);
  visit_enum(v, "grouping", h.grouping.scope, ComponentScope::kLayer);
  const bool by_layer = h.grouping.scope == ComponentScope::kLayer;
  v.fixed("pooled layers", h.grouping.pooled_layers, 0,
          by_layer ? static_cast<uint64_t>(h.transform.scales) + 1 : 0);
  v.fixed("split luma", h.grouping.split_luma, 0, by_layer ? 1 : 0);
  const bool contourlet = h.transform.kind == TransformKind::kContourlet;
  v.fixed("lossless", h.lossless, 0, contourlet ? 1 : 0);
  v.fixed("lowpass rounded", h.lowpass_rounded, 0, contourlet ? 1 : 0);
  v.fixed("block size", h.log2_block, 3, 5);
  v.fixed("vector precision", h.subpel, 0, h.prediction == Prediction::kPicture ? kMaxSubpel : 0);
  v.fixed("overlap", h.overlap, 0, h.prediction == Prediction::kPicture ? 1 : 0);
  v.fixed("split", h.split, 0, h.prediction == Prediction::kPicture && h.log2_block > 3 ? 1 : 0);
}

template <typename Visitor>
void visit_weights(Visitor& v, SequenceHeader& h) {
  if (is_h264(h.transform.kind)) return;  // steps by frequency are part of the transform
  const auto subbands = static_cast<size_t>(subband_count(h.transform));
  for (size_t set = 0; set < (h.planes() == 1 ? 1U : 2U); ++set) {
    for (size_t i = 0; i < subbands; ++i) v.fixed("subband weight", h.weights[set][i], 1, UINT16_MAX);
  }
}

}  // namespace

std::vector<uint8_t> write_sequence_header(const SequenceHeader& header) {
  std::vector<uint8_t> bytes;
  begin_unit(bytes, kTagHeader);
  FieldWriter w(bytes);
  SequenceHeader h = header;
  visit(w, h);
  visit_weights(w, h);
  store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() + 4 - kPrefixSize));
  append_crc(bytes);
  return bytes;
}

Result<SequenceHeader> read_sequence_header(std::span<const uint8_t> unit) {
  CTV_RETURN_IF_ERROR(check_unit(unit, UnitKind::kHeader, "sequence header"));
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  SequenceHeader h;
  visit(r, h);
  if (!r.status().ok()) return r.status();
  visit_weights(r, h);
  const size_t covered = kPrefixSize + r.offset();
  uint32_t crc = 0;
  r.fixed("header checksum", crc, 0, UINT32_MAX);
  if (!r.status().ok()) return r.status();
  if (r.left() != 0) r.refuse("sequence header", "bytes follow its checksum");
  if (!r.status().ok()) return r.status();
  CTV_RETURN_IF_ERROR(check_crc(unit.first(covered), crc, "sequence header"));
  return h;
}

}  // namespace ctv
