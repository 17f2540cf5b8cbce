// SPDX-License-Identifier: BSD-3-Clause
// What a packet header says about its frame.
#pragma once

#include <cstdint>

namespace ctv {

enum class FrameType : uint8_t { kKey = 0, kPredicted = 1 };

struct FrameParameters {
  uint32_t number = 0;
  FrameType type = FrameType::kKey;
  uint8_t reference = 1;              // predicted: this many frames back
  uint16_t reference_check = 0;       // predicted: `check` of the frame it refers to
  uint16_t check = 0;                 // of this packet: the low half of its header's checksum
  uint16_t base_step = 16;            // sixteenths of a sample
  uint8_t reconstruction_offset = 0;  // of detail subbands, 64ths of a step
};

}  // namespace ctv
