// SPDX-License-Identifier: BSD-3-Clause
// ctvenc. With one frame in flight a packet is pushed before the call with its picture returns: no latency.
// Rate and quality may be changed while playing.
#include <ctv/ctv.h>
#include <gst/video/gstvideoencoder.h>

#include <cstring>

#include "bindings/gstreamer/elements.h"
#include "bindings/gstreamer/properties.h"
#include "bindings/gstreamer/stream_caps.h"
#include "bindings/gstreamer/video_formats.h"

GST_DEBUG_CATEGORY_STATIC(ctv_gst_encoder_debug);
#define GST_CAT_DEFAULT ctv_gst_encoder_debug

namespace {

using namespace ctv::gst;

struct EncoderSettings {
  gchar* preset;
  gint qp;      // -1: the preset's
  gdouble crf;  // -1: the preset's
  guint64 bitrate, max_frame_bytes;
  gint key_interval;  // -1: the preset's
  gint temporal_layers;
  gint slots;  // 0: the preset's
  gint error_resilient;
  gint backend, device, threads, in_flight;
  gboolean rate_changed;
};

}  // namespace

struct CtvGstEncoder {
  GstVideoEncoder parent;
  EncoderSettings settings;  // of the properties, under the object's lock
  ctv_encoder* encoder;      // null before the first picture
  ctv_config config;         // configuration of `encoder`
  GstVideoCodecState* input;
  GstBuffer* header;
  gint in_flight;      // pictures whose packets have not come
  gboolean key_frame;  // the next picture is one
  GArray* reports;     // of receivers, not yet passed to the encoder; under the object's lock
};
struct FrameReport {
  gint64 frame;
  gboolean whole;
};
struct CtvGstEncoderClass {
  GstVideoEncoderClass parent;
};
G_DEFINE_TYPE_WITH_CODE(CtvGstEncoder, ctv_gst_encoder, GST_TYPE_VIDEO_ENCODER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS("video/x-raw, format = (string) " CTV_GST_INPUT_FORMATS
                                            ", width = (int) [ 1, 65535 ], height = (int) [ 1, 65535 ]"
                                            ", framerate = (fraction) [ 0, max ]"));
GstStaticPadTemplate source_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(CTV_GST_FRAMES ", width = (int) [ 1, 65535 ]"
                                                           ", height = (int) [ 1, 65535 ]"));

CtvGstEncoder& self_of(void* instance) { return *static_cast<CtvGstEncoder*>(instance); }

void close(CtvGstEncoder& self) {
  ctv_encoder_close(self.encoder);
  self.encoder = nullptr;
  self.in_flight = 0;
  self.key_frame = FALSE;
}

GstFlowReturn fail(CtvGstEncoder& self) {
  GST_ELEMENT_ERROR(&self, STREAM, ENCODE, ("The picture cannot be encoded."), ("%s", ctv_last_error()));
  return GST_FLOW_ERROR;
}

/// Applies the properties of rate and quality. Clears the preset's conflicting members.
void set_rate(const EncoderSettings& s, ctv_config& config) {
  if (s.qp >= 0 || s.crf >= 0 || s.bitrate > 0) config.crf = -1;
  if (s.qp >= 0) config.qp = s.qp;
  if (s.crf >= 0 && s.bitrate == 0) config.crf = s.crf;
  config.bitrate = static_cast<int64_t>(s.bitrate);
  config.max_frame_bytes = static_cast<int64_t>(s.max_frame_bytes);
}

bool make_config(CtvGstEncoder& self, ctv_config& config) {
  GST_OBJECT_LOCK(&self);
  EncoderSettings& s = self.settings;
  const bool known = ctv_config_init(&config, s.preset) == CTV_OK;
  if (known) {
    set_rate(s, config);
    if (s.key_interval >= 0) config.key_interval = s.key_interval;
    config.temporal_layers = s.temporal_layers;
    if (s.slots > 0) config.slots = s.slots;
    config.error_resilient = s.error_resilient;
    if (s.temporal_layers == 3) config.slots = MAX(config.slots, 2);
    config.backend = static_cast<ctv_backend>(s.backend);
    config.device = s.device;
    config.threads = s.threads;
    config.frames_in_flight = s.in_flight;
    s.rate_changed = FALSE;
  }
  GST_OBJECT_UNLOCK(&self);
  return known;
}

