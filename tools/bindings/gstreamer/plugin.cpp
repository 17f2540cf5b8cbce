// SPDX-License-Identifier: BSD-3-Clause
#include <ctv/ctv.h>

#include "bindings/gstreamer/elements.h"
#include "bindings/gstreamer/stream_caps.h"

GType ctv_gst_backend_get_type() {
  static const GEnumValue kValues[] = {{CTV_BACKEND_AUTO, "CUDA if there is a device, else the CPU", "auto"},
                                       {CTV_BACKEND_CPU, "CPU threads and SIMD", "cpu"},
                                       {CTV_BACKEND_CUDA, "An NVIDIA GPU", "cuda"},
                                       {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("CtvGstBackend", kValues);
  return type;
}

namespace {

constexpr guint64 kMostHeader = 4096;  // bytes

/// A stream begins with a sequence header; if it can be parsed, that is no coincidence.
void find_type(GstTypeFind* find, gpointer) {
  const guint8* prefix = gst_type_find_peek(find, 0, CTV_UNIT_PREFIX_SIZE);
  if (prefix == nullptr) return;
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  uint64_t size = 0;
  if (ctv_unit_parse(prefix, CTV_UNIT_PREFIX_SIZE, &kind, &size) != CTV_OK || kind != CTV_UNIT_HEADER ||
      size > kMostHeader)
    return;
  const guint8* header = gst_type_find_peek(find, 0, static_cast<guint>(size));
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  if (header == nullptr || ctv_stream_info_parse(header, size, &info) != CTV_OK) return;
  gst_type_find_suggest_empty_simple(find, GST_TYPE_FIND_MAXIMUM, CTV_GST_MEDIA_TYPE);
}

gboolean initialise(GstPlugin* plugin) {
  GstCaps* caps = gst_caps_new_empty_simple(CTV_GST_MEDIA_TYPE);
  const gboolean found = gst_type_find_register(plugin, CTV_GST_MEDIA_TYPE, GST_RANK_PRIMARY, &find_type,
                                                "ctv", caps, nullptr, nullptr);
  gst_caps_unref(caps);
  return found && gst_element_register(plugin, "ctvenc", GST_RANK_PRIMARY, ctv_gst_encoder_get_type()) &&
         gst_element_register(plugin, "ctvdec", GST_RANK_PRIMARY, ctv_gst_decoder_get_type()) &&
         gst_element_register(plugin, "ctvparse", GST_RANK_PRIMARY + 1, ctv_gst_parser_get_type()) &&
         gst_element_register(plugin, "rtpctvpay", GST_RANK_SECONDARY, ctv_gst_payloader_get_type()) &&
         gst_element_register(plugin, "rtpctvdepay", GST_RANK_SECONDARY, ctv_gst_depayloader_get_type());
}

}  // namespace

#define PACKAGE "ctv"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, ctv, "Contourlet video codec", initialise,
                  CTV_PLUGIN_VERSION, "BSD", "ctv", "ctv")
