// SPDX-License-Identifier: BSD-3-Clause
// ctvdec. One buffer in, one picture out. A frame that is damaged, or whose reference is missing, is dropped,
// and a key frame is requested from the sender.
#include <ctv/ctv.h>
#include <gst/video/gstvideodecoder.h>

#include "bindings/gstreamer/elements.h"
#include "bindings/gstreamer/properties.h"
#include "bindings/gstreamer/stream_caps.h"
#include "bindings/gstreamer/video_formats.h"

GST_DEBUG_CATEGORY_STATIC(ctv_gst_decoder_debug);
#define GST_CAT_DEFAULT ctv_gst_decoder_debug

namespace {

using namespace ctv::gst;

}  // namespace

struct CtvGstDecoder {
  GstVideoDecoder parent;
  ctv_decoder_config settings;  // of the properties
  ctv_decoder* decoder;         // null before the first frame
  GstVideoCodecState* input;
  GstBuffer* header;  // of the caps
  gboolean negotiated;
  ctv_stream_info stream;
};
struct CtvGstDecoderClass {
  GstVideoDecoderClass parent;
};
G_DEFINE_TYPE(CtvGstDecoder, ctv_gst_decoder, GST_TYPE_VIDEO_DECODER)

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CTV_GST_FRAMES));
GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(CTV_GST_OUTPUT_FORMATS)));

CtvGstDecoder& self_of(void* instance) { return *static_cast<CtvGstDecoder*>(instance); }

/// Errors that a later packet may resolve; all others end the stream.
bool is_passing(ctv_status status) {
  return status == CTV_ERROR_REFERENCE || status == CTV_ERROR_STREAM || status == CTV_ERROR_STATE;
}

void close(CtvGstDecoder& self) {
  ctv_decoder_close(self.decoder);
  self.decoder = nullptr;
}

GstFlowReturn fail(CtvGstDecoder& self, const char* what) {
  GST_ELEMENT_ERROR(&self, STREAM, DECODE, ("%s", what), ("%s", ctv_last_error()));
  return GST_FLOW_ERROR;
}

/// Drops a lost frame; predicted frames after it are lost, too.
GstFlowReturn lose(CtvGstDecoder& self, GstVideoCodecFrame* frame, ctv_status status) {
  auto* decoder = GST_VIDEO_DECODER(&self);
  if (!is_passing(status)) {
    gst_video_decoder_release_frame(decoder, frame);
    return fail(self, "The stream cannot be decoded.");
  }
  GST_INFO_OBJECT(&self, "frame %u: %s", frame->system_frame_number, ctv_last_error());
  gst_video_decoder_request_sync_point(decoder, frame, static_cast<GstVideoDecoderRequestSyncPointFlags>(0));
  if (status == CTV_ERROR_STREAM) {
    GstFlowReturn flow = GST_FLOW_OK;
    gst_video_decoder_drop_frame(decoder, frame);
    GST_ELEMENT_WARNING(&self, STREAM, DECODE, ("A damaged frame."), ("%s", ctv_last_error()));
    GST_VIDEO_DECODER_ERROR(&self, 1, STREAM, DECODE, ("A damaged frame."), ("%s", ctv_last_error()), flow);
    return flow;
  }
  return gst_video_decoder_drop_frame(decoder, frame);
}

bool negotiate(CtvGstDecoder& self, const ctv_picture& picture) {
  auto* decoder = GST_VIDEO_DECODER(&self);
  const GstVideoFormat format = format_of(picture.format);
  GstVideoCodecState* now = gst_video_decoder_get_output_state(decoder);
  const bool same = now != nullptr && self.negotiated && GST_VIDEO_INFO_FORMAT(&now->info) == format &&
                    now->info.width == picture.width && now->info.height == picture.height;
  if (now != nullptr) gst_video_codec_state_unref(now);
  if (same) return true;
  GstVideoCodecState* state = gst_video_decoder_set_output_state(
      decoder, format, static_cast<guint>(picture.width), static_cast<guint>(picture.height), self.input);
  if (state == nullptr) return false;
  describe(self.stream, state->info);
  gst_video_codec_state_unref(state);
  self.negotiated = gst_video_decoder_negotiate(decoder);
  return self.negotiated;
}

