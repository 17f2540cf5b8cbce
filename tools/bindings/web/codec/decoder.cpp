// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tools/bindings/web/codec/web.h"

/// Opens a decoder for one thread at resolution 1 / 2^reduction; NULL on failure.
CTV_WEB_API ctv_decoder* ctv_web_decoder_open(int reduction) {
  ctv_decoder_config config;
  ctv_decoder_config_init(&config);
  config.reduction = reduction;
  config.backend = CTV_BACKEND_CPU;
  config.threads = 1;
  config.frames_in_flight = 1;
  config.limits.max_pixels = uint64_t{1} << 25;
  config.limits.max_memory = uint64_t{3} << 29;
  ctv_decoder* decoder = nullptr;
  return ctv_decoder_open(&config, &decoder) == CTV_OK ? decoder : nullptr;
}

CTV_WEB_API int ctv_web_decoder_receive(ctv_decoder* decoder, double (&numbers)[kPictureNumbers]) {
  ctv_picture picture;
  ctv_picture_init(&picture);
  const ctv_status status = ctv_decoder_receive(decoder, &picture);
  if (status != CTV_OK) return status;
  double* out = numbers;
  *out++ = picture.format;
  *out++ = picture.width;
  *out++ = picture.height;
  *out++ = picture.key_frame;
  *out++ = static_cast<double>(picture.timestamp);
  *out++ = static_cast<double>(picture.duration);
  for (int p = 0; p < 3; ++p) {
    *out++ = number_of(picture.data[p]);
    *out++ = static_cast<double>(picture.stride[p]);
  }
  return status;
}

CTV_WEB_API int ctv_web_header(const uint8_t* data, size_t size, double (&numbers)[kHeaderNumbers]) {
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  const ctv_status status = ctv_stream_info_parse(data, size, &info);
  const double values[kHeaderNumbers] = {
      static_cast<double>(info.width),        static_cast<double>(info.height),
      static_cast<double>(info.format),       static_cast<double>(info.fps_num),
      static_cast<double>(info.fps_den),      static_cast<double>(info.range),
      static_cast<double>(info.matrix),       static_cast<double>(info.scales),
      static_cast<double>(info.aspect_width), static_cast<double>(info.aspect_height)};
  std::copy_n(values, kHeaderNumbers, numbers);
  return status;
}

CTV_WEB_API int ctv_web_packet(const uint8_t* header, size_t header_size, const uint8_t* data, size_t size,
                               double (&numbers)[kPacketNumbers]) {
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  const ctv_status status = ctv_packet_info_parse(header, header_size, data, size, &info, nullptr, 0);
  const double values[kPacketNumbers] = {static_cast<double>(info.key_frame),
                                         static_cast<double>(info.timestamp),
                                         static_cast<double>(info.duration),
                                         static_cast<double>(info.frame_number),
                                         info.step,
                                         static_cast<double>(info.side_size)};
  std::copy_n(values, kPacketNumbers, numbers);
  return status;
}

/// Kind and size of the unit at data.
CTV_WEB_API int ctv_web_unit(const uint8_t* data, size_t size, double (&numbers)[2]) {
  ctv_unit_kind kind{};
  uint64_t unit_size = 0;
  const ctv_status status = ctv_unit_parse(data, size, &kind, &unit_size);
  numbers[0] = kind;
  numbers[1] = static_cast<double>(unit_size);
  return status;
}
