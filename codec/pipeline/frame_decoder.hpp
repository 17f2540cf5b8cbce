// SPDX-License-Identifier: BSD-3-Clause
// Order of the stages that decode a frame, for both kinds of prediction, at any resolution of the stream.
#pragma once

#include <memory>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/frame_pipeline.hpp"
#include "codec/pipeline/reference_buffer.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv {

struct DecoderDecisions {
  int reduction = 0;
  ctv_format format = CTV_FORMAT_NONE;  // NONE: the stream's source format
  ctv_memory memory = CTV_MEMORY_HOST;
  Engine engine = Engine::kDirect;
  bool conceal = false;  // repeat() may be called after a damaged frame
};

class FrameDecoder {
 public:
  static Result<std::unique_ptr<FrameDecoder>> make(Backend& backend, const Stream& stream,
                                                    const DecoderDecisions& decisions);

  /// Number of layers that the resolution needs.
  int layers() const { return layers_; }
  /// Error: the frame refers to a frame that is not available, or is older than the last one.
  Status check_reference(const FrameParameters& parameters) const;
  /// Whether a predicted packet is the one that was decoded last.
  bool repeats(const FrameParameters& parameters) const;
  /// Runs all stages for slot.parameters and the slot's upload buffers, up to the export of slot.picture.
  /// Sets slot.damage. Also fails if what the backend decodes is damaged.
  Status decode(FrameSlot& slot);
  /// Whether the last decoded picture is available and complete.
  bool can_repeat() const { return references_.latest() != nullptr && latest_whole_; }
  /// Exports the last decoded picture again.
  Status repeat(FrameSlot& slot);
  /// Picture prediction: decoded pictures. Subband prediction: quantised subbands.
  const ReferenceBuffer& references() const { return references_; }
  /// Makes all references unavailable.
  void clear_references() { references_.clear(); }

 private:
  FrameDecoder(Backend& backend, const Stream& stream) : backend_(backend), stream_(stream) {}
  Status initialise(const DecoderDecisions& decisions);
  Status run_stages(FrameSlot& slot);
  /// Decodes a predicted frame of macroblocks.
  Status decode_macroblocks(FrameSlot& slot, bool by_planes);
  /// Decode a plane, with picture or subband prediction.
  Status decode_picture(FrameSlot& slot, int p);
  Status decode_subbands(FrameSlot& slot, int p);
  ctv_format format() const {
    return decisions_.format == CTV_FORMAT_NONE ? format_of(stream_.picture.source, stream_.picture.bits)
                                                : decisions_.format;
  }
  /// The exported planes. latest: the last decoded frame.
  const PlaneSet& shown(const Reference& latest) const { return picture_mode() ? latest.picture : decoded_; }
  /// Filters at full resolution only.
  bool filtered() const { return stream_.header.loop_filter != 0 && decisions_.reduction == 0; }
  bool picture_mode() const { return stream_.header.prediction == Prediction::kPicture; }

  Backend& backend_;
  Stream stream_;
  DecoderDecisions decisions_;
  int layers_ = 0;
  std::array<std::unique_ptr<TransformCoder>, 3> transforms_;
  ReferenceBuffer references_;
  const Reference* reference_ = nullptr;     // of a predicted frame
  bool latest_whole_ = true;                 // references_.latest() has not been overwritten
  PlaneSet decoded_;                         // subband prediction
  PlaneSet spare_;                           // loop filter: the other plane of Backend::filter()
  std::unique_ptr<ResidualCoder> residual_;  // null without macroblocks
  PlaneQuantisers quantisers_;
};

}  // namespace ctv
