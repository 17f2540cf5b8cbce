// SPDX-License-Identifier: BSD-3-Clause
// The whole decoder behind the C interface, with tight limits: pictures or errors, every sample touched.
// Option bits choose reduction, threads, frames in flight, output format and whether checksums are repaired
// first.
#include <ctv/ctv.h>

#include <cstdlib>

#include "tests/fuzz/stream_input.hpp"

namespace {

uint32_t touch(const ctv_picture& picture) {
  uint32_t sum = 0;
  for (int p = 0; p < 4; ++p) {
    const size_t row_bytes = ctv_plane_row_bytes(picture.format, picture.width, p);
    const size_t rows = ctv_plane_rows(picture.format, picture.height, p);
    for (size_t r = 0; r < rows; ++r) {
      const auto* row =
          static_cast<const uint8_t*>(picture.data[p]) + static_cast<ptrdiff_t>(r) * picture.stride[p];
      for (size_t i = 0; i < row_bytes; ++i) sum = sum * 31 + row[i];
    }
  }
  return sum;
}

// False once nothing more comes.
bool receive(ctv_decoder* decoder) {
  static volatile uint32_t sink = 0;
  ctv_picture picture{};
  picture.struct_size = sizeof picture;
  const ctv_status status = ctv_decoder_receive(decoder, &picture);
  if (status == CTV_ERROR_INTERNAL) std::abort();
  if (status == CTV_OK) sink = sink + touch(picture);
  return status == CTV_OK || status < 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto input = ctv::fuzz::read_input(data, size);
  const unsigned a = input.options[0];
  const unsigned b = input.options[1];
  if ((a & 1U) != 0) ctv::fuzz::repair_checksums(input.units);
  ctv_decoder_config config;
  if (ctv_decoder_config_init(&config) != CTV_OK) std::abort();
  config.backend = CTV_BACKEND_CPU;
  config.limits = {uint64_t{1} << 14, uint64_t{24} << 20, uint64_t{1} << 20};
  config.reduction = static_cast<int32_t>(a >> 1U & 7U);
  config.threads = (a & 16U) != 0 ? 2 : 1;
  config.frames_in_flight = (a & 32U) != 0 ? 3 : 1;
  constexpr ctv_format kFormats[] = {CTV_FORMAT_NONE, CTV_FORMAT_RGB8, CTV_FORMAT_RGBA8, CTV_FORMAT_NV12,
                                     CTV_FORMAT_I420, CTV_FORMAT_I444, CTV_FORMAT_I422,  CTV_FORMAT_GRAY8};
  config.format = kFormats[b & 7U];
  ctv_decoder* decoder = nullptr;
  if (ctv_decoder_open(&config, &decoder) != CTV_OK) std::abort();
  for (const auto& unit : input.units) {
    ctv_status status = CTV_OK;
    while ((status = ctv_decoder_send(decoder, unit.data(), unit.size())) == CTV_AGAIN) {
      if (!receive(decoder)) std::abort();  // neither side could go on
    }
    if (status == CTV_ERROR_INTERNAL || status == CTV_ERROR_MEMORY) std::abort();
    if (status < 0 && *ctv_last_error() == 0) std::abort();
    if (config.frames_in_flight == 1) {
      while (receive(decoder)) {
      }
    }
    if ((b & 8U) != 0 && (unit.size() & 15U) == 3) (void)ctv_decoder_reset(decoder);
  }
  (void)ctv_decoder_flush(decoder);
  while (receive(decoder)) {
  }
  ctv_decoder_close(decoder);
  return 0;
}
