// SPDX-License-Identifier: BSD-3-Clause
// rtpctvpay. Each RTP packet carries one datagram of ctv_net, with parity according to `loss`. Each key frame
// includes the sequence header.
#include <gst/rtp/gstrtpbasepayload.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <ctv/call.hpp>

#include <cstring>
#include <span>
#include <vector>

#include "bindings/gstreamer/elements.h"
#include "bindings/gstreamer/properties.h"
#include "bindings/gstreamer/stream_caps.h"

namespace {

using Bytes = std::span<const uint8_t>;

}  // namespace

struct CtvGstPayloader {
  GstRTPBasePayload parent;
  GMutex mutex;            // protects the sender and the numbers
  ctv_net_sender* sender;  // null before the first frame
  guint mtu;               // of `sender`
  int64_t newest;          // number of the last frame sent
  int64_t ahead;           // offset to the packets' frame numbers
  GstBuffer* header;
  gint loss, burst;  // permille, thousandths
};
struct CtvGstPayloaderClass {
  GstRTPBasePayloadClass parent;
};
G_DEFINE_TYPE(CtvGstPayloader, ctv_gst_payloader, GST_TYPE_RTP_BASE_PAYLOAD)

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CTV_GST_FRAMES));
GstStaticPadTemplate source_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CTV_GST_RTP));

CtvGstPayloader& self_of(void* instance) { return *static_cast<CtvGstPayloader*>(instance); }

void close(CtvGstPayloader& self) {
  ctv_net_sender_close(self.sender);
  self.sender = nullptr;
}

bool open(CtvGstPayloader& self) {
  const guint mtu = gst_rtp_buffer_calc_payload_len(GST_RTP_BASE_PAYLOAD_MTU(&self), 0, 0);
  if (mtu != self.mtu) close(self);
  if (self.sender == nullptr) {
    ctv_net_sender_config config;
    ctv_net_sender_config_init(&config);
    config.mtu = static_cast<int32_t>(CLAMP(mtu, 64U, 65000U));
    config.repeats = 0;
    if (ctv_net_sender_open(&config, &self.sender) != CTV_OK) return false;
    self.mtu = mtu;
  }
  ctv_net_settings settings;
  ctv_net_settings_init(&settings);
  if (ctv_net_protection_choose(self.loss, self.burst, &settings.protection) != CTV_OK) return false;
  settings.key_protection = settings.protection;
  return ctv_net_sender_apply(self.sender, &settings) == CTV_OK;
}

GstFlowReturn fail(CtvGstPayloader& self, const char* why) {
  GST_ELEMENT_ERROR(&self, STREAM, FORMAT, ("The stream cannot be sent."), ("%s", why));
  return GST_FLOW_ERROR;
}

/// Pushes the sender's datagrams as RTP packets.
GstFlowReturn push_datagrams(CtvGstPayloader& self, GstBuffer* frame) {
  auto* base = GST_RTP_BASE_PAYLOAD(&self);
  GstBufferList* list = gst_buffer_list_new();
  const uint8_t* data = nullptr;
  size_t size = 0;
  g_mutex_lock(&self.mutex);
  while (ctv_net_sender_next(self.sender, 0, &data, &size) == CTV_OK) {
    GstBuffer* packet = gst_rtp_base_payload_allocate_output_buffer(base, static_cast<guint>(size), 0, 0);
    ctv_net_header header;
    ctv_net_header_init(&header);
    ctv_net_header_parse(data, size, &header);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    if (gst_rtp_buffer_map(packet, GST_MAP_WRITE, &rtp)) {
      memcpy(gst_rtp_buffer_get_payload(&rtp), data, size);
      gst_rtp_buffer_set_marker(&rtp, header.last != 0);
      gst_rtp_buffer_unmap(&rtp);
    }
    GST_BUFFER_PTS(packet) = GST_BUFFER_PTS(frame);
    // rtpulpfecenc protects packets with this flag more.
    GST_BUFFER_FLAG_SET(packet,
                        header.priority > 0 ? GST_BUFFER_FLAG_DELTA_UNIT : GST_BUFFER_FLAG_NON_DROPPABLE);
    if (header.discardable != 0) GST_BUFFER_FLAG_SET(packet, GST_BUFFER_FLAG_DROPPABLE);
    if (header.last != 0) GST_BUFFER_FLAG_SET(packet, GST_BUFFER_FLAG_MARKER);
    gst_buffer_list_add(list, packet);
  }
  g_mutex_unlock(&self.mutex);
  return gst_rtp_base_payload_push_list(base, list);
}

/// Divides a packet of the stream into datagrams.
bool cut(CtvGstPayloader& self, Bytes packet) {
  GstMapInfo map;
  if (self.header == nullptr || !gst_buffer_map(self.header, &map, GST_MAP_READ)) return false;
  const Bytes header(map.data, map.size);
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  std::vector<ctv_net_part> parts;
  g_mutex_lock(&self.mutex);
  bool done = ctv_packet_info_parse(header.data(), header.size(), packet.data(), packet.size(), &info,
                                    nullptr, 0) == CTV_OK &&
              ctv::packet_parts(header, packet, info.key_frame != 0, parts) == CTV_OK && open(self);
  if (done) {
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    // If the stream restarts, frame numbers continue.
    if (info.frame_number + self.ahead <= self.newest) self.ahead = self.newest + 1 - info.frame_number;
    frame.frame_number = self.newest = info.frame_number + self.ahead;
    frame.reference = info.reference_frame < 0 ? -1 : info.reference_frame + self.ahead;
    frame.temporal_id = info.temporal_id;
    frame.discardable = info.keep_in == CTV_KEEP_NOWHERE ? 1 : 0;
    frame.parts = parts.data();
    frame.part_count = parts.size();
    done = ctv_net_sender_push(self.sender, &frame) == CTV_OK;
  }
  g_mutex_unlock(&self.mutex);
  gst_buffer_unmap(self.header, &map);
  return done;
}

