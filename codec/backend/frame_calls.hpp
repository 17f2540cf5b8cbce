// SPDX-License-Identifier: BSD-3-Clause
// The key by which a backend recognises a frame whose calls it has kept.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/format/frame_parameters.hpp"

namespace ctv {

/// What the calls of one frame depend on: frames with equal values make the same calls with the same
/// arguments, but those of upload().
struct FrameCalls {
  FrameType type = FrameType::kKey;
  bool repeatable = false;  // these values are all; otherwise only the type is meant
  int slot = 0;             // of the frames in flight
  uint32_t base_step = 0;
  uint32_t reconstruction_offset = 0;
  const void* reference = nullptr;  // of a predicted frame
  const void* target = nullptr;     // where the frame becomes a reference
  // Where an encoder's picture lies in device memory.
  ctv_format format = CTV_FORMAT_NONE;
  std::array<const void*, 3> data{};
  std::array<ptrdiff_t, 3> stride{};
  const void* stream = nullptr;
  bool operator==(const FrameCalls&) const = default;
};

}  // namespace ctv