/// Sets the output caps from the stream's header.
bool announce(CtvGstEncoder& self) {
  ctv_unit header;
  ctv_unit_init(&header);
  if (ctv_encoder_header(self.encoder, &header) != CTV_OK) return false;
  GST_INFO_OBJECT(&self, "%s", ctv_encoder_description(self.encoder));
  gst_clear_buffer(&self.header);
  self.header = buffer_of(header.data, header.size);
  auto* encoder = GST_VIDEO_ENCODER(&self);
  gst_video_codec_state_unref(
      gst_video_encoder_set_output_state(encoder, caps_of_header(header.data, header.size), self.input));
  const GstClockTime late = static_cast<GstClockTime>(self.config.frames_in_flight - 1) *
                            time_of(self.config.fps_den, self.config.fps_num);
  gst_video_encoder_set_latency(encoder, late, late);
  return true;
}

bool open(CtvGstEncoder& self) {
  if (self.encoder != nullptr) return true;
  bool opened = make_config(self, self.config);
  if (opened) {
    describe(self.input->info, self.config);
    opened = ctv_encoder_open(&self.config, &self.encoder) == CTV_OK && announce(self);
  }
  if (opened) return true;
  GST_ELEMENT_ERROR(&self, LIBRARY, SETTINGS, ("The encoder does not open."), ("%s", ctv_last_error()));
  close(self);
  return false;
}

/// Changes the format on the same device. False: the encoder continues unchanged, or has failed.
bool reconfigure(CtvGstEncoder& self) {
  ctv_config config;
  if (self.encoder == nullptr || !make_config(self, config)) return false;
  describe(self.input->info, config);
  if (ctv_encoder_reconfigure(self.encoder, &config) != CTV_OK) return false;
  self.config = config;
  return announce(self);
}

/// Passes changed rate and quality to the encoder.
bool update_rate(CtvGstEncoder& self) {
  GST_OBJECT_LOCK(&self);
  const bool changed = self.settings.rate_changed;
  GST_OBJECT_UNLOCK(&self);
  ctv_config now;
  if (!changed || !make_config(self, now)) return true;
  // Bitrate and constant quality exclude each other, so the old one is turned off first.
  ctv_encoder* e = self.encoder;
  if (now.crf < 0 && ctv_encoder_set_crf(e, -1) != CTV_OK) return false;
  if (ctv_encoder_set_bitrate(e, now.bitrate, now.max_frame_bytes) != CTV_OK) return false;
  if (now.crf >= 0) return ctv_encoder_set_crf(e, now.crf) == CTV_OK;
  return now.bitrate > 0 || ctv_encoder_set_quantiser(e, now.qp, now.step) == CTV_OK;
}

/// Passes receivers' reports to the encoder, which refuses those about frames that it has not sent.
void update_reports(CtvGstEncoder& self) {
  GST_OBJECT_LOCK(&self);
  for (guint i = 0; i < self.reports->len; ++i) {
    const FrameReport& report = g_array_index(self.reports, FrameReport, i);
    if (report.whole) {
      (void)ctv_encoder_acknowledge(self.encoder, report.frame);
    } else {
      (void)ctv_encoder_lost(self.encoder, report.frame);
    }
  }
  g_array_set_size(self.reports, 0);
  GST_OBJECT_UNLOCK(&self);
}

/// Pushes a packet, with the header before a key frame.
GstFlowReturn push(CtvGstEncoder& self, const ctv_unit& unit) {
  auto* encoder = GST_VIDEO_ENCODER(&self);
  GstVideoCodecFrame* frame = gst_video_encoder_get_frame(encoder, GPOINTER_TO_INT(unit.opaque));
  if (frame == nullptr) return GST_FLOW_OK;  // flushed meanwhile
  const gsize before = unit.key_frame != 0 ? gst_buffer_get_size(self.header) : 0;
  const GstFlowReturn flow = gst_video_encoder_allocate_output_frame(encoder, frame, before + unit.size);
  if (flow != GST_FLOW_OK) {
    gst_video_encoder_finish_frame(encoder, frame);  // without a buffer: dropped
    return flow;
  }
  GstMapInfo map;
  if (before > 0 && gst_buffer_map(self.header, &map, GST_MAP_READ)) {
    gst_buffer_fill(frame->output_buffer, 0, map.data, map.size);
    gst_buffer_unmap(self.header, &map);
  }
  gst_buffer_fill(frame->output_buffer, before, unit.data, unit.size);
  if (unit.key_frame != 0) GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
  if (unit.keep_in == CTV_KEEP_NOWHERE) GST_BUFFER_FLAG_SET(frame->output_buffer, GST_BUFFER_FLAG_DROPPABLE);
  return gst_video_encoder_finish_frame(encoder, frame);
}

