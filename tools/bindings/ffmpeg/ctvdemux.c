// SPDX-License-Identifier: BSD-3-Clause
// FFmpeg's reader and writer of streams as ctenc writes them. An index is passed over; seeks read up to their
// place once.
#include "avformat.h"
#include "avio_internal.h"
#include "internal.h"
#include "libavcodec/libctv.h"
#include "rawenc.h"

static int probe(const AVProbeData* p) {
  ctv_unit_kind kind;
  uint64_t size;
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  if (ctv_unit_parse(p->buf, p->buf_size, &kind, &size) != CTV_OK || kind != CTV_UNIT_HEADER ||
      size > (uint64_t)p->buf_size || ctv_stream_info_parse(p->buf, size, &info) != CTV_OK)
    return 0;
  return AVPROBE_SCORE_MAX;  // its checksum is right
}

/// Appends the next unit to a packet. AVERROR_EOF at the end and at an index.
static int append_unit(AVFormatContext* s, AVPacket* packet, ctv_unit_kind* kind) {
  uint8_t prefix[CTV_UNIT_PREFIX_SIZE];
  uint64_t size;
  int ret = avio_read(s->pb, prefix, sizeof prefix);
  if (ret != (int)sizeof prefix) return ret < 0 ? ret : AVERROR_EOF;
  if (ctv_unit_parse(prefix, sizeof prefix, kind, &size) != CTV_OK || size < sizeof prefix ||
      size > INT32_MAX / 2)
    return AVERROR_INVALIDDATA;
  if (*kind == CTV_UNIT_INDEX) {  // other streams may follow
    avio_skip(s->pb, (int64_t)(size - sizeof prefix));
    return 0;
  }
  const int before = packet->size;
  if ((ret = av_grow_packet(packet, (int)sizeof prefix)) < 0) return ret;
  memcpy(packet->data + before, prefix, sizeof prefix);
  ret = av_append_packet(s->pb, packet, (int)(size - sizeof prefix));
  return ret < 0 ? ret : packet->size - before < (int)size ? AVERROR_EOF : 0;
}

static int read_header(AVFormatContext* s) {
  AVStream* track = avformat_new_stream(s, NULL);
  AVPacket* packet = av_packet_alloc();
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  int ret = track == NULL || packet == NULL ? AVERROR(ENOMEM) : append_unit(s, packet, &kind);
  if (ret >= 0 &&
      (kind != CTV_UNIT_HEADER || ctv_stream_info_parse(packet->data, (size_t)packet->size, &info) != CTV_OK))
    ret = AVERROR_INVALIDDATA;
  if (ret >= 0) ret = ff_alloc_extradata(track->codecpar, packet->size);
  if (ret >= 0) {
    AVCodecParameters* p = track->codecpar;
    memcpy(p->extradata, packet->data, (size_t)packet->size);
    p->codec_type = AVMEDIA_TYPE_VIDEO;
    p->codec_id = AV_CODEC_ID_CTV;
    p->width = info.width;
    p->height = info.height;
    p->format = ff_ctv_pixel_format(&info);
    track->avg_frame_rate = track->r_frame_rate = (AVRational){info.fps_num, info.fps_den};
    track->sample_aspect_ratio = (AVRational){info.aspect_width, FFMAX(info.aspect_height, 1)};
    avpriv_set_pts_info(track, 64, 1, (unsigned)info.fps_num);
  }
  av_packet_free(&packet);
  return ret;
}

static int read_packet(AVFormatContext* s, AVPacket* packet) {
  const AVCodecParameters* track = s->streams[0]->codecpar;
  const int64_t begin = avio_tell(s->pb);
  ctv_unit_kind kind = CTV_UNIT_INDEX;
  int unit = 0;  // where the last one begins
  for (int ret = 0; kind != CTV_UNIT_PACKET;) {
    unit = packet->size;
    if ((ret = append_unit(s, packet, &kind)) < 0) return ret;
  }
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  if (ctv_packet_info_parse(track->extradata, (size_t)track->extradata_size, packet->data + unit,
                            (size_t)(packet->size - unit), &info, NULL, 0) == CTV_OK) {
    packet->pts = packet->dts = info.timestamp;
    packet->duration = info.duration;
    if (info.key_frame) packet->flags |= AV_PKT_FLAG_KEY;
  }
  packet->pos = begin;
  return 0;
}

const AVInputFormat ff_ctv_demuxer = {
    .name = "ctv",
    .long_name = NULL_IF_CONFIG_SMALL("contourlet video"),
    .extensions = "ctv",
    .flags = AVFMT_GENERIC_INDEX,
    .read_probe = probe,
    .read_header = read_header,
    .read_packet = read_packet,
};

static int write_header(AVFormatContext* s) {
  const AVCodecParameters* track = s->streams[0]->codecpar;
  avio_write(s->pb, track->extradata, track->extradata_size);
  return 0;
}

const AVOutputFormat ff_ctv_muxer = {
    .name = "ctv",
    .long_name = NULL_IF_CONFIG_SMALL("contourlet video"),
    .extensions = "ctv",
    .audio_codec = AV_CODEC_ID_NONE,
    .video_codec = AV_CODEC_ID_CTV,
    .write_header = write_header,
    .write_packet = ff_raw_write_packet,
    .flags = AVFMT_NOTIMESTAMPS,
};
