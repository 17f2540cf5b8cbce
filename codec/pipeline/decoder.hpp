// SPDX-License-Identifier: BSD-3-Clause
// The decoder behind the public interface: units in, pictures out, with limits and frames in flight.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/pipeline/fallback_backend.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/frame_pipeline.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

class StreamDecoder {
 public:
  static Result<std::unique_ptr<StreamDecoder>> open(const ctv_decoder_config& config);

  /// unit: data, size and opaque are read. If part 0 is missing, number and time are read instead of data.
  /// missing: element i is not 0 if part i is missing. again: the unit was not taken, receive first.
  Status send(const ctv_unit& unit, std::span<const uint8_t> missing, bool& again);
  /// outcome: CTV_OK, CTV_AGAIN or CTV_END.
  Status receive(ctv_picture& picture, ctv_status& outcome);
  void flush() { flushed_ = true; }
  Status reset();
  const std::string& description() const { return device_.description(); }
  StageTimes& stage_times() { return device_->stage_times(); }
  /// Requires that a header was taken.
  const ReferenceBuffer& references() const { return frames_->references(); }
  /// The numbers of the frames in slots that equal the encoder's.
  std::vector<uint32_t> held() const;

 private:
  StreamDecoder(const ctv_decoder_config& config, FallbackBackend device);
  Status take_header(std::span<const uint8_t> unit);
  void end_stream();
  /// Makes everything that decodes stream_ on the backend.
  Status start();
  Status take_packet(const ctv_unit& unit, std::span<const uint8_t> missing, bool& again);
  PartLoss loss(const FrameSlot& slot) const { return {config_.conceal != 0, slot.missing}; }
  Status decode_symbols(FrameSlot& slot, std::span<const uint8_t> unit);
  /// Handles the result of decoding the symbols.
  Status conclude(FrameSlot& slot, std::span<const uint8_t> unit);
  /// Sets slot.repeated. Error: the frame's reference is not available.
  Status find_reference(FrameSlot& slot);
  Status submit(FrameSlot& slot, std::span<const uint8_t> unit);
  /// Submits frames with decoded symbols to the backend, and drops repeated ones. wait: until the oldest
  /// frame has a result.
  void submit_ready(bool wait);
  Status give(FrameSlot& slot, ctv_picture& picture);
  bool full() const { return pipeline_ != nullptr && taken_ - given_ == pipeline_->size(); }
  Status fall_back(const Status& failure);

  ctv_decoder_config config_{};
  std::vector<uint8_t> header_bytes_;  // of the current stream
  Stream stream_;
  uint64_t taken_ = 0, submitted_ = 0, given_ = 0;
  bool flushed_ = false;
  // send() returned "again" for a unit that comes after all pictures; receive() must not.
  bool unit_waits_ = false;
  int64_t last_number_ = 0;  // of the last picture
  FrameTime last_time_;
  // Members are declared in the order of construction: work on the backend ends before it is destroyed.
  MemoryBudget budget_;
  FallbackBackend device_;
  std::unique_ptr<FrameDecoder> frames_;
  std::unique_ptr<FramePipeline> pipeline_;
};

}  // namespace ctv
