// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/reference_buffer.hpp"

#include <algorithm>
#include <utility>

namespace ctv {

Result<ReferenceBuffer> ReferenceBuffer::make(Backend& backend, const PictureLayout& picture,
                                              const Content& content, int references) {
  ReferenceBuffer buffer;
  buffer.places_.resize(static_cast<size_t>(references) + 1);
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

void ReferenceBuffer::update(uint32_t number) {
  drop(number);
  Reference& place = places_[current_];
  place.number = number;
  place.available = true;
  written_[current_] = ++updates_;
  choose_current();
}

// The place that was written longest ago, of those that are free or, if there are none, of the short-term
// ones. So places take turns, and a device that still reads the last frame is not waited for.
void ReferenceBuffer::choose_current() {
  const auto rank = [&](size_t i) { return std::pair(places_[i].available, written_[i]); };
  size_t best = places_.size();
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].long_term || written_[i] == updates_) continue;
    if (best == places_.size() || rank(i) < rank(best)) best = i;
  }
  current_ = best;
  places_[current_].available = false;
}

size_t ReferenceBuffer::index_of(uint32_t number) const {
  const auto place = std::find_if(places_.begin(), places_.end(),
                                  [&](const Reference& r) { return r.available && r.number == number; });
  return static_cast<size_t>(place - places_.begin());
}

const Reference* ReferenceBuffer::find(uint32_t number) const {
  const size_t i = index_of(number);
  return i == places_.size() ? nullptr : &places_[i];
}

const Reference* ReferenceBuffer::latest() const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (written_[i] == updates_ && places_[i].available) return &places_[i];
  }
  return nullptr;
}

// One place is the current frame's, and one more must be left for the next.
bool ReferenceBuffer::mark_long_term(uint32_t number) {
  const size_t i = index_of(number);
  if (i == places_.size()) return false;
  const auto marked =
      std::count_if(places_.begin(), places_.end(), [](const Reference& r) { return r.long_term; });
  if (!places_[i].long_term && static_cast<size_t>(marked) + 2 >= places_.size()) return false;
  places_[i].long_term = true;
  return true;
}

void ReferenceBuffer::drop(uint32_t number) {
  const size_t i = index_of(number);
  if (i < places_.size()) places_[i].available = places_[i].long_term = false;
}

void ReferenceBuffer::clear() {
  for (Reference& place : places_) place.available = place.long_term = false;
}

}  // namespace ctv
