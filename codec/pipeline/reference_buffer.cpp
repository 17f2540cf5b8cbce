// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/reference_buffer.hpp"

#include <algorithm>
#include <utility>

namespace ctv {

Result<ReferenceBuffer> ReferenceBuffer::make(Backend& backend, const PictureLayout& picture,
                                              const Content& content, int slots) {
  ReferenceBuffer buffer;
  buffer.places_.resize(static_cast<size_t>(slots) + 1);
  buffer.written_.resize(buffer.places_.size());
  for (Reference& place : buffer.places_) {
    if (content.pictures) {
      CTV_ASSIGN_OR_RETURN(place.picture, PlaneSet::make(backend, picture, content.reduction));
    }
    if (content.levels) {
      CTV_ASSIGN_OR_RETURN(place.level_memory, allocate_levels(backend, picture, place.levels));
    }
  }
  return buffer;
}

void ReferenceBuffer::keep(uint32_t number, int slot) {
  for (Reference& place : places_) {
    if (place.slot == slot || place.number == number) place.slot = Reference::kNoSlot;
  }
  places_[current_].slot = slot;
  finish(number);
}

void ReferenceBuffer::discard(uint32_t number) { finish(number); }

// The next frame takes the free buffer that was written longest ago. So buffers alternate, and the CPU need
// not wait for a device that still reads the last frame.
void ReferenceBuffer::finish(uint32_t number) {
  places_[current_].number = number;
  latest_ = current_;
  written_[current_] = ++frames_;
  const auto rank = [&](size_t i) { return std::pair(places_[i].slot != Reference::kNoSlot, written_[i]); };
  for (size_t i = 0; i < places_.size(); ++i) {
    if (rank(i) < rank(current_)) current_ = i;
  }
}

const Reference* ReferenceBuffer::find(uint32_t number) const {
  const auto place = std::find_if(places_.begin(), places_.end(), [&](const Reference& r) {
    return r.slot != Reference::kNoSlot && r.number == number;
  });
  return place == places_.end() ? nullptr : &*place;
}

const Reference* ReferenceBuffer::in_slot(int slot) const {
  const auto place =
      std::find_if(places_.begin(), places_.end(), [&](const Reference& r) { return r.slot == slot; });
  return place == places_.end() ? nullptr : &*place;
}

void ReferenceBuffer::clear() {
  for (Reference& place : places_) place.slot = Reference::kNoSlot;
  latest_ = kNone;
}

}  // namespace ctv
