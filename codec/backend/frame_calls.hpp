// SPDX-License-Identifier: BSD-3-Clause
// The key that identifies frames whose recorded calls a backend can repeat.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/format/frame_parameters.hpp"

namespace ctv {

/// The arguments that differ between frames of one stream. Frames with equal keys make the same calls with
/// the same arguments, apart from upload(). The pipeline fills in the key, because a repeated frame makes no
/// calls from which the backend could derive it. tests/stream/repeat_test.cpp detects missing values: its CPU
/// backend repeats calls by this key.
struct FrameCalls {
  FrameType type = FrameType::kKey;
  bool repeatable = false;  // the key is complete; otherwise only `type` is valid
  int slot = 0;             // index of the frame in flight
  uint32_t base_step = 0;
  uint32_t reconstruction_offset = 0;
  const void* reference = nullptr;  // of a predicted frame
  const void* target = nullptr;     // where the frame is stored as a reference
  bool reads = false;               // the encoder's motion estimator has not yet read the reference
  bool kept = false;            // encoder: the frame is kept, so a predicted one is read for the next frame
  const void* meter = nullptr;  // encoder: of a frame whose distortion is measured
  // Encoder: address and format of a picture in device memory.
  ctv_format format = CTV_FORMAT_NONE;
  std::array<const void*, 3> data{};
  std::array<ptrdiff_t, 3> stride{};
  const void* stream = nullptr;
  bool operator==(const FrameCalls&) const = default;
};

}  // namespace ctv
