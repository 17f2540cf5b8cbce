// SPDX-License-Identifier: BSD-3-Clause
// The frames that later frames may refer to, by number: pictures, levels, or both, in a backend's memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codec/pipeline/planes.hpp"

namespace ctv {

/// Data of a frame that later frames refer to.
struct Reference {
  PlaneSet picture;  // padded extents at the buffer's reduction
  Memory level_memory;
  std::array<Level*, 3> levels{};  // per plane, in the order of its SubbandLayout
  uint32_t number = 0;
  uint16_t check = 0;    // decoder: of the frame's packet; set before keep()
  bool damaged = false;  // decoder: differs from the encoder's picture; set before keep()
  int slot = kNoSlot;
  static constexpr int kNoSlot = -1;
  const void* address() const {
    return level_memory.data() != nullptr ? level_memory.data() : picture.memory().data();
  }
};

/// A buffer for each slot of the stream, plus one for the current frame. make() allocates all memory.
class ReferenceBuffer {
 public:
  struct Content {
    bool pictures = false;
    bool levels = false;
    int reduction = 0;  // of the pictures
  };
  /// slots: at least 1. Error: the backend lacks memory.
  static Result<ReferenceBuffer> make(Backend& backend, const PictureLayout& picture, const Content& content,
                                      int slots = 1);

  /// The current frame's buffer, which is in no slot. It is the same until keep() or discard().
  Reference& current() { return places_[current_]; }
  const Reference& current() const { return places_[current_]; }
  /// Keeps the current frame as reference `number`. Drops the slot's previous content, and another reference
  /// of this number.
  void keep(uint32_t number, int slot);
  /// Does not keep the current frame, which has this number.
  void discard(uint32_t number);

  /// Null if frame `number` is in no slot. Valid until the next keep() or clear().
  const Reference* find(uint32_t number) const;
  /// Null if the slot is empty.
  const Reference* in_slot(int slot) const;
  /// The frame of the last keep() or discard(); null after clear(). Valid until the next frame is written.
  const Reference* latest() const { return latest_ == kNone ? nullptr : &places_[latest_]; }
  int slots() const { return static_cast<int>(places_.size()) - 1; }

  void clear();

 private:
  static constexpr size_t kNone = SIZE_MAX;
  void finish(uint32_t number);

  std::vector<Reference> places_;
  std::vector<uint64_t> written_;  // per buffer: number of frames coded before it; 0: none
  uint64_t frames_ = 0;
  size_t current_ = 0;
  size_t latest_ = kNone;
};

}  // namespace ctv
