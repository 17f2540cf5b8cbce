// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file
 * A video call over datagrams that may be lost, in C++20: an encoder with a sender of ctv_net, and a decoder
 * with a receiver. Header only, on top of ctv.hpp and net.h. The program moves the bytes and passes the time
 * in microseconds, from any origin, never decreasing. docs/calls.md begins with a whole call over UDP.
 *
 * Functions throw ctv::Error, but damaged datagrams are ignored. */
#pragma once

#include <ctv/net.h>
#include <ctv/ctv.hpp>

#include <algorithm>

namespace ctv {

/** Divides a packet into parts: header and vectors get priority 0, levels 1. All parts of a key frame get
 * priority 0, after the sequence header. The parts are views of the given bytes.
 * @return CTV_OK; CTV_ERROR_STREAM: a damaged packet; CTV_ERROR_LIMIT: more parts than a frame may have */
inline ctv_status packet_parts(std::span<const uint8_t> header, std::span<const uint8_t> packet,
                               bool key_frame, std::vector<ctv_net_part>& parts) {
  std::vector<ctv_part> list(CTV_NET_MAX_PARTS);
  size_t count = 0;
  const ctv_status status = ctv_packet_parts(header.data(), header.size(), packet.data(), packet.size(),
                                             list.data(), list.size(), &count);
  if (status != CTV_OK) return status;
  if (count + (key_frame ? 1 : 0) > list.size()) return CTV_ERROR_LIMIT;
  list.resize(count);
  parts.clear();
  if (key_frame) parts.push_back({header.data(), header.size(), 0, 0});
  for (const ctv_part& part : list) {
    if (part.offset + part.size > packet.size()) return CTV_ERROR_STREAM;
    parts.push_back({packet.data() + part.offset, part.size, key_frame || part.layer < 0 ? 0 : 1, 0});
  }
  return CTV_OK;
}

/** Decodes a received frame, which packet_parts() divided; conceals what is missing.
 * @param decoder opened with conceal
 * @param frame a frame of ctv_net_receiver_next()
 * @param picture receives the picture, valid until the decoder's next call; nothing if there is none
 * @return the state to report: LOST if there is no picture */
inline ctv_net_state decode_frame(Decoder& decoder, const ctv_net_frame& frame,
                                  std::optional<ctv_picture>& picture) {
  picture.reset();
  if (frame.state == CTV_NET_LOST) return CTV_NET_LOST;
  size_t first = 0;
  ctv_unit_kind kind = CTV_UNIT_PACKET;
  uint64_t unit_size = 0;
  const ctv_net_part& part = frame.parts[0];
  if (ctv_unit_parse(part.data, part.size, &kind, &unit_size) == CTV_OK && kind == CTV_UNIT_HEADER) {
    if (ctv_decoder_send(decoder.get(), part.data, part.size) != CTV_OK) return CTV_NET_LOST;
    first = 1;
  }
  if (first == frame.part_count) return CTV_NET_LOST;
  Unit unit;
  unit.data = frame.parts[first].data;  // parts follow each other in memory
  std::vector<uint8_t> missing;
  for (size_t i = first; i < frame.part_count; ++i) {
    unit.size += frame.parts[i].size;
    missing.push_back(static_cast<uint8_t>(frame.parts[i].missing));
  }
  if (ctv_decoder_send_damaged(decoder.get(), &unit, missing.data(), missing.size()) != CTV_OK)
    return CTV_NET_LOST;
  picture = decoder.receive();
  if (!picture || picture->damaged == CTV_DAMAGE_REPEATED) return CTV_NET_LOST;
  return picture->damaged == CTV_DAMAGE_NONE ? CTV_NET_WHOLE : CTV_NET_INCOMPLETE;
}

/** Whether a datagram is a message of a CallReceiver, for programs with both directions on one socket. */
[[nodiscard]] inline bool is_feedback(std::span<const uint8_t> datagram) {
  ctv_net_header header;
  ctv_net_header_init(&header);
  return ctv_net_header_parse(datagram.data(), datagram.size(), &header) == CTV_OK && header.feedback != 0;
}

/** Returns the bytes of a key frame at most, for ctv_encoder_set_bitrate() before it: a tenth of a second at
 * the bitrate, but enough for a coarse picture. A larger one would be late and fill queues. */
[[nodiscard]] inline int64_t key_frame_limit(int64_t bitrate, int32_t width, int32_t height) {
  return std::max<int64_t>(bitrate / 80, int64_t{width} * height / 64);
}

/** How a call is held. */
struct CallSettings {
  int64_t bitrate = 500000;      /**< Bits per second at first; then what the network carries. */
  int64_t max_bitrate = 4000000; /**< Bits per second at most. */
  int64_t playout_us = 100000;   /**< Additional delay in which lost datagrams may come again. */
  int32_t mtu = 1200;            /**< Largest datagram in bytes. */
};

namespace detail {

/** Throws Error with ctv_net's message if `status` is an error. */
inline ctv_status check_net(ctv_status status) {
  if (status < 0) throw Error(status, ctv_net_last_error());
  return status;
}

/** Deleter of a std::unique_ptr of a handle. */
template <auto close>
struct CloseNet {
  /** Closes the handle. */
  template <typename Handle>
  void operator()(Handle* handle) const noexcept {
    close(handle);
  }
};

/** Calls `f` for the next bytes of a handle. */
template <typename Handle>
std::optional<std::span<const uint8_t>> next_bytes(ctv_status (*f)(Handle*, int64_t, const uint8_t**,
                                                                   size_t*),
                                                   Handle* handle, int64_t now_us) {
  const uint8_t* data = nullptr;
  size_t size = 0;
  if (check_net(f(handle, now_us, &data, &size)) != CTV_OK) return std::nullopt;
  return std::span(data, size);
}

}  // namespace detail

/** The sending end: codes pictures, at the rate that the network carries, into datagrams. */
class CallSender {
 public:
  /** Opens encoder and sender. The constructor sets key_interval, error_resilient, slots, bitrate and
   * frames_in_flight of the configuration; size, format, frame rate and preset are the program's. */
  explicit CallSender(Config config, const CallSettings& settings = {})
      : encoder_(prepared(config, settings)),
        duration_(config.fps_den),
        width_(config.width),
        height_(config.height) {
    ctv_net_sender_config net;
    ctv_net_sender_config_init(&net);
    net.mtu = settings.mtu;
    net.bitrate = std::min(settings.bitrate, settings.max_bitrate);
    net.max_bitrate = settings.max_bitrate;
    ctv_net_sender* sender = nullptr;
    detail::check_net(ctv_net_sender_open(&net, &sender));
    net_.reset(sender);
    ctv_net_measurement_init(&measured_);
    measured_.playout_us = settings.playout_us;
    measured_.fps_num = config.fps_num;
    measured_.fps_den = config.fps_den;
    ctv_net_settings_init(&chosen_);
    const Unit header = encoder_.header();
    header_.assign(header.bytes().begin(), header.bytes().end());
  }
  /** Codes a picture of a camera with a constant rate. Without a timestamp it gets that of its number.
   * @return false if it was left out, because the network is too slow or the receiver silent */
  bool send(ctv_picture picture, int64_t now_us) {
    if (picture.timestamp == 0 && picture.duration == 0)
      picture.timestamp = captured_ * duration_, picture.duration = duration_;
    ++captured_;
    adapt(now_us);
    if (chosen_.pause != 0) return false;
    if (!encoder_.send(picture)) return false;
    const std::optional<Unit> unit = encoder_.receive();
    if (!unit) return false;
    if (unit->key_frame != 0) key_next_ = false;
    check(packet_parts(header_, unit->bytes(), unit->key_frame != 0, parts_));
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    frame.frame_number = unit->frame_number;
    frame.reference = unit->reference_frame;
    frame.temporal_id = unit->temporal_id;
    frame.discardable = unit->keep_in == CTV_KEEP_NOWHERE ? 1 : 0;
    frame.parts = parts_.data();
    frame.part_count = parts_.size();
    detail::check_net(ctv_net_sender_push(net_.get(), &frame));
    ++coded_;
    key_frames_ += unit->key_frame != 0 ? 1 : 0;
    return true;
  }
  /** Takes a message of the receiver; a damaged one is ignored. */
  void receive(std::span<const uint8_t> message, int64_t now_us) {
    ctv_net_feedback feedback;
    ctv_net_feedback_init(&feedback);
    if (ctv_net_sender_feedback(net_.get(), now_us, message.data(), message.size(), &feedback) != CTV_OK)
      return;
    for (size_t i = 0; i < feedback.report_count; ++i) {
      const ctv_net_report& report = feedback.reports[i];
      if (report.state == CTV_NET_WHOLE) {
        encoder_.acknowledge(report.frame_number);
      } else {
        encoder_.lost(report.frame_number);
      }
    }
    requests_ += feedback.key_frame;
    repeats_ += feedback.repeats;
    if (feedback.key_frame != 0) encoder_.request_key_frame(), key_next_ = true;
    adapt(now_us);
  }
  /** Returns the next datagram to send now, valid until the next call. Call it until there is none: after
   * each picture and message, and at due_us(). */
  [[nodiscard]] std::optional<std::span<const uint8_t>> next(int64_t now_us) {
    return detail::next_bytes(&ctv_net_sender_next, net_.get(), now_us);
  }
  /** Returns when to call next() again; INT64_MAX: after the next picture or message. */
  [[nodiscard]] int64_t due_us() const {
    int64_t due = 0;
    detail::check_net(ctv_net_sender_due(net_.get(), &due));
    return due;
  }
  /** Returns statistics as a JSON object, with the names of WebRTC's getStats(). */
  [[nodiscard]] std::string statistics() const {
    ctv_net_sender_statistics s;
    ctv_net_sender_statistics_init(&s);
    detail::check_net(ctv_net_sender_get_statistics(net_.get(), &s));
    uint64_t bytes = s.header_bytes + s.parity_bytes + s.repeated_bytes;
    for (const uint64_t part : s.data_bytes) bytes += part;
    const auto member = [](const char* name, auto value) {
      return ", \"" + std::string(name) + "\": " + std::to_string(value);
    };
    return "{\"type\": \"outbound-rtp\"" + member("framesCaptured", captured_) +
           member("framesEncoded", coded_) + member("keyFramesEncoded", key_frames_) +
           member("packetsSent", s.datagrams) + member("bytesSent", bytes) +
           member("retransmittedBytesSent", s.repeated_bytes) + member("fecBytesSent", s.parity_bytes) +
           member("retransmittedPacketsSent", repeats_) + member("pliCount", requests_) +
           member("targetBitrate", chosen_.bitrate) + member("availableOutgoingBitrate", measured_.bitrate) +
           member("fractionLost", measured_.loss_permille / 1000.0) +
           member("roundTripTime", static_cast<double>(std::max<int64_t>(0, measured_.round_trip_us)) / 1e6) +
           "}";
  }
  /** Encrypts datagrams (ctv_net_sender_encrypt()); call it before the first picture. */
  void encrypt(const ctv_net_cipher& cipher) {
    detail::check_net(ctv_net_sender_encrypt(net_.get(), &cipher));
  }
  /** Returns the encoder, for example to ask for key frames. */
  [[nodiscard]] Encoder& encoder() noexcept { return encoder_; }

