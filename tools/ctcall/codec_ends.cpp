// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/codec_ends.h"

#include <algorithm>

#include <ctv/call.hpp>

#include "cli/exit.h"

namespace ctv::tools {
namespace {

constexpr size_t kKeptPictures = 64;

}  // namespace

void Originals::add(int64_t number, const Frame& frame) {
  frames_.emplace(number, frame);
  if (frames_.size() > kKeptPictures) frames_.erase(frames_.begin());
}

const Frame* Originals::find(int64_t number) const {
  const auto it = frames_.find(number);
  return it == frames_.end() ? nullptr : &it->second;
}

std::vector<CodedPart> cut_packet(std::span<const uint8_t> header, const ctv_unit& unit) {
  std::vector<ctv_net_part> views;
  const ctv_status status = packet_parts(header, {unit.data, unit.size}, unit.key_frame != 0, views);
  if (status == CTV_ERROR_LIMIT) throw Failure(Exit::kLimit, "packets have too many parts for the transport");
  check(status);
  std::vector<CodedPart> parts;
  for (const ctv_net_part& view : views) parts.push_back({{view.data, view.data + view.size}, view.priority});
  return parts;
}

CodecSource::CodecSource(const ctv_config& config, FrameReader& reader, Originals* originals, bool references)
    : encoder_(config),
      reader_(reader),
      originals_(originals),
      references_(references),
      duration_(config.fps_den),
      width_(config.width),
      height_(config.height),
      bitrate_(config.bitrate) {
  const Unit header = encoder_.header();
  header_.assign(header.bytes().begin(), header.bytes().end());
}

bool CodecSource::skip() {
  if (!reader_.read(frame_)) return false;
  if (originals_ != nullptr) originals_->add(next_, frame_);
  ++next_;
  return true;
}

bool CodecSource::code(CodedFrame& out) {
  if (!skip()) return false;
  ctv_picture picture = frame_.picture();
  picture.timestamp = (next_ - 1) * duration_;
  picture.duration = duration_;
  if (!encoder_.send(picture)) throw Failure(Exit::kDefect, "the encoder has no room for a picture");
  const std::optional<Unit> unit = encoder_.receive();
  if (!unit) throw Failure(Exit::kDefect, "no packet for a picture that was sent");
  out.number = unit->frame_number;
  out.reference = unit->reference_frame;
  out.temporal_id = unit->temporal_id;
  out.discardable = unit->keep_in == CTV_KEEP_NOWHERE;
  out.parts = cut_packet(header_, *unit);
  if (unit->key_frame != 0) {
    last_key_ = unit->frame_number;
    key_next_ = false;
    set_bitrate(bitrate_);
  }
  return true;
}

void CodecSource::acknowledge(int64_t number) { check(ctv_encoder_acknowledge(encoder_.get(), number)); }

void CodecSource::lose(int64_t number) {
  if (references_) {
    check(ctv_encoder_lost(encoder_.get(), number));
  } else if (number >= last_key_) {
    request_key_frame();
  }
}

void CodecSource::request_key_frame() {
  encoder_.request_key_frame();
  key_next_ = true;
  set_bitrate(bitrate_);
}

void CodecSource::set_bitrate(int64_t bitrate) {
  bitrate_ = bitrate;
  encoder_.set_bitrate(bitrate, key_next_ ? key_frame_limit(bitrate, width_, height_) : 0);
}

CodecSink::CodecSink(const ctv_decoder_config& config, const Originals* originals)
    : decoder_(config), originals_(originals) {}

ctv_net_state CodecSink::decode(const ctv_net_frame& frame) {
  std::optional<ctv_picture> picture;
  const ctv_net_state state = decode_frame(decoder_, frame, picture);
  decoded_ = !decoder_.held().empty();  // else only a key frame can continue the stream
  if (state == CTV_NET_LOST) return state;
  copy_picture(*picture, waiting_[frame.frame_number]);
  if (waiting_.size() > kKeptPictures) waiting_.erase(waiting_.begin());
  return state;
}

void CodecSink::show(int64_t picture, int64_t frame) {
  if (const auto it = waiting_.find(frame); it != waiting_.end()) screen_ = std::move(it->second);
  waiting_.erase(waiting_.begin(), waiting_.upper_bound(frame));
  const Frame* original = originals_ != nullptr ? originals_->find(picture) : nullptr;
  if (original == nullptr || screen_.bytes().empty()) return;
  psnr_sum_ += luma_psnr(original->picture(), screen_.picture());
  ++psnr_count_;
}

std::optional<double> CodecSink::psnr() const {
  if (psnr_count_ == 0) return std::nullopt;
  return psnr_sum_ / static_cast<double>(psnr_count_);
}

}  // namespace ctv::tools
