// SPDX-License-Identifier: BSD-3-Clause
// The order of the stages that encode one frame, for both predictions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/frame_pipeline.hpp"
#include "codec/pipeline/reference_buffer.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv {

/// The encoder's own choices: they shape the bytes but are not written.
struct EncoderDecisions {
  int search_range = 8;
  int far_range = 0;
  int split = 0;       // 1: the search may split blocks
  bool quick = false;  // picture prediction: vectors and skips are chosen with less work
  bool rdoq = false;   // the quantiser decides by rate and distortion
  Engine engine = Engine::kDirect;
  int slots = 1;  // frames in flight
  ctv_tune tune = CTV_TUNE_PSNR;
};

class FrameEncoder {
 public:
  static Result<std::unique_ptr<FrameEncoder>> make(Backend& backend, const Stream& stream,
                                                    const EncoderDecisions& decisions);

  /// The picture that slot.picture has uploaded to planes, and motion and its prediction for a predicted
  /// frame. Then code() once or, to try quantisers, several times, then update_references(). May be called
  /// again between tries.
  /// parameters: base_step weighs vectors against differences. usual: code() follows, with these parameters
  /// and this meter, so that the backend may repeat an equal frame.
  Status analyse(const ctv_picture& picture, const FrameParameters& parameters, bool usual, FrameSlot& slot,
                 const DistortionMeter* meter = nullptr);
  /// Starts to bring the frame's levels to slot.levels. Picture prediction: `meter`, which may be null,
  /// measures the decoded luma against the source. with_levels: unless empty or the backend repeats a frame,
  /// called once slot.levels has what it has when code() returns; perhaps beside other work.
  Status code(const FrameParameters& parameters, FrameSlot& slot, DistortionMeter* meter = nullptr,
              const std::function<Status()>& with_levels = {});
  /// The same without the picture as decoded, for a try that may not be the last. reconstruct() makes it.
  Status try_code(const FrameParameters& parameters, FrameSlot& slot);
  Status reconstruct(DistortionMeter* meter);
  /// Makes outputs for another number of frames in flight. All packets were received.
  Status set_slots(int slots);
  /// The frame as last coded is kept, if its parameters say so.
  void update_references();
  /// Picture prediction: decoded pictures. Subband prediction: source pictures and quantised subbands.
  const ReferenceBuffer& references() const { return references_; }

 private:
  /// Levels and vectors of a frame, until their transfer is complete.
  struct Output {
    Memory level_memory, side_memory;
    std::array<Level*, 3> levels{};
    SideInfo side;
  };
  FrameEncoder(Backend& backend, const Stream& stream) : backend_(backend), stream_(stream) {}
  Status initialise(const EncoderDecisions& decisions);
  uint32_t lambda(uint32_t base_step) const;
  FrameCalls calls_of(const ctv_picture& picture, bool usual, int slot, const DistortionMeter* meter) const;
  Status predict(FrameSlot& slot);
  Status predict_subbands(FrameSlot& slot);
  Status compensate(int plane, bool overlap);
  /// What the loop filter would change in the prediction.
  Status find_changes();
  Status make_levels(const FrameParameters& parameters, FrameSlot& slot);
  Status code_picture(FrameType type);
  Status decode_picture(FrameType type, DistortionMeter* meter, const std::function<Status()>& beside = {});
  PlaneView<const Sample> prediction(FrameType type, int plane) const;
  SkippedCells skipped(FrameType type, int plane) const;
  /// Slopes of a plane, or null.
  const int8_t* slopes(FrameType type, int plane) const {
    return type == FrameType::kKey && plane == 0 ? output_->side.slopes : nullptr;
  }
  Status code_subbands(FrameType type);
  /// Picture prediction: the decoded picture is made where its prediction is, so that less memory is touched.
  bool predicts_in_place() const { return backend_.filters_in_place(); }
  /// After the picture is decoded: whether a frame that is tried again need not be compensated again.
  bool keeps_prediction(FrameType type) const { return type == FrameType::kKey || !predicts_in_place(); }
  const PlaneSet& predicted() const {
    return predicts_in_place() ? references_.current().picture : prediction_;
  }
  /// The picture being coded.
  const PlaneSet& source() const { return picture_mode() ? source_ : references_.current().picture; }
  bool picture_mode() const { return stream_.header.prediction == Prediction::kPicture; }
  uint32_t reference_number() const { return parameters_.number - parameters_.reference; }
  /// Whether motion_ must read the reference first.
  bool reads_reference() const {
    return reference_ != nullptr && picture_mode() && read_ != reference_number();
  }
  /// Whether motion_ reads the frame as soon as its luma is decoded, for the next one. Not a key frame, which
  /// another may follow.
  bool reads_ahead() const {
    return picture_mode() && parameters_.type == FrameType::kPredicted && parameters_.kept;
  }
  int planes() const { return stream_.picture.planes; }

  Backend& backend_;
  Stream stream_;
  std::array<std::unique_ptr<TransformCoder>, 3> transforms_;
  std::unique_ptr<MotionEstimator> motion_;
  std::unique_ptr<SlopeEstimator> slopes_;  // null without directional lifting
  std::vector<Output> outputs_;             // one per frame in flight
  Output* output_ = nullptr;                // of the frame being coded
  FrameParameters parameters_;              // of the frame being coded
  ReferenceBuffer references_;
  const Reference* reference_ = nullptr;  // of a predicted frame
  std::optional<uint32_t> read_;          // number of the frame that motion_ has read last
  PlaneSet source_;                       // picture prediction
  PlaneSet prediction_;                   // of pictures, unless in place
  PlaneSet spare_;                        // loop filter: of Backend::filter()
  Memory searched_memory_;
  SideInfo searched_;        // picture prediction: vectors before skips are decided, and what is still
  bool close_ = false;       // skips what is close (skip_decisions.hpp), not what costs less
  bool compensated_ = true;  // what was analysed, if it is predicted from pictures
  // As analysed, for find_changes(): code() may have another step.
  std::optional<FrameParameters> changes_of_;
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
