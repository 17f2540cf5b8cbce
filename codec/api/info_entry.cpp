// SPDX-License-Identifier: BSD-3-Clause
// The C interface: parsing of units.
#include <algorithm>
#include <vector>

#include "codec/api/entry.hpp"
#include "codec/entropy/slope_map.hpp"
#include "codec/format/components.hpp"
#include "codec/format/fields.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/picture_format.hpp"
#include "codec/format/stream_index.hpp"
#include "codec/format/units.hpp"
#include "codec/pipeline/stream.hpp"

using ctv::Status;
using ctv::api::guarded;
using ctv::api::need;

namespace {

struct IndexSink {
  ctv_index_entry* entries;
  size_t capacity;
};

ctv_stream_info describe(const ctv::SequenceHeader& h) {
  ctv_stream_info i{};
  for (const ctv::StreamField& field : ctv::stream_fields()) {
    if (field.info == ctv::StreamField::kNone) continue;
    for (int n = 0; n < field.values_in(h); ++n) {
      ctv::set_member_at(&i, field.info, n, field.to_public(field.get(h, n)));
    }
  }
  const auto source = static_cast<ctv_format>(h.source);
  i.format = ctv::format_of(source, h.bits());
  i.bits = h.bits();
  std::copy(h.hdr.mastering_primaries.begin(), h.hdr.mastering_primaries.end(), i.mastering_primaries);
  std::copy(h.hdr.mastering_luminance.begin(), h.hdr.mastering_luminance.end(), i.mastering_luminance);
  std::copy(h.hdr.content_light.begin(), h.hdr.content_light.end(), i.content_light);
  i.chroma_420 = h.chroma_420 != 0 || source == CTV_FORMAT_I420 ? 1 : 0;
  i.planes = h.planes();
  for (int p = 0; p < i.planes; ++p) i.subbands[p] = ctv::subband_count(h.transform);
  i.layers = h.transform.scales + 1;
  const ctv::Stream stream = ctv::make_stream(h);
  i.components = static_cast<int32_t>(ctv::make_components(stream.picture, h.grouping).size());
  return i;
}

// The components of a packet. Regions have all planes and no subbands.
std::vector<ctv::Component> components_of(const ctv::Stream& stream, const ctv::PacketHeader& packet) {
  if (!stream.header.macroblocks() || packet.frame.type == ctv::FrameType::kKey)
    return ctv::make_components(stream.picture, stream.header.grouping);
  return std::vector<ctv::Component>(packet.component_sizes.size(),
                                     {0, 0, stream.picture.planes - 1, 0, 0, 0});
}

// The slopes in the side payload of a key frame; none without directional lifting.
Status read_slopes(std::span<const uint8_t> side, const ctv::SlopeGrid& grid, std::vector<int8_t>& slopes) {
  slopes.resize(grid.size());
  if (!ctv::SlopeMap(grid).decode(side, slopes.data())) return {CTV_ERROR_STREAM, "side payload: damaged"};
  return {};
}

// A small packet may describe a large picture. No decoder with the default limits takes a stream with more
// slopes.
constexpr size_t kMostSlopes = size_t{1} << 21;

Status count_slopes(std::span<const uint8_t> side, const ctv::SlopeGrid& grid, ctv_packet_info& info) {
  if (grid.size() > kMostSlopes) return {};
  std::vector<int8_t> slopes;
  CTV_RETURN_IF_ERROR(read_slopes(side, grid, slopes));
  if (slopes.empty()) return {};
  info.slope_blocks = static_cast<int32_t>(slopes.size() - ctv::SlopeGrid::kHead);
  info.slanted_blocks = static_cast<int32_t>(
      std::count_if(slopes.begin() + ctv::SlopeGrid::kHead, slopes.end(), [](int8_t s) { return s != 0; }));
  for (int i = 0; i < ctv::kDirectedBands; ++i) {
    const auto n = slopes[static_cast<size_t>(ctv::kSlopedScales + i)];
    info.band_directions[i] = n == 0 ? 0 : 1 << n;
  }
  return {};
}

}  // namespace

