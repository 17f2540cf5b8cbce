// SPDX-License-Identifier: BSD-3-Clause
// The decoder behind the public interface: units in, pictures out, with limits and frames in flight.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/fallback.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/worker_pool.hpp"

namespace ctv {

class StreamDecoder {
 public:
  static Result<std::unique_ptr<StreamDecoder>> open(const ctv_decoder_config& config);
  ~StreamDecoder();

  /// again: the unit was not taken, receive first.
  Status send(std::span<const uint8_t> unit, bool& again);
  /// outcome: CTV_OK, CTV_AGAIN or CTV_END.
  Status receive(ctv_picture& picture, ctv_status& outcome);
  void flush() { flushed_ = true; }
  Status reset();
  const std::string& description() const { return description_; }
  const StageTimes& stage_times() const { return backend_->stage_times(); }

 private:
  struct Slot {
    std::unique_ptr<SymbolCoder> symbols;
    std::vector<uint8_t> unit;  // a copy, while workers read it
    FrameParameters parameters;
    std::future<Status> coding;  // valid while workers decode the symbols
    double seconds = 0;
    Status status;
  };
  StreamDecoder() = default;
  Status take_header(std::span<const uint8_t> unit);
  /// Makes frames_ for stream_ on backend_.
  Status start();
  Status take_packet(std::span<const uint8_t> unit, bool& again);
  Status decode_symbols(Slot& slot, std::span<const uint8_t> unit, int slot_index);
  Status submit(std::span<const uint8_t> unit, int slot_index);
  Status fall_back(const Status& failure);
  Slot& slot_at(uint64_t frame) { return slots_[frame % slots_.size()]; }

  ctv_decoder_config config_{};
  int threads_ = 1;
  std::unique_ptr<Backend> backend_;
  std::string why_;
  std::string description_;
  std::vector<uint8_t> header_bytes_;  // of the stream being decoded
  Stream stream_;
  std::unique_ptr<FrameDecoder> frames_;
  std::vector<Slot> slots_;
  std::unique_ptr<WorkerPool> workers_;  // ends before the slots do
  uint64_t taken_ = 0, submitted_ = 0, given_ = 0;
  bool flushed_ = false;
  bool header_waits_ = false;  // send() refused another stream's header: receive() must not say "again"
  History history_;            // of submitted packets, while the backend can fail
};

}  // namespace ctv
