// SPDX-License-Identifier: BSD-3-Clause
// Order of the stages that encode a frame, for both kinds of prediction.
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

/// Choices of the encoder that are not written to the stream.
struct EncoderDecisions {
  int search_range = 8;
  int far_range = 0;
  int split = 0;       // 1: the search may split blocks
  bool quick = false;  // picture prediction: faster decisions on vectors and skips
  bool rdoq = false;   // rate-distortion optimised quantisation
  Engine engine = Engine::kDirect;
  int slots = 1;  // frames in flight
};

class FrameEncoder {
 public:
  static Result<std::unique_ptr<FrameEncoder>> make(Backend& backend, const Stream& stream,
                                                    const EncoderDecisions& decisions);

  /// Places the picture that slot.picture has uploaded in planes. For a predicted frame also finds motion and
  /// prediction. Then call code() once or, to try quantisers, code() or try_code() several times; then
  /// update_references(). May be called again between tries. parameters: base_step weighs vector bits against
  /// distortion. usual: code() follows with these parameters and this meter, so the backend may replay an
  /// equal frame.
  Status analyse(const ctv_picture& picture, const FrameParameters& parameters, bool usual, FrameSlot& slot,
                 const DistortionMeter* meter = nullptr);
  /// Codes the frame and starts the transfer of its levels to slot.levels. meter: with picture prediction,
  /// measures the decoded luma against the source; may be null. with_levels: called once slot.levels has
  /// everything for this frame, perhaps in parallel to other work; not called if the backend replays a frame.
  /// May be empty.
  Status code(const FrameParameters& parameters, FrameSlot& slot, DistortionMeter* meter = nullptr,
              const std::function<Status()>& with_levels = {});
  /// The same without the decoded picture, for a try that may not be the last. reconstruct() makes the
  /// picture.
  Status try_code(const FrameParameters& parameters, FrameSlot& slot);
  Status reconstruct(DistortionMeter* meter);
  /// Allocates outputs for another number of frames in flight. All packets must have been received.
  Status set_slots(int slots);
  /// Keeps the frame as last coded if its parameters say so.
  void update_references();
  /// Picture prediction: decoded pictures. Subband prediction: source pictures and quantised subbands.
  const ReferenceBuffer& references() const { return references_; }

 private:
  /// Levels and side information of a frame, until their transfer is complete.
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
  /// Whether the frame's residual is coded in macroblocks.
  bool has_macroblocks(FrameType type) const {
    return type == FrameType::kPredicted && stream_.header.macroblocks();
  }
  /// Finds where the loop filter improves the decoded picture.
  Status find_changes();
  Status make_levels(const FrameParameters& parameters, FrameSlot& slot);
  Status code_picture(FrameType type);
  Status code_macroblocks();
  Status decode_picture(FrameType type, DistortionMeter* meter, const std::function<Status()>& beside = {});
  PlaneView<const Sample> prediction(FrameType type, int plane) const;
  SkippedCells skipped(FrameType type, int plane) const;
  /// Slopes of a plane, or null.
  const int8_t* slopes(FrameType type, int plane) const {
    return type == FrameType::kKey && plane == 0 ? output_->side.slopes : nullptr;
  }
  Status code_subbands(FrameType type);
  /// Picture prediction: the decoded picture overwrites its prediction, which saves memory traffic.
  bool predicts_in_place() const { return backend_.filters_in_place(); }
  /// Whether the prediction survives decoding, so that another try of the frame need not compensate again.
  bool keeps_prediction(FrameType type) const {
    return type == FrameType::kKey || !(predicts_in_place() || has_macroblocks(type));
  }
  const PlaneSet& predicted() const {
    if (stream_.header.macroblocks()) return unfiltered();
    return predicts_in_place() ? references_.current().picture : prediction_;
  }
  /// Whether filter() writes to another plane. unfiltered(): the decoded picture before the loop filter.
  bool filters_apart() const { return stream_.header.loop_filter != 0 && !backend_.filters_in_place(); }
  const PlaneSet& unfiltered() const { return filters_apart() ? spare_ : references_.current().picture; }
  /// The picture being coded.
  const PlaneSet& source() const { return picture_mode() ? source_ : references_.current().picture; }
  bool picture_mode() const { return stream_.header.prediction == Prediction::kPicture; }
  uint32_t reference_number() const { return parameters_.number - parameters_.reference; }
  /// Whether motion_ must read the reference first.
  bool reads_reference() const {
    return reference_ != nullptr && picture_mode() && read_ != reference_number();
  }
  /// Whether motion_ reads the frame for the next one as soon as its luma is decoded. Not in a key frame,
  /// since another key frame may follow.
  bool reads_ahead() const {
    return picture_mode() && parameters_.type == FrameType::kPredicted && parameters_.kept;
  }
  int planes() const { return stream_.picture.planes; }

  Backend& backend_;
  Stream stream_;
  std::array<std::unique_ptr<TransformCoder>, 3> transforms_;
  std::unique_ptr<ResidualCoder> residual_;  // null without macroblocks
  std::unique_ptr<MotionEstimator> motion_;
  std::unique_ptr<SlopeEstimator> slopes_;  // null without directional lifting
  std::vector<Output> outputs_;             // one per frame in flight
  Output* output_ = nullptr;                // of the current frame
  FrameParameters parameters_;              // of the current frame
  ReferenceBuffer references_;
  const Reference* reference_ = nullptr;  // of a predicted frame
  std::optional<uint32_t> read_;          // number of the frame that motion_ read last
  PlaneSet source_;                       // picture prediction
  PlaneSet prediction_;                   // picture prediction, unless in place
  PlaneSet spare_;                        // loop filter: the other plane of Backend::filter()
  Memory searched_memory_;
  SideInfo searched_;        // picture prediction: vectors before skip decisions, and still cells
  bool close_ = false;       // skips by squared error (skip_decisions.hpp) instead of cost
  bool compensated_ = true;  // the prediction of the current frame is valid
  PlaneQuantisers quantisers_;
  uint32_t offset_ = 0;    // of rounding, of key frames
  bool repeated_ = false;  // the backend replayed an equal frame
  // RDOQ: coefficients of the frame, and whether they are valid.
  bool rdoq_ = false;
  bool transformed_ = false;
  Memory coefficient_memory_;
  std::array<Coefficient*, 3> coefficients_{};
};

}  // namespace ctv
