/* SPDX-License-Identifier: BSD-3-Clause */
/* The example of ctv.h as it is printed there, with what it leaves to the program. */
#include <ctv/ctv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWidth = 320, kHeight = 180, kFrames = 5 };

static uint8_t samples[kWidth * kHeight * 3 / 2];
static struct {
  uint8_t* data;
  size_t size;
} units[kFrames + 1];
static int sent, transmitted, read_units, shown, asked;

static int next_picture(ctv_picture* picture) {
  if (sent == kFrames) return 0;
  for (size_t i = 0; i < sizeof samples; ++i) samples[i] = (uint8_t)(i % kWidth + (size_t)sent * 2);
  uint8_t* chroma = samples + kWidth * kHeight;
  picture->format = CTV_FORMAT_I420;
  picture->width = kWidth;
  picture->height = kHeight;
  picture->data[0] = samples;
  picture->data[1] = chroma;
  picture->data[2] = chroma + kWidth * kHeight / 4;
  picture->stride[0] = kWidth;
  picture->stride[1] = picture->stride[2] = kWidth / 2;
  ++sent;
  return 1;
}

static void transmit(const uint8_t* data, size_t size) {
  if (transmitted > kFrames || (units[transmitted].data = malloc(size)) == NULL) exit(1);
  memcpy(units[transmitted].data, data, size);
  units[transmitted++].size = size;
}

static int next_unit(const uint8_t** data, size_t* size) {
  if (read_units == 3) ++read_units; /* one is lost */
  if (read_units >= transmitted) return 0;
  *data = units[read_units].data;
  *size = units[read_units++].size;
  return 1;
}

static void ask_for_key_frame(void) { ++asked; }

static void show(const ctv_picture* picture) {
  if (picture->width == kWidth && picture->height == kHeight) ++shown;
}

// ctv.h: begin
ctv_status encode_clip(void) {
  ctv_config config;
  ctv_config_init(&config, "default");
  config.width = 320;
  config.height = 180;
  config.format = CTV_FORMAT_I420;
  ctv_encoder* encoder;
  ctv_status status = ctv_encoder_open(&config, &encoder);
  if (status < 0) return status;  // ctv_last_error() says why
  ctv_unit unit;
  ctv_unit_init(&unit);
  status = ctv_encoder_header(encoder, &unit);
  if (status == CTV_OK) transmit(unit.data, unit.size);
  ctv_picture picture;
  ctv_picture_init(&picture);
  while (status >= 0 && next_picture(&picture)) {
    status = ctv_encoder_send(encoder, &picture);
    if (status < 0) break;
    while ((status = ctv_encoder_receive(encoder, &unit)) == CTV_OK) transmit(unit.data, unit.size);
  }
  ctv_encoder_flush(encoder);
  while (ctv_encoder_receive(encoder, &unit) == CTV_OK) transmit(unit.data, unit.size);
  ctv_encoder_close(encoder);
  return status < 0 ? status : CTV_OK;
}

ctv_status decode_stream(void) {
  ctv_decoder_config config;
  ctv_decoder_config_init(&config);
  ctv_decoder* decoder;
  ctv_status status = ctv_decoder_open(&config, &decoder);
  if (status < 0) return status;
  ctv_picture picture;
  ctv_picture_init(&picture);
  const uint8_t* data;
  size_t size;
  while (next_unit(&data, &size)) {
    status = ctv_decoder_send(decoder, data, size);
    if (status == CTV_ERROR_REFERENCE) ask_for_key_frame();
    while (ctv_decoder_receive(decoder, &picture) == CTV_OK) show(&picture);
  }
  ctv_decoder_flush(decoder);
  while (ctv_decoder_receive(decoder, &picture) == CTV_OK) show(&picture);
  ctv_decoder_close(decoder);
  return CTV_OK;
}
// ctv.h: end

int main(void) {
  if (encode_clip() != CTV_OK || decode_stream() != CTV_OK) {
    fprintf(stderr, "%s\n", ctv_last_error());
    return 1;
  }
  for (int i = 0; i < transmitted; ++i) free(units[i].data);
  printf("libctv %s: %d units, %d pictures, %d times a lost reference\n", ctv_version(), transmitted, shown,
         asked);
  return transmitted == kFrames + 1 && shown == 2 && asked == kFrames - 3 ? 0 : 1;
}
