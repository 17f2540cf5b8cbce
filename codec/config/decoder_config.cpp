// SPDX-License-Identifier: BSD-3-Clause
#include "codec/config/decoder_config.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "codec/config/capture_formats.hpp"
#include "codec/format/colour_matrix.hpp"
#include "codec/format/picture_format.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {
namespace {

// With padding, a picture may have kMostPadding x max_pixels + kSmallPicture coded luma samples.
constexpr uint64_t kMostPadding = 4, kSmallPicture = 1 << 16;

Status check_limit(const char* what, uint64_t needed, uint64_t allowed) {
  if (needed <= allowed) return {};
  return {CTV_ERROR_LIMIT, std::string(what) + ": " + std::to_string(needed) + " needed, " +
                               std::to_string(allowed) + " allowed"};
}

Status check_depth(ctv_format format, const SequenceHeader& header) {
  if (picture_format(format).bits <= header.bits()) return {};
  return {CTV_ERROR_UNSUPPORTED, "decoder config.format: the stream's samples have " +
                                     std::to_string(header.bits()) + " bits, fewer than the format's"};
}

// Gray output uses luma only and needs no matrix.
Status check_colours(ctv_format format, const SequenceHeader& header) {
  const auto source = static_cast<ctv_format>(header.source);
  const bool same = format == CTV_FORMAT_NONE || is_rgb(format) == is_rgb(source);
  if (same || is_gray(format) || source == CTV_FORMAT_GRAY8 || colour_matrix(header)) return {};
  return {CTV_ERROR_UNSUPPORTED, "decoder config.format: there is no conversion by the stream's matrix " +
                                     std::to_string(header.description.matrix) + " of ITU-T H.273"};
}

}  // namespace

uint64_t padded_area(const SequenceHeader& header) {
  const Extent padded = make_layout(header.transform, {header.height, header.width}).padded;
  return static_cast<uint64_t>(padded.rows) * static_cast<uint64_t>(padded.cols);
}

Status check_decoder_config(const ctv_decoder_config& c) {
  const auto bad = [](const char* field) {
    return Status(CTV_ERROR_ARGUMENT, std::string("decoder config.") + field + ": out of range");
  };
  if (c.reduction < 0 || c.reduction > kMaxScales) return bad("reduction");
  if (c.format != CTV_FORMAT_NONE && (format_planes(c.format) == 0 || plain_format(c.format) != c.format))
    return bad("format");
  if (c.threads < 0 || c.threads > 256) return bad("threads");
  if (c.backend < CTV_BACKEND_AUTO || c.backend > CTV_BACKEND_CUDA) return bad("backend");
  if (c.engine < CTV_ENGINE_AUTO || c.engine > CTV_ENGINE_FFT) return bad("engine");
  if (c.frames_in_flight < 1 || c.frames_in_flight > 16) return bad("frames_in_flight");
  if (c.conceal < 0 || c.conceal > 1) return bad("conceal");
  if (c.memory != CTV_MEMORY_HOST && c.memory != CTV_MEMORY_CUDA) return bad("memory");
  return {};
}

Status check_stream_for(const ctv_decoder_config& config, const SequenceHeader& header) {
  const uint64_t pixels = uint64_t{header.width} * header.height;
  CTV_RETURN_IF_ERROR(check_limit("pixels", pixels, config.limits.max_pixels));
  // Many scales and directions pad a narrow picture to thousands of times its samples.
  const uint64_t padded = padded_area(header);
  const uint64_t allowed = std::min(config.limits.max_pixels, UINT64_MAX >> 3) * kMostPadding + kSmallPicture;
  CTV_RETURN_IF_ERROR(check_limit("pixels with padding", padded, allowed));
  // Three planes of samples or levels, with a redundancy of 4/3. Their size must not overflow on 32-bit
  // machines.
  CTV_RETURN_IF_ERROR(check_limit("bytes of levels", 8 * padded, PTRDIFF_MAX));
  // Checks only luma's levels; the rest is counted where it is allocated.
  CTV_RETURN_IF_ERROR(check_limit("memory in bytes", 2 * padded, config.limits.max_memory));
  CTV_RETURN_IF_ERROR(check_depth(config.format, header));
  CTV_RETURN_IF_ERROR(check_colours(config.format, header));
  if (config.reduction <= header.transform.scales) return {};
  return {CTV_ERROR_ARGUMENT,
          "decoder config.reduction: the stream has " + std::to_string(header.transform.scales) + " levels"};
}

Status check_packet_size(const ctv_decoder_config& config, uint64_t size) {
  return check_limit("packet size in bytes", size, config.limits.max_packet_size);
}

}  // namespace ctv