/// Receives the encoder's packets. `one`: at most one.
GstFlowReturn receive(CtvGstEncoder& self, bool one) {
  auto* encoder = GST_VIDEO_ENCODER(&self);
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK) {
    ctv_unit unit;
    ctv_unit_init(&unit);
    const ctv_status status = ctv_encoder_receive(self.encoder, &unit);
    if (status == CTV_AGAIN || status == CTV_END) break;
    --self.in_flight;
    if (status == CTV_OK) {
      flow = push(self, unit);
    } else {
      // No step meets max-frame-bytes: the frame has no packet. Other errors end the stream.
      GstVideoCodecFrame* oldest = gst_video_encoder_get_oldest_frame(encoder);
      if (oldest != nullptr) gst_video_encoder_finish_frame(encoder, oldest);
      if (status != CTV_ERROR_LIMIT) return fail(self);
      GST_ELEMENT_WARNING(&self, STREAM, ENCODE, ("A frame was dropped."), ("%s", ctv_last_error()));
    }
    if (one) break;
  }
  return flow;
}

GstFlowReturn encode(CtvGstEncoder& self, GstVideoCodecFrame* frame, GstVideoFrame& mapped) {
  ctv_picture picture = picture_of(mapped, self.config.format);
  // Running time, because the stream's time must not restart with each segment.
  const GstClockTime time =
      gst_segment_to_running_time(&GST_VIDEO_ENCODER(&self)->input_segment, GST_FORMAT_TIME, frame->pts);
  if (GST_CLOCK_TIME_IS_VALID(time)) picture.timestamp = units_of(time, self.config.fps_num);
  if (GST_CLOCK_TIME_IS_VALID(frame->duration)) {
    const int64_t duration = units_of(frame->duration, self.config.fps_num);
    picture.duration = CLAMP(duration, 1, G_MAXINT32);
  }
  picture.opaque = GINT_TO_POINTER(static_cast<gint>(frame->system_frame_number));
  picture.borrowed = self.config.frames_in_flight == 1 ? 1 : 0;  // its packet is received in this function
  ctv_status status = CTV_AGAIN;
  ctv_frame_options options;
  ctv_frame_options_init(&options);
  options.key_frame = self.key_frame ? 1 : 0;
  while ((status = ctv_encoder_send_frame(self.encoder, &picture, &options)) == CTV_AGAIN) {
    const GstFlowReturn flow = receive(self, true);
    if (flow != GST_FLOW_OK) return flow;
  }
  if (status == CTV_OK) ++self.in_flight, self.key_frame = FALSE;
  return status == CTV_OK ? receive(self, false) : fail(self);
}

GstFlowReturn handle_frame(GstVideoEncoder* encoder, GstVideoCodecFrame* frame) {
  CtvGstEncoder& self = self_of(encoder);
  GstFlowReturn flow = GST_FLOW_ERROR;
  GstVideoFrame mapped;
  if (open(self) && gst_video_frame_map(&mapped, &self.input->info, frame->input_buffer, GST_MAP_READ)) {
    if (GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME(frame)) ctv_encoder_request_key_frame(self.encoder);
    update_reports(self);
    flow = update_rate(self) ? encode(self, frame, mapped) : fail(self);
    gst_video_frame_unmap(&mapped);
  }
  gst_video_codec_frame_unref(frame);
  return flow;
}

/// Receives the packets in flight. Numbers go on after it, so that receivers do not take the next frames for
/// late ones.
GstFlowReturn finish(GstVideoEncoder* encoder) {
  CtvGstEncoder& self = self_of(encoder);
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK && self.encoder != nullptr && self.in_flight > 0) {
    const gint before = self.in_flight;
    flow = receive(self, false);
    if (self.in_flight == before) g_usleep(1000);  // a worker has the frame
  }
  self.key_frame = TRUE;
  return flow;
}

gboolean src_event(GstVideoEncoder* encoder, GstEvent* event) {
  FrameReport report{};
  if (gst_event_has_name(event, CTV_GST_REPORT) &&
      gst_structure_get(gst_event_get_structure(event), "frame", G_TYPE_INT64, &report.frame, "whole",
                        G_TYPE_BOOLEAN, &report.whole, nullptr)) {
    GST_OBJECT_LOCK(encoder);
    g_array_append_val(self_of(encoder).reports, report);
    GST_OBJECT_UNLOCK(encoder);
    gst_event_unref(event);
    return TRUE;
  }
  return GST_VIDEO_ENCODER_CLASS(ctv_gst_encoder_parent_class)->src_event(encoder, event);
}

