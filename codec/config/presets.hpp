// SPDX-License-Identifier: BSD-3-Clause
// Presets, and the way from a caller's configuration to the headers of a stream.
#pragma once

#include "codec/format/headers.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Fills everything but width, height and format. False for an unknown name.
bool apply_preset(const char* name, ctv_config& config);
const char* preset_name(int i);
const char* preset_description(int i);

/// Checks the whole configuration; the message names the field.
Result<SequenceHeader> make_sequence_header(const ctv_config& config);

/// The limits of rate control.
Status check_rate(int64_t bitrate, int64_t max_frame_bytes);

/// Constant quality: its range, and what it does not go with.
Status check_crf(const ctv_config& config);

/// Base step in sixteenths of a sample for qp 0..51 (H.264's scale) or, if qp is -1, for a step in samples.
Result<uint16_t> make_base_step(int qp, double step);

}  // namespace ctv
