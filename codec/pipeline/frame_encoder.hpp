// SPDX-License-Identifier: BSD-3-Clause
// The order of the stages for one frame, for both predictions. Nothing else knows it.
#pragma once

#include <memory>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/planes.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv {

/// The encoder's own choices: they shape the bytes but are not written.
struct EncoderDecisions {
  int search_range = 8;
  bool rdoq = false;  // the quantiser decides by rate and distortion
  Engine engine = Engine::kDirect;
  int slots = 1;  // frames in flight
  ctv_tune tune = CTV_TUNE_PSNR;
};

/// What one frame in flight owns: its ports and its levels.
class FrameSlot {
 public:
  LevelTransfer& levels() { return *level_transfer_; }
  const PictureTransfer& picture() const { return *picture_transfer_; }

 private:
  friend class FrameEncoder;
  std::unique_ptr<PictureTransfer> picture_transfer_;
  std::unique_ptr<LevelTransfer> level_transfer_;
  Memory level_memory_;
  Memory vector_memory_;
  std::array<Level*, 3> device_levels_{};
  MotionVector* vectors_ = nullptr;
};

class FrameEncoder {
 public:
  static Result<std::unique_ptr<FrameEncoder>> make(Backend& backend, const Stream& stream,
                                                    const EncoderDecisions& decisions);

  /// Picture to planes, and motion and its prediction for a predicted frame. Then code() once or, to try
  /// quantisers, several times, then commit().
  /// base_step: sixteenths of a sample; weighs vectors against differences. once: code() follows once, with
  /// this step and without a meter, so that the backend may repeat an equal frame.
  Status analyse(const ctv_picture& picture, FrameType type, uint32_t base_step, bool once, int slot);
  /// Levels of the frame; when slot(s).levels().finish() returns, downloaded() holds them. Picture
  /// prediction: the meter, if there is one, gets luma as decoded against luma as it came.
  Status code(const FrameParameters& parameters, int slot, DistortionMeter* meter = nullptr);
  /// The frame as last coded becomes the reference of the next.
  void commit();
  /// Takes over the references of a decoder at full resolution on the same backend; `source`: the last
  /// picture as it came, for subband prediction.
  Status adopt(const FrameDecoder& decoder, const ctv_picture* source);
  /// Picture prediction: what the next predicted frame refers to, the last committed frame as decoded.
  const PlaneSet& reference() const { return reference_; }
  FrameSlot& slot(int i) { return slots_[static_cast<size_t>(i)]; }

 private:
  FrameEncoder(Backend& backend, const Stream& stream) : backend_(backend), stream_(stream) {}
  Status initialise(const EncoderDecisions& decisions);
  uint32_t lambda(uint32_t base_step) const;
  FrameCalls calls_of(const ctv_picture& picture, FrameType type, uint32_t base_step, bool once,
                      int slot) const;
  Status predict(FrameType type, uint32_t base_step, FrameSlot& slot);
  Status code_picture(FrameType type, FrameSlot& slot);
  Status decode_picture(FrameType type, FrameSlot& slot, DistortionMeter* meter);
  PlaneView<const Sample> prediction(FrameType type, int plane) const;
  Status code_subbands(FrameType type, FrameSlot& slot);
  bool picture_mode() const { return stream_.header.prediction == Prediction::kPicture; }
  int planes() const { return stream_.picture.planes; }

  Backend& backend_;
  Stream stream_;
  std::array<std::unique_ptr<TransformCoder>, 3> transforms_;
  std::unique_ptr<MotionEstimator> motion_;
  std::vector<FrameSlot> slots_;
  // The picture being coded; the last one (picture prediction: as decoded, subband prediction: as it came).
  PlaneSet current_, reference_;
  // Picture prediction: the prediction, and the picture as decoded.
  PlaneSet prediction_, decoded_;
  // Subband prediction: quantised subbands of this frame and of the last one.
  Memory this_memory_, last_memory_;
  std::array<Level*, 3> this_levels_{}, last_levels_{};
  PlaneQuantisers quantisers_;
  std::array<uint32_t, 2> offsets_{};  // of rounding, of key frames and of predicted ones
  bool repeated_ = false;              // by the backend, as an equal frame was coded
  // With a decision by rate: coefficients of the frame, and whether they are there.
  bool rdoq_ = false;
  bool transformed_ = false;
  Memory coefficient_memory_;
  std::array<Coefficient*, 3> coefficients_{};
};

}  // namespace ctv
