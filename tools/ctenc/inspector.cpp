// SPDX-License-Identifier: BSD-3-Clause
#include "ctenc/inspector.h"

#include "cli/exit.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

DecoderConfig like(const ctv_config& encoder) {
  DecoderConfig config;
  config.threads = encoder.threads;
  config.backend = encoder.backend;
  config.engine = encoder.engine;
  config.device = encoder.device;
  config.frames_in_flight = 1;
  // Our own stream: any size that the encoder accepted.
  config.limits.max_pixels = UINT64_MAX;
  config.limits.max_memory = UINT64_MAX;
  return config;
}

/// A decoder as different from the first as this machine allows.
std::unique_ptr<Decoder> open_second(const ctv_config& encoder) {
  DecoderConfig config = like(encoder);
  config.backend = CTV_BACKEND_CPU;
  config.threads = encoder.threads == 1 ? 2 : 1;
  config.engine = CTV_ENGINE_AUTO;
  return std::make_unique<Decoder>(config);
}

}  // namespace

Inspector::Inspector(const Inspection& what, const ctv_config& config, std::span<const uint8_t> header)
    : what_(what), lossless_(config.lossless != 0 && config.chroma == CTV_CHROMA_AS_INPUT) {
  restart(config, header);
}

void Inspector::restart(const ctv_config& config, std::span<const uint8_t> header) {
  decoder_ = std::make_unique<Decoder>(like(config));
  (void)decoder_->send(header);  // a new decoder takes it
  if (!what_.verify) return;
  second_ = open_second(config);
  (void)second_->send(header);  // a new decoder takes it
}

void Inspector::expect(const Frame& frame) {
  if (spare_.empty()) spare_.emplace_back();
  expected_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  expected_.back() = frame;
}

ctv_picture Inspector::decode(Decoder& decoder, const Unit& unit) const {
  const bool taken = decoder.send(unit.bytes());
  const auto picture = decoder.receive();
  if (!taken || !picture)
    throw Failure(Exit::kDefect,
                  text("frame %lld: the decoder gave no picture", static_cast<long long>(frames_)));
  return *picture;
}

Quality Inspector::packet(const Unit& unit) {
  const auto number = static_cast<long long>(frames_);
  const ctv_picture picture = decode(*decoder_, unit);
  const Frame& source = expected_.front();
  if (what_.verify) {
    const std::string difference = first_difference(picture, decode(*second_, unit));
    if (!difference.empty())
      throw Failure(Exit::kStream,
                    text("verify: frame %lld: two decoders differ: %s", number, difference.c_str()),
                    "first: " + decoder_->description() + "; second: " + second_->description());
    if (lossless_) {
      const std::string loss = first_difference(source.picture(), picture);
      if (!loss.empty())
        throw Failure(Exit::kStream, text("verify: frame %lld is not lossless: %s", number, loss.c_str()));
    }
  }
  Quality quality;
  if (what_.psnr || what_.ssim) quality.add(source.picture(), picture, what_.ssim);
  spare_.push_back(std::move(expected_.front()));
  expected_.pop_front();
  ++frames_;
  return quality;
}

std::string Inspector::verified() const {
  return text("%lld frames: %s = %s%s", static_cast<long long>(frames_), decoder_->description().c_str(),
              second_->description().c_str(), lossless_ ? " = source" : "");
}

}  // namespace ctv::tools
