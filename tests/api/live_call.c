/* SPDX-License-Identifier: BSD-3-Clause */
/* A call over a lossy network, in C: one packet per picture, a bitrate that changes, packets that are lost,
 * and reports of the receiver, by which the sender leaves losses behind without a key frame. live_call.cpp is
 * the same in C++. Here the network is a function call. */
#include <ctv/ctv.h>
#include <stdio.h>
#include <stdlib.h>

enum report { kNone, kHas, kLacks, kLacksAll };
enum { kWidth = 96, kHeight = 64, kFrames = 60, kRoundTrip = 4 };

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

/* The network. */
static int lost(int n) { return n == 20 || n == 40; }

int main(void) {
  ctv_config config;
  check(ctv_config_init(&config, "fast"), "config");
  config.width = kWidth;
  config.height = kHeight;
  config.format = CTV_FORMAT_GRAY8;
  config.fps_num = 30;
  config.fps_den = 1;
  config.key_interval = 0;                  /* key frames only where they are needed */
  config.min_key_distance = kRoundTrip + 1; /* of several requests in a round trip, one counts */
  config.slots = 3; /* frames that wait for a report, and the newest that the receiver has */
  config.bitrate = 800000;
  config.buffer_ms = 200;
  ctv_encoder* encoder = NULL;
  check(ctv_encoder_open(&config, &encoder), "encoder");

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

  ctv_unit unit;
  ctv_unit_init(&unit);
  enum report reports[kFrames] = {kNone};
  int pictures = 0, key_frames = 0;
  for (int n = 0; n < kFrames; ++n) {
    /* Sender. */
    if (n == kFrames / 2) check(ctv_encoder_set_bitrate(encoder, 300000, 0), "bitrate");
    const int reported = n - kRoundTrip;
    const enum report report = reported < 0 ? kNone : reports[reported];
    if (report == kHas) check(ctv_encoder_acknowledge(encoder, reported), "acknowledge");
    if (report == kLacks) check(ctv_encoder_lost(encoder, reported), "lost");
    if (report == kLacksAll) check(ctv_encoder_request_key_frame(encoder), "key frame");
    fill(samples, n);
    check(ctv_encoder_send(encoder, &sent), "send");
    check(ctv_encoder_receive(encoder, &unit), "packet");
    key_frames += unit.key_frame;
    if (lost(n)) continue;

    /* Receiver. With a key frame comes the header, for who joins late or has lost it. */
    if (unit.key_frame) {
      ctv_unit header;
      ctv_unit_init(&header);
      check(ctv_encoder_header(encoder, &header), "header");
      check(ctv_decoder_send(decoder, header.data, header.size), "send header");
    }
    const ctv_status status = ctv_decoder_send(decoder, unit.data, unit.size);
    if (status == CTV_ERROR_REFERENCE) { /* the last picture stays on the screen */
      size_t held = 0; /* none, for example after a GPU has failed: only a key frame helps */
      check(ctv_decoder_held(decoder, NULL, 0, &held), "held");
      reports[n] = held > 0 ? kLacks : kLacksAll;
      continue;
    }
    check(status, "send packet");
    reports[n] = kHas;
    while (ctv_decoder_receive(decoder, &shown) == CTV_OK) pictures += shown.frame_number == n;
  }
  ctv_encoder_close(encoder);
  ctv_decoder_close(decoder);
  printf("%d of %d pictures shown, %d key frame\n", pictures, kFrames, key_frames);
  return key_frames == 1 && pictures == kFrames - 2 * (kRoundTrip + 1) ? 0 : 1;
}
