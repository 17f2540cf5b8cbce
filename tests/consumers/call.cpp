// SPDX-License-Identifier: BSD-3-Clause
// Encodes and decodes one grey picture without loss. The library knows what is no number, also where a
// project that adds it has -ffast-math.
#include <cstdio>
#include <ctv/ctv.hpp>
#include <limits>
#include <vector>

int main() {
  ctv::Config config("default");
  config.width = 48, config.height = 32, config.format = CTV_FORMAT_GRAY8, config.lossless = 1;
  ctv::Config no_number = config;
  no_number.lossless = 0, no_number.crf = std::numeric_limits<double>::quiet_NaN();
  ctv_encoder* refused = nullptr;
  if (ctv_encoder_open(&no_number, &refused) != CTV_ERROR_ARGUMENT) return 1;

  std::vector<uint8_t> samples(48 * 32);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<uint8_t>(i * i);
  ctv_picture picture = ctv::make_picture(CTV_FORMAT_GRAY8, 48, 32);
  picture.data[0] = samples.data(), picture.stride[0] = 48;

  ctv::Encoder encoder(config);
  ctv::Decoder decoder;
  if (!decoder.send(encoder.header().bytes()) || !encoder.send(picture)) return 1;
  encoder.flush();
  const auto packet = encoder.receive();
  if (!packet || !decoder.send(packet->bytes())) return 1;
  const auto decoded = decoder.receive();
  if (!decoded || static_cast<const uint8_t*>(decoded->data[0])[47] != samples[47]) return 1;
  std::printf("libctv %s, %zu bytes\n", ctv_version(), packet->bytes().size());
}
