/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface as a C program uses it: encode eight pictures, decode them, compare. Lossless, so equal. */
#include <ctv/ctv.h>
#include <stdio.h>
#include <string.h>

enum { kWidth = 40, kHeight = 24, kFrames = 8 };

static int fail(const char* call) {
  fprintf(stderr, "%s: %s\n", call, ctv_last_error());
  return 1;
}

static int same(const ctv_picture* picture, const uint8_t* expected) {
  for (int y = 0; y < kHeight; ++y) {
    const uint8_t* row = (const uint8_t*)picture->data[0] + y * picture->stride[0];
    if (memcmp(row, expected + y * kWidth, kWidth) != 0) return 0;
  }
  return 1;
}

int main(void) {
  ctv_config config;
  if (ctv_config_init(&config, "default") != CTV_OK) return fail("ctv_config_init");
  config.width = kWidth;
  config.height = kHeight;
  config.format = CTV_FORMAT_GRAY8;
  config.lossless = 1;
  config.backend = CTV_BACKEND_CPU;
  ctv_encoder* encoder = NULL;
  if (ctv_encoder_open(&config, &encoder) != CTV_OK) return fail("ctv_encoder_open");

  ctv_decoder_config decoder_config;
  if (ctv_decoder_config_init(&decoder_config) != CTV_OK) return fail("ctv_decoder_config_init");
  decoder_config.backend = CTV_BACKEND_CPU;
  ctv_decoder* decoder = NULL;
  if (ctv_decoder_open(&decoder_config, &decoder) != CTV_OK) return fail("ctv_decoder_open");

  ctv_unit unit;
  memset(&unit, 0, sizeof unit);
  unit.struct_size = sizeof unit;
  if (ctv_encoder_header(encoder, &unit) != CTV_OK) return fail("ctv_encoder_header");
  if (ctv_decoder_send(decoder, unit.data, unit.size) != CTV_OK) return fail("ctv_decoder_send");

  /* All pictures stay as they are until the end, so they can be borrowed: a GPU would not wait for a copy. */
  void* memory = NULL;
  if (ctv_host_alloc(kFrames * kWidth * kHeight, config.backend, config.device, &memory) != CTV_OK)
    return fail("ctv_host_alloc");

  size_t bytes = unit.size;
  int decoded = 0;
  for (int i = 0; i < kFrames; ++i) {
    uint8_t* samples = (uint8_t*)memory + i * kWidth * kHeight;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) samples[y * kWidth + x] = (uint8_t)((x + i) * 5 ^ (y + 2 * i) * 3);
    }
    ctv_picture picture;
    memset(&picture, 0, sizeof picture);
    picture.struct_size = sizeof picture;
    picture.format = CTV_FORMAT_GRAY8;
    picture.width = kWidth;
    picture.height = kHeight;
    picture.data[0] = samples;
    picture.stride[0] = kWidth;
    picture.borrowed = 1;
    if (ctv_encoder_send(encoder, &picture) != CTV_OK) return fail("ctv_encoder_send");
    while (ctv_encoder_receive(encoder, &unit) == CTV_OK) {
      bytes += unit.size;
      if (ctv_decoder_send(decoder, unit.data, unit.size) != CTV_OK) return fail("ctv_decoder_send");
      memset(&picture, 0, sizeof picture);
      picture.struct_size = sizeof picture;
      while (ctv_decoder_receive(decoder, &picture) == CTV_OK) {
        if (!same(&picture, (const uint8_t*)memory + decoded * kWidth * kHeight)) {
          fprintf(stderr, "picture %d differs\n", decoded);
          return 1;
        }
        ++decoded;
      }
    }
  }
  ctv_encoder_close(encoder);
  ctv_decoder_close(decoder);
  ctv_host_free(memory);
  printf("libctv %s: %d pictures, %zu bytes, all equal\n", ctv_version(), decoded, bytes);
  return decoded == kFrames ? 0 : 1;
}
