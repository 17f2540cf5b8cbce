// SPDX-License-Identifier: BSD-3-Clause
// ctvparse. Divides a stream of bytes into buffers of one packet each, preceded by the sequence header if
// there is one. Damaged bytes are skipped up to the next unit. An index is dropped; if it can be read in
// advance (from a file), it tells the duration and where seeks go.
#include <ctv/ctv.h>
#include <gst/base/gstbaseparse.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "bindings/gstreamer/elements.h"
#include "bindings/gstreamer/stream_caps.h"
#include "bindings/gstreamer/video_formats.h"

GST_DEBUG_CATEGORY_STATIC(ctv_gst_parser_debug);
#define GST_CAT_DEFAULT ctv_gst_parser_debug

struct CtvGstParser {
  GstBaseParse parent;
  gboolean repeat_header;
  GstBuffer* header;
  ctv_stream_info stream;
  GArray* keys;  // KeyFrame: of the index, in order; empty without one; under the object's lock
};
struct CtvGstParserClass {
  GstBaseParseClass parent;
};
G_DEFINE_TYPE(CtvGstParser, ctv_gst_parser, GST_TYPE_BASE_PARSE)

namespace {

using namespace ctv::gst;

constexpr uint64_t kMostUnit = uint64_t{1} << 30;  // bytes, a decoder's default limit
enum Property { kNone, kRepeatHeader };

struct KeyFrame {
  guint64 offset;
  GstClockTime time;
};

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(CTV_GST_MEDIA_TYPE "; " CTV_GST_IN_MOV "; " CTV_GST_IN_MATROSKA));
GstStaticPadTemplate source_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CTV_GST_FRAMES));

CtvGstParser& self_of(void* instance) { return *static_cast<CtvGstParser*>(instance); }

/// Noise takes about a byte per sample. A packet of more than two bytes per sample is damaged, and not waited
/// for.
bool parse_unit(const CtvGstParser& self, const uint8_t* data, size_t size, ctv_unit_kind& kind,
                uint64_t& unit) {
  if (ctv_unit_parse(data, size, &kind, &unit) != CTV_OK || unit > kMostUnit) return false;
  const ctv_stream_info& s = self.stream;
  const uint64_t samples = uint64_t(s.width) * uint64_t(s.height) * uint64_t(s.planes);
  return kind != CTV_UNIT_PACKET || self.header == nullptr || unit <= 2 * samples + (1 << 20);
}

/// Number of bytes before the next possible unit.
size_t garbage(const CtvGstParser& self, const uint8_t* data, size_t size) {
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  uint64_t unit = 0;
  size_t at = 1;
  while (at + CTV_UNIT_PREFIX_SIZE <= size && !parse_unit(self, data + at, size - at, kind, unit)) ++at;
  return at;
}

/// Bytes of a file, without moving the stream; empty if they cannot be had.
std::vector<uint8_t> pulled(CtvGstParser& self, guint64 offset, guint64 size) {
  GstBuffer* buffer = nullptr;
  if (size > kMostUnit || gst_pad_pull_range(GST_BASE_PARSE_SINK_PAD(&self), offset, static_cast<guint>(size),
                                             &buffer) != GST_FLOW_OK)
    return {};
  std::vector<uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  gst_buffer_unref(buffer);
  if (bytes.size() != size) bytes.clear();
  return bytes;
}

/// The byte after the packet at an offset; 0: there is none.
guint64 end_of_packet(CtvGstParser& self, guint64 offset) {
  const std::vector<uint8_t> prefix = pulled(self, offset, CTV_UNIT_PREFIX_SIZE);
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  uint64_t size = 0;
  if (prefix.empty() || ctv_unit_parse(prefix.data(), prefix.size(), &kind, &size) != CTV_OK ||
      kind != CTV_UNIT_PACKET)
    return 0;
  return offset + size;
}

