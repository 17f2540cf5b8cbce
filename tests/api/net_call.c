/* SPDX-License-Identifier: BSD-3-Clause */
/* The call of docs/calls.md as it is printed there, with what it leaves to the program: a camera, a screen, a
 * network that loses datagrams, and a clock that stands still in between. */
#include <ctv/net.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWidth = 160, kHeight = 96, kFrames = 60, kFps = 30, kMtu = 400, kMaxParts = 64, kBitrate = 300000 };

static uint8_t samples[kWidth * kHeight];
static int64_t clock_us;
static int shown, refused;

static ctv_picture camera(int n) {
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) samples[y * kWidth + x] = (uint8_t)(((x + n) * 3) ^ (y * 2));
  }
  ctv_picture picture;
  ctv_picture_init(&picture);
  picture.format = CTV_FORMAT_GRAY8;
  picture.width = kWidth;
  picture.height = kHeight;
  picture.data[0] = samples;
  picture.stride[0] = kWidth;
  return picture;
}

static void show(const ctv_picture* picture) { shown += picture->width == kWidth; }

static void check(ctv_status status) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s%s\n", ctv_status_name(status), ctv_last_error(), ctv_net_last_error());
  exit(1);
}

static void transmit(const uint8_t* data, size_t size);
static void answer(const uint8_t* data, size_t size);

// calls.md: begin
typedef struct sending {
  ctv_encoder* encoder;
  ctv_net_sender* net;
  ctv_net_measurement measured; /* fps, playout_us: as the program knows them */
  ctv_net_settings settings;    /* ctv_net_settings_choose() of it */
} sending;

/* Cuts a packet into parts: header and vectors first, then levels. A key frame is needed whole, and brings
 * the sequence header along for who joins now. */
static void send_packet(sending* s, const ctv_unit* unit) {
  ctv_unit header;
  ctv_unit_init(&header);
  check(ctv_encoder_header(s->encoder, &header));
  ctv_part list[kMaxParts];
  size_t count = 0, n = 0;
  check(ctv_packet_parts(header.data, header.size, unit->data, unit->size, list, kMaxParts, &count));
  ctv_net_part parts[kMaxParts + 1];
  memset(parts, 0, sizeof parts);
  if (unit->key_frame) parts[n++] = (ctv_net_part){header.data, header.size, 0, 0};
  for (size_t i = 0; i < count; ++i) {
    const int32_t priority = i == 0 || unit->key_frame ? 0 : 1;
    parts[n++] = (ctv_net_part){unit->data + list[i].offset, list[i].size, priority, 0};
  }
  ctv_net_frame frame;
  ctv_net_frame_init(&frame);
  frame.frame_number = unit->frame_number;
  frame.reference = unit->reference_frame;
  frame.temporal_id = unit->temporal_id;
  frame.discardable = unit->keep_in == CTV_KEEP_NOWHERE;
  frame.parts = parts;
  frame.part_count = n;
  check(ctv_net_sender_push(s->net, &frame));
}

/* After each picture and message, and when ctv_net_sender_due() says so. */
static void send_datagrams(sending* s) {
  const uint8_t* data;
  size_t size;
  while (ctv_net_sender_next(s->net, clock_us, &data, &size) == CTV_OK) transmit(data, size);
}

static void adapt(sending* s) {
  check(ctv_net_sender_measure(s->net, clock_us, &s->measured));
  check(ctv_net_settings_choose(&s->measured, &s->settings));
  check(ctv_net_sender_apply(s->net, &s->settings));
  check(ctv_encoder_set_bitrate(s->encoder, s->settings.bitrate, 0));
}

/* For each picture of the camera. Its timestamp tells the encoder of pictures that are left out. */
static void send_picture(sending* s, const ctv_picture* picture) {
  adapt(s);
  if (s->settings.pause) return;
  ctv_unit unit;
  ctv_unit_init(&unit);
  check(ctv_encoder_send(s->encoder, picture));
  check(ctv_encoder_receive(s->encoder, &unit));
  send_packet(s, &unit);
  send_datagrams(s);
}

/* For each message of the receiver. */
static void take_feedback(sending* s, const uint8_t* data, size_t size) {
  ctv_net_feedback feedback;
  ctv_net_feedback_init(&feedback);
  if (ctv_net_sender_feedback(s->net, clock_us, data, size, &feedback) < 0) return; /* damaged */
  for (size_t i = 0; i < feedback.report_count; ++i) {
    const ctv_net_report* report = &feedback.reports[i];
    if (report->state == CTV_NET_WHOLE) {
      check(ctv_encoder_acknowledge(s->encoder, report->frame_number));
    } else { /* later frames refer to an acknowledged one */
      check(ctv_encoder_lost(s->encoder, report->frame_number));
    }
  }
  if (feedback.key_frame) check(ctv_encoder_request_key_frame(s->encoder));
  send_datagrams(s);
}

typedef struct receiving {
  ctv_decoder* decoder;
  ctv_net_receiver* net;
} receiving;

/* Gives the parts of a frame to the decoder, which conceals what is missing. The parts of a packet follow
 * each other in memory. */
