// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/reference_policy.hpp"

#include <algorithm>
#include <string>

namespace ctv {
namespace {

constexpr int kPolicy = -1;
// Temporal ids from one frame of the lowest layer to the next.
constexpr std::array<int, 4> kTwoLayers = {0, 1, 0, 1};
constexpr std::array<int, 4> kThreeLayers = {0, 2, 1, 2};
constexpr int kMiddleSlot = 1;  // for the middle of three layers

// Comparison modulo 2^32.
bool is_newer(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

Status refuse(const char* field, const std::string& why) {
  return {CTV_ERROR_ARGUMENT, std::string("options.") + field + ": " + why};
}

}  // namespace

const ReferencePolicy::Record* ReferencePolicy::find(uint32_t number) const {
  const Record& record = records_[number % kWindow];
  return record.used && record.number == number ? &record : nullptr;
}

ReferencePolicy::Record* ReferencePolicy::find(uint32_t number) {
  Record& record = records_[number % kWindow];
  return record.used && record.number == number ? &record : nullptr;
}

const ReferencePolicy::Record* ReferencePolicy::held(int slot) const {
  const Slot& s = slot_[static_cast<size_t>(slot)];
  return s.held ? find(s.number) : nullptr;
}

template <typename Accept>
const ReferencePolicy::Record* ReferencePolicy::newest(uint32_t number, int temporal_id,
                                                       Accept accept) const {
  const Record* best = nullptr;
  for (int slot = 0; slot < slots_; ++slot) {
    const Record* r = held(slot);
    if (r == nullptr || r->temporal_id > temporal_id || number - r->number > kMaxReference || !accept(*r)) {
      continue;
    }
    if (best == nullptr || is_newer(r->number, best->number)) best = r;
  }
  return best;
}

bool ReferencePolicy::chain_is_broken(uint32_t number) const {
  const Record* base = newest(number, 0, [](const Record&) { return true; });
  return base == nullptr || base->state == State::kLost;
}

// While no frame of the lowest layer's chain is reported lost, all frames that are not reported lost may be
// referred to. Once the chain is broken, only acknowledged frames may.
const ReferencePolicy::Record* ReferencePolicy::reference_for(uint32_t number, int temporal_id) const {
  if (chain_is_broken(number)) {
    return newest(number, 0, [](const Record& r) { return r.state == State::kAcknowledged; });
  }
  return newest(number, temporal_id, [](const Record& r) { return r.state != State::kLost; });
}

bool ReferencePolicy::needs_key_frame(uint32_t number) const { return reference_for(number, 0) == nullptr; }

// A frame that repairs the chain belongs to the lowest layer.
int ReferencePolicy::temporal_id_for(const ctv_frame_options& wishes, const FrameParameters& frame) const {
  if (wishes.temporal_id != kPolicy) return wishes.temporal_id;
  if (layers_ == 1 || frame.type == FrameType::kKey || chain_is_broken(frame.number)) return 0;
  return (layers_ == 2 ? kTwoLayers : kThreeLayers)[phase_ % 4];
}

bool ReferencePolicy::is_free(int slot, const Record* acknowledged) const {
  const Record* r = held(slot);
  if (r == nullptr || r->state == State::kLost) return true;
  if (r->state == State::kUnknown && is_newer(last_key_, r->number)) return true;
  return acknowledged != nullptr && is_newer(acknowledged->number, r->number);
}

// Slots keep the newest acknowledged frame, and some frames since the last key frame that wait for
// acknowledgement, spaced over the round trip. Otherwise a frame replaces the one before it.
void ReferencePolicy::place(FrameParameters& frame) const {
  frame.kept = layers_ == 1 || frame.temporal_id < layers_ - 1;
  frame.slot = 0;
  if (!frame.kept) return;
  const bool middle_apart = layers_ == 3;
  if (middle_apart && frame.temporal_id > 0) {
    frame.slot = kMiddleSlot;
    return;
  }
  const Record* acknowledged =
      newest(frame.number, 0, [](const Record& r) { return r.state == State::kAcknowledged; });
  int free = -1;
  int last = -1;     // slot of the newest frame that waits
  int waiting = -1;  // slot of the second newest
  int pool = 0;
  for (int slot = 0; slot < slots_; ++slot) {
    if (middle_apart && slot == kMiddleSlot) continue;
    ++pool;
    if (is_free(slot, acknowledged)) {
      if (free < 0) free = slot;
    } else if (held(slot) != acknowledged) {
      if (last < 0 || is_newer(held(slot)->number, held(last)->number)) {
        waiting = last;
        last = slot;
      } else if (waiting < 0 || is_newer(held(slot)->number, held(waiting)->number)) {
        waiting = slot;
      }
    }
  }
  const uint32_t apart = round_trip_ / static_cast<uint32_t>(std::max(1, pool - 2));
  const bool crowded = last >= 0 && waiting >= 0 && held(last)->number - held(waiting)->number < apart;
  // A single slot is used whatever it holds.
  const int slot = free >= 0 && !crowded ? free : last >= 0 ? last : 0;
  frame.slot = static_cast<uint8_t>(slot);
}

Status ReferencePolicy::check(const ctv_frame_options& wishes, const FrameParameters& frame) const {
  if (wishes.temporal_id < kPolicy || wishes.temporal_id > kMaxTemporalId) {
    return refuse("temporal_id", std::to_string(wishes.temporal_id) + " is outside -1..7");
  }
  if (wishes.keep_in < CTV_KEEP_NOWHERE || wishes.keep_in >= slots_) {
    return refuse("keep_in", "the stream has " + std::to_string(slots_) + " slots");
  }
  if (wishes.refer_to == kPolicy || wishes.key_frame != 0) return {};
  const std::string wanted = "frame " + std::to_string(wishes.refer_to);
  const Record* record = nullptr;
  for (int slot = 0; slot < slots_; ++slot) {
    const Record* r = held(slot);
    if (r != nullptr && r->number == wishes.refer_to) record = r;
  }
  if (record == nullptr) return refuse("refer_to", wanted + " is not held");
  if (frame.number - record->number > kMaxReference) {
    return refuse("refer_to", wanted + " is more than 255 frames back");
  }
  if (record->temporal_id > temporal_id_for(wishes, frame)) {
    return refuse("refer_to", wanted + " has a higher temporal id");
  }
  return {};
}

void ReferencePolicy::choose(const ctv_frame_options& wishes, FrameParameters& frame) const {
  const int id = temporal_id_for(wishes, frame);
  frame.temporal_id = static_cast<uint8_t>(id);
  if (frame.type == FrameType::kPredicted) {
    const Record* r = reference_for(frame.number, id);
    // A key frame is due but not yet allowed: receivers that lack nothing continue.
    if (r == nullptr) r = newest(frame.number, id, [](const Record&) { return true; });
    if (wishes.refer_to != kPolicy) r = find(static_cast<uint32_t>(wishes.refer_to));
    if (r != nullptr) frame.reference = static_cast<uint8_t>(frame.number - r->number);
  }
  place(frame);
  if (wishes.keep_in != kPolicy) {
    frame.kept = wishes.keep_in != CTV_KEEP_NOWHERE;
    frame.slot = static_cast<uint8_t>(frame.kept ? wishes.keep_in : 0);
  }
}

void ReferencePolicy::coded(const FrameParameters& frame) {
  const bool key = frame.type == FrameType::kKey;
  const bool again = find(frame.number) != nullptr;
  const uint32_t reference = frame.number - frame.reference;
  const Record* from = key ? nullptr : find(reference);
  const bool on_lost = from != nullptr && from->state == State::kLost;
  if (!again) {
    phase_ = key || chain_is_broken(frame.number) ? 1 : phase_ + 1;
    next_ = frame.number + 1;
  }
  if (key) last_key_ = frame.number;
  records_[frame.number % kWindow] = {
      true, key, frame.number, reference, frame.temporal_id, on_lost ? State::kLost : State::kUnknown};
  if (frame.kept) {
    for (Slot& slot : slot_) slot.held = slot.held && slot.number != frame.number;
    slot_[frame.slot] = {true, frame.number};
  }
}

void ReferencePolicy::acknowledge(uint32_t number) {
  Record* r = find(number);
  if (r == nullptr || r->state != State::kUnknown) return;
  round_trip_ = next_ - number;
  for (; r != nullptr && r->state == State::kUnknown; r = r->key ? nullptr : find(r->reference)) {
    r->state = State::kAcknowledged;
  }
}

void ReferencePolicy::lost(uint32_t number) {
  Record* const r = find(number);
  // If the frame is too old to be recorded, all frames that are not acknowledged are lost.
  if (r != nullptr) {
    r->state = State::kLost;
  }
  for (uint32_t n = r == nullptr ? next_ - kWindow : number + 1; n != next_; ++n) {
    Record* const later = find(n);
    if (later == nullptr) continue;
    const Record* from = later->key ? nullptr : find(later->reference);
    const bool descends = from != nullptr && from->state == State::kLost;
    if (descends || (r == nullptr && later->state == State::kUnknown)) later->state = State::kLost;
  }
}

}  // namespace ctv
