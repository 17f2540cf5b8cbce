// SPDX-License-Identifier: BSD-3-Clause
// Frames in flight: the objects that bring a frame from the kernels to its packet, and back.
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
  bool single_frame = false;  // there is one slot: the caller waits for its symbols
  // On the backend.
  std::unique_ptr<PictureTransfer> picture;
  std::unique_ptr<LevelTransfer> levels;
  // On the host.
  std::unique_ptr<SymbolCoder> symbols;
  std::vector<uint8_t> packet;  // encoder: the result; decoder: a copy for workers
  FrameParameters parameters;
  void* opaque = nullptr;     // the caller's
  bool motion_coded = false;  // encoder: the motion of the last analysis is coded
  bool measured = false;      // encoder: the distortion is measured
  bool packed = false;        // encoder: the packet of the last try was made, or failed
  // Decoder.
  bool header_read = false;      // `parameters` were read from the packet
  bool repeated = false;         // the packet repeats the previous frame and gives no picture
  bool lost = false;             // the frame is lost, and the last picture is repeated
  bool settled = false;          // no work on the slot's last frame is left
  std::vector<uint8_t> missing;  // by part, from the caller
  ctv_damage damage = CTV_DAMAGE_NONE;
  int missing_parts = 0;
  int64_t number = 0;  // of the picture
  FrameTime time;      // of the picture
  Status status;
  double seconds = 0;          // of entropy coding
  std::future<Status> coding;  // valid while a worker has the frame
  int process = 0;             // of that worker
};

enum class Direction : uint8_t { kEncode, kDecode };

/// Slots for a number of frames in flight; frame n uses slot n modulo their number. With several slots,
/// worker threads run the entropy coding of some frames while the backend works on others.
class FramePipeline {
 public:
  /// threads: of the entropy coding, for all frames together. resilient: as SymbolCoder has it.
  FramePipeline(const Stream& stream, Direction direction, int slots, int threads, bool resilient = false);
  /// Waits for the workers and the backend.
  ~FramePipeline();
  /// Makes another number of slots, without transfers. No frame may be in flight.
  void resize(int slots);
  FramePipeline(const FramePipeline&) = delete;
  FramePipeline& operator=(const FramePipeline&) = delete;

  /// Makes the transfers on a backend, which must outlive them.
  Status attach(Backend& backend);
  /// Frees the transfers. No worker may be running.
  void detach();

  FrameSlot& slot(uint64_t frame) { return slots_[static_cast<size_t>(frame % slots_.size())]; }
  size_t size() const { return slots_.size(); }
  bool concurrent() const { return slots_.size() > 1; }

  /// Wakes threads for the symbols of the only frame in flight while a device works on it.
  static void expect_symbols(const FrameSlot& slot);
  /// Waits for the levels of the slot's frame and writes its packet.
  static Status encode(FrameSlot& slot);
  /// Writes the check of its reference into the slot's packet, and the packet into the table. May be
  /// repeated.
  static void bind(FrameSlot& slot, SlotTable& slots);
  /// Reads the header of a packet into slot.parameters.
  static Status read_header(FrameSlot& slot, std::span<const uint8_t> unit);
  /// Decodes the first `layers` layers of the packet, whose header was just read, into the slot's upload
  /// buffers. Components that the backend decodes may be in flight until slot.symbols->finish_decoding().
  static Status decode(FrameSlot& slot, std::span<const uint8_t> unit, int layers, const PartLoss& loss = {});

  /// Runs `work` and stores its result in slot.status: at once, or on a worker until wait(). Exceptions
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
  bool resilient_;
  Backend* backend_ = nullptr;
  std::vector<FrameSlot> slots_;
  std::unique_ptr<WorkerPool> workers_;  // destroyed before the slots
  int process_ = 0;                      // of the workers
};

}  // namespace ctv