/// Reads the index of a whole file. It counts only if it leads up to itself, and if one header is in force in
/// all of the file: after a seek the parser sees no other.
void read_index(CtvGstParser& self) {
  auto* parse = GST_BASE_PARSE(&self);
  GstPad* pad = GST_BASE_PARSE_SINK_PAD(parse);
  gint64 file = 0;
  if (GST_PAD_MODE(pad) != GST_PAD_MODE_PULL || !gst_pad_peer_query_duration(pad, GST_FORMAT_BYTES, &file) ||
      file < CTV_INDEX_TRAILER_SIZE)
    return;
  const auto bytes = static_cast<guint64>(file);
  const std::vector<uint8_t> trailer = pulled(self, bytes - CTV_INDEX_TRAILER_SIZE, CTV_INDEX_TRAILER_SIZE);
  uint64_t size = 0;
  size_t count = 0;
  if (trailer.empty() || ctv_index_trailer_parse(trailer.data(), trailer.size(), &size) != CTV_OK ||
      size > bytes)
    return;
  const std::vector<uint8_t> unit = pulled(self, bytes - size, size);
  if (ctv_index_parse(unit.data(), unit.size(), nullptr, 0, &count) != CTV_OK || count == 0 || count > size)
    return;
  std::vector<ctv_index_entry> entries(count);
  if (ctv_index_parse(unit.data(), unit.size(), entries.data(), count, &count) != CTV_OK ||
      end_of_packet(self, entries.back().offset) != bytes - size)
    return;
  const gsize header = gst_buffer_get_size(self.header);
  std::vector<KeyFrame> keys;
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].key_frame == 0) continue;
    const guint64 before = i == 0 ? 0 : end_of_packet(self, entries[i - 1].offset);
    const guint64 gap = entries[i].offset - before;  // headers: none, or the same again
    const std::vector<uint8_t> again =
        gap == header && i > 0 ? pulled(self, before, gap) : std::vector<uint8_t>();
    const bool same = !again.empty() && gst_buffer_memcmp(self.header, 0, again.data(), again.size()) == 0;
    if (entries[i].offset < before || (i > 0 && (before == 0 || (gap != 0 && !same)))) return;
    keys.push_back({entries[i].offset, time_of(entries[i].timestamp, self.stream.fps_num)});
  }
  for (const KeyFrame& key : keys) gst_base_parse_add_index_entry(parse, key.offset, key.time, TRUE, TRUE);
  GST_OBJECT_LOCK(parse);
  g_array_append_vals(self.keys, keys.data(), static_cast<guint>(keys.size()));
  GST_OBJECT_UNLOCK(parse);
  const auto last = static_cast<uint64_t>(entries.back().timestamp);  // of any file: the sum may wrap
  const GstClockTime end =
      time_of(static_cast<int64_t>(last + static_cast<uint64_t>(self.stream.fps_den)), self.stream.fps_num);
  gst_base_parse_set_duration(parse, GST_FORMAT_TIME, static_cast<gint64>(end), 0);
}

/// With an index, seeks to key frames begin at one, and others are accurate, since the frames before are few.
/// The base class would guess the place by the mean rate. Called by any thread.
gboolean src_event(GstBaseParse* parse, GstEvent* event) {
  const CtvGstParser& self = self_of(parse);
  auto* const base = GST_BASE_PARSE_CLASS(ctv_gst_parser_parent_class);
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEEK) return base->src_event(parse, event);
  GST_OBJECT_LOCK(parse);
  const auto* known = reinterpret_cast<const KeyFrame*>(self.keys->data);
  const std::vector<KeyFrame> keys(known, known + self.keys->len);
  GST_OBJECT_UNLOCK(parse);
  if (keys.empty()) return base->src_event(parse, event);
  gdouble rate = 1;
  GstFormat format = GST_FORMAT_UNDEFINED;
  GstSeekFlags flags = GST_SEEK_FLAG_NONE;
  GstSeekType start_type = GST_SEEK_TYPE_NONE, stop_type = GST_SEEK_TYPE_NONE;
  gint64 start = 0, stop = 0;
  gst_event_parse_seek(event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (format != GST_FORMAT_TIME || rate <= 0 || start_type != GST_SEEK_TYPE_SET || start < 0)
    return base->src_event(parse, event);
  if ((flags & GST_SEEK_FLAG_KEY_UNIT) != 0) {
    auto after = std::lower_bound(keys.begin(), keys.end(), static_cast<GstClockTime>(start),
                                  [](const KeyFrame& key, GstClockTime t) { return key.time < t; });
    const bool passed =
        after == keys.end() || (after != keys.begin() && after->time > static_cast<GstClockTime>(start));
    const auto before = passed ? after - 1 : after;
    if (after == keys.end()) after = before;
    const GstSeekFlags snap = static_cast<GstSeekFlags>(flags & GST_SEEK_FLAG_SNAP_NEAREST);
    const bool later =
        snap == GST_SEEK_FLAG_SNAP_AFTER ||
        (snap == GST_SEEK_FLAG_SNAP_NEAREST &&
         after->time - static_cast<GstClockTime>(start) < static_cast<GstClockTime>(start) - before->time);
    start = static_cast<gint64>((later ? after : before)->time);
  }
  // Accurate: the place comes from the base class's index, which has the key frames.
  GstEvent* seek = gst_event_new_seek(rate, format, static_cast<GstSeekFlags>(flags | GST_SEEK_FLAG_ACCURATE),
                                      start_type, start, stop_type, stop);
  gst_event_set_seqnum(seek, gst_event_get_seqnum(event));
  gst_event_unref(event);
  return base->src_event(parse, seek);
}

