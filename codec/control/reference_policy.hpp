// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's reference, and the slot that keeps the frame: an unbroken chain while nothing is lost;
// after a loss, the newest frame that a receiver is known to have. The choice depends only on the calls.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <cstdint>

#include "codec/format/frame_parameters.hpp"
#include "codec/util/status.hpp"

namespace ctv {

class ReferencePolicy {
 public:
  /// slots: 1..8; temporal_layers: 1..3, above 2 with at least 2 slots.
  ReferencePolicy(int slots, int temporal_layers) : slots_(slots), layers_(temporal_layers) {}

  /// Takes effect with the next frame; 3 requires at least 2 slots.
  void set_layers(int temporal_layers) { layers_ = temporal_layers; }
  /// Whether frame `number` has no reference that is known to be intact.
  bool needs_key_frame(uint32_t number) const;
  /// Error: the options for a frame of this number cannot be met.
  Status check(const ctv_frame_options& wishes, const FrameParameters& frame) const;
  /// Chooses reference, slot and temporal id of a frame with given number and type.
  void choose(const ctv_frame_options& wishes, FrameParameters& frame) const;
  /// Records a coded frame. Called again if it is coded again with another type.
  void coded(const FrameParameters& frame);
  /// A receiver has the frame, and thus all its references.
  void acknowledge(uint32_t number);
  /// A receiver lacks the frame or a part of it: neither it nor frames that depend on it are referred to
  /// again.
  void lost(uint32_t number);
  /// Removes the frames for which is_held(number) is false from their slots.
  template <typename IsHeld>
  void keep_only(IsHeld is_held) {
    for (Slot& slot : slot_) slot.held = slot.held && is_held(slot.number);
  }

 private:
  enum class State : uint8_t { kUnknown, kAcknowledged, kLost };
  struct Record {
    bool used = false, key = false;
    uint32_t number = 0, reference = 0;
    uint8_t temporal_id = 0;
    State state = State::kUnknown;
  };
  struct Slot {
    bool held = false;
    uint32_t number = 0;
  };
  static constexpr uint32_t kWindow = 1024;  // frames that reports can be about

  Record* find(uint32_t number);
  const Record* find(uint32_t number) const;
  const Record* held(int slot) const;
  /// Returns the newest frame in a slot that frame `number` of this layer may refer to and that `accept`
  /// accepts. Null if there is none.
  template <typename Accept>
  const Record* newest(uint32_t number, int temporal_id, Accept accept) const;
  const Record* reference_for(uint32_t number, int temporal_id) const;
  bool chain_is_broken(uint32_t number) const;
  bool is_free(int slot, const Record* acknowledged) const;
  int temporal_id_for(const ctv_frame_options& wishes, const FrameParameters& frame) const;
  void place(FrameParameters& frame) const;

  int slots_, layers_;
  uint32_t phase_ = 0;  // frames since the last one of the lowest layer that began a pattern
  uint32_t next_ = 0;   // number after the newest frame
  uint32_t last_key_ = 0;
  uint32_t round_trip_ = 0;  // frames between a frame and its acknowledgement, last measured
  std::array<Record, kWindow> records_{};
  std::array<Slot, kMaxSlots> slot_{};
};

}  // namespace ctv
