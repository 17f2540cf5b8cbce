// SPDX-License-Identifier: BSD-3-Clause
// The order of the stages for one frame, for both predictions, at any resolution of
// the stream.
#pragma once

#include <memory>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/planes.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv {

struct DecoderDecisions {
  int reduction = 0;
  ctv_format format = CTV_FORMAT_NONE;  // NONE: the stream's source format
  ctv_memory memory = CTV_MEMORY_HOST;
  Engine engine = Engine::kDirect;
  int slots = 1;
};

class FrameDecoder {
 public:
  static Result<std::unique_ptr<FrameDecoder>> make(Backend& backend, const Stream& stream,
                                                    const DecoderDecisions& decisions);

  /// Host memory that the coded frame of a slot goes to before decode().
  CodedFrameBuffers coded(int slot) {
    return slots_[static_cast<size_t>(slot)].level_transfer->upload_buffers();
  }
  /// How many layers the resolution needs.
  int layers() const { return layers_; }
  /// Runs all stages; the picture comes with finish().
  Status decode(const FrameParameters& parameters, int slot);
  /// What the next predicted frame refers to: the decoded picture (picture prediction), or levels (subband
  /// prediction).
  const PlaneSet& reference() const { return reference_; }
  const std::array<Level*, 3>& last_levels() const { return last_levels_; }
  /// Waits for the slot's picture; valid until the slot's next decode().
  Status finish(int slot, ctv_picture& picture);

 private:
  struct Slot {
    std::unique_ptr<PictureTransfer> picture_transfer;
    std::unique_ptr<LevelTransfer> level_transfer;
  };
  FrameDecoder(Backend& backend, const Stream& stream) : backend_(backend), stream_(stream) {}
  Status initialise(const DecoderDecisions& decisions);
  Status run_stages(const FrameParameters& parameters, Slot& slot);
  Status decode_picture(const FrameParameters& parameters);
  Status decode_subbands(const FrameParameters& parameters);

  Backend& backend_;
  Stream stream_;
  DecoderDecisions decisions_;
  int layers_ = 0;
  std::array<std::unique_ptr<TransformCoder>, 3> transforms_;
  std::vector<Slot> slots_;
  PlaneSet decoded_, reference_;
  Memory level_memory_, last_memory_, vector_memory_;
  std::array<Level*, 3> levels_{}, last_levels_{};
  MotionVector* vectors_ = nullptr;
  PlaneQuantisers quantisers_;
};

}  // namespace ctv