/// Puts a new header into the caps. False if it cannot be parsed.
bool take_header(CtvGstParser& self, const uint8_t* data, size_t size) {
  if (self.header != nullptr && gst_buffer_get_size(self.header) == size &&
      gst_buffer_memcmp(self.header, 0, data, size) == 0)
    return true;
  GstCaps* caps = caps_of_header(data, size);
  if (caps == nullptr) return false;
  ctv_stream_info_parse(data, size, &self.stream);
  const bool first = self.header == nullptr;
  gst_clear_buffer(&self.header);
  self.header = buffer_of(data, size);
  auto* parse = GST_BASE_PARSE(&self);
  gst_pad_set_caps(GST_BASE_PARSE_SRC_PAD(parse), caps);
  gst_caps_unref(caps);
  gst_base_parse_set_frame_rate(parse, static_cast<guint>(self.stream.fps_num),
                                static_cast<guint>(self.stream.fps_den), 0, 0);
  try {
    if (first) read_index(self);
  } catch (const std::bad_alloc&) {
    GST_WARNING_OBJECT(&self, "no memory for the index: seeks search the file");
  }
  return true;
}

/// Sets times and flags of a frame from its packet.
void describe(CtvGstParser& self, GstBaseParseFrame* frame, const uint8_t* packet, size_t size,
              bool has_header) {
  GstMapInfo map;
  if (!gst_buffer_map(self.header, &map, GST_MAP_READ)) return;
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  const ctv_status status = ctv_packet_info_parse(map.data, map.size, packet, size, &info, nullptr, 0);
  gst_buffer_unmap(self.header, &map);
  GstBuffer* buffer = frame->buffer;
  if (status != CTV_OK) {  // the decoder reports the error, too
    GST_WARNING_OBJECT(&self, "%s", ctv_last_error());
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    return;
  }
  if (!GST_BUFFER_PTS_IS_VALID(buffer)) GST_BUFFER_PTS(buffer) = time_of(info.timestamp, self.stream.fps_num);
  if (!GST_BUFFER_DURATION_IS_VALID(buffer))
    GST_BUFFER_DURATION(buffer) = time_of(info.duration, self.stream.fps_num);
  GST_BUFFER_DTS(buffer) = GST_BUFFER_PTS(buffer);  // packets are in display order
  if (info.key_frame == 0) {
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    return;
  }
  GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (self.repeat_header && !has_header) {
    // The frame's buffer may go on behind the packet.
    frame->out_buffer = gst_buffer_append(gst_buffer_copy(self.header),
                                          gst_buffer_copy_region(buffer, GST_BUFFER_COPY_MEMORY, 0, size));
    gst_buffer_copy_into(frame->out_buffer, buffer,
                         static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS),
                         0, -1);
  }
}

GstFlowReturn drop(GstBaseParse* parse, GstBaseParseFrame* frame, size_t size) {
  frame->flags |= GST_BASE_PARSE_FRAME_FLAG_DROP;
  return gst_base_parse_finish_frame(parse, frame, static_cast<gint>(size));
}

