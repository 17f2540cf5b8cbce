// SPDX-License-Identifier: BSD-3-Clause
// Streams as caps: video/x-ctv. A buffer of alignment=frame holds one packet, possibly preceded by a sequence
// header; ctvenc puts one before each key frame, so that receivers can join there.
#pragma once

#include <ctv/ctv.h>
#include <gst/gst.h>

namespace ctv::gst {

#define CTV_GST_MEDIA_TYPE "video/x-ctv"
#define CTV_GST_FRAMES CTV_GST_MEDIA_TYPE ", parsed = (boolean) true, alignment = (string) frame"

// What demuxers call a track with the tag CTV1. They keep its private data, so key frames have the header.
#define CTV_GST_IN_MOV "video/x-gst-fourcc-CTV1"
#define CTV_GST_IN_MATROSKA "video/x-unknown, codec-id = (string) V_MS/VFW/FOURCC, fourcc = (string) CTV1"

#define CTV_GST_RTP_NAME "X-CTV"
#define CTV_GST_RTP_CLOCK 90000
#define CTV_GST_RTP                                                             \
  "application/x-rtp, media = (string) video, clock-rate = (int) " G_STRINGIFY( \
      CTV_GST_RTP_CLOCK) ", encoding-name = (string) " CTV_GST_RTP_NAME

/// Caps of parsed frames: width, height, framerate and the header as codec_data. Null if the header is
/// invalid.
GstCaps* caps_of_header(const uint8_t* data, size_t size);
GstBuffer* buffer_of(const uint8_t* data, size_t size);

}  // namespace ctv::gst