gboolean set_format(GstVideoEncoder* encoder, GstVideoCodecState* state) {
  CtvGstEncoder& self = self_of(encoder);
  if (self.input != nullptr) gst_video_codec_state_unref(self.input);
  self.input = gst_video_codec_state_ref(state);
  if (finish(encoder) != GST_FLOW_OK) return FALSE;
  if (reconfigure(self)) return TRUE;
  close(self);
  return open(self);
}

/// The packets in flight are dropped when they come, since their frames are gone.
gboolean flush(GstVideoEncoder* encoder) {
  self_of(encoder).key_frame = TRUE;
  return TRUE;
}

gboolean stop(GstVideoEncoder* encoder) {
  CtvGstEncoder& self = self_of(encoder);
  close(self);
  g_clear_pointer(&self.input, gst_video_codec_state_unref);
  gst_clear_buffer(&self.header);
  return TRUE;
}

gboolean propose_allocation(GstVideoEncoder* encoder, GstQuery* query) {
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return GST_VIDEO_ENCODER_CLASS(ctv_gst_encoder_parent_class)->propose_allocation(encoder, query);
}

void finalize(GObject* object) {
  g_free(self_of(object).settings.preset);
  g_array_unref(self_of(object).reports);
  G_OBJECT_CLASS(ctv_gst_encoder_parent_class)->finalize(object);
}

#define SETTING(name) offsetof(CtvGstEncoder, settings.name)
constexpr size_t kRate = SETTING(rate_changed);
constexpr Property kProperties[] = {
    {Property::kText, "preset", "default, fast, fastest, slow or paper", SETTING(preset), 0, 0, 0, "default"},
    {Property::kInt, "qp", "Quantiser on H.264's scale; -1: the preset's", SETTING(qp), -1, 51, -1, "",
     kRate},
    {Property::kDouble, "crf", "Constant quality, without a bitrate; -1: the preset's", SETTING(crf), -1, 51,
     -1, "", kRate},
    {Property::kSize, "bitrate", "Bits per second; 0: none", SETTING(bitrate), 0, 0, 0, "", kRate},
    {Property::kSize, "max-frame-bytes", "Largest packet; 0: none", SETTING(max_frame_bytes), 0, 0, 0, "",
     kRate},
    {Property::kInt, "key-int",
     "Frames from key frame to key frame; 0: only when asked for; -1: the preset's", SETTING(key_interval),
     -1, 1 << 30, -1},
    {Property::kInt, "temporal-layers",
     "Layers of frames that can be left out; packets of the highest are droppable", SETTING(temporal_layers),
     1, 3, 1},
    {Property::kInt, "slots", "Pictures that a decoder keeps, for repair without key frames; 0: the preset's",
     SETTING(slots), 0, 8},
    {Property::kFlag, "error-resilient",
     "What is lost of a packet costs an area of the picture, for networks that lose packets",
     SETTING(error_resilient)},
    {Property::kBackend, "backend", "Processor", SETTING(backend)},
    {Property::kInt, "device", "CUDA device number", SETTING(device), 0, G_MAXINT},
    {Property::kInt, "threads", "CPU threads; 0: all cores", SETTING(threads), 0, 256},
    {Property::kInt, "in-flight", "Frames encoded at once: 1 has no latency, more are faster",
     SETTING(in_flight), 1, 16, 1}};

}  // namespace

static void ctv_gst_encoder_init(CtvGstEncoder* self) {
  self->reports = g_array_new(FALSE, FALSE, sizeof(FrameReport));
}

static void ctv_gst_encoder_class_init(CtvGstEncoderClass* cls) {
  GST_DEBUG_CATEGORY_INIT(ctv_gst_encoder_debug, "ctvenc", 0, "ctv encoder");
  auto* element = GST_ELEMENT_CLASS(cls);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &source_template);
  gst_element_class_set_static_metadata(element, "ctv encoder", "Codec/Encoder/Video",
                                        "Encodes video with the contourlet codec ctv", "The ctv developers");
  cls->parent.set_format = &set_format;
  cls->parent.handle_frame = &handle_frame;
  cls->parent.finish = &finish;
  cls->parent.src_event = &src_event;
  cls->parent.flush = &flush;
  cls->parent.stop = &stop;
  cls->parent.propose_allocation = &propose_allocation;
  auto* object = G_OBJECT_CLASS(cls);
  object->finalize = &finalize;
  install_properties(object, kProperties);
}
