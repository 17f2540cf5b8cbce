// SPDX-License-Identifier: BSD-3-Clause
// Is a decoder's configuration within its ranges, and a stream within the decoder's limits?
#pragma once

#include "codec/format/headers.hpp"
#include "codec/util/status.hpp"

namespace ctv {

Status check_decoder_config(const ctv_decoder_config& config);

/// memory: what decoding the stream needs, in bytes.
Status check_stream_for(const ctv_decoder_config& config, const SequenceHeader& header, uint64_t memory);

Status check_packet_size(const ctv_decoder_config& config, uint64_t size);

}  // namespace ctv