 private:
  static const Config& prepared(Config& config, const CallSettings& settings) {
    config.key_interval = 0;  // on request
    config.error_resilient = 1;
    if (config.prediction == CTV_PREDICTION_PICTURE) config.slots = 8;  // until they are acknowledged
    config.bitrate = settings.bitrate;
    config.frames_in_flight = 1;
    return config;
  }
  void adapt(int64_t now_us) {
    detail::check_net(ctv_net_sender_measure(net_.get(), now_us, &measured_));
    detail::check_net(ctv_net_settings_choose(&measured_, &chosen_));
    detail::check_net(ctv_net_sender_apply(net_.get(), &chosen_));
    encoder_.set_bitrate(chosen_.bitrate, key_next_ ? key_frame_limit(chosen_.bitrate, width_, height_) : 0);
  }

  Encoder encoder_;
  int64_t duration_;
  int32_t width_, height_;
  bool key_next_ = true;  // the next frame is a key frame
  std::unique_ptr<ctv_net_sender, detail::CloseNet<&ctv_net_sender_close>> net_;
  ctv_net_measurement measured_;
  ctv_net_settings chosen_;
  std::vector<uint8_t> header_;
  std::vector<ctv_net_part> parts_;
  int64_t captured_ = 0, coded_ = 0, key_frames_ = 0, requests_ = 0, repeats_ = 0;
};

/** The receiving end: assembles and decodes pictures, and answers. */
class CallReceiver {
 public:
  /** Opens decoder and receiver; `config` may choose the backend. */
  explicit CallReceiver(DecoderConfig config = {}) : decoder_(prepared(config)) {
    ctv_net_receiver_config net;
    ctv_net_receiver_config_init(&net);
    net.mtu = 65000;
    ctv_net_receiver* receiver = nullptr;
    detail::check_net(ctv_net_receiver_open(&net, &receiver));
    net_.reset(receiver);
  }
  /** Takes only datagrams with the key (ctv_net_receiver_encrypt()); call it before the first one. */
  void encrypt(const ctv_net_cipher& cipher) {
    detail::check_net(ctv_net_receiver_encrypt(net_.get(), &cipher));
  }
  /** Takes a datagram of the sender; a damaged one is ignored. Then call picture() until there is none. */
  void receive(std::span<const uint8_t> datagram, int64_t now_us) {
    ++datagrams_, bytes_ += datagram.size();
    while (ctv_net_receiver_push(net_.get(), now_us, datagram.data(), datagram.size()) == CTV_ERROR_LIMIT) {
      if (!decode(now_us)) return;  // the oldest frame makes room; its picture is not shown
    }
  }
  /** Returns the next picture, valid until the next call: it is the newest, to be shown at once. Call it
   * after each datagram and at due_us(). */
  [[nodiscard]] std::optional<ctv_picture> picture(int64_t now_us) {
    while (decode(now_us)) {
      if (picture_) return picture_;
    }
    return std::nullopt;
  }
  /** Returns the next message to the sender, valid until the next call. Call it until there is none: after
   * picture(). */
  [[nodiscard]] std::optional<std::span<const uint8_t>> next(int64_t now_us) {
    return detail::next_bytes(&ctv_net_receiver_feedback, net_.get(), now_us);
  }
  /** Returns when to call picture() and next() again; INT64_MAX: after the next datagram. */
  [[nodiscard]] int64_t due_us() const {
    int64_t due = 0;
    detail::check_net(ctv_net_receiver_due(net_.get(), &due));
    return due;
  }
  /** Returns statistics as a JSON object, with the names of WebRTC's getStats(). */
  [[nodiscard]] std::string statistics() const {
    ctv_net_receiver_statistics s;
    ctv_net_receiver_statistics_init(&s);
    detail::check_net(ctv_net_receiver_get_statistics(net_.get(), &s));
    const auto member = [](const char* name, auto value) {
      return ", \"" + std::string(name) + "\": " + std::to_string(value);
    };
    return "{\"type\": \"inbound-rtp\"" + member("packetsReceived", datagrams_) +
           member("bytesReceived", bytes_) + member("packetsDiscarded", s.refused + s.late) +
           member("packetsRepaired", s.repaired) + member("retransmittedPacketsReceived", s.repeated) +
           member("nackCount", s.asked) + member("framesReceived", s.whole + s.incomplete) +
           member("framesDecoded", decoded_) + member("framesDropped", s.lost) +
           member("framesDamaged", damaged_) + member("keyFramesDecoded", key_frames_) +
           member("freezeCount", freezes_) +
           member("totalFreezesDuration", static_cast<double>(frozen_us_) / 1e6) +
           member("jitterBufferDelay", static_cast<double>(waited_us_) / 1e6) +
           member("jitterBufferEmittedCount", decoded_) + member("fractionLost", s.loss_permille / 1000.0) +
           "}";
  }

