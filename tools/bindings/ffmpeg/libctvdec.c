// SPDX-License-Identifier: BSD-3-Clause
// FFmpeg's decoder by libctv. A packet of FFmpeg has the sequence header, if there is one, and one packet of
// ctv. Streams are not reordered, so each gives its picture at once.
#include "libavutil/imgutils.h"
#include "libavutil/opt.h"

#include "avcodec.h"
#include "codec_internal.h"
#include "decode.h"
#include "internal.h"
#include "libctv.h"

typedef struct CtvDecoder {
  const AVClass* class;
  ctv_decoder* decoder;
  ctv_stream_info stream;
  int conceal;
  char* backend;
} CtvDecoder;

static int failed(AVCodecContext* avctx, ctv_status status) {
  av_log(avctx, AV_LOG_ERROR, "%s\n", ctv_last_error());
  return status == CTV_ERROR_MEMORY ? AVERROR(ENOMEM) : AVERROR_INVALIDDATA;
}

static int take_header(AVCodecContext* avctx, const uint8_t* data, size_t size) {
  CtvDecoder* ctv = avctx->priv_data;
  ctv_stream_info* s = &ctv->stream;
  ctv_status status = ctv_stream_info_parse(data, size, s);
  if (status == CTV_OK) status = ctv_decoder_send(ctv->decoder, data, size);
  if (status != CTV_OK) return failed(avctx, status);
  avctx->pix_fmt = ff_ctv_pixel_format(s);
  if (avctx->pix_fmt == AV_PIX_FMT_NONE) return AVERROR_PATCHWELCOME;
  avctx->framerate = (AVRational){s->fps_num, s->fps_den};
  avctx->color_range = s->range == CTV_RANGE_FULL      ? AVCOL_RANGE_JPEG
                       : s->range == CTV_RANGE_LIMITED ? AVCOL_RANGE_MPEG
                                                       : AVCOL_RANGE_UNSPECIFIED;
  avctx->color_primaries = s->primaries;
  avctx->color_trc = s->transfer;
  avctx->colorspace = s->format == CTV_FORMAT_RGB8 ? AVCOL_SPC_RGB : s->matrix;
  avctx->chroma_sample_location = s->siting == CTV_SITING_LEFT       ? AVCHROMA_LOC_LEFT
                                  : s->siting == CTV_SITING_CENTRE   ? AVCHROMA_LOC_CENTER
                                  : s->siting == CTV_SITING_TOP_LEFT ? AVCHROMA_LOC_TOPLEFT
                                                                     : AVCHROMA_LOC_UNSPECIFIED;
  if (s->aspect_width > 0 && s->aspect_height > 0)
    ff_set_sar(avctx, (AVRational){s->aspect_width, s->aspect_height});
  return ff_set_dimensions(avctx, s->width, s->height);  // with lowres it halves them, as the decoder does
}

static av_cold int init(AVCodecContext* avctx) {
  CtvDecoder* ctv = avctx->priv_data;
  ctv_decoder_config config;
  ctv_decoder_config_init(&config);
  ctv_stream_info_init(&ctv->stream);
  config.threads = FFMIN(avctx->thread_count, 256);
  config.conceal = ctv->conceal;
  config.reduction = avctx->lowres;
  config.backend = !strcmp(ctv->backend, "cpu")    ? CTV_BACKEND_CPU
                   : !strcmp(ctv->backend, "cuda") ? CTV_BACKEND_CUDA
                                                   : CTV_BACKEND_AUTO;
  const ctv_status status = ctv_decoder_open(&config, &ctv->decoder);
  if (status != CTV_OK) return failed(avctx, status);
  av_log(avctx, AV_LOG_VERBOSE, "%s\n", ctv_decoder_description(ctv->decoder));
  // Some containers pad it to an even size.
  ctv_unit_kind kind;
  uint64_t size;
  if (avctx->extradata_size == 0 ||
      ctv_unit_parse(avctx->extradata, avctx->extradata_size, &kind, &size) != CTV_OK ||
      kind != CTV_UNIT_HEADER || size > (uint64_t)avctx->extradata_size)
    return 0;
  return take_header(avctx, avctx->extradata, size);
}

