// SPDX-License-Identifier: BSD-3-Clause
// The frames in the slots, for code that handles packets without pictures.
#pragma once

#include <array>
#include <cstdint>

#include "codec/format/frame_parameters.hpp"

namespace ctv {

class SlotTable {
 public:
  struct Entry {
    bool held = false;
    uint32_t number = 0;
    uint16_t check = 0;  // of the frame's packet
  };
  /// The reference of a predicted frame, or null if no slot holds it.
  const Entry* reference_of(const FrameParameters& frame) const {
    for (const Entry& e : entries_) {
      if (e.held && e.number == static_cast<uint32_t>(frame.number - frame.reference)) return &e;
    }
    return nullptr;
  }
  void take(const FrameParameters& frame, uint16_t check) {
    if (!frame.kept) return;
    for (Entry& e : entries_) e.held = e.held && e.number != frame.number;
    entries_[frame.slot] = {true, frame.number, check};
  }

 private:
  std::array<Entry, kMaxSlots> entries_{};
};

}  // namespace ctv
