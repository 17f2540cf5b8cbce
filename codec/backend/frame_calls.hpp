// SPDX-License-Identifier: BSD-3-Clause
// The key by which a backend recognises a frame whose calls it has kept.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/format/frame_parameters.hpp"

namespace ctv {

/// The arguments that differ between frames of one stream. Frames with equal keys make the same calls with
/// the same arguments, apart from upload(). The pipeline states the key, and the backend does not compute it
/// from the arguments, because a repeated frame is launched without any call. A value that is forgotten here
/// shows in tests/stream/repeat_test.cpp, where a backend on the CPU repeats calls by this key.
struct FrameCalls {
  FrameType type = FrameType::kKey;
  bool repeatable = false;  // the key is complete; otherwise only `type` is valid
  int slot = 0;             // of the frames in flight
  uint32_t base_step = 0;
  uint32_t reconstruction_offset = 0;
  const void* reference = nullptr;  // of a predicted frame
  const void* target = nullptr;     // where the frame becomes a reference
  bool reads = false;               // the encoder's motion estimator has not read the reference before
  bool kept = false;                // by an encoder: it reads a predicted frame for the next one
  const void* meter = nullptr;      // of an encoder's frame that is measured
  // Where an encoder's picture lies in device memory.
  ctv_format format = CTV_FORMAT_NONE;
  std::array<const void*, 3> data{};
  std::array<ptrdiff_t, 3> stride{};
  const void* stream = nullptr;
  bool operator==(const FrameCalls&) const = default;
};

}  // namespace ctv
