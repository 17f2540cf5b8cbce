/* SPDX-License-Identifier: BSD-3-Clause */
/* A call with three sizes, in C: the sender codes all, a server forwards one of them to a receiver whose
 * network changes, and the receiver has one decoder. Here the network is a function call. */
#include <ctv/simulcast.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 160, kHeight = 90, kFrames = 60, kSizes = 3 };

static void check(ctv_status status, const char* call) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", call, ctv_status_name(status), ctv_last_error());
  exit(1);
}

/* The camera. */
static void fill(uint8_t* samples, int n) {
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) samples[y * kWidth + x] = (uint8_t)(((x + n) * 3) ^ (y * 2));
  }
}

/* The size that the receiver's network carries. */
static int wanted(int n) { return n < 20 ? 2 : n < 40 ? 0 : 1; }

int main(void) {
  ctv_config config;
  check(ctv_config_init(&config, "fast"), "config");
  config.width = kWidth;
  config.height = kHeight;
  config.format = CTV_FORMAT_GRAY8;
  config.fps_num = 30;
  config.fps_den = 1;
  config.key_interval = 0; /* key frames only where they are needed */
  config.buffer_ms = 500;
  const int64_t bitrates[kSizes] = {80000, 250000, 800000};
  ctv_simulcast* simulcast = NULL;
  check(ctv_simulcast_open(&config, bitrates, kSizes, &simulcast), "simulcast");

  ctv_decoder_config receiving;
  check(ctv_decoder_config_init(&receiving), "decoder config");
  ctv_decoder* decoder = NULL;
  check(ctv_decoder_open(&receiving, &decoder), "decoder");

  static uint8_t samples[kWidth * kHeight];
  ctv_picture sent, shown;
  ctv_picture_init(&sent);
  ctv_picture_init(&shown);
  sent.format = CTV_FORMAT_GRAY8;
  sent.width = kWidth;
  sent.height = kHeight;
  sent.data[0] = samples;
  sent.stride[0] = kWidth;

  int forwarded = 0, switches = 0, pictures = 0, width = 0;
  for (int n = 0; n < kFrames; ++n) {
    /* The server asks for a key frame where it wants to switch. No receiver has the largest size later. */
    if (n > 0 && wanted(n) != wanted(n - 1)) check(ctv_simulcast_request_key_frame(simulcast), "key frame");
    if (n == 25) check(ctv_simulcast_set_active(simulcast, 2, 0), "off");
    fill(samples, n);
    check(ctv_simulcast_send(simulcast, &sent), "send");
    for (int i = 0; i < kSizes; ++i) {
      ctv_encoder* encoder = ctv_simulcast_encoder(simulcast, i);
      ctv_unit unit;
      ctv_unit_init(&unit);
      const ctv_status status = ctv_encoder_receive(encoder, &unit);
      check(status, "packet");
      if (status != CTV_OK) continue; /* it is off */

      /* The server: key frames come in all sizes at once, so it goes over there, with that size's header. */
      if (unit.key_frame) forwarded = wanted(n);
      if (i != forwarded) continue;
      if (unit.key_frame) {
        ctv_unit header;
        ctv_unit_init(&header);
        check(ctv_encoder_header(encoder, &header), "header");
        check(ctv_decoder_send(decoder, header.data, header.size), "send header");
      }
      check(ctv_decoder_send(decoder, unit.data, unit.size), "send packet");
      for (; ctv_decoder_receive(decoder, &shown) == CTV_OK; ++pictures) {
        switches += width != 0 && width != shown.width;
        width = shown.width;
      }
    }
  }
  ctv_simulcast_close(simulcast);
  ctv_decoder_close(decoder);
  printf("%d of %d pictures shown, %d switches, the last picture is %d wide\n", pictures, kFrames, switches,
         width);
  return pictures == kFrames && switches == 2 && width == kWidth / 2 ? 0 : 1;
}