 private:
  static const DecoderConfig& prepared(DecoderConfig& config) {
    config.conceal = 1;
    config.frames_in_flight = 1;
    return config;
  }
  /** Decodes the next frame, if one is due; picture_ has its picture. */
  bool decode(int64_t now_us) {
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    if (detail::check_net(ctv_net_receiver_next(net_.get(), now_us, &frame)) != CTV_OK) return false;
    const ctv_net_state state = decode_frame(decoder_, frame, picture_);
    if (state == CTV_NET_LOST) picture_.reset();
    if (picture_) count(frame, state, now_us);
    detail::check_net(ctv_net_receiver_report(net_.get(), frame.frame_number, state));
    if (decoder_.held().empty()) detail::check_net(ctv_net_receiver_request_key_frame(net_.get()));
    return true;
  }
  void count(const ctv_net_frame& frame, ctv_net_state state, int64_t now_us) {
    // A freeze as WebRTC counts them: longer than three mean intervals, and than one with 150 ms more.
    const int64_t interval = now_us - shown_us_;
    if (decoded_ > 0) {
      if (mean_us_ > 0 && interval > std::max(3 * mean_us_, mean_us_ + 150000)) {
        ++freezes_;
        frozen_us_ += interval;
      }
      mean_us_ = mean_us_ == 0 ? interval : mean_us_ + (interval - mean_us_) / 16;
    }
    shown_us_ = now_us;
    ++decoded_;
    damaged_ += state == CTV_NET_INCOMPLETE ? 1 : 0;
    key_frames_ += frame.reference == -1 ? 1 : 0;
    waited_us_ += now_us - frame.arrival_us;
  }

  Decoder decoder_;
  std::unique_ptr<ctv_net_receiver, detail::CloseNet<&ctv_net_receiver_close>> net_;
  std::optional<ctv_picture> picture_;
  uint64_t datagrams_ = 0, bytes_ = 0;
  int64_t decoded_ = 0, damaged_ = 0, key_frames_ = 0, freezes_ = 0;
  int64_t frozen_us_ = 0, waited_us_ = 0, shown_us_ = 0, mean_us_ = 0;
};

}  // namespace ctv
