// SPDX-License-Identifier: BSD-3-Clause
// Frames in flight: what carries a frame from the kernels to its packet, and back.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/slot_table.hpp"
#include "codec/pipeline/stream.hpp"
#include "codec/pipeline/worker_pool.hpp"

namespace ctv {

/// One frame in flight.
struct FrameSlot {
  int index = 0;
  bool alone = false;  // the only one: a caller waits for its symbols
  // On the backend.
  std::unique_ptr<PictureTransfer> picture;
  std::unique_ptr<LevelTransfer> levels;
  // On the host.
  std::unique_ptr<SymbolCoder> symbols;
  std::vector<uint8_t> packet;  // an encoder's result; a decoder's copy while workers read it
  FrameParameters parameters;
  void* opaque = nullptr;     // the caller's
  bool motion_coded = false;  // encoder: the symbols of the last analysis' motion are there
  bool measured = false;      // encoder: the frame's distortion is wanted
  bool packed = false;        // encoder: the last try's packet has been made, or has failed
  // Decoder.
  bool header_read = false;      // `parameters` are the packet's
  bool repeated = false;         // the packet repeats the frame before it and gives no picture
  bool lost = false;             // the last picture stands for the frame
  bool settled = false;          // nothing of the slot's last frame is on its way
  std::vector<uint8_t> missing;  // by part, as the caller says
  ctv_damage damage = CTV_DAMAGE_NONE;
  int missing_parts = 0;
  int64_t number = 0;  // of the picture
  FrameTime time;      // of the picture
  Status status;
  double seconds = 0;          // of entropy coding
  std::future<Status> coding;  // valid while a worker has the frame
};

enum class Direction : uint8_t { kEncode, kDecode };

/// Slots for a number of frames; frame n has slot n modulo their number. With several, worker threads
/// run the entropy coding of some frames while the backend has others.
class FramePipeline {
 public:
  /// threads: of the entropy coding, for all frames together.
  FramePipeline(const Stream& stream, Direction direction, int slots, int threads);
  /// Waits for the workers and the backend.
  ~FramePipeline();
  /// Makes slots for another number of frames, without transfers. No frame may be in flight.
  void resize(int slots);
  FramePipeline(const FramePipeline&) = delete;
  FramePipeline& operator=(const FramePipeline&) = delete;

  /// Makes the transfers on a backend, which must outlive them.
  Status attach(Backend& backend);
  /// Drops the transfers. No worker may be at work.
  void detach();

  FrameSlot& slot(uint64_t frame) { return slots_[static_cast<size_t>(frame % slots_.size())]; }
  size_t size() const { return slots_.size(); }
  bool concurrent() const { return slots_.size() > 1; }

  /// Wakes threads for the symbols of the only frame in flight, beside the work of a device.
  static void expect_symbols(const FrameSlot& slot);
  /// Waits for the levels of the slot's frame and writes its packet.
  static Status encode(FrameSlot& slot);
  /// Writes the check of its reference into the slot's packet, and the packet into the table. May be
  /// repeated.
  static void bind(FrameSlot& slot, SlotTable& slots);
  /// Reads the header of a packet into slot.parameters.
  static Status read_header(FrameSlot& slot, std::span<const uint8_t> unit);
  /// Decodes the first `layers` layers of the packet, whose header was just read, into the slot's upload
  /// buffers. What the backend decodes may be on its way until slot.symbols->finish_decoding().
  static Status decode(FrameSlot& slot, std::span<const uint8_t> unit, int layers, const PartLoss& loss = {});

  /// Runs `work`, which leaves its result in slot.status: at once, or by a worker until wait(). Exceptions
  /// become statuses.
  void start(FrameSlot& slot, std::function<Status()> work);
  /// Whether wait() would return at once.
  static bool ready(const FrameSlot& slot);
  static void wait(FrameSlot& slot);

 private:
  void finish();

  Stream stream_;
  Direction direction_;
  int threads_;
  Backend* backend_ = nullptr;
  std::vector<FrameSlot> slots_;
  std::unique_ptr<WorkerPool> workers_;  // ends before the slots do
};

}  // namespace ctv
