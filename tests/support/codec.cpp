// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

// The default preset with another transform.
struct BlockPreset {
  const char* name;
  ctv_transform transform;
  ctv_prediction prediction = CTV_PREDICTION_PICTURE;
};
constexpr BlockPreset kBlockPresets[] = {
    {"dct8x8", CTV_TRANSFORM_DCT8X8},
    {"h264_4x4", CTV_TRANSFORM_H264_4X4},
    {"h264_8x8", CTV_TRANSFORM_H264_8X8},
    {"dct8x8_subband", CTV_TRANSFORM_DCT8X8, CTV_PREDICTION_SUBBAND},
    {"h264_4x4_subband", CTV_TRANSFORM_H264_4X4, CTV_PREDICTION_SUBBAND},
    {"h264_8x8_subband", CTV_TRANSFORM_H264_8X8, CTV_PREDICTION_SUBBAND}};

Bytes bytes_of(const Unit& unit) { return {unit.bytes().begin(), unit.bytes().end()}; }

}  // namespace

Config config_for(const Frame& frame, const std::string& preset, int threads) {
  const bool lossless = preset == "lossless";
  const BlockPreset* block = nullptr;
  for (const BlockPreset& p : kBlockPresets) {
    if (preset == p.name) block = &p;
  }
  Config config(lossless || block != nullptr ? "default" : preset.c_str());
  config.width = frame.width;
  config.height = frame.height;
  config.format = frame.format;
  config.fps_num = 25;
  config.fps_den = 1;
  config.threads = threads;
  config.backend = CTV_BACKEND_CPU;
  if (lossless) config.lossless = 1;
  if (block != nullptr) {
    config.transform = block->transform;
    config.prediction = block->prediction;
    if (block->prediction == CTV_PREDICTION_SUBBAND)
      config.subpel = config.overlap = config.split = config.rdoq = 0;
  }
  return config;
}

Stream encode(const std::vector<Frame>& clip, const ctv_config& config, bool with_index) {
  Encoder encoder(config);
  Stream stream;
  stream.header = bytes_of(encoder.header());
  const auto receive = [&] {
    while (auto unit = encoder.receive()) stream.packets.push_back(bytes_of(*unit));
  };
  for (const Frame& frame : clip) {
    while (!encoder.send(picture_of(frame))) receive();
    if (config.frames_in_flight <= 1) receive();
  }
  encoder.flush();
  receive();
  if (with_index) stream.index = bytes_of(encoder.index());
  return stream;
}

DecoderConfig decoder_config(int threads, int reduction, ctv_format format) {
  DecoderConfig config;
  config.threads = threads;
  config.reduction = reduction;
  config.format = format;
  config.backend = CTV_BACKEND_CPU;
  return config;
}

std::vector<Frame> decode(const Stream& stream, const ctv_decoder_config& config) {
  Decoder decoder(config);
  std::vector<Frame> frames;
  const auto receive = [&] {
    while (auto picture = decoder.receive()) frames.push_back(copy_of(*picture));
  };
  const auto send = [&](const Bytes& unit) {
    while (!decoder.send(unit)) receive();
    if (config.frames_in_flight <= 1) receive();
  };
  send(stream.header);
  for (const Bytes& packet : stream.packets) send(packet);
  if (!stream.index.empty()) send(stream.index);
  decoder.flush();
  receive();
  return frames;
}

Bytes file_of(const Stream& stream) {
  Bytes file = stream.header;
  for (const Bytes& packet : stream.packets) file.insert(file.end(), packet.begin(), packet.end());
  file.insert(file.end(), stream.index.begin(), stream.index.end());
  return file;
}

size_t packet_bytes(const Stream& stream) {
  size_t sum = 0;
  for (const Bytes& packet : stream.packets) sum += packet.size();
  return sum;
}

}  // namespace ctv::test
