// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tools/bindings/web/codec/web.h"

namespace {

int give(ctv_status status, const ctv_unit& unit, double (&numbers)[kUnitNumbers]) {
  const double values[kUnitNumbers] = {number_of(unit.data), static_cast<double>(unit.size),
                                       static_cast<double>(unit.key_frame),
                                       static_cast<double>(unit.timestamp), unit.step};
  std::copy_n(values, kUnitNumbers, numbers);
  return status;
}

}  // namespace

/// Opens an encoder of I420 pictures for one thread; NULL on failure. qp: -1 for the preset's quantiser.
/// bitrate: bits per second, or 0. key_interval: -1 for the preset's.
CTV_WEB_API ctv_encoder* ctv_web_encoder_open(int width, int height, int fps_num, int fps_den,
                                              const char* preset, int qp, double bitrate, int key_interval) {
  ctv_config config;
  if (ctv_config_init(&config, preset) != CTV_OK) return nullptr;
  config.width = width;
  config.height = height;
  config.format = CTV_FORMAT_I420;
  config.fps_num = fps_num;
  config.fps_den = fps_den;
  config.range = CTV_RANGE_LIMITED;
  if (qp >= 0) config.qp = qp;
  config.bitrate = static_cast<int64_t>(bitrate);
  if (key_interval >= 0) config.key_interval = key_interval;
  config.backend = CTV_BACKEND_CPU;
  config.threads = 1;
  config.frames_in_flight = 1;
  ctv_encoder* encoder = nullptr;
  return ctv_encoder_open(&config, &encoder) == CTV_OK ? encoder : nullptr;
}

CTV_WEB_API int ctv_web_encoder_header(ctv_encoder* encoder, double (&numbers)[kUnitNumbers]) {
  ctv_unit unit;
  ctv_unit_init(&unit);
  const ctv_status status = ctv_encoder_header(encoder, &unit);
  return give(status, unit, numbers);
}

/// samples: the planes of an I420 picture one after the other.
CTV_WEB_API int ctv_web_encoder_send(ctv_encoder* encoder, uint8_t* samples, int width, int height) {
  ctv_picture picture;
  ctv_picture_init(&picture);
  picture.format = CTV_FORMAT_I420;
  picture.width = width;
  picture.height = height;
  for (int p = 0; p < 3; ++p) {
    picture.data[p] = samples;
    picture.stride[p] = static_cast<ptrdiff_t>(ctv_plane_row_bytes(CTV_FORMAT_I420, width, p));
    samples += picture.stride[p] * static_cast<ptrdiff_t>(ctv_plane_rows(CTV_FORMAT_I420, height, p));
  }
  return ctv_encoder_send(encoder, &picture);
}

CTV_WEB_API int ctv_web_encoder_receive(ctv_encoder* encoder, double (&numbers)[kUnitNumbers]) {
  ctv_unit unit;
  ctv_unit_init(&unit);
  const ctv_status status = ctv_encoder_receive(encoder, &unit);
  return give(status, unit, numbers);
}

CTV_WEB_API int ctv_web_encoder_set_bitrate(ctv_encoder* encoder, double bitrate) {
  return ctv_encoder_set_bitrate(encoder, static_cast<int64_t>(bitrate), 0);
}
