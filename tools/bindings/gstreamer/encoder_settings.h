// SPDX-License-Identifier: BSD-3-Clause
// The properties of ctvenc.
#pragma once

#include <gst/gst.h>

namespace ctv::gst {

struct EncoderSettings {
  gchar* preset;
  gint qp;      // -1: the preset's
  gdouble crf;  // -1: the preset's
  guint64 bitrate, max_frame_bytes;
  gint key_interval;  // -1: the preset's
  gint temporal_layers;
  gint slots;  // 0: the preset's
  gint backend, device, threads, in_flight;
  gboolean rate_changed;
};

EncoderSettings default_settings();
void install_settings(GObjectClass* object);
/// False if there is no such property.
bool set_setting(EncoderSettings& s, guint id, const GValue* value);
bool get_setting(const EncoderSettings& s, guint id, GValue* value);

}  // namespace ctv::gst
