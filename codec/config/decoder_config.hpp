// SPDX-License-Identifier: BSD-3-Clause
// Checks a decoder's configuration, and a stream against the decoder's limits.
#pragma once

#include <cstdint>

#include "codec/format/headers.hpp"
#include "codec/util/status.hpp"

namespace ctv {

Status check_decoder_config(const ctv_decoder_config& config);

/// Luma samples, including the padding for scales and directions.
uint64_t padded_area(const SequenceHeader& header);

/// Checks a stream against the decoder's configuration and limits.
Status check_stream_for(const ctv_decoder_config& config, const SequenceHeader& header);

Status check_packet_size(const ctv_decoder_config& config, uint64_t size);

}  // namespace ctv
