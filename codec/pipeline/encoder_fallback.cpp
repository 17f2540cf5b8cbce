// SPDX-License-Identifier: BSD-3-Clause
// How an encoder goes on when its device has failed.
#include "codec/pipeline/encoder.hpp"

namespace ctv {

// The CPU codes again what the device had not finished, from the transfers' copies of the pictures.
Status StreamEncoder::fall_back(const Status& failure) {
  remember_last();
  std::vector<PictureCopy> lost;
  uint64_t first_lost = received_;
  SlotTable slots = slots_;
  for (uint64_t frame = received_; frame < sent_; ++frame) {
    FrameSlot& slot = pipeline_.slot(frame);
    FramePipeline::wait(slot);
    // A frame whose distortion was lost with the device is coded again as well: to measure it.
    if (slot.status.ok() && lost.empty() && slot.picture->finish_keeping().ok() &&
        distortion_.collect(frame + 1, rate_).ok()) {
      FramePipeline::bind(slot, slots);
      device_.remember(slot.packet, frame, slot.parameters, received_);
      first_lost = frame + 1;
      if (first_lost == sent_ && pipeline_.size() > 1) keep_source(frame);
      continue;
    }
    const ctv_picture* source = slot.picture->host_copy();
    if (source == nullptr) return failure;  // the picture is in device memory
    copy_picture(*source, lost.emplace_back(), device_.threads());
  }
  if (lost.empty() && pipeline_.size() == 1 && pipeline_.slot(0).picture != nullptr) {
    const ctv_picture* kept = pipeline_.slot(0).picture->kept();
    if (kept != nullptr) copy_picture(*kept, last_source_, device_.threads());
  }
  // Until they are coded again: a packet that the device has made may not be what the parameters will say.
  for (uint64_t frame = first_lost; frame < sent_; ++frame) {
    FrameSlot& slot = pipeline_.slot(frame);
    if (slot.status.code() != CTV_ERROR_LIMIT) slot.status = {CTV_ERROR_MEMORY, "frame lost"};
    distortion_.add(frame, slot.parameters, false);
  }
  CTV_RETURN_IF_ERROR(device_.replace(failure, [this] { return start(); }));
  // Subband prediction needs the source of the reference, which is known of the very last frame only.
  const bool source_known =
      stream_.header.prediction == Prediction::kPicture || (lost.empty() && !last_source_.bytes.empty());
  if (device_.history().whole() && source_known) CTV_RETURN_IF_ERROR(rebuild_references());
  device_.forget();
  for (uint64_t frame = first_lost; frame < sent_; ++frame) {
    CTV_RETURN_IF_ERROR(encode_as_before(lost[static_cast<size_t>(frame - first_lost)].picture, frame));
  }
  policy_.keep_only([this](uint32_t number) { return references().find(number) != nullptr; });
  return {};
}

// A frame whose reference could not be rebuilt becomes a key frame.
bool StreamEncoder::need_key_frame(FrameParameters& parameters) const {
  if (parameters.type == FrameType::kKey) return false;
  if (references().find(parameters.number - parameters.reference) != nullptr) return false;
  parameters.type = FrameType::kKey;
  return true;
}

Status StreamEncoder::rebuild_references() {
  CTV_ASSIGN_OR_RETURN(auto decoder, FrameDecoder::make(*device_, stream_, {}));
  FramePipeline decoding(stream_, Direction::kDecode, 1, device_.threads());
  CTV_RETURN_IF_ERROR(decoding.attach(*device_));
  CTV_RETURN_IF_ERROR(replay(device_.history(), decoding, *decoder));
  return frames_->import_references(*decoder, &last_source_.picture, pipeline_.slot(0));
}

// Codes a frame with the steps that it had.
Status StreamEncoder::encode_as_before(const ctv_picture& picture, uint64_t frame) {
  FrameSlot& slot = pipeline_.slot(frame);
  if (need_key_frame(slot.parameters)) policy_.coded(slot.parameters);
  FrameParameters first = slot.parameters;
  first.base_step = slot.first_step;
  CTV_RETURN_IF_ERROR(slot.picture->upload(picture));
  CTV_RETURN_IF_ERROR(frames_->analyse(picture, first, false, slot));
  if (first.base_step != slot.parameters.base_step) {  // slopes are those of the first try
    CTV_RETURN_IF_ERROR(frames_->try_code(first, slot));
    CTV_RETURN_IF_ERROR(slot.levels->finish());
  }
  CTV_RETURN_IF_ERROR(frames_->code(slot.parameters, slot, distortion_.meter(frame, slot.measured)));
  frames_->update_references();
  Status coded = FramePipeline::encode(slot);
  if (slot.status.code() != CTV_ERROR_LIMIT) slot.status = std::move(coded);  // else no step makes it fit
  distortion_.add(frame, slot.parameters, slot.measured);
  return distortion_.collect(frame + 1, rate_);
}

// Subband prediction searches in the last source picture. Its transfer has it until the slot's next frame,
// but a borrowed one only until its packet is received.
void StreamEncoder::keep_source(uint64_t frame) {
  if (stream_.header.prediction != Prediction::kSubband) return;
  const FrameSlot& slot = pipeline_.slot(frame);
  const ctv_picture* source = slot.parameters.kept ? slot.picture->host_copy() : nullptr;
  if (source != nullptr) {
    copy_picture(*source, last_source_, device_.threads());
  } else {
    last_source_ = {};
  }
}

// The only slot's transfer keeps it, while the device works. Without a slot in the stream, the one before
// stays the reference.
Status StreamEncoder::start_keeping_source(FrameSlot& slot) {
  if (stream_.header.prediction != Prediction::kSubband || !slot.parameters.kept) return {};
  return slot.picture->keep();
}

// With one frame in flight the caller waits for its packet, so the copy is made beside the next frame.
void StreamEncoder::remember_last() {
  if (!not_remembered_) return;
  const FrameSlot& slot = pipeline_.slot(not_remembered_->frame);
  device_.remember(slot.packet, not_remembered_->frame, not_remembered_->parameters, not_remembered_->frame);
  not_remembered_.reset();
}

}  // namespace ctv
