// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/history.hpp"

#include <algorithm>

#include "codec/pipeline/frame_decoder.hpp"

namespace ctv {

void History::append(std::span<const uint8_t> packet, uint64_t frame, bool key) {
  if (entries_.empty() && !key) return;
  bytes_ += packet.size();
  if (bytes_ > kMaxBytes) {
    clear();
    return;
  }
  entries_.push_back({frame, key, {packet.begin(), packet.end()}});
}

void History::trim(uint64_t frame) {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(),
                                 [&](const Entry& e) { return e.key && e.frame <= frame; });
  if (last == entries_.rend()) return;
  while (entries_.front().frame != last->frame) {
    bytes_ -= entries_.front().packet.size();
    entries_.pop_front();
  }
}

void History::clear() {
  entries_.clear();
  bytes_ = 0;
}

Status replay(const History& history, FramePipeline& frames, FrameDecoder& decoder) {
  for (const History::Entry& entry : history.entries()) {
    FrameSlot& slot = frames.slot(entry.frame);
    CTV_RETURN_IF_ERROR(FramePipeline::read_header(slot, entry.packet));
    CTV_RETURN_IF_ERROR(FramePipeline::decode(slot, entry.packet, decoder.layers()));
    CTV_RETURN_IF_ERROR(decoder.decode(slot));
  }
  return {};
}

}  // namespace ctv