static ctv_net_state decode(receiving* r, const ctv_net_frame* frame) {
  if (frame->state == CTV_NET_LOST) return CTV_NET_LOST; /* the last picture stays on the screen */
  size_t first = 0;
  ctv_unit_kind kind;
  uint64_t unit_size;
  if (ctv_unit_parse(frame->parts[0].data, frame->parts[0].size, &kind, &unit_size) == CTV_OK &&
      kind == CTV_UNIT_HEADER) {
    if (ctv_decoder_send(r->decoder, frame->parts[0].data, frame->parts[0].size) < 0) return CTV_NET_LOST;
    first = 1;
  }
  if (first == frame->part_count) return CTV_NET_LOST;
  ctv_unit unit;
  ctv_unit_init(&unit);
  unit.data = frame->parts[first].data;
  uint8_t missing[CTV_NET_MAX_PARTS];
  for (size_t i = first; i < frame->part_count; ++i) {
    unit.size += frame->parts[i].size;
    missing[i - first] = frame->parts[i].missing != 0;
  }
  ctv_picture picture;
  ctv_picture_init(&picture);
  if (ctv_decoder_send_damaged(r->decoder, &unit, missing, frame->part_count - first) < 0)
    return CTV_NET_LOST;
  if (ctv_decoder_receive(r->decoder, &picture) != CTV_OK) return CTV_NET_LOST;
  show(&picture);
  return picture.damaged == CTV_DAMAGE_NONE ? CTV_NET_WHOLE : CTV_NET_INCOMPLETE;
}

/* After each datagram, and when ctv_net_receiver_due() says so. */
static void receive(receiving* r) {
  ctv_net_frame frame;
  ctv_net_frame_init(&frame);
  while (ctv_net_receiver_next(r->net, clock_us, &frame) == CTV_OK) {
    const ctv_net_state state = decode(r, &frame);
    check(ctv_net_receiver_report(r->net, frame.frame_number, state));
    size_t held = 0; /* frames that later ones can refer to */
    check(ctv_decoder_held(r->decoder, NULL, 0, &held));
    if (held == 0) check(ctv_net_receiver_request_key_frame(r->net));
  }
  const uint8_t* data;
  size_t size;
  while (ctv_net_receiver_feedback(r->net, clock_us, &data, &size) == CTV_OK) answer(data, size);
}

static void take_datagram(receiving* r, const uint8_t* data, size_t size) {
  if (ctv_net_receiver_push(r->net, clock_us, data, size) ==
      CTV_ERROR_LIMIT) { /* the oldest frames make room */
    receive(r);
    (void)ctv_net_receiver_push(r->net, clock_us, data, size);
  }
  receive(r);
}
// calls.md: end

static sending sender;
static receiving receiver;
static int datagrams;
static size_t sent; /* bytes */

/* The network: every 23rd datagram is lost, feedback comes half a frame later. */
static void transmit(const uint8_t* data, size_t size) {
  sent += size;
  if (++datagrams % 23 != 7) {
    take_datagram(&receiver, data, size);
  } else {
    ++refused;
  }
}
static struct {
  uint8_t data[1500];
  size_t size;
} messages[64];
static size_t message_count;
static void answer(const uint8_t* data, size_t size) {
  if (message_count == 64) return; /* lost */
  memcpy(messages[message_count].data, data, size);
  messages[message_count++].size = size;
}

int main(void) {
  ctv_net_measurement_init(&sender.measured);
  ctv_net_settings_init(&sender.settings);
  ctv_config config;
  check(ctv_config_init(&config, "fast"));
  config.width = kWidth;
  config.height = kHeight;
  config.format = CTV_FORMAT_GRAY8;
  config.fps_num = kFps;   /* a rate counts in its seconds */
  config.key_interval = 0; /* key frames on request */
  config.slots = 8;        /* frames wait in them until they are acknowledged */
  config.error_resilient = 1;
  config.bitrate = kBitrate;
  check(ctv_encoder_open(&config, &sender.encoder));
  ctv_decoder_config decoding;
  check(ctv_decoder_config_init(&decoding));
  decoding.conceal = 1;
  check(ctv_decoder_open(&decoding, &receiver.decoder));
  ctv_net_sender_config sending_config;
  ctv_net_sender_config_init(&sending_config);
  sending_config.mtu = kMtu;
  sending_config.bitrate = kBitrate;
  sending_config.max_bitrate = kBitrate;
  check(ctv_net_sender_open(&sending_config, &sender.net));
  ctv_net_receiver_config receiving_config;
  ctv_net_receiver_config_init(&receiving_config);
  check(ctv_net_receiver_open(&receiving_config, &receiver.net));
  for (int n = 0; n < kFrames; ++n) {
    ctv_picture picture = camera(n);
    picture.timestamp = n;
    picture.duration = 1;
    send_picture(&sender, &picture);
    for (int i = 0; i < 25; ++i, clock_us += 1000) {
      int64_t due;
      check(ctv_net_sender_due(sender.net, &due));
      if (due <= clock_us) send_datagrams(&sender);
      receive(&receiver); /* what has passed its deadline */
    }
    for (size_t i = 0; i < message_count; ++i) take_feedback(&sender, messages[i].data, messages[i].size);
    message_count = 0;
    clock_us += 8333;
  }
  ctv_encoder_close(sender.encoder);
  ctv_decoder_close(receiver.decoder);
  ctv_net_sender_close(sender.net);
  ctv_net_receiver_close(receiver.net);
  const double rate = (double)sent * 8 * kFps / kFrames;
  printf("%d of %d pictures shown, %d of %d datagrams lost, %.0f of %d bit/s\n", shown, kFrames, refused,
         datagrams, rate, kBitrate);
  return refused > 5 && shown > kFrames * 3 / 4 && rate < 1.05 * kBitrate ? 0 : 1;
}
