// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/frame_decoder.hpp"

#include <utility>

#include "codec/entropy/context_bands.hpp"

namespace ctv {

Result<std::unique_ptr<FrameDecoder>> FrameDecoder::make(Backend& backend, const Stream& stream,
                                                         const DecoderDecisions& decisions) {
  std::unique_ptr<FrameDecoder> decoder(new FrameDecoder(backend, stream));
  CTV_RETURN_IF_ERROR(decoder->initialise(decisions));
  return decoder;
}

Status FrameDecoder::initialise(const DecoderDecisions& decisions) {
  decisions_ = decisions;
  const PictureLayout& picture = stream_.picture;
  layers_ = picture.subbands[0].layers - decisions.reduction;
  CTV_ASSIGN_OR_RETURN(decoded_, PlaneSet::make(backend_, picture, decisions.reduction));
  CTV_ASSIGN_OR_RETURN(level_memory_, allocate_levels(backend_, picture, levels_));
  if (stream_.header.prediction == Prediction::kPicture) {
    CTV_ASSIGN_OR_RETURN(reference_, PlaneSet::make(backend_, picture, decisions.reduction));
  } else {
    CTV_ASSIGN_OR_RETURN(last_memory_, allocate_levels(backend_, picture, last_levels_));
  }
  CTV_ASSIGN_OR_RETURN(vector_memory_, backend_.allocate(stream_.grid.size() * sizeof(MotionVector)));
  vectors_ = static_cast<MotionVector*>(vector_memory_.data());
  for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p) {
    CTV_ASSIGN_OR_RETURN(transforms_[p], backend_.make_transform(picture.subbands[p], decisions.engine));
  }
  const QuadPlan plan = make_quad_plan(picture, stream_.header, true);
  slots_.resize(static_cast<size_t>(decisions.slots));
  for (Slot& slot : slots_) {
    CTV_ASSIGN_OR_RETURN(slot.picture_transfer, backend_.make_picture_transfer(picture));
    CTV_ASSIGN_OR_RETURN(slot.level_transfer, backend_.make_level_transfer(picture, stream_.grid, plan));
  }
  return {};
}

Status FrameDecoder::decode(const FrameParameters& parameters, int slot) {
  Slot& s = slots_[static_cast<size_t>(slot)];
  const bool picture_mode = stream_.header.prediction == Prediction::kPicture;
  FrameCalls calls{parameters.type, true, slot, parameters.base_step, parameters.reconstruction_offset};
  calls.reference = picture_mode ? reference_.memory().data() : last_memory_.data();
  CTV_ASSIGN_OR_RETURN(const bool repeated, backend_.begin_frame(calls));
  CTV_RETURN_IF_ERROR(s.level_transfer->upload(parameters.type == FrameType::kPredicted));
  if (!repeated) CTV_RETURN_IF_ERROR(run_stages(parameters, s));
  CTV_RETURN_IF_ERROR(backend_.end_frame());
  if (picture_mode) {
    std::swap(decoded_, reference_);
  } else {
    std::swap(levels_, last_levels_);
    std::swap(level_memory_, last_memory_);
  }
  return {};
}

Status FrameDecoder::run_stages(const FrameParameters& parameters, Slot& s) {
  make_quantisers(stream_, parameters, 0, quantisers_);
  CTV_RETURN_IF_ERROR(
      s.level_transfer->place(levels_, {parameters.type == FrameType::kKey ? nullptr : vectors_}));
  CTV_RETURN_IF_ERROR(stream_.header.prediction == Prediction::kPicture ? decode_picture(parameters)
                                                                        : decode_subbands(parameters));
  const ctv_format format = decisions_.format == CTV_FORMAT_NONE ? stream_.picture.source : decisions_.format;
  return s.picture_transfer->export_picture(decoded_.cropped(), decisions_.reduction, format,
                                            decisions_.memory);
}

Status FrameDecoder::finish(int slot, ctv_picture& picture) {
  return slots_[static_cast<size_t>(slot)].picture_transfer->finish(picture);
}

// picture: compensated -> decoded; inverse(levels) is added in place.
Status FrameDecoder::decode_picture(const FrameParameters& parameters) {
  const PictureLayout& picture = stream_.picture;
  for (int p = 0; p < picture.planes; ++p) {
    const auto i = static_cast<size_t>(p);
    PlaneView<const Sample> prediction;
    CTV_RETURN_IF_ERROR(backend_.on_plane(p));
    if (parameters.type == FrameType::kPredicted) {
      CTV_RETURN_IF_ERROR(backend_.compensate(reference_.cropped(p), vectors_,
                                              stream_.geometry(p, decisions_.reduction), decoded_.plane(p)));
      prediction = decoded_.plane(p);
    }
    CTV_RETURN_IF_ERROR(transforms_[i]->inverse(levels_[i], quantisers_[i], prediction, picture.middle(p),
                                                picture.range(p), decisions_.reduction, decoded_.plane(p)));
  }
  return backend_.on_plane(-1);
}

// subband: levels += moved levels of the last frame; inverse(levels) -> decoded. Drift-free at every
// resolution.
Status FrameDecoder::decode_subbands(const FrameParameters& parameters) {
  const PictureLayout& picture = stream_.picture;
  for (int p = 0; p < picture.planes; ++p) {
    const auto i = static_cast<size_t>(p);
    const ChromaShift chroma = p == 0 ? ChromaShift{} : picture.chroma;
    CTV_RETURN_IF_ERROR(backend_.on_plane(p));
    if (parameters.type == FrameType::kPredicted) {
      CTV_RETURN_IF_ERROR(backend_.add_subbands(picture.subbands[i], chroma, stream_.grid, vectors_,
                                                levels_[i], last_levels_[i], layers_, levels_[i]));
    }
    CTV_RETURN_IF_ERROR(transforms_[i]->inverse(levels_[i], quantisers_[i], {}, picture.middle(p),
                                                picture.range(p), decisions_.reduction, decoded_.plane(p)));
  }
  return backend_.on_plane(-1);
}

}  // namespace ctv