/// Handles the first units of a buffer: headers, then a packet or an index.
GstFlowReturn handle(CtvGstParser& self, GstBaseParseFrame* frame, const GstMapInfo& map, gint* skip) {
  auto* parse = GST_BASE_PARSE(&self);
  size_t at = 0;
  for (;;) {
    if (map.size < at + CTV_UNIT_PREFIX_SIZE) {
      gst_base_parse_set_min_frame_size(parse, static_cast<guint>(at + CTV_UNIT_PREFIX_SIZE));
      return GST_FLOW_OK;
    }
    ctv_unit_kind kind = CTV_UNIT_INDEX;
    uint64_t unit = 0;
    const bool is_unit = parse_unit(self, map.data + at, map.size - at, kind, unit);
    if (!is_unit || (kind == CTV_UNIT_PACKET && self.header == nullptr)) {
      // A header before garbage was used. A packet before any header is useless.
      *skip = static_cast<gint>(at > 0 ? at : garbage(self, map.data, map.size));
      return GST_FLOW_OK;
    }
    if (map.size - at < unit && GST_BASE_PARSE_DRAINING(parse)) {
      // A damaged size, or a truncated file: it may contain whole units.
      *skip = static_cast<gint>(at > 0 ? at : garbage(self, map.data, map.size));
      return GST_FLOW_OK;
    }
    if (map.size - at < unit) {
      gst_base_parse_set_min_frame_size(parse, static_cast<guint>(at + unit));
      return GST_FLOW_OK;
    }
    const size_t end = at + static_cast<size_t>(unit);
    gst_base_parse_set_min_frame_size(parse, CTV_UNIT_PREFIX_SIZE);
    if (kind == CTV_UNIT_HEADER) {
      if (!take_header(self, map.data + at, static_cast<size_t>(unit))) return drop(parse, frame, end);
      at = end;
      continue;
    }
    if (kind == CTV_UNIT_INDEX) return drop(parse, frame, end);
    describe(self, frame, map.data + at, static_cast<size_t>(unit), at > 0);
    return gst_base_parse_finish_frame(parse, frame, static_cast<gint>(end));
  }
}

GstFlowReturn handle_frame(GstBaseParse* parse, GstBaseParseFrame* frame, gint* skip) {
  *skip = 0;
  GstMapInfo map;
  GstBuffer* buffer = gst_buffer_ref(frame->buffer);
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    gst_buffer_unref(buffer);
    return GST_FLOW_ERROR;
  }
  const GstFlowReturn flow = handle(self_of(parse), frame, map, skip);
  gst_buffer_unmap(buffer, &map);
  gst_buffer_unref(buffer);
  return flow;
}

gboolean start(GstBaseParse* parse) {
  gst_base_parse_set_min_frame_size(parse, CTV_UNIT_PREFIX_SIZE);
  return TRUE;
}

gboolean stop(GstBaseParse* parse) {
  gst_clear_buffer(&self_of(parse).header);
  GST_OBJECT_LOCK(parse);
  g_array_set_size(self_of(parse).keys, 0);
  GST_OBJECT_UNLOCK(parse);
  return TRUE;
}

void finalize(GObject* object) {
  g_array_unref(self_of(object).keys);
  G_OBJECT_CLASS(ctv_gst_parser_parent_class)->finalize(object);
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  if (id == kRepeatHeader) {
    self_of(object).repeat_header = g_value_get_boolean(value);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == kRepeatHeader) {
    g_value_set_boolean(value, self_of(object).repeat_header);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

}  // namespace

static void ctv_gst_parser_init(CtvGstParser* self) {
  ctv_stream_info_init(&self->stream);
  self->keys = g_array_new(FALSE, FALSE, sizeof(KeyFrame));
  auto* parse = GST_BASE_PARSE(self);
  gst_base_parse_set_has_timing_info(parse, TRUE);
  gst_base_parse_set_infer_ts(parse, FALSE);  // packets have their times
  gst_base_parse_set_pts_interpolation(parse, FALSE);
}

static void ctv_gst_parser_class_init(CtvGstParserClass* cls) {
  GST_DEBUG_CATEGORY_INIT(ctv_gst_parser_debug, "ctvparse", 0, "ctv parser");
  auto* element = GST_ELEMENT_CLASS(cls);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &source_template);
  gst_element_class_set_static_metadata(element, "ctv parser", "Codec/Parser/Video",
                                        "Cuts streams of the contourlet codec ctv into frames",
                                        "The ctv developers");
  cls->parent.start = &start;
  cls->parent.stop = &stop;
  cls->parent.handle_frame = &handle_frame;
  cls->parent.src_event = &src_event;
  auto* object = G_OBJECT_CLASS(cls);
  object->set_property = &set_property;
  object->get_property = &get_property;
  object->finalize = &finalize;
  g_object_class_install_property(
      object, kRepeatHeader,
      g_param_spec_boolean("repeat-header", "repeat-header",
                           "Puts the sequence header in front of every key frame, for receivers that join",
                           FALSE, static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
}
