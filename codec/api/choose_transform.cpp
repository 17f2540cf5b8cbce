// SPDX-License-Identifier: BSD-3-Clause
#include "codec/api/choose_transform.hpp"

#include <limits>

#include "codec/format/picture_format.hpp"
#include "codec/pipeline/decoder.hpp"
#include "codec/pipeline/encoder.hpp"

namespace ctv {
namespace {

struct Choice {
  int directions, taps;
};
constexpr Choice kChoices[] = {{0, 2}, {4, 2}, {4, 6}, {8, 6}};

// Most frames are predicted and gain less from directions than a key frame, so a choice must reduce the key
// frame's cost to this fraction.
constexpr double kHandicap = 0.97;

double squared_error(const ctv_picture& a, const ctv_picture& b) {
  double sum = 0;
  for (int p = 0; p < format_planes(a.format); ++p) {
    const size_t bytes = plane_row_bytes(a.format, a.width, p);
    for (int r = 0; r < plane_rows(a.format, a.height, p); ++r) {
      const auto* x = static_cast<const uint8_t*>(a.data[p]) + r * a.stride[p];
      const auto* y = static_cast<const uint8_t*>(b.data[p]) + r * b.stride[p];
      int64_t row = 0;
      for (size_t i = 0; i < bytes; ++i) row += (x[i] - y[i]) * (x[i] - y[i]);
      sum += static_cast<double>(row);
    }
  }
  return sum;
}

// Squared error + lambda x bits, as in H.264's reference encoder.
Result<double> cost(const ctv_config& config, const ctv_picture& picture) {
  CTV_ASSIGN_OR_RETURN(auto encoder, StreamEncoder::open(config));
  bool again = false;
  ctv_frame_options options{};
  ctv_frame_options_init(&options);
  CTV_RETURN_IF_ERROR(encoder->send(picture, options, again));
  ctv_unit unit{};
  ctv_status outcome = CTV_OK;
  CTV_RETURN_IF_ERROR(encoder->receive(unit, outcome));

  ctv_decoder_config decoder_config{};
  (void)ctv_decoder_config_init(&decoder_config);
  decoder_config.backend = config.backend;
  decoder_config.device = config.device;
  decoder_config.threads = config.threads;
  decoder_config.format = picture.format;
  decoder_config.limits.max_pixels = std::numeric_limits<uint64_t>::max();
  decoder_config.limits.max_memory = std::numeric_limits<uint64_t>::max();
  CTV_ASSIGN_OR_RETURN(auto decoder, StreamDecoder::open(decoder_config));
  ctv_unit header{};
  header.data = encoder->header().data();
  header.size = encoder->header().size();
  CTV_RETURN_IF_ERROR(decoder->send(header, {}, again));
  CTV_RETURN_IF_ERROR(decoder->send(unit, {}, again));
  ctv_picture decoded{};
  CTV_RETURN_IF_ERROR(decoder->receive(decoded, outcome));
  return squared_error(picture, decoded) + 0.134 * unit.step * unit.step * 8 * static_cast<double>(unit.size);
}

}  // namespace

Status choose_transform(ctv_config& config, const ctv_picture& picture) {
  const bool concerned = config.transform == CTV_TRANSFORM_CONTOURLET &&
                         config.pyramid != CTV_PYRAMID_LAPLACIAN &&
                         config.prediction == CTV_PREDICTION_PICTURE && config.lossless == 0;
  if (!concerned || picture.memory != CTV_MEMORY_HOST) return {};
  ctv_config trial = config;
  trial.frames_in_flight = 1;
  trial.bitrate = 0;
  trial.max_frame_bytes = 0;
  trial.crf = -1;
  double least = std::numeric_limits<double>::max();
  for (const Choice& choice : kChoices) {
    trial.directions[0] = choice.directions;
    trial.filter_taps = choice.taps;
    CTV_ASSIGN_OR_RETURN(const double c, cost(trial, picture));
    if (c >= (choice.directions == 0 ? 1.0 : kHandicap) * least) continue;
    least = c;
    config.directions[0] = choice.directions;
    config.filter_taps = choice.taps;
  }
  return {};
}

}  // namespace ctv