GstFlowReturn handle_buffer(GstRTPBasePayload* payloader, GstBuffer* buffer) {
  CtvGstPayloader& self = self_of(payloader);
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    gst_buffer_unref(buffer);
    return GST_FLOW_ERROR;
  }
  GstFlowReturn flow = GST_FLOW_OK;
  for (size_t at = 0; at < map.size && flow == GST_FLOW_OK;) {
    ctv_unit_kind kind = CTV_UNIT_INDEX;
    uint64_t size = 0;
    if (ctv_unit_parse(map.data + at, map.size - at, &kind, &size) != CTV_OK || size > map.size - at) {
      flow = fail(self, "a buffer is not made of whole units");
      break;
    }
    if (kind == CTV_UNIT_HEADER) {
      gst_clear_buffer(&self.header);
      self.header = ctv::gst::buffer_of(map.data + at, size);
    } else if (kind == CTV_UNIT_PACKET) {
      flow = cut(self, {map.data + at, size}) ? push_datagrams(self, buffer)
                                              : fail(self, "a packet is damaged or has no header");
    }
    at += size;
  }
  gst_buffer_unmap(buffer, &map);
  gst_buffer_unref(buffer);
  return flow;
}

/// Passes the reports of a receiver's message to the encoder, with its frame numbers.
void take_feedback(CtvGstPayloader& self, GBytes* message) {
  size_t size = 0;
  const auto* data = static_cast<const uint8_t*>(g_bytes_get_data(message, &size));
  ctv_net_feedback feedback;
  ctv_net_feedback_init(&feedback);
  std::vector<ctv_net_report> reports;
  g_mutex_lock(&self.mutex);
  if (self.sender != nullptr && ctv_net_sender_feedback(self.sender, 0, data, size, &feedback) == CTV_OK)
    reports.assign(feedback.reports, feedback.reports + feedback.report_count);
  const int64_t ahead = self.ahead;
  g_mutex_unlock(&self.mutex);
  for (const ctv_net_report& report : reports) {
    if (report.frame_number < ahead) continue;  // of an earlier stream
    gst_pad_push_event(
        GST_RTP_BASE_PAYLOAD_SINKPAD(&self),
        gst_event_new_custom(
            GST_EVENT_CUSTOM_UPSTREAM,
            gst_structure_new(CTV_GST_REPORT, "frame", G_TYPE_INT64, report.frame_number - ahead, "whole",
                              G_TYPE_BOOLEAN, report.state == CTV_NET_WHOLE, nullptr)));
  }
}

gboolean src_event(GstRTPBasePayload* payloader, GstEvent* event) {
  GBytes* message = nullptr;
  if (gst_event_has_name(event, CTV_GST_FEEDBACK) &&
      gst_structure_get(gst_event_get_structure(event), "message", G_TYPE_BYTES, &message, nullptr)) {
    take_feedback(self_of(payloader), message);
    g_bytes_unref(message);
    gst_event_unref(event);
    return TRUE;
  }
  return GST_RTP_BASE_PAYLOAD_CLASS(ctv_gst_payloader_parent_class)->src_event(payloader, event);
}

gboolean set_caps(GstRTPBasePayload* payloader, GstCaps* caps) {
  const GValue* header = gst_structure_get_value(gst_caps_get_structure(caps, 0), "codec_data");
  if (header != nullptr) gst_buffer_replace(&self_of(payloader).header, gst_value_get_buffer(header));
  gst_rtp_base_payload_set_options(payloader, "video", TRUE, CTV_GST_RTP_NAME, CTV_GST_RTP_CLOCK);
  return gst_rtp_base_payload_set_outcaps(payloader, nullptr);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(ctv_gst_payloader_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock(&self_of(element).mutex);
    close(self_of(element));
    g_mutex_unlock(&self_of(element).mutex);
    gst_clear_buffer(&self_of(element).header);
  }
  return result;
}

void finalize(GObject* object) {
  g_mutex_clear(&self_of(object).mutex);
  G_OBJECT_CLASS(ctv_gst_payloader_parent_class)->finalize(object);
}

constexpr ctv::gst::Property kProperties[] = {
    {ctv::gst::Property::kInt, "loss", "Lost packets to expect, in thousandths: how much parity is sent",
     offsetof(CtvGstPayloader, loss), 0, 1000},
    {ctv::gst::Property::kInt, "burst", "Mean number of packets lost in a row, in thousandths",
     offsetof(CtvGstPayloader, burst), 1000, 100000, 1000}};

}  // namespace

static void ctv_gst_payloader_init(CtvGstPayloader* self) {
  g_mutex_init(&self->mutex);
  self->newest = -1;
}

static void ctv_gst_payloader_class_init(CtvGstPayloaderClass* cls) {
  auto* element = GST_ELEMENT_CLASS(cls);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &source_template);
  gst_element_class_set_static_metadata(element, "RTP ctv payloader", "Codec/Payloader/Network/RTP",
                                        "Puts frames of the contourlet codec ctv into RTP packets",
                                        "The ctv developers");
  element->change_state = &change_state;
  cls->parent.set_caps = &set_caps;
  cls->parent.handle_buffer = &handle_buffer;
  cls->parent.src_event = &src_event;
  auto* object = G_OBJECT_CLASS(cls);
  object->finalize = &finalize;
  ctv::gst::install_properties(object, kProperties);
}
