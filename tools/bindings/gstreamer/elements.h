// SPDX-License-Identifier: BSD-3-Clause
// The plugin's elements.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/// ctvenc: raw video to video/x-ctv.
GType ctv_gst_encoder_get_type();
/// ctvdec: video/x-ctv to raw video.
GType ctv_gst_decoder_get_type();
/// ctvparse: a stream of bytes to frames.
GType ctv_gst_parser_get_type();

/// rtpctvpay: video/x-ctv to RTP.
GType ctv_gst_payloader_get_type();
/// rtpctvdepay: RTP to video/x-ctv.
GType ctv_gst_depayloader_get_type();

/// Upstream event of rtpctvdepay for rtpctvpay. "message", a GBytes, is a feedback message of ctv_net.
#define CTV_GST_FEEDBACK "ctv-feedback"
/// Upstream event of rtpctvpay for ctvenc. Frame "frame", an int64, was received; "whole": without damage.
#define CTV_GST_REPORT "ctv-report"

/// ctv_backend as an enumeration of properties.
GType ctv_gst_backend_get_type();

G_END_DECLS
