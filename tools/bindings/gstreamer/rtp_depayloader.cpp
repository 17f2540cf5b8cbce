// SPDX-License-Identifier: BSD-3-Clause
// rtpctvdepay. Frames are pushed when they are whole, or when a packet of a later frame has arrived and the
// deadline has passed. Missing parts are zeros, which ctvdec conceals; a frame without its vectors is
// dropped. The clock is the packets' RTP time. Reports about each frame are sent upstream.
#include <ctv/ctv.h>
#include <ctv/net.h>
#include <gst/rtp/gstrtpbasedepayload.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <gst/video/video.h>

#include "bindings/gstreamer/elements.h"
#include "bindings/gstreamer/properties.h"
#include "bindings/gstreamer/stream_caps.h"

namespace {

constexpr size_t kTimes = 256;  // frames with known times

struct FrameTime {
  int32_t frame;  // modulo 65536; -1: none
  GstClockTime pts;
  bool good;  // whole, like all frames that it depends on
};

}  // namespace

struct CtvGstDepayloader {
  GstRTPBaseDepayload parent;
  ctv_net_receiver* receiver;  // null before the first packet
  guint64 rtp_time;            // extended
  guint32 ssrc;                // of the packets so far
  int64_t clock_us;            // the newest RTP time
  int64_t now_us;              // what passed of it
  FrameTime times[kTimes];
  gboolean started;  // a key frame has arrived
  gboolean lost;     // since the last frame
  gint deadline_ms;
};
struct CtvGstDepayloaderClass {
  GstRTPBaseDepayloadClass parent;
};
G_DEFINE_TYPE(CtvGstDepayloader, ctv_gst_depayloader, GST_TYPE_RTP_BASE_DEPAYLOAD)

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CTV_GST_RTP));
GstStaticPadTemplate source_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CTV_GST_FRAMES));

CtvGstDepayloader& self_of(void* instance) { return *static_cast<CtvGstDepayloader*>(instance); }

void close(CtvGstDepayloader& self) {
  ctv_net_receiver_close(self.receiver);
  self.receiver = nullptr;
  self.rtp_time = G_MAXUINT64;
  self.now_us = self.clock_us = 0;
  self.started = self.lost = FALSE;
  for (FrameTime& time : self.times) time.frame = -1;
}

bool open(CtvGstDepayloader& self) {
  if (self.receiver != nullptr) return true;
  ctv_net_receiver_config config;
  ctv_net_receiver_config_init(&config);
  config.mtu = 65000;
  // All packets of a frame have its time, so 1 means: when a later frame begins.
  config.deadline_us = MAX(1, int64_t{self.deadline_ms} * 1000);
  config.reorder_us = 1;
  config.frame_interval_us = 0;
  config.repeats = 0;
  return ctv_net_receiver_open(&config, &self.receiver) == CTV_OK;
}

/// Sets the caps from a new stream's header.
void announce(CtvGstDepayloader& self, const ctv_net_part& header) {
  GstCaps* caps = ctv::gst::caps_of_header(header.data, header.size);
  if (caps == nullptr) return;
  self.started = TRUE;
  gst_pad_set_caps(GST_RTP_BASE_DEPAYLOAD_SRCPAD(&self), caps);
  gst_caps_unref(caps);
}

/// Records the result of a frame, for the sender.
void report(CtvGstDepayloader& self, const ctv_net_frame& frame) {
  const auto slot = [&self](int64_t number) -> FrameTime& {
    return self.times[static_cast<size_t>(number) % kTimes];
  };
  const FrameTime& reference = slot(MAX(frame.reference, 0));
  const bool kept = frame.reference < 0 || (reference.frame == (frame.reference & 0xFFFF) && reference.good);
  const bool good = frame.state == CTV_NET_WHOLE && kept && self.started;
  slot(frame.frame_number).good = good;
  const ctv_net_state state = good ? CTV_NET_WHOLE : CTV_NET_INCOMPLETE;
  (void)ctv_net_receiver_report(self.receiver, frame.frame_number, self.started ? state : CTV_NET_LOST);
}

/// Sends the receiver's messages upstream. Across a network, the program must carry them.
void send_feedback(CtvGstDepayloader& self) {
  const uint8_t* data = nullptr;
  size_t size = 0;
  while (ctv_net_receiver_feedback(self.receiver, self.now_us, &data, &size) == CTV_OK) {
    GBytes* message = g_bytes_new(data, size);
    gst_pad_push_event(
        GST_RTP_BASE_DEPAYLOAD_SINKPAD(&self),
        gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM,
                             gst_structure_new(CTV_GST_FEEDBACK, "message", G_TYPE_BYTES, message, nullptr)));
    g_bytes_unref(message);
  }
}

GstClockTime time_of(const CtvGstDepayloader& self, int64_t number) {
  const FrameTime& time = self.times[static_cast<size_t>(number) % kTimes];
  return time.frame == (number & 0xFFFF) ? time.pts : GST_CLOCK_TIME_NONE;
}

bool begins_with_header(const ctv_net_frame& frame) {
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  uint64_t size = 0;
  return ctv_unit_parse(frame.parts[0].data, frame.parts[0].size, &kind, &size) == CTV_OK &&
         kind == CTV_UNIT_HEADER && size == frame.parts[0].size;
}

