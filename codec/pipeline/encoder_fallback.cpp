// SPDX-License-Identifier: BSD-3-Clause
// What an encoder does when its device fails.
#include "codec/backends.hpp"
#include "codec/config/run_options.hpp"
#include "codec/pipeline/encoder.hpp"
#include "codec/util/log.hpp"

namespace ctv {

// The CPU codes again what the device had not finished, from the port's copies of the pictures, and goes on.
Status StreamEncoder::fall_back(const Status& failure) {
  log_message(CTV_LOG_WARNING, failure.message() + ": the CPU takes over");
  std::vector<PictureCopy> lost;
  uint64_t first_lost = received_;
  for (uint64_t frame = received_; frame < sent_; ++frame) {
    Slot& slot = slots_[frame % slots_.size()];
    if (slot.coding.valid()) slot.status = slot.coding.get();
    // A frame whose error the device took with it is coded again as well: to measure it.
    if (slot.status.ok() && lost.empty() && collect_distortion(frame + 1).ok()) {
      history_.append(slot.packet, frame, slot.parameters.type == FrameType::kKey);
      first_lost = frame + 1;
      if (first_lost == sent_) keep_source(frame);
      continue;
    }
    const ctv_picture* staged = frames_->slot(static_cast<int>(frame % slots_.size())).picture().host_copy();
    if (staged == nullptr) return failure;  // the picture lay in device memory
    copy_picture(*staged, lost.emplace_back());
  }
  const int threads = thread_count(config_.threads);
  std::string why;
  config_.engine = CTV_ENGINE_AUTO;
  CTV_ASSIGN_OR_RETURN(auto cpu, make_backend(CTV_BACKEND_CPU, 0, threads, why));
  CTV_RETURN_IF_ERROR(start(std::move(cpu), failure.message()));
  // Subband prediction also needs the source of the last sound frame, which only the very last frame's is.
  const bool sources =
      stream_.header.prediction == Prediction::kPicture || (lost.empty() && !last_source_.bytes.empty());
  if (history_.whole() && sources) {
    CTV_ASSIGN_OR_RETURN(auto decoder, FrameDecoder::make(*backend_, stream_, {}));
    CTV_RETURN_IF_ERROR(replay(*decoder, stream_, history_, 1, threads));
    CTV_RETURN_IF_ERROR(frames_->import_reference(*decoder, &last_source_.picture));
  } else if (!lost.empty()) {
    slots_[first_lost % slots_.size()].parameters.type = FrameType::kKey;
  } else {
    slots_[sent_ % slots_.size()].parameters.type = FrameType::kKey;  // the frame that send() is about
    since_key_ = 1;
  }
  history_.clear();
  for (uint64_t frame = first_lost; frame < sent_; ++frame) {
    const int index = static_cast<int>(frame % slots_.size());
    Slot& slot = slots_[static_cast<size_t>(index)];
    const Status before = slot.status;
    CTV_RETURN_IF_ERROR(encode_as_before(lost[frame - first_lost].picture, index));
    slot.status = code_symbols(index);
    if (before.code() == CTV_ERROR_LIMIT) slot.status = before;  // no step makes it fit
    CTV_RETURN_IF_ERROR(collect_distortion(frame + 1));
  }
  return {};
}

// Subband prediction searches in the last picture as it came. Its port has it until the slot's next frame,
// but a borrowed one only until its packet has gone out.
void StreamEncoder::keep_source(uint64_t frame) {
  if (stream_.header.prediction != Prediction::kSubband) return;
  const ctv_picture* staged = frames_->slot(static_cast<int>(frame % slots_.size())).picture().host_copy();
  if (staged != nullptr) {
    copy_picture(*staged, last_source_);
  } else {
    last_source_ = {};
  }
}

// A frame that had been coded, with the steps that it had.
Status StreamEncoder::encode_as_before(const ctv_picture& picture, int slot_index) {
  const Slot& slot = slots_[static_cast<size_t>(slot_index)];
  FrameParameters first = slot.parameters;
  first.base_step = slot.first_step;
  CTV_RETURN_IF_ERROR(frames_->analyse(picture, first, false, slot_index));
  CTV_RETURN_IF_ERROR(frames_->code(slot.parameters, slot_index, meter(slot)));
  frames_->update_reference();
  return {};
}

}  // namespace ctv