extern "C" {

int32_t ctv_format_bits(ctv_format format) {
  return ctv::format_planes(format) == 0 ? 0 : ctv::picture_format(format).bits;
}

size_t ctv_plane_row_bytes(ctv_format format, int32_t width, int plane) {
  if (width < 1 || plane < 0 || plane >= ctv::format_planes(format)) return 0;
  return ctv::plane_row_bytes(format, width, plane);
}

size_t ctv_plane_rows(ctv_format format, int32_t height, int plane) {
  if (height < 1 || plane < 0 || plane >= ctv::format_planes(format)) return 0;
  return static_cast<size_t>(ctv::plane_rows(format, height, plane));
}

ctv_status ctv_parameter_get_info(int i, ctv_parameter_info* info) {
  bool past = false;
  const ctv_status status = guarded([&]() -> Status {
    ctv_parameter_info p{};
    CTV_RETURN_IF_ERROR(ctv::api::write_struct(p, "info", info));
    const ctv::StreamField* field = nullptr;
    for (const ctv::StreamField& f : ctv::stream_fields()) {
      if (f.config != ctv::StreamField::kNone && i-- == 0) field = &f;
    }
    past = field == nullptr;
    if (past) return {};
    p.name = field->name;
    p.description = field->description;
    p.minimum = static_cast<int32_t>(field->to_public(field->lo));
    p.maximum = static_cast<int32_t>(field->to_public(field->hi));
    p.values = field->values.data();
    p.value_count = field->values.size();
    p.config_offset = field->config;
    p.info_offset = field->info;
    return ctv::api::write_struct(p, "info", info);
  });
  return status == CTV_OK && past ? CTV_END : status;
}

ctv_status ctv_unit_parse(const uint8_t* data, size_t size, ctv_unit_kind* kind, uint64_t* unit_size) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_RETURN_IF_ERROR(need(kind, "kind"));
    CTV_RETURN_IF_ERROR(need(unit_size, "unit_size"));
    CTV_ASSIGN_OR_RETURN(const ctv::UnitPrefix prefix, ctv::read_prefix({data, size}));
    *kind = static_cast<ctv_unit_kind>(prefix.kind);
    *unit_size = prefix.size;
    return {};
  });
}

ctv_status ctv_stream_info_parse(const uint8_t* data, size_t size, ctv_stream_info* info) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_ASSIGN_OR_RETURN(const ctv::SequenceHeader header, ctv::read_sequence_header({data, size}));
    return ctv::api::write_struct(describe(header), "info", info);
  });
}

ctv_status ctv_packet_info_parse(const uint8_t* header, size_t header_size, const uint8_t* data, size_t size,
                                 ctv_packet_info* info, ctv_component_info* components, size_t capacity) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(header, "header"));
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_ASSIGN_OR_RETURN(const ctv::SequenceHeader sequence,
                         ctv::read_sequence_header({header, header_size}));
    const ctv::Stream stream = ctv::make_stream(sequence);
    ctv::PacketHeader packet;
    CTV_RETURN_IF_ERROR(ctv::read_packet_header({data, size}, ctv::packet_layout(stream), packet));
    const auto list = components_of(stream, packet);
    ctv_packet_info i{};
    i.frame_number = packet.frame.number;
    i.key_frame = packet.frame.type == ctv::FrameType::kKey ? 1 : 0;
    i.reference_frame = i.key_frame != 0 ? -1 : i.frame_number - packet.frame.reference;
    i.temporal_id = packet.frame.temporal_id;
    i.keep_in = packet.frame.kept ? packet.frame.slot : CTV_KEEP_NOWHERE;
    i.unit_size = packet.unit_size;
    const ctv::FrameTime time = ctv::frame_time(packet.frame, sequence.fps_den);
    i.timestamp = time.timestamp;
    i.duration = time.duration;
    i.step = packet.frame.base_step / 16.0;
    i.header_size = static_cast<uint32_t>(packet.size);
    i.side_size = packet.side_size;
    if (packet.frame.type == ctv::FrameType::kKey) {
      CTV_RETURN_IF_ERROR(count_slopes({data + packet.size, packet.side_size}, stream.slopes, i));
    }
    i.components = static_cast<int32_t>(list.size());
    i.layers = stream.picture.subbands[0].layers;
    for (size_t c = 0; components != nullptr && c < list.size() && c < capacity; ++c) {
      components[c] = {
          list[c].layer,        list[c].first_plane, list[c].last_plane,        list[c].first_subband,
          list[c].last_subband, list[c].levels,      packet.component_sizes[c], packet.component_checks[c]};
    }
    return ctv::api::write_struct(i, "info", info);
  });
}

