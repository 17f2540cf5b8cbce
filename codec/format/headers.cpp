// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/headers.hpp"

#include <cstring>

#include "codec/dsp/directional.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "codec/format/bytes.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {
namespace {

constexpr uint32_t kTagHeader = 0x53565443;   // "CTVS"
constexpr uint32_t kTagPacket = 0x50565443;   // "CTVP"
constexpr uint32_t kTagIndex = 0x58565443;    // "CTVX"
constexpr uint32_t kTagTrailer = 0x43545658;  // "XVTC"
constexpr uint32_t kMaxRate = 0x7fffffff;
constexpr uint32_t kMaxPayload = 0x7fffffff;

template <typename Visitor, typename Enum>
void visit_enum(Visitor& v, const char* field, Enum& value, Enum last) {
  auto raw = static_cast<uint8_t>(value);
  v.fixed(field, raw, 0, static_cast<uint64_t>(last));
  value = static_cast<Enum>(raw);
}

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

template <typename Visitor>
void visit(Visitor& v, FrameParameters& f) {
  v.fixed("frame number", f.number, 0, UINT32_MAX);
  visit_enum(v, "frame type", f.type, FrameType::kPredicted);
  v.fixed("reference", f.reference, f.type == FrameType::kKey ? 0 : 1, f.type == FrameType::kKey ? 0 : 1);
  v.fixed("base step", f.base_step, 1, UINT16_MAX);
  v.fixed("reconstruction offset", f.reconstruction_offset, 0, 31);
}

void begin_unit(std::vector<uint8_t>& bytes, uint32_t tag) {
  FieldWriter w(bytes);
  w.fixed("tag", tag);
  w.fixed("size", uint32_t{0});
}

void append_crc(std::vector<uint8_t>& bytes) {
  const uint32_t crc = crc32_of(bytes);
  FieldWriter(bytes).fixed("checksum", crc);
}

Status check_crc(std::span<const uint8_t> covered, uint32_t stored, const char* what) {
  if (crc32_of(covered) == stored) return {};
  return {CTV_ERROR_STREAM,
          std::string(what) + " checksum at byte " + std::to_string(covered.size()) + ": wrong"};
}

// A whole unit of one kind, of the announced size.
Status check_unit(std::span<const uint8_t> unit, UnitKind kind, const char* name) {
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind != kind) return {CTV_ERROR_STREAM, std::string("unit tag at byte 0: not a ") + name};
  if (prefix.size != unit.size()) {
    return {CTV_ERROR_STREAM, std::string(name) + " size at byte 4: " + std::to_string(prefix.size) +
                                  " bytes announced, " + std::to_string(unit.size()) + " given"};
  }
  return {};
}

}  // namespace

Result<UnitPrefix> read_prefix(std::span<const uint8_t> bytes) {
  FieldReader r(bytes, 0);
  uint32_t tag = 0;
  uint32_t size = 0;
  r.fixed("unit tag", tag, 0, UINT32_MAX);
  r.fixed("unit size", size, 0, kMaxPayload);
  if (!r.status().ok()) return r.status();
  const uint64_t total = kPrefixSize + uint64_t{size};
  switch (tag) {
    case kTagHeader:
      return UnitPrefix{UnitKind::kHeader, total};
    case kTagPacket:
      return UnitPrefix{UnitKind::kPacket, total};
    case kTagIndex:
      return UnitPrefix{UnitKind::kIndex, total};
    default:
      return {CTV_ERROR_STREAM, "unit tag at byte 0: neither header, packet nor index"};
  }
}

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

void write_packet_header(const PacketHeader& header, std::vector<uint8_t>& bytes) {
  bytes.clear();
  begin_unit(bytes, kTagPacket);
  FieldWriter w(bytes);
  FrameParameters f = header.frame;
  visit(w, f);
  w.varint("motion size", header.motion_size);
  uint64_t payload = header.motion_size;
  for (const uint32_t size : header.component_sizes) {
    w.varint("component size", size);
    payload += size;
  }
  for (const uint32_t crc : header.layer_crcs) w.fixed("layer checksum", crc);
  store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() + 4 + payload - kPrefixSize));
  append_crc(bytes);
}

