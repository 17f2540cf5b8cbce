// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

Bytes bytes_of(const Unit& unit) { return {unit.bytes().begin(), unit.bytes().end()}; }

}  // namespace

Config config_for(const Frame& frame, const std::string& preset, int threads) {
  const bool lossless = preset == "lossless";
  Config config(lossless ? "default" : preset.c_str());
  config.width = frame.width;
  config.height = frame.height;
  config.format = frame.format;
  config.fps_num = 25;
  config.fps_den = 1;
  config.threads = threads;
  config.backend = CTV_BACKEND_CPU;
  if (lossless) config.lossless = 1;
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

Stream at_reduction(const Stream& stream, int reduction) {
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  check(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info));
  if (reduction == 0 || info.prediction != CTV_PREDICTION_PICTURE || info.lossless != 0) return stream;
  Stream keys = stream;
  std::erase_if(keys.packets,
                [&](const Bytes& packet) { return parse_packet(stream.header, packet).key_frame == 0; });
  keys.index.clear();
  return keys;
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