ctv_status ctv_packet_slopes(const uint8_t* header, size_t header_size, const uint8_t* data, size_t size,
                             int32_t scale, int8_t* slopes, size_t capacity, int32_t* rows, int32_t* cols) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(header, "header"));
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_RETURN_IF_ERROR(need(rows, "rows"));
    CTV_RETURN_IF_ERROR(need(cols, "cols"));
    if (capacity > 0) CTV_RETURN_IF_ERROR(need(slopes, "slopes"));
    if (scale < 1 || scale > ctv::kSlopedScales) return {CTV_ERROR_ARGUMENT, "scale: not 1..3"};
    CTV_ASSIGN_OR_RETURN(const ctv::SequenceHeader sequence,
                         ctv::read_sequence_header({header, header_size}));
    const ctv::Stream stream = ctv::make_stream(sequence);
    ctv::PacketHeader packet;
    CTV_RETURN_IF_ERROR(ctv::read_packet_header({data, size}, ctv::packet_layout(stream), packet));
    *rows = *cols = 0;
    if (packet.frame.type != ctv::FrameType::kKey || scale > stream.slopes.scales) return {};
    std::vector<int8_t> all;
    CTV_RETURN_IF_ERROR(read_slopes({data + packet.size, packet.side_size}, stream.slopes, all));
    const ctv::Extent blocks = stream.slopes.extent(scale);
    *rows = blocks.rows;
    *cols = blocks.cols;
    std::transform(all.data() + stream.slopes.offset(scale),
                   all.data() + stream.slopes.offset(scale) + std::min(capacity, blocks.area()), slopes,
                   [](int8_t slope) { return static_cast<int8_t>(ctv::half_columns(slope)); });
    return {};
  });
}

ctv_status ctv_packet_parts(const uint8_t* header, size_t header_size, const uint8_t* data, size_t size,
                            ctv_part* parts, size_t capacity, size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(header, "header"));
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    if (capacity > 0) CTV_RETURN_IF_ERROR(need(parts, "parts"));
    CTV_ASSIGN_OR_RETURN(const ctv::SequenceHeader sequence,
                         ctv::read_sequence_header({header, header_size}));
    const ctv::Stream stream = ctv::make_stream(sequence);
    ctv::PacketHeader packet;
    CTV_RETURN_IF_ERROR(ctv::read_packet_header({data, size}, ctv::packet_layout(stream), packet));
    // Without checks of its own a component cannot be told from a damaged one.
    const auto list = packet.checked ? components_of(stream, packet) : std::vector<ctv::Component>();
    uint64_t offset = 0;
    for (size_t i = 0; i <= list.size(); ++i) {
      uint64_t bytes = packet.checked ? packet.size + packet.side_size : packet.unit_size;
      if (i > 0) bytes = packet.component_sizes[i - 1];
      if (i < capacity) {
        const uint32_t check = i == 0 ? 0U : packet.component_checks[i - 1];
        parts[i] = {offset, static_cast<uint32_t>(bytes), i == 0 ? -1 : list[i - 1].layer, check};
      }
      offset += bytes;
    }
    *count = list.size() + 1;
    return {};
  });
}

uint32_t ctv_part_check(const uint8_t* data, size_t size) {
  return data == nullptr ? 0 : ctv::part_check({data, size});
}

ctv_status ctv_index_parse(const uint8_t* data, size_t size, ctv_index_entry* entries, size_t capacity,
                           size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    IndexSink sink{entries, entries == nullptr ? 0 : capacity};
    const auto store = [](void* opaque, size_t i, ctv::IndexEntry e) {
      const auto& s = *static_cast<IndexSink*>(opaque);
      if (i < s.capacity) s.entries[i] = {e.offset, e.timestamp, e.key ? 1 : 0};
    };
    CTV_ASSIGN_OR_RETURN(*count, ctv::read_index({data, size}, store, &sink));
    return {};
  });
}

ctv_status ctv_index_trailer_parse(const uint8_t* data, size_t size, uint64_t* index_unit_size) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(data, "data"));
    CTV_RETURN_IF_ERROR(need(index_unit_size, "index_unit_size"));
    CTV_ASSIGN_OR_RETURN(*index_unit_size, ctv::read_index_trailer({data, size}));
    return {};
  });
}

}  // extern "C"
