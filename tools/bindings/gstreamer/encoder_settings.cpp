// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/gstreamer/encoder_settings.h"

#include <ctv/ctv.h>

#include "bindings/gstreamer/elements.h"

namespace ctv::gst {
namespace {

enum Property {
  kNone,
  kPreset,
  kQp,
  kCrf,
  kBitrate,
  kMaxFrameBytes,
  kKeyInterval,
  kTemporalLayers,
  kSlots,
  kBackend,
  kDevice,
  kThreads,
  kInFlight
};

}  // namespace

EncoderSettings default_settings() {
  return {g_strdup("default"), -1, -1, 0, 0, -1, 1, 0, CTV_BACKEND_AUTO, 0, 0, 1, FALSE};
}

bool set_setting(EncoderSettings& s, guint id, const GValue* value) {
  switch (id) {
    case kPreset:
      g_free(s.preset);
      s.preset = g_value_dup_string(value);
      break;
    case kQp:
      s.qp = g_value_get_int(value);
      break;
    case kCrf:
      s.crf = g_value_get_double(value);
      break;
    case kBitrate:
      s.bitrate = g_value_get_uint64(value);
      break;
    case kMaxFrameBytes:
      s.max_frame_bytes = g_value_get_uint64(value);
      break;
    case kKeyInterval:
      s.key_interval = g_value_get_int(value);
      break;
    case kTemporalLayers:
      s.temporal_layers = g_value_get_int(value);
      break;
    case kSlots:
      s.slots = g_value_get_int(value);
      break;
    case kBackend:
      s.backend = g_value_get_enum(value);
      break;
    case kDevice:
      s.device = g_value_get_int(value);
      break;
    case kThreads:
      s.threads = g_value_get_int(value);
      break;
    case kInFlight:
      s.in_flight = g_value_get_int(value);
      break;
    default:
      return false;
  }
  s.rate_changed |= id == kQp || id == kCrf || id == kBitrate || id == kMaxFrameBytes;
  return true;
}

bool get_setting(const EncoderSettings& s, guint id, GValue* value) {
  switch (id) {
    case kPreset:
      g_value_set_string(value, s.preset);
      break;
    case kQp:
      g_value_set_int(value, s.qp);
      break;
    case kCrf:
      g_value_set_double(value, s.crf);
      break;
    case kBitrate:
      g_value_set_uint64(value, s.bitrate);
      break;
    case kMaxFrameBytes:
      g_value_set_uint64(value, s.max_frame_bytes);
      break;
    case kKeyInterval:
      g_value_set_int(value, s.key_interval);
      break;
    case kTemporalLayers:
      g_value_set_int(value, s.temporal_layers);
      break;
    case kSlots:
      g_value_set_int(value, s.slots);
      break;
    case kBackend:
      g_value_set_enum(value, s.backend);
      break;
    case kDevice:
      g_value_set_int(value, s.device);
      break;
    case kThreads:
      g_value_set_int(value, s.threads);
      break;
    case kInFlight:
      g_value_set_int(value, s.in_flight);
      break;
    default:
      return false;
  }
  return true;
}

void install_settings(GObjectClass* object) {
  constexpr auto kReady =
      static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
  constexpr auto kPlaying =
      static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  const auto add = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object, id, spec); };
  add(kPreset,
      g_param_spec_string("preset", "preset", "default, fast, fastest, slow or paper", "default", kReady));
  add(kQp,
      g_param_spec_int("qp", "qp", "Quantiser on H.264's scale; -1: the preset's", -1, 51, -1, kPlaying));
  add(kCrf, g_param_spec_double("crf", "crf", "Constant quality, without a bitrate; -1: the preset's", -1, 51,
                                -1, kPlaying));
  add(kBitrate,
      g_param_spec_uint64("bitrate", "bitrate", "Bits per second; 0: none", 0, G_MAXINT64, 0, kPlaying));
  add(kMaxFrameBytes, g_param_spec_uint64("max-frame-bytes", "max-frame-bytes", "Largest packet; 0: none", 0,
                                          G_MAXINT64, 0, kPlaying));
  add(kKeyInterval,
      g_param_spec_int("key-int", "key-int",
                       "Frames from key frame to key frame; 0: only when asked for; -1: the preset's", -1,
                       1 << 30, -1, kReady));
  add(kTemporalLayers,
      g_param_spec_int("temporal-layers", "temporal-layers",
                       "Layers of frames that can be left out; packets of the highest are droppable", 1, 3, 1,
                       kReady));
  add(kSlots,
      g_param_spec_int("slots", "slots",
                       "Pictures that a decoder keeps, for repair without key frames; 0: the preset's", 0, 8,
                       0, kReady));
  add(kBackend, g_param_spec_enum("backend", "backend", "Processor", ctv_gst_backend_get_type(),
                                  CTV_BACKEND_AUTO, kReady));
  add(kDevice, g_param_spec_int("device", "device", "CUDA device number", 0, G_MAXINT, 0, kReady));
  add(kThreads, g_param_spec_int("threads", "threads", "CPU threads; 0: all cores", 0, 256, 0, kReady));
  add(kInFlight,
      g_param_spec_int("in-flight", "in-flight", "Frames encoded at once: 1 has no latency, more are faster",
                       1, 16, 1, kReady));
}

}  // namespace ctv::gst
