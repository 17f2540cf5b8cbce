// SPDX-License-Identifier: BSD-3-Clause
// The encoder behind the public interface: frame types, frames in flight, packets, index.
#pragma once

#include <array>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/control/quality_control.hpp"
#include "codec/control/rate_control.hpp"
#include "codec/control/scene_cut.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/format/stream_index.hpp"
#include "codec/pipeline/fallback.hpp"
#include "codec/pipeline/frame_encoder.hpp"
#include "codec/pipeline/worker_pool.hpp"

namespace ctv {

class StreamEncoder {
 public:
  static Result<std::unique_ptr<StreamEncoder>> open(const ctv_config& config);
  ~StreamEncoder();

  const std::vector<uint8_t>& header() const { return header_bytes_; }
  /// again: the picture was not taken, all frames in flight wait to be received.
  Status send(const ctv_picture& picture, bool& again);
  /// outcome: CTV_OK, CTV_AGAIN or CTV_END.
  Status receive(ctv_unit& unit, ctv_status& outcome);
  void flush() { flushed_ = true; }
  const std::vector<uint8_t>& index();
  void request_key_frame() { key_requested_ = true; }
  Status set_quantiser(int qp, double step);
  Status set_crf(double crf);
  Status set_bitrate(int64_t bitrate, int64_t max_frame_bytes);
  const std::string& description() const { return description_; }
  const StageTimes& stage_times();

 private:
  struct Slot {
    std::unique_ptr<SymbolCoder> symbols;
    std::vector<uint8_t> packet;
    FrameParameters parameters;
    uint16_t first_step = 0;     // that its vectors were searched with
    bool measured = false;       // its squared error is asked for
    std::future<Status> coding;  // valid while workers code it
    Status status;
    double seconds = 0;  // spent on symbols
    bool busy = false;
  };
  StreamEncoder() = default;
  Status encode_frame(const ctv_picture& picture, int slot);
  Status encode_as_before(const ctv_picture& picture, int slot);
  Status code_to_quality(int slot);
  Status code_to_size(int slot);
  Status collect_distortion(uint64_t end);
  DistortionMeter* meter(const Slot& slot) const;
  Status code_symbols(int slot);
  Status start(std::unique_ptr<Backend> backend, const std::string& why);
  Status fall_back(const Status& failure);
  void keep_source(uint64_t frame);
  FrameType next_type(const ctv_picture& picture);
  uint16_t frame_step(FrameType type) const;

  ctv_config config_{};
  Stream stream_;
  std::vector<uint8_t> header_bytes_;
  std::vector<uint8_t> index_bytes_;
  std::unique_ptr<Backend> backend_;
  std::string description_;
  std::unique_ptr<FrameEncoder> frames_;
  std::vector<Slot> slots_;
  std::unique_ptr<WorkerPool> workers_;  // only with several frames in flight; ends before the slots do
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  int64_t since_key_ = 0;
  bool key_requested_ = false;
  bool flushed_ = false;
  uint16_t base_step_ = 16;
  uint64_t bytes_out_ = 0;
  History history_;          // of received packets, while the backend can fail
  PictureCopy last_source_;  // likewise, for subband prediction: the last frame's picture, once received
  std::vector<IndexEntry> entries_;
  std::unique_ptr<RateControl> rate_;
  // Constant quality: frame i's error goes through meter i modulo kDelay; those before known_ have come.
  std::unique_ptr<QualityControl> quality_;
  std::array<std::unique_ptr<DistortionMeter>, QualityControl::kDelay> meters_;
  uint64_t known_ = 0;
  SceneCutDetector scenes_;
};

}  // namespace ctv