static int show(AVCodecContext* avctx, AVFrame* frame, const ctv_picture* p) {
  CtvDecoder* ctv = avctx->priv_data;
  if (p->width != avctx->width || p->height != avctx->height) return AVERROR_BUG;
  const int ret = ff_get_buffer(avctx, frame, 0);
  if (ret < 0) return ret;
  for (int i = 0; i < 4 && p->data[i] != NULL; ++i)
    av_image_copy_plane(frame->data[i], frame->linesize[i], p->data[i], (int)p->stride[i],
                        (int)ctv_plane_row_bytes(p->format, p->width, i),
                        (int)ctv_plane_rows(p->format, p->height, i));
  frame->key_frame = p->key_frame;
  frame->pict_type = p->key_frame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_P;
  frame->interlaced_frame = ctv->stream.interlace != CTV_INTERLACE_NONE;
  frame->top_field_first = ctv->stream.interlace == CTV_INTERLACE_TOP_FIRST;
  if (p->damaged != CTV_DAMAGE_NONE) frame->flags |= AV_FRAME_FLAG_CORRUPT;
  return 0;
}

static int decode(AVCodecContext* avctx, AVFrame* frame, int* got_frame, AVPacket* packet) {
  CtvDecoder* ctv = avctx->priv_data;
  for (size_t at = 0, left; (left = (size_t)packet->size - at) > 0;) {
    ctv_unit_kind kind;
    uint64_t size;
    ctv_status status = ctv_unit_parse(packet->data + at, left, &kind, &size);
    if (status != CTV_OK) return failed(avctx, status);
    if (size > left) size = left;  // a cut packet may suffice for lowres; the decoder checks
    if (kind == CTV_UNIT_HEADER) {
      const int ret = take_header(avctx, packet->data + at, size);
      if (ret < 0) return ret;
    } else if (kind == CTV_UNIT_PACKET) {
      status = ctv_decoder_send(ctv->decoder, packet->data + at, size);
      if (status != CTV_OK) return failed(avctx, status);
    }
    at += size;
  }
  ctv_picture picture;
  ctv_picture_init(&picture);
  const ctv_status status = ctv_decoder_receive(ctv->decoder, &picture);
  if (status == CTV_AGAIN || status == CTV_END) return packet->size;
  if (status != CTV_OK) return failed(avctx, status);
  const int ret = show(avctx, frame, &picture);
  if (ret < 0) return ret;
  *got_frame = 1;
  return packet->size;
}

static void flush(AVCodecContext* avctx) {
  CtvDecoder* ctv = avctx->priv_data;
  ctv_decoder_reset(ctv->decoder);
}

static av_cold int close(AVCodecContext* avctx) {
  CtvDecoder* ctv = avctx->priv_data;
  ctv_decoder_close(ctv->decoder);
  return 0;
}

#define OFFSET(x) offsetof(CtvDecoder, x)
#define VD AV_OPT_FLAG_VIDEO_PARAM | AV_OPT_FLAG_DECODING_PARAM
static const AVOption options[] = {
    {"conceal", "show damaged pictures", OFFSET(conceal), AV_OPT_TYPE_BOOL, {.i64 = 0}, 0, 1, VD},
    {"backend", "auto, cpu or cuda", OFFSET(backend), AV_OPT_TYPE_STRING, {.str = "auto"}, 0, 0, VD},
    {NULL}};

static const AVClass class = {.class_name = "libctv decoder",
                              .item_name = av_default_item_name,
                              .option = options,
                              .version = LIBAVUTIL_VERSION_INT};

const FFCodec ff_libctv_decoder = {
    .p.name = "libctv",
    .p.long_name = NULL_IF_CONFIG_SMALL("libctv contourlet video"),
    .p.type = AVMEDIA_TYPE_VIDEO,
    .p.id = AV_CODEC_ID_CTV,
    .p.capabilities = AV_CODEC_CAP_DR1 | AV_CODEC_CAP_OTHER_THREADS,
    .p.max_lowres = CTV_MAX_SCALES,
    .p.priv_class = &class,
    .p.wrapper_name = "libctv",
    .priv_data_size = sizeof(CtvDecoder),
    .init = init,
    FF_CODEC_DECODE_CB(decode),
    .flush = flush,
    .close = close,
    .caps_internal = FF_CODEC_CAP_INIT_CLEANUP | FF_CODEC_CAP_AUTO_THREADS,
};
