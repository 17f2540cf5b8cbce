// SPDX-License-Identifier: BSD-3-Clause
// FFmpeg's encoder by libctv. One frame in, its packet out; the sequence header precedes key frames, as
// `ctdec --mux` writes it.
#include "libavutil/opt.h"

#include "avcodec.h"
#include "codec_internal.h"
#include "encode.h"
#include "internal.h"
#include "libctv.h"

typedef struct CtvEncoder {
  const AVClass* class;
  ctv_encoder* encoder;
  char *preset, *backend;
  int qp, lossless;
  float crf;
} CtvEncoder;

static int failed(AVCodecContext* avctx, ctv_status status) {
  av_log(avctx, AV_LOG_ERROR, "%s\n", ctv_last_error());
  return status == CTV_ERROR_MEMORY     ? AVERROR(ENOMEM)
         : status == CTV_ERROR_ARGUMENT ? AVERROR(EINVAL)
                                        : AVERROR_EXTERNAL;
}

static void describe(const AVCodecContext* avctx, ctv_config* c) {
  const AVRational rate = avctx->framerate, unit = avctx->time_base;
  c->width = avctx->width;
  c->height = avctx->height;
  c->format = ff_ctv_format(avctx->pix_fmt);
  c->fps_num = unit.den;  // timestamps are in units of 1 / fps_num seconds
  c->fps_den = rate.num > 0 ? (int32_t)av_rescale(unit.den, rate.den, rate.num) : unit.num;
  c->fps_den = FFMAX(c->fps_den, 1);
  c->aspect_width = avctx->sample_aspect_ratio.num;
  c->aspect_height = avctx->sample_aspect_ratio.num > 0 ? avctx->sample_aspect_ratio.den : 0;
  c->range = avctx->color_range == AVCOL_RANGE_JPEG   ? CTV_RANGE_FULL
             : avctx->color_range == AVCOL_RANGE_MPEG ? CTV_RANGE_LIMITED
                                                      : CTV_RANGE_UNSPECIFIED;
  c->primaries = avctx->color_primaries;
  c->transfer = avctx->color_trc;
  c->matrix = avctx->colorspace == AVCOL_SPC_RGB ? AVCOL_SPC_UNSPECIFIED : avctx->colorspace;
  if (c->format == CTV_FORMAT_I420 || c->format == CTV_FORMAT_NV12 || c->format == CTV_FORMAT_I420_10 ||
      c->format == CTV_FORMAT_P010 || c->format == CTV_FORMAT_I420_12)
    c->siting = avctx->chroma_sample_location == AVCHROMA_LOC_LEFT      ? CTV_SITING_LEFT
                : avctx->chroma_sample_location == AVCHROMA_LOC_CENTER  ? CTV_SITING_CENTRE
                : avctx->chroma_sample_location == AVCHROMA_LOC_TOPLEFT ? CTV_SITING_TOP_LEFT
                                                                        : CTV_SITING_UNSPECIFIED;
}

static av_cold int init(AVCodecContext* avctx) {
  CtvEncoder* ctv = avctx->priv_data;
  ctv_config c;
  ctv_status status = ctv_config_init(&c, ctv->preset);
  if (status != CTV_OK) return failed(avctx, status);
  describe(avctx, &c);
  if (ctv->qp >= 0) c.qp = ctv->qp;
  if (ctv->crf >= 0) c.crf = ctv->crf;
  c.lossless = ctv->lossless;
  if (ctv->lossless) c.rdoq = 0;
  c.bitrate = avctx->bit_rate;
  if (avctx->gop_size >= 0) c.key_interval = avctx->gop_size;
  c.threads = FFMIN(avctx->thread_count, 256);
  c.backend = !strcmp(ctv->backend, "cpu")    ? CTV_BACKEND_CPU
              : !strcmp(ctv->backend, "cuda") ? CTV_BACKEND_CUDA
                                              : CTV_BACKEND_AUTO;
  status = ctv_encoder_open(&c, &ctv->encoder);
  if (status != CTV_OK) return failed(avctx, status);
  av_log(avctx, AV_LOG_VERBOSE, "%s\n", ctv_encoder_description(ctv->encoder));
  ctv_unit header;
  ctv_unit_init(&header);
  status = ctv_encoder_header(ctv->encoder, &header);
  if (status != CTV_OK) return failed(avctx, status);
  avctx->extradata = av_mallocz(header.size + AV_INPUT_BUFFER_PADDING_SIZE);
  if (avctx->extradata == NULL) return AVERROR(ENOMEM);
  memcpy(avctx->extradata, header.data, header.size);
  avctx->extradata_size = (int)header.size;
  return 0;
}

