// SPDX-License-Identifier: BSD-3-Clause
// Continues an encoder after a device failure.
#include <utility>

#include "codec/pipeline/encoder.hpp"
#include "codec/pipeline/picture_copy.hpp"

namespace ctv {

// The CPU continues with a key frame. It codes the frames in flight that have no packet yet, from the
// pictures in their transfers. Pictures in device memory are lost, and their frames have no packet.
Status StreamEncoder::fall_back(const Status& failure) {
  const uint64_t end = sent_;
  uint64_t first = received_;  // first frame without a packet
  const auto has_packet = [](FrameSlot& slot) {
    FramePipeline::wait(slot);
    return slot.status.ok();
  };
  while (first < end && has_packet(pipeline_.slot(first))) ++first;
  std::vector<PictureCopy> pictures(end - first);
  for (uint64_t frame = first; frame < end; ++frame) {
    FrameSlot& slot = pipeline_.slot(frame);
    FramePipeline::wait(slot);
    slot.status = {CTV_ERROR_MEMORY,
                   "frame lost"};  // replaced if the CPU continues; short enough not to allocate
    const ctv_picture* const picture = slot.picture->host_copy();
    if (picture != nullptr) copy_picture(*picture, pictures[frame - first], device_.threads());
  }
  distortion_.go_to(end);
  CTV_RETURN_IF_ERROR(device_.replace(failure, [this] { return start(); }));
  distortion_.go_to(first);
  sent_ = first;
  for (const PictureCopy& copy : pictures) {
    FrameSlot& slot = pipeline_.slot(sent_);
    Status coded = guarded([&]() -> Status {
      if (copy.bytes.empty()) return failure;
      CTV_RETURN_IF_ERROR(slot.picture->upload(copy.picture));
      return encode_frame(copy.picture, slot);
    });
    if (coded.ok()) {
      take(slot);
    } else {
      slot.status = std::move(coded);
      ++sent_;
    }
  }
  policy_.keep_only([this](uint32_t number) { return references().find(number) != nullptr; });
  return {};
}

}  // namespace ctv
