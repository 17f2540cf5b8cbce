// SPDX-License-Identifier: BSD-3-Clause
// The encoder behind the public interface: pictures in, packets out, with several frames in flight.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/control/key_frames.hpp"
#include "codec/control/reference_policy.hpp"
#include "codec/control/stream_rate.hpp"
#include "codec/format/stream_index.hpp"
#include "codec/pipeline/distortion_queue.hpp"
#include "codec/pipeline/fallback_backend.hpp"
#include "codec/pipeline/frame_encoder.hpp"
#include "codec/pipeline/frame_pipeline.hpp"

namespace ctv {

class StreamEncoder {
 public:
  static Result<std::unique_ptr<StreamEncoder>> open(const ctv_config& config);
  /// Replaces `encoder` by one with another configuration, on the same backend and with the next frame
  /// number. Error: nothing has changed, or the encoder has failed.
  static Status reconfigure(std::unique_ptr<StreamEncoder>& encoder, const ctv_config& config);
  /// Continues with frame `number`, at least next_number(). If numbers are skipped, it is a key frame.
  static Status go_to(std::unique_ptr<StreamEncoder>& encoder, uint64_t number);

  uint64_t next_number() const { return sent_; }
  /// Whether frame `number` can be sent before a packet is received.
  bool has_room(uint64_t number) const {
    return sent_ == received_ || (number == sent_ && sent_ - received_ < pipeline_.size() && !resizes());
  }
  const std::vector<uint8_t>& header() const { return header_bytes_; }
  /// again: the picture was not taken, because every slot holds a frame that must be received first.
  Status send(const ctv_picture& sent, const ctv_frame_options& options, bool& again);
  /// outcome: CTV_OK, CTV_AGAIN or CTV_END.
  Status receive(ctv_unit& unit, ctv_status& outcome);
  void flush() { flushed_ = true; }
  /// Returns the index unit, valid until the next call. CTV_ERROR_LIMIT: the stream is too long for an index.
  Result<std::span<const uint8_t>> index();
  void request_key_frame() { key_frames_.request(); }
  /// Reports that a receiver has the frame, or lacks some of it. Error: the frame was not sent.
  Status acknowledge(int64_t frame);
  Status lost(int64_t frame);
  Status set_quantiser(int qp, double step);
  Status set_crf(double crf);
  Status set_temporal_layers(int layers);
  Status set_bitrate(int64_t bitrate, int64_t max_frame_bytes);
  const std::string& description() const { return device_.description(); }
  StageTimes& stage_times() { return device_->stage_times(); }
  const ReferenceBuffer& references() const { return frames_->references(); }

 private:
  StreamEncoder(const ctv_config& config, const SequenceHeader& header, uint16_t base_step,
                FallbackBackend& device);  // moved from, unless an exception is thrown
  Status check_change(const ctv_config& config) const;
  static Status restart(std::unique_ptr<StreamEncoder>& encoder, const ctv_config& config, uint64_t number);
  /// Frees everything that was made on the backend.
  void release();
  Status start();
  Status check_sent(int64_t frame) const;
  /// Handles a frame whose packet is lost.
  void give_up(uint32_t number);
  /// Whether the number of frames in flight differs from the number of slots.
  bool resizes() const;
  Status resize();
  /// Restarts with a key frame.
  Status start_again();
  void start_packet(FrameSlot& slot);
  Status encode_frame(const ctv_picture& picture, FrameSlot& slot);
  void count_time(const FrameParameters& parameters);
  /// Adds frame sent_, coded by encode_frame(), to the frames in flight.
  void take(FrameSlot& slot);
  Status fall_back(const Status& failure);

  ctv_config config_;
  Stream stream_;
  std::vector<uint8_t> header_bytes_;
  std::vector<uint8_t> index_bytes_;
  IndexBuilder index_;
  KeyFrames key_frames_;
  ReferencePolicy policy_;
  StreamRate rate_;
  uint64_t first_ = 0;  // first frame of this configuration
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  std::vector<uint8_t> plain_samples_;  // of the picture that is sent
  uint64_t timed_ = 0;                  // frames whose time was counted
  std::optional<FrameTime> last_time_;  // of the last one
  SlotTable slots_;                     // state after the last packet received
  bool flushed_ = false;
  // Members are declared in the order of construction: work on the backend ends before it is destroyed.
  FallbackBackend device_;
  DistortionQueue distortion_;
  std::unique_ptr<FrameEncoder> frames_;
  FramePipeline pipeline_;
};

}  // namespace ctv
