// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a frame in its packet header.
#pragma once

#include <cstdint>

namespace ctv {

inline constexpr int kMaxSlots = 8;
inline constexpr int kMaxTemporalId = 7;
inline constexpr int kMaxReference = 255;  // distance in frames

enum class FrameType : uint8_t { kKey = 0, kPredicted = 1 };

struct FrameParameters {
  uint32_t number = 0;
  FrameType type = FrameType::kKey;
  uint8_t reference = 1;              // predicted: distance of the reference in frames
  uint8_t slot = 0;                   // where the picture is stored
  bool kept = true;                   // false: in no slot, no frame refers to it
  uint8_t temporal_id = 0;            // frames refer to no frame of a higher temporal id
  uint16_t reference_check = 0;       // predicted: `check` of the reference
  uint16_t check = 0;                 // of this packet: XOR of both halves of its checksum
  uint16_t base_step = 16;            // sixteenths of a sample
  uint8_t reconstruction_offset = 0;  // of detail subbands, 64ths of a step
  int64_t time_offset = 0;            // timestamp minus that at a constant rate; 0 if duration is 0
  uint32_t duration = 0;              // 0: timestamp and duration of a constant rate
};

/// When a picture is shown, in units of 1 / fps_num seconds.
struct FrameTime {
  int64_t timestamp = 0;
  int64_t duration = 0;
};
/// fps_den: of the sequence header, the duration at a constant rate. Timestamps are modulo 2^64.
inline FrameTime frame_time(const FrameParameters& f, uint32_t fps_den) {
  const uint64_t regular = uint64_t{f.number} * fps_den;
  return {static_cast<int64_t>(regular + static_cast<uint64_t>(f.time_offset)),
          f.duration == 0 ? fps_den : f.duration};
}
/// time.duration: 0..2^31-1; 0 means fps_den. Both 0: a constant rate.
inline void set_frame_time(FrameParameters& f, uint32_t fps_den, const FrameTime& time) {
  const uint64_t regular = uint64_t{f.number} * fps_den;
  const bool given = time.timestamp != 0 || time.duration != 0;
  f.time_offset = given ? static_cast<int64_t>(static_cast<uint64_t>(time.timestamp) - regular) : 0;
  f.duration = time.duration == 0 ? fps_den : static_cast<uint32_t>(time.duration);
  if (f.time_offset == 0 && f.duration == fps_den) f.duration = 0;
}

}  // namespace ctv
