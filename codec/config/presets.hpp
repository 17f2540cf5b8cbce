// SPDX-License-Identifier: BSD-3-Clause
// Presets, and the sequence header of a configuration.
#pragma once

#include "codec/format/headers.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Sets everything except width, height and format. False for an unknown name.
bool apply_preset(const char* name, ctv_config& config);
const char* preset_name(int i);
const char* preset_description(int i);

/// Checks the whole configuration and returns the header. An error's message names the field.
Result<SequenceHeader> make_sequence_header(const ctv_config& config);

/// Checks the range of temporal_layers, which depends on slots.
Status check_temporal_layers(const ctv_config& config);
Status check_rate(int64_t bitrate, int64_t max_frame_bytes);

/// Checks the range of crf, and the fields that it excludes.
Status check_crf(const ctv_config& config);

/// Returns the base step in sixteenths of a sample, from qp 0..51 (H.264's scale), or from `step` if qp is
/// -1.
Result<uint16_t> make_base_step(int qp, double step);

}  // namespace ctv