static int encode(AVCodecContext* avctx, AVPacket* packet, const AVFrame* frame, int* got_packet) {
  CtvEncoder* ctv = avctx->priv_data;
  ctv_picture picture;
  ctv_picture_init(&picture);
  picture.format = ff_ctv_format(avctx->pix_fmt);
  picture.width = frame->width;
  picture.height = frame->height;
  picture.borrowed = 1;  // its packet is received below
  for (int i = 0; i < 4 && frame->data[i] != NULL; ++i)
    picture.data[i] = frame->data[i], picture.stride[i] = frame->linesize[i];
  picture.timestamp = frame->pts * avctx->time_base.num;
  if (frame->pkt_duration > 0)
    picture.duration = FFMIN(frame->pkt_duration * avctx->time_base.num, INT32_MAX);
  ctv_frame_options options;
  ctv_frame_options_init(&options);
  options.key_frame = frame->pict_type == AV_PICTURE_TYPE_I;
  ctv_status status = ctv_encoder_send_frame(ctv->encoder, &picture, &options);
  if (status != CTV_OK) return failed(avctx, status);
  ctv_unit unit;
  ctv_unit_init(&unit);
  status = ctv_encoder_receive(ctv->encoder, &unit);
  if (status != CTV_OK) return failed(avctx, status);
  const size_t before = unit.key_frame ? (size_t)avctx->extradata_size : 0;
  const int ret = ff_get_encode_buffer(avctx, packet, (int64_t)(before + unit.size), 0);
  if (ret < 0) return ret;
  memcpy(packet->data, avctx->extradata, before);
  memcpy(packet->data + before, unit.data, unit.size);
  packet->pts = packet->dts = frame->pts;
  packet->duration = frame->pkt_duration;
  if (unit.key_frame) packet->flags |= AV_PKT_FLAG_KEY;
  *got_packet = 1;
  return 0;
}

static av_cold int close(AVCodecContext* avctx) {
  CtvEncoder* ctv = avctx->priv_data;
  ctv_encoder_close(ctv->encoder);
  return 0;
}

#define OFFSET(x) offsetof(CtvEncoder, x)
#define VE AV_OPT_FLAG_VIDEO_PARAM | AV_OPT_FLAG_ENCODING_PARAM
static const AVOption options[] = {
    {"preset", "as of ctenc", OFFSET(preset), AV_OPT_TYPE_STRING, {.str = "default"}, 0, 0, VE},
    {"qp", "quantiser, 0 to 51", OFFSET(qp), AV_OPT_TYPE_INT, {.i64 = -1}, -1, 51, VE},
    {"crf", "constant quality, 0 to 51", OFFSET(crf), AV_OPT_TYPE_FLOAT, {.dbl = -1}, -1, 51, VE},
    {"lossless", "every sample comes back", OFFSET(lossless), AV_OPT_TYPE_BOOL, {.i64 = 0}, 0, 1, VE},
    {"backend", "auto, cpu or cuda", OFFSET(backend), AV_OPT_TYPE_STRING, {.str = "auto"}, 0, 0, VE},
    {NULL}};

static const AVClass class = {.class_name = "libctv encoder",
                              .item_name = av_default_item_name,
                              .option = options,
                              .version = LIBAVUTIL_VERSION_INT};

static const FFCodecDefault defaults[] = {{"b", "0"}, {"g", "-1"}, {NULL}};

const FFCodec ff_libctv_encoder = {
    .p.name = "libctv",
    .p.long_name = NULL_IF_CONFIG_SMALL("libctv contourlet video"),
    .p.type = AVMEDIA_TYPE_VIDEO,
    .p.id = AV_CODEC_ID_CTV,
    .p.capabilities = AV_CODEC_CAP_DR1 | AV_CODEC_CAP_OTHER_THREADS,
    .p.pix_fmts =
        (const enum AVPixelFormat[]){
            AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_GRAY8,
            AV_PIX_FMT_RGB24, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P,
            AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_P010LE, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE,
            AV_PIX_FMT_GRAY10LE, AV_PIX_FMT_YUV420P12LE, AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV444P12LE,
            AV_PIX_FMT_GRAY12LE, AV_PIX_FMT_NONE},
    .p.priv_class = &class,
    .p.wrapper_name = "libctv",
    .priv_data_size = sizeof(CtvEncoder),
    .defaults = defaults,
    .init = init,
    FF_CODEC_ENCODE_CB(encode),
    .close = close,
    .caps_internal = FF_CODEC_CAP_INIT_CLEANUP | FF_CODEC_CAP_AUTO_THREADS,
};