GstFlowReturn show(CtvGstDecoder& self, const ctv_picture& picture) {
  auto* decoder = GST_VIDEO_DECODER(&self);
  GstVideoCodecFrame* frame = gst_video_decoder_get_frame(decoder, GPOINTER_TO_INT(picture.opaque));
  if (frame == nullptr) return GST_FLOW_OK;  // flushed meanwhile
  if (!negotiate(self, picture)) {
    gst_video_decoder_release_frame(decoder, frame);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  const GstFlowReturn flow = gst_video_decoder_allocate_output_frame(decoder, frame);
  if (flow != GST_FLOW_OK) {
    gst_video_decoder_release_frame(decoder, frame);
    return flow;
  }
  GstVideoCodecState* state = gst_video_decoder_get_output_state(decoder);
  GstVideoFrame mapped;
  const bool ok = gst_video_frame_map(&mapped, &state->info, frame->output_buffer, GST_MAP_WRITE);
  gst_video_codec_state_unref(state);
  if (!ok) {
    gst_video_decoder_release_frame(decoder, frame);
    return fail(self, "No memory for a picture.");
  }
  copy_planes(picture, mapped);
  gst_video_frame_unmap(&mapped);
  if (picture.key_frame != 0) GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
  if (picture.damaged != CTV_DAMAGE_NONE) {
    GST_BUFFER_FLAG_SET(frame->output_buffer, GST_BUFFER_FLAG_CORRUPTED);
    gst_video_decoder_request_sync_point(decoder, frame,
                                         static_cast<GstVideoDecoderRequestSyncPointFlags>(0));
  }
  return gst_video_decoder_finish_frame(decoder, frame);
}

/// Receives the decoder's pictures. `one`: at most one.
GstFlowReturn receive(CtvGstDecoder& self, bool one) {
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK) {
    ctv_picture picture;
    ctv_picture_init(&picture);
    const ctv_status status = ctv_decoder_receive(self.decoder, &picture);
    if (status == CTV_AGAIN || status == CTV_END) break;
    if (status != CTV_OK) {
      // The oldest frame that has no picture yet.
      GstVideoCodecFrame* oldest = gst_video_decoder_get_oldest_frame(GST_VIDEO_DECODER(&self));
      flow = oldest == nullptr ? fail(self, "The stream cannot be decoded.") : lose(self, oldest, status);
    } else {
      flow = show(self, picture);
    }
    if (one) break;
  }
  return flow;
}

ctv_status send(CtvGstDecoder& self, const uint8_t* data, size_t size, guint32 number, GstFlowReturn& flow) {
  ctv_unit unit;
  ctv_unit_init(&unit);
  unit.data = data;
  unit.size = size;
  unit.opaque = GINT_TO_POINTER(static_cast<gint>(number));
  ctv_status status = CTV_AGAIN;
  while ((status = ctv_decoder_send_unit(self.decoder, &unit)) == CTV_AGAIN) {
    flow = receive(self, true);
    if (flow != GST_FLOW_OK) return CTV_OK;
  }
  return status;
}

bool open(CtvGstDecoder& self) {
  if (self.decoder != nullptr) return true;
  ctv_decoder_config config = self.settings;
  if (ctv_decoder_open(&config, &self.decoder) != CTV_OK) {
    GST_ELEMENT_ERROR(&self, LIBRARY, INIT, ("The decoder does not open."), ("%s", ctv_last_error()));
    return false;
  }
  GST_INFO_OBJECT(&self, "%s", ctv_decoder_description(self.decoder));
  if (self.header == nullptr) return true;
  GstMapInfo map;
  if (!gst_buffer_map(self.header, &map, GST_MAP_READ)) return false;
  // A header in the stream may follow and replace the caps' header.
  if (ctv_decoder_send(self.decoder, map.data, map.size) == CTV_OK)
    ctv_stream_info_parse(map.data, map.size, &self.stream);
  gst_buffer_unmap(self.header, &map);
  return true;
}

/// Sends the units of a buffer: headers and one packet.
ctv_status send_units(CtvGstDecoder& self, const GstMapInfo& map, guint32 number, bool& packet,
                      GstFlowReturn& flow) {
  for (size_t at = 0; at < map.size && flow == GST_FLOW_OK;) {
    ctv_unit_kind kind = CTV_UNIT_INDEX;
    uint64_t size = 0;
    const ctv_status parsed = ctv_unit_parse(map.data + at, map.size - at, &kind, &size);
    if (parsed != CTV_OK) return parsed;
    // A truncated packet may suffice for the resolution; the decoder checks.
    size = MIN(size, uint64_t{map.size - at});
    if (kind != CTV_UNIT_INDEX) {
      const ctv_status sent = send(self, map.data + at, size, number, flow);
      if (sent != CTV_OK) return sent;
    }
    if (kind == CTV_UNIT_HEADER) ctv_stream_info_parse(map.data + at, size, &self.stream);
    packet |= kind == CTV_UNIT_PACKET;
    at += size;
  }
  return CTV_OK;
}

