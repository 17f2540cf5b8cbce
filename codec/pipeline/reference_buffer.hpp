// SPDX-License-Identifier: BSD-3-Clause
// The frames that later frames may refer to, by number: pictures, levels, or both, in a backend's memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codec/pipeline/planes.hpp"

namespace ctv {

/// What a frame leaves for later frames.
struct Reference {
  PlaneSet picture;  // padded extents at the buffer's reduction
  Memory level_memory;
  std::array<Level*, 3> levels{};  // per plane, in the order of its SubbandLayout
  uint32_t number = 0;
  uint16_t check = 0;    // decoders: of the packet it was decoded from; set before keep()
  bool damaged = false;  // decoders: differs from the encoder's; set before keep()
  int slot = kNoSlot;
  static constexpr int kNoSlot = -1;
  /// Tells references apart.
  const void* address() const {
    return level_memory.data() != nullptr ? level_memory.data() : picture.memory().data();
  }
};

/// A place for each slot of the stream, and one more for the frame that is being coded. All memory is
/// allocated by make().
class ReferenceBuffer {
 public:
  /// What the places hold.
  struct Content {
    bool pictures = false;
    bool levels = false;
    int reduction = 0;  // of the pictures
  };
  /// slots: at least 1. Error: the backend's memory.
  static Result<ReferenceBuffer> make(Backend& backend, const PictureLayout& picture, const Content& content,
                                      int slots = 1);

  /// Where the current frame is written; in no slot. The same place until keep() or discard().
  Reference& current() { return places_[current_]; }
  const Reference& current() const { return places_[current_]; }
  /// The current frame becomes reference `number`. What the slot held, and another reference of this number,
  /// are dropped.
  void keep(uint32_t number, int slot);
  /// The current frame, of this number, is no reference.
  void discard(uint32_t number);

  /// Null if frame `number` is in no slot. Valid until the next keep() or clear().
  const Reference* find(uint32_t number) const;
  /// Null if the slot is empty.
  const Reference* in_slot(int slot) const;
  /// The frame of the last keep() or discard(), kept or not; null after clear(). Its place is not written
  /// before the next frame.
  const Reference* latest() const { return latest_ == kNone ? nullptr : &places_[latest_]; }
  int slots() const { return static_cast<int>(places_.size()) - 1; }

  /// Empties all slots.
  void clear();

 private:
  static constexpr size_t kNone = SIZE_MAX;
  void finish(uint32_t number);

  std::vector<Reference> places_;
  std::vector<uint64_t> written_;  // per place: how many frames had been coded before; 0: none
  uint64_t frames_ = 0;
  size_t current_ = 0;
  size_t latest_ = kNone;
};

}  // namespace ctv
