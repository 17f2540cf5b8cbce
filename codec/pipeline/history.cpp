// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/history.hpp"

#include <algorithm>

#include "codec/pipeline/frame_decoder.hpp"

namespace ctv {

void History::append(std::span<const uint8_t> packet, uint64_t frame, const FrameParameters& parameters,
                     const PartLoss& loss) {
  const bool key = parameters.type == FrameType::kKey;
  const SlotTable::Entry* reference = key ? nullptr : slots_.reference_of(parameters);
  if ((!key && reference == nullptr) || bytes_ + packet.size() > kMaxBytes) {
    clear();
    return;
  }
  const uint64_t root = key ? frame : reference->root;
  // First, so that no frame is taken for one that is here if there is no memory for its packet.
  entries_.push_back({frame,
                      root,
                      {packet.begin(), packet.end()},
                      loss.conceal,
                      {loss.missing.begin(), loss.missing.end()}});
  bytes_ += packet.size();
  slots_.take(parameters, 0, root);
}

void History::append_lost(uint64_t frame) {
  if (!entries_.empty()) entries_.push_back({frame, entries_.back().root, {}, false, {}});
}

void History::trim(uint64_t frame) {
  if (entries_.empty()) return;
  uint64_t first = frame;
  for (auto e = entries_.rbegin(); e != entries_.rend() && e->frame >= frame; ++e) {
    first = std::min(first, e->root);
  }
  for (const SlotTable::Entry& e : slots_.entries()) {
    if (e.held) first = std::min(first, e.root);
  }
  while (!entries_.empty() && entries_.front().frame < first) {
    bytes_ -= entries_.front().packet.size();
    entries_.pop_front();
  }
}

void History::clear() {
  entries_.clear();
  slots_ = {};
  bytes_ = 0;
}

Status replay(const History& history, FramePipeline& frames, FrameDecoder& decoder) {
  for (const History::Entry& entry : history.entries()) {
    FrameSlot& slot = frames.slot(entry.frame);
    if (entry.packet.empty()) {
      CTV_RETURN_IF_ERROR(decoder.repeat(slot));
      continue;
    }
    CTV_RETURN_IF_ERROR(FramePipeline::read_header(slot, entry.packet));
    CTV_RETURN_IF_ERROR(
        FramePipeline::decode(slot, entry.packet, decoder.layers(), {entry.concealed, entry.missing}));
    CTV_RETURN_IF_ERROR(decoder.decode(slot));
  }
  return {};
}

}  // namespace ctv