Status read_packet_header(std::span<const uint8_t> unit, size_t components, size_t layers,
                          PacketHeader& header) {
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind != UnitKind::kPacket) return {CTV_ERROR_STREAM, "unit tag at byte 0: not a packet"};
  if (unit.size() > prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 4: " + std::to_string(prefix.size) + " bytes announced, " +
                                  std::to_string(unit.size()) + " given"};
  }
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  visit(r, header.frame);
  r.varint("motion size", header.motion_size, 0, kMaxPayload);
  header.component_sizes.resize(components);
  header.layer_crcs.resize(layers);
  uint64_t payload = header.motion_size;
  for (uint32_t& size : header.component_sizes) {
    r.varint("component size", size, 0, kMaxPayload);
    payload += size;
  }
  for (uint32_t& crc : header.layer_crcs) r.fixed("layer checksum", crc, 0, UINT32_MAX);
  const size_t covered = kPrefixSize + r.offset();
  uint32_t crc = 0;
  r.fixed("packet header checksum", crc, 0, UINT32_MAX);
  if (!r.status().ok()) return r.status();
  CTV_RETURN_IF_ERROR(check_crc(unit.first(covered), crc, "packet header"));
  header.size = covered + 4;
  header.unit_size = prefix.size;
  if (header.size + payload != prefix.size) {
    return {CTV_ERROR_STREAM, "packet size at byte 4: " + std::to_string(prefix.size) + " bytes announced, " +
                                  std::to_string(header.size + payload) + " by the component sizes"};
  }
  return {};
}

std::vector<uint8_t> write_index(const std::vector<IndexEntry>& entries) {
  std::vector<uint8_t> bytes;
  begin_unit(bytes, kTagIndex);
  FieldWriter w(bytes);
  w.fixed("entry count", static_cast<uint32_t>(entries.size()));
  for (const IndexEntry& e : entries) {
    w.fixed("offset", e.offset);
    w.fixed("key", static_cast<uint8_t>(e.key));
  }
  store_u32(bytes, 4, static_cast<uint32_t>(bytes.size() + 12 - kPrefixSize));
  append_crc(bytes);
  w.fixed("index size", static_cast<uint32_t>(bytes.size() + 8));
  w.fixed("trailer tag", kTagTrailer);
  return bytes;
}

Result<size_t> read_index(std::span<const uint8_t> unit, void (*sink)(void*, size_t, IndexEntry),
                          void* opaque) {
  CTV_RETURN_IF_ERROR(check_unit(unit, UnitKind::kIndex, "index"));
  FieldReader r(unit.subspan(kPrefixSize), kPrefixSize);
  uint32_t count = 0;
  r.fixed("entry count", count, 0, UINT32_MAX);
  constexpr size_t kEntrySize = 9;
  if (r.status().ok() && r.left() != count * uint64_t{kEntrySize} + 12) {
    r.refuse("entry count", "does not fit the size of the index");
  }
  if (!r.status().ok()) return r.status();
  const size_t covered = unit.size() - 12;
  CTV_RETURN_IF_ERROR(check_crc(unit.first(covered), load_u32(unit.data() + covered), "index"));
  for (size_t i = 0; i < count; ++i) {
    uint64_t offset = 0;
    uint8_t key = 0;
    r.fixed("offset", offset, 0, UINT64_MAX);
    r.fixed("key", key, 0, 1);
    if (!r.status().ok()) return r.status();
    sink(opaque, i, {offset, key != 0});
  }
  CTV_ASSIGN_OR_RETURN(const uint64_t size, read_index_trailer(unit.last(8)));
  if (size != unit.size()) return {CTV_ERROR_STREAM, "index trailer: its size differs from the unit's"};
  return size_t{count};
}

Result<uint64_t> read_index_trailer(std::span<const uint8_t> bytes) {
  if (bytes.size() != 8 || load_u32(bytes.data() + 4) != kTagTrailer) {
    return {CTV_ERROR_STREAM, "index trailer: not there"};
  }
  return uint64_t{load_u32(bytes.data())};
}

}  // namespace ctv
