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
  uint16_t check = 0;  // decoders: of the packet it was decoded from; set before update()
  bool available = false;
  bool long_term = false;
  /// Tells references apart.
  const void* address() const {
    return level_memory.data() != nullptr ? level_memory.data() : picture.memory().data();
  }
};

/// A fixed number of references, and one place more for the frame that is being coded. All memory is
/// allocated by make().
class ReferenceBuffer {
 public:
  /// What the places hold.
  struct Content {
    bool pictures = false;
    bool levels = false;
    int reduction = 0;  // of the pictures
  };
  /// references: at least 1. Error: the backend's memory.
  static Result<ReferenceBuffer> make(Backend& backend, const PictureLayout& picture, const Content& content,
                                      int references = 1);

  /// Where the current frame is written; never an available reference. The same place until update().
  Reference& current() { return places_[current_]; }
  const Reference& current() const { return places_[current_]; }
  /// The current frame becomes reference `number`. If the buffer is full, the oldest short-term reference
  /// is dropped. A reference of the same number is replaced.
  void update(uint32_t number);

  /// Null if frame `number` is not available. Valid until the next update(), drop() or clear().
  const Reference* find(uint32_t number) const;
  /// The reference of the last update(); null if it is not available.
  const Reference* latest() const;

  /// Keeps reference `number` until drop() or clear(). False if it is not available, or if no place for
  /// short-term references were left.
  bool mark_long_term(uint32_t number);
  /// Makes reference `number` unavailable, if it is there.
  void drop(uint32_t number);
  /// Makes all references unavailable.
  void clear();

 private:
  size_t index_of(uint32_t number) const;  // of an available reference; the number of places if there is none
  void choose_current();

  std::vector<Reference> places_;
  std::vector<uint64_t> written_;  // per place: which update() wrote it; 0: none
  uint64_t updates_ = 0;
  size_t current_ = 0;
};

}  // namespace ctv