void push_frame(CtvGstDepayloader& self, const ctv_net_frame& frame) {
  auto* base = GST_RTP_BASE_DEPAYLOAD(&self);
  if (frame.state != CTV_NET_LOST && begins_with_header(frame)) announce(self, frame.parts[0]);
  if (frame.state == CTV_NET_LOST || !self.started) {
    self.lost = TRUE;
    if (!self.started) {  // nothing can be decoded before a key frame
      gst_pad_push_event(GST_RTP_BASE_DEPAYLOAD_SINKPAD(&self),
                         gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
    }
    return;
  }
  size_t size = 0;
  for (size_t i = 0; i < frame.part_count; ++i) size += frame.parts[i].size;
  GstBuffer* buffer = ctv::gst::buffer_of(frame.parts[0].data, size);  // parts are contiguous
  GST_BUFFER_PTS(buffer) = time_of(self, frame.frame_number);
  if (frame.reference >= 0) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (frame.discardable != 0) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DROPPABLE);
  if (frame.state == CTV_NET_INCOMPLETE) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_CORRUPTED);
  if (self.lost) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  self.lost = FALSE;
  gst_rtp_base_depayload_push(base, buffer);
}

void push_frames(CtvGstDepayloader& self) {
  ctv_net_frame frame;
  ctv_net_frame_init(&frame);
  while (ctv_net_receiver_next(self.receiver, self.now_us, &frame) == CTV_OK) {
    push_frame(self, frame);
    if (frame.state != CTV_NET_LOST) report(self, frame);
  }
}

GstBuffer* process(GstRTPBaseDepayload* base, GstRTPBuffer* rtp) {
  CtvGstDepayloader& self = self_of(base);
  const guint32 ssrc = gst_rtp_buffer_get_ssrc(rtp);
  if (self.receiver != nullptr && ssrc != self.ssrc) close(self);  // another sender, whose numbers restart
  self.ssrc = ssrc;
  if (!open(self)) return nullptr;
  const auto* data = static_cast<const uint8_t*>(gst_rtp_buffer_get_payload(rtp));
  const size_t size = gst_rtp_buffer_get_payload_len(rtp);
  const guint64 time = gst_rtp_buffer_ext_timestamp(&self.rtp_time, gst_rtp_buffer_get_timestamp(rtp));
  // Times that go back, or far, are those of a sender that has begun again.
  const auto clock_us = static_cast<int64_t>(gst_util_uint64_scale(time, 1000000, CTV_GST_RTP_CLOCK));
  const int64_t passed = clock_us - self.clock_us;
  if (passed > 0 && passed < 60 * int64_t{1000000}) self.now_us += passed;
  if (passed > 0 || passed < -1000000) self.clock_us = clock_us;
  push_frames(self);  // of the previous stream
  ctv_net_header header;
  ctv_net_header_init(&header);
  if (ctv_net_header_parse(data, size, &header) != CTV_OK || header.feedback != 0) return nullptr;
  FrameTime& known = self.times[static_cast<size_t>(header.frame) % kTimes];
  // Far from its time: of a sender that has begun again.
  const GstClockTime pts = GST_BUFFER_PTS(rtp->buffer);
  const bool far = GST_CLOCK_TIME_IS_VALID(pts) && GST_CLOCK_TIME_IS_VALID(known.pts) &&
                   (pts > known.pts ? pts - known.pts : known.pts - pts) > GST_SECOND / 2;
  if (known.frame != header.frame || far) known = {header.frame, pts, false};
  if (ctv_net_receiver_push(self.receiver, self.now_us, data, size) == CTV_ERROR_LIMIT) {
    push_frames(self);  // makes room
    (void)ctv_net_receiver_push(self.receiver, self.now_us, data, size);
  }
  push_frames(self);
  send_feedback(self);
  return nullptr;
}

gboolean set_caps(GstRTPBaseDepayload* base, GstCaps*) {
  base->clock_rate = CTV_GST_RTP_CLOCK;
  return TRUE;
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(ctv_gst_depayloader_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) close(self_of(element));
  return result;
}

constexpr ctv::gst::Property kProperties[] = {
    {ctv::gst::Property::kInt, "deadline",
     "Milliseconds of the stream that an incomplete frame is waited for; 0: until the next frame begins",
     offsetof(CtvGstDepayloader, deadline_ms), 0, 60000}};

}  // namespace

static void ctv_gst_depayloader_init(CtvGstDepayloader* self) { close(*self); }

static void ctv_gst_depayloader_class_init(CtvGstDepayloaderClass* cls) {
  auto* element = GST_ELEMENT_CLASS(cls);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &source_template);
  gst_element_class_set_static_metadata(element, "RTP ctv depayloader", "Codec/Depayloader/Network/RTP",
                                        "Takes frames of the contourlet codec ctv out of RTP packets",
                                        "The ctv developers");
  element->change_state = &change_state;
  cls->parent.set_caps = &set_caps;
  cls->parent.process_rtp_packet = &process;
  ctv::gst::install_properties(G_OBJECT_CLASS(cls), kProperties);
}