GstFlowReturn handle_frame(GstVideoDecoder* decoder, GstVideoCodecFrame* frame) {
  CtvGstDecoder& self = self_of(decoder);
  GstMapInfo map;
  if (!open(self) || !gst_buffer_map(frame->input_buffer, &map, GST_MAP_READ)) {
    gst_video_decoder_release_frame(decoder, frame);
    return GST_FLOW_ERROR;
  }
  bool packet = false;
  GstFlowReturn flow = GST_FLOW_OK;
  const ctv_status status = send_units(self, map, frame->system_frame_number, packet, flow);
  gst_buffer_unmap(frame->input_buffer, &map);
  if (status != CTV_OK) return lose(self, frame, status);
  if (packet) {
    gst_video_codec_frame_unref(frame);  // the list of frames has it
  } else {
    gst_video_decoder_release_frame(decoder, frame);
  }
  return flow == GST_FLOW_OK ? receive(self, false) : flow;
}

gboolean set_format(GstVideoDecoder* decoder, GstVideoCodecState* state) {
  CtvGstDecoder& self = self_of(decoder);
  if (self.input != nullptr) gst_video_codec_state_unref(self.input);
  self.input = gst_video_codec_state_ref(state);
  gst_buffer_replace(&self.header, state->codec_data);
  self.negotiated = FALSE;
  if (self.decoder == nullptr || self.header == nullptr) return TRUE;
  GstMapInfo map;
  if (!gst_buffer_map(self.header, &map, GST_MAP_READ)) return FALSE;
  GstFlowReturn flow = GST_FLOW_OK;
  const ctv_status status = send(self, map.data, map.size, 0, flow);  // receives what is in flight first
  if (status == CTV_OK) ctv_stream_info_parse(map.data, map.size, &self.stream);
  gst_buffer_unmap(self.header, &map);
  return status == CTV_OK && flow == GST_FLOW_OK;
}

/// Receives the pictures in flight. The next packet must be a key frame.
GstFlowReturn finish(GstVideoDecoder* decoder) {
  CtvGstDecoder& self = self_of(decoder);
  if (self.decoder == nullptr) return GST_FLOW_OK;
  ctv_decoder_flush(self.decoder);
  const GstFlowReturn flow = receive(self, false);
  close(self);
  return flow;
}

GstFlowReturn drain(GstVideoDecoder* decoder) {
  return self_of(decoder).settings.frames_in_flight > 1 ? finish(decoder) : GST_FLOW_OK;
}

gboolean flush(GstVideoDecoder* decoder) {
  CtvGstDecoder& self = self_of(decoder);
  if (self.decoder != nullptr) ctv_decoder_reset(self.decoder);
  return TRUE;
}

gboolean stop(GstVideoDecoder* decoder) {
  CtvGstDecoder& self = self_of(decoder);
  close(self);
  g_clear_pointer(&self.input, gst_video_codec_state_unref);
  gst_buffer_replace(&self.header, nullptr);
  self.negotiated = FALSE;
  return TRUE;
}

#define SETTING(name) offsetof(CtvGstDecoder, settings.name)
constexpr Property kProperties[] = {
    {Property::kInt, "reduction", "Resolution 1 / 2^reduction", SETTING(reduction), 0, CTV_MAX_SCALES},
    {Property::kInt, "device", "CUDA device number", SETTING(device), 0, G_MAXINT},
    {Property::kInt, "threads", "CPU threads; 0: all cores", SETTING(threads), 0, 256},
    {Property::kInt, "in-flight", "Frames decoded at once; above 1, pictures come later",
     SETTING(frames_in_flight), 1, 16, 1},
    {Property::kFlag, "conceal", "Damaged frames give pictures, which are marked as corrupted",
     SETTING(conceal)},
    {Property::kBackend, "backend", "Processor", SETTING(backend)}};

}  // namespace

static void ctv_gst_decoder_init(CtvGstDecoder* self) {
  ctv_decoder_config_init(&self->settings);
  ctv_stream_info_init(&self->stream);
  gst_video_decoder_set_packetized(GST_VIDEO_DECODER(self), TRUE);
  gst_video_decoder_set_use_default_pad_acceptcaps(GST_VIDEO_DECODER(self), TRUE);
}

static void ctv_gst_decoder_class_init(CtvGstDecoderClass* cls) {
  GST_DEBUG_CATEGORY_INIT(ctv_gst_decoder_debug, "ctvdec", 0, "ctv decoder");
  auto* element = GST_ELEMENT_CLASS(cls);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &source_template);
  gst_element_class_set_static_metadata(element, "ctv decoder", "Codec/Decoder/Video",
                                        "Decodes video of the contourlet codec ctv", "The ctv developers");
  cls->parent.set_format = &set_format;
  cls->parent.handle_frame = &handle_frame;
  cls->parent.finish = &finish;
  cls->parent.drain = &drain;
  cls->parent.flush = &flush;
  cls->parent.stop = &stop;
  install_properties(G_OBJECT_CLASS(cls), kProperties);
}
