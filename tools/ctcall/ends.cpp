// SPDX-License-Identifier: BSD-3-Clause
// Both ends of a call: transport on one side, codec on the other. docs/calls.md explains the same steps.
#include <algorithm>
#include <cmath>

#include "cli/exit.h"
#include "ctcall/call.h"

namespace ctv::tools {
namespace {

void check_net(ctv_status status) {
  if (status < 0) throw Failure(exit_of(status), std::string("transport: ") + ctv_net_last_error());
}

// Assumed spread of arrivals of one frame's datagrams.
constexpr int64_t kSpread = 5000;
// A datagram may claim any number. 77 hours at 60 frames a second; later frames are not counted.
constexpr int64_t kMostFrames = int64_t{1} << 24;

}  // namespace

int64_t deadline_us(const CallOptions& o) { return std::max(o.playout_us, kSpread); }

void choose_repeats(CallOptions& o) {
  ctv_net_measurement m;
  ctv_net_measurement_init(&m);
  m.bitrate = o.bitrate;
  m.round_trip_us = 2 * (o.network.delay_us + o.network.jitter_us);
  m.playout_us = o.playout_us;
  ctv_net_settings s;
  ctv_net_settings_init(&s);
  check_net(ctv_net_settings_choose(&m, &s));
  o.strategy.repeats = s.repeats;
}

SendingEnd::SendingEnd(const CallOptions& options, Source& source) : options_(options), source_(source) {
  ctv_net_sender_config config;
  ctv_net_sender_config_init(&config);
  config.mtu = options.mtu;
  config.max_bitrate = options.bitrate;
  config.bitrate = options.first_bitrate > 0 ? options.first_bitrate : options.bitrate;
  check_net(ctv_net_sender_open(&config, &sender_));
  ctv_net_measurement_init(&measured_);
  ctv_net_settings_init(&settings_);
  measured_.fps_num = static_cast<int32_t>(std::lround(options.fps * 1000));
  measured_.fps_den = 1000;
  measured_.playout_us = options.strategy.repeats > 0 ? options.playout_us : 0;
  adapt(0);
}

SendingEnd::~SendingEnd() { ctv_net_sender_close(sender_); }

void SendingEnd::adapt(int64_t now_us) {
  check_net(ctv_net_sender_measure(sender_, now_us, &measured_));
  check_net(ctv_net_settings_choose(&measured_, &settings_));
  if (!options_.strategy.parity) {
    ctv_net_protection_init(&settings_.protection);
    settings_.key_protection = settings_.protection;
  }
  settings_.deadline_us = deadline_us(options_);
  settings_.repeats = options_.strategy.repeats;
  check_net(ctv_net_sender_apply(sender_, &settings_));
  source_.set_bitrate(settings_.bitrate);
}

bool SendingEnd::capture(int64_t now_us) {
  adapt(now_us);
  if (settings_.pause != 0) {
    coded_.push_back(-1);
    return source_.skip();
  }
  CodedFrame frame;
  if (!source_.code(frame)) return false;
  coded_.push_back(frame.number);
  std::vector<ctv_net_part> parts;
  for (const CodedPart& part : frame.parts) {
    parts.push_back({part.bytes.data(), part.bytes.size(), options_.strategy.parts ? part.priority : 0, 0});
    (part.priority == 0 ? bytes_.vectors : bytes_.levels) += part.bytes.size();
  }
  key_frames_ += frame.reference < 0 ? 1 : 0;
  ctv_net_frame f;
  ctv_net_frame_init(&f);
  f.frame_number = frame.number;
  f.reference = frame.reference;
  f.temporal_id = frame.temporal_id;
  f.discardable = frame.discardable ? 1 : 0;
  f.parts = parts.data();
  f.part_count = parts.size();
  check_net(ctv_net_sender_push(sender_, &f));
  return true;
}

std::span<const uint8_t> SendingEnd::next(int64_t now_us) {
  const uint8_t* data = nullptr;
  size_t size = 0;
  check_net(ctv_net_sender_next(sender_, now_us, &data, &size));
  return {data, size};
}

int64_t SendingEnd::due_us() const {
  int64_t due = 0;
  check_net(ctv_net_sender_due(sender_, &due));
  return due;
}

void SendingEnd::feedback(int64_t now_us, std::span<const uint8_t> message) {
  ctv_net_feedback f;
  ctv_net_feedback_init(&f);
  // Invalid messages are ignored, as on any network.
  if (ctv_net_sender_feedback(sender_, now_us, message.data(), message.size(), &f) != CTV_OK) return;
  adapt(now_us);
  for (size_t i = 0; i < f.report_count; ++i) {
    if (f.reports[i].state == CTV_NET_WHOLE) {
      source_.acknowledge(f.reports[i].frame_number);
    } else {
      source_.lose(f.reports[i].frame_number);
    }
  }
  if (f.key_frame != 0) source_.request_key_frame();
}

void SendingEnd::count(CallResult& result) const {
  ctv_net_sender_statistics s;
  ctv_net_sender_statistics_init(&s);
  check_net(ctv_net_sender_get_statistics(sender_, &s));
  result.key_frames = key_frames_;
  result.datagrams = s.datagrams;
  const uint64_t feedback = result.bytes.feedback;
  result.bytes = bytes_;
  result.bytes.headers = s.header_bytes;
  result.bytes.parity = s.parity_bytes;
  result.bytes.repeated = s.repeated_bytes;
  result.bytes.feedback = feedback;
}

ReceivingEnd::ReceivingEnd(const CallOptions& options, Sink& sink) : sink_(sink) {
  ctv_net_receiver_config config;
  ctv_net_receiver_config_init(&config);
  config.mtu = std::max(options.mtu, 1500);
  config.frame_interval_us = static_cast<int64_t>(1e6 / options.fps);
  check_net(ctv_net_receiver_open(&config, &receiver_));
}

ReceivingEnd::~ReceivingEnd() { ctv_net_receiver_close(receiver_); }

void ReceivingEnd::push(int64_t now_us, std::span<const uint8_t> datagram) {
  if (ctv_net_receiver_push(receiver_, now_us, datagram.data(), datagram.size()) == CTV_ERROR_LIMIT) {
    decode(now_us);  // makes room
    (void)ctv_net_receiver_push(receiver_, now_us, datagram.data(), datagram.size());
  }
}

void ReceivingEnd::note(int64_t number, ctv_net_state state, int64_t now_us) {
  if (number < 0 || number >= kMostFrames) return;
  const auto i = static_cast<size_t>(number);
  if (fates_.size() <= i) fates_.resize(i + 1, CTV_NET_UNKNOWN), decoded_us_.resize(i + 1, -1);
  fates_[i] = state;
  if (state != CTV_NET_LOST) decoded_us_[i] = now_us;
}

void ReceivingEnd::decode(int64_t now_us) {
  ctv_net_frame frame;
  ctv_net_frame_init(&frame);
  ctv_status status = CTV_OK;
  while ((status = ctv_net_receiver_next(receiver_, now_us, &frame)) == CTV_OK) {
    const ctv_net_state state = sink_.decode(frame);
    note(frame.frame_number, state, now_us);
    check_net(ctv_net_receiver_report(receiver_, frame.frame_number, state));
    if (sink_.wants_key_frame()) check_net(ctv_net_receiver_request_key_frame(receiver_));
  }
  check_net(status);
}

std::span<const uint8_t> ReceivingEnd::feedback(int64_t now_us) {
  const uint8_t* data = nullptr;
  size_t size = 0;
  check_net(ctv_net_receiver_feedback(receiver_, now_us, &data, &size));
  feedback_bytes_ += size;
  return {data, size};
}

int64_t ReceivingEnd::due_us() {
  int64_t due = 0;
  check_net(ctv_net_receiver_due(receiver_, &due));
  return due;
}

void ReceivingEnd::show(int64_t picture, int64_t number) {
  ++shown_;
  sink_.show(picture, number);
  if (number < 0) {
    ++skipped_;
    return;
  }
  const auto i = static_cast<size_t>(number);
  const ctv_net_state fate = i < fates_.size() ? fates_[i] : CTV_NET_UNKNOWN;
  const bool frozen = fate == CTV_NET_UNKNOWN || fate == CTV_NET_LOST;
  frozen_ += frozen ? 1 : 0;
  damaged_ += fate == CTV_NET_INCOMPLETE ? 1 : 0;
  run_ = frozen ? run_ + 1 : 0;
  longest_ = std::max(longest_, run_);
}

void ReceivingEnd::count(CallResult& result) const {
  ctv_net_receiver_statistics s;
  ctv_net_receiver_statistics_init(&s);
  check_net(ctv_net_receiver_get_statistics(receiver_, &s));
  result.frames = shown_;
  result.skipped = skipped_;
  result.frozen = frozen_;
  result.damaged = damaged_;
  result.longest_freeze = longest_;
  result.repaired = s.repaired;
  result.repeated = s.repeated;
  result.bytes.feedback = feedback_bytes_;
}

}  // namespace ctv::tools
