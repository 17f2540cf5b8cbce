// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/frame_decoder.hpp"

#include <string>

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
  CTV_ASSIGN_OR_RETURN(
      references_,
      ReferenceBuffer::make(backend_, picture, {picture_mode(), !picture_mode(), decisions.reduction},
                            stream_.header.slots));
  if (stream_.header.macroblocks()) {
    CTV_ASSIGN_OR_RETURN(residual_, backend_.make_residual(stream_.macroblocks));
  }
  if (picture_mode()) {
    if (filtered()) {
      CTV_ASSIGN_OR_RETURN(spare_, PlaneSet::make(backend_, picture, 0));
    }
  } else {
    CTV_ASSIGN_OR_RETURN(decoded_, PlaneSet::make(backend_, picture, decisions.reduction));
  }
  for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p) {
    CTV_ASSIGN_OR_RETURN(transforms_[p], backend_.make_transform(picture.subbands[p], decisions.engine));
  }
  return {};
}

Status FrameDecoder::check_reference(const FrameParameters& parameters) const {
  if (parameters.type == FrameType::kKey) return {};
  if (residual_ != nullptr && decisions_.reduction > 0) {
    return {CTV_ERROR_UNSUPPORTED,
            "resolution: predicted frames of this stream have full resolution only; for several, encode "
            "several streams (ctv/simulcast.h)"};
  }
  const auto refuse = [&](const std::string& why) {
    return Status(CTV_ERROR_REFERENCE, "frame number: frame " + std::to_string(parameters.number) + why);
  };
  const Reference* const latest = references_.latest();
  if (latest != nullptr && static_cast<int32_t>(parameters.number - latest->number) <= 0) {
    return refuse(" comes after frame " + std::to_string(latest->number));
  }
  const uint32_t number = parameters.number - parameters.reference;
  const Reference* const reference = references_.find(number);
  if (reference != nullptr && reference->check == parameters.reference_check) return {};
  return refuse(" refers to frame " + std::to_string(number) +
                (reference == nullptr ? ", which is not held" : " of another stream than the decoded one"));
}

bool FrameDecoder::repeats(const FrameParameters& parameters) const {
  const Reference* latest = references_.latest();
  return parameters.type != FrameType::kKey && latest != nullptr && latest->number == parameters.number &&
         latest->check == parameters.check;
}

Status FrameDecoder::decode(FrameSlot& slot) {
  const FrameParameters& parameters = slot.parameters;
  CTV_RETURN_IF_ERROR(check_reference(parameters));
  // The frame may be damaged, and would overwrite the picture that repeat() shows. So wait until it is
  // checked.
  const bool overwrites = !picture_mode() || references_.latest() == &references_.current();
  if (decisions_.conceal && overwrites) CTV_RETURN_IF_ERROR(slot.symbols->finish_decoding());
  const bool key = parameters.type == FrameType::kKey;
  reference_ = key ? nullptr : references_.find(parameters.number - parameters.reference);
  FrameCalls calls{parameters.type, true, slot.index, parameters.base_step, parameters.reconstruction_offset};
  calls.reference = key ? nullptr : reference_->address();
  calls.target = references_.current().address();
  if (overwrites) latest_whole_ = false;
  CTV_ASSIGN_OR_RETURN(const bool repeated, backend_.begin_frame(calls));
  CTV_RETURN_IF_ERROR(slot.levels->upload(parameters.type));
  if (!repeated) CTV_RETURN_IF_ERROR(run_stages(slot));
  CTV_RETURN_IF_ERROR(backend_.end_frame());
  CTV_RETURN_IF_ERROR(slot.symbols->finish_decoding());
  Reference& current = references_.current();
  current.check = parameters.check;
  current.damaged = slot.missing_parts > 0 || (!key && reference_->damaged);
  slot.damage = current.damaged ? CTV_DAMAGE_DETAIL : CTV_DAMAGE_NONE;
  if (parameters.kept) {
    references_.keep(parameters.number, parameters.slot);
  } else {
    references_.discard(parameters.number);
  }
  latest_whole_ = true;
  return {};
}

Status FrameDecoder::run_stages(FrameSlot& slot) {
  make_quantisers(stream_, slot.parameters, 0, quantisers_);
  const PlaneSet& decoded = shown(references_.current());
  const bool by_planes = keeps_planes(stream_.picture, format());
  PictureTransfer& picture = *slot.picture;
  CTV_RETURN_IF_ERROR(slot.levels->await_side());
  CTV_RETURN_IF_ERROR(picture.begin_export(decisions_.reduction, format(), decisions_.memory));
  const auto decode = [&](int p) -> Status {
    CTV_RETURN_IF_ERROR(picture_mode() ? decode_picture(slot, p) : decode_subbands(slot, p));
    return by_planes ? picture.export_plane(p, decoded.cropped(p)) : Status();
  };
  if (reference_ != nullptr && residual_ != nullptr) {
    CTV_RETURN_IF_ERROR(decode_macroblocks(slot, by_planes));
  } else {
    CTV_RETURN_IF_ERROR(backend_.each_plane(stream_.picture.planes, decode));
  }
  CTV_RETURN_IF_ERROR(slot.levels->release());
  if (!by_planes) CTV_RETURN_IF_ERROR(picture.export_planes(decoded.cropped()));
  return picture.end_export();
}

Status FrameDecoder::repeat(FrameSlot& slot) {
  if (!can_repeat()) return {CTV_ERROR_REFERENCE, "packet: there is no picture to repeat for it"};
  slot.damage = CTV_DAMAGE_REPEATED;
  slot.missing_parts = static_cast<int>(slot.symbols->components().size()) + 1;
  return slot.picture->export_picture(shown(*references_.latest()).cropped(), decisions_.reduction, format(),
                                      decisions_.memory);
}

Status FrameDecoder::decode_macroblocks(FrameSlot& slot, bool by_planes) {
  const bool apart = filtered() && !backend_.filters_in_place();
  const PlaneSet& result = references_.current().picture;
  const PlaneSet& decoded = apart ? spare_ : result;  // before the loop filter
  const PlaneSet& other = apart ? result : spare_;
  const ConstSideInfo side = slot.levels->uploaded_side();
  const int planes = stream_.picture.planes;
  CTV_RETURN_IF_ERROR(backend_.each_plane(planes, [&](int p) {
    return backend_.compensate(reference_->picture.cropped(p), side, stream_.geometry(p, 0),
                               decoded.plane(p));
  }));
  CTV_RETURN_IF_ERROR(slot.levels->await_levels());
  ResidualArrays coded{const_cast<Macroblock*>(side.macroblocks), {}};  // only read
  for (size_t p = 0; p < coded.levels.size(); ++p)
    coded.levels[p] = const_cast<Level*>(slot.levels->uploaded(p));
  CTV_RETURN_IF_ERROR(
      residual_->decode(residual_frame(stream_, slot.parameters, side.skips), coded, decoded.planes()));
  return backend_.each_plane(planes, [&](int p) -> Status {
    if (filtered()) {
      const FilteredCells cells{{stream_.geometry(p, 0), side.skips}, side.changes};
      CTV_RETURN_IF_ERROR(backend_.filter(decoded.cropped_plane(p),
                                          loop_filter_of(stream_, slot.parameters, p), cells,
                                          other.cropped_plane(p)));
    }
    return by_planes ? slot.picture->export_plane(p, result.cropped(p)) : Status();
  });
}

// decoded = filter(prediction + inverse(levels)), without residual and filter in skipped cells. In place if
// the backend supports it.
Status FrameDecoder::decode_picture(FrameSlot& slot, int p) {
  const auto i = static_cast<size_t>(p);
  const PictureLayout& picture = stream_.picture;
  const bool apart = filtered() && !backend_.filters_in_place();
  const PlaneSet& decoded = apart ? spare_ : references_.current().picture;  // before the loop filter
  const PlaneSet& other = apart ? references_.current().picture : spare_;
  const ConstSideInfo side = slot.levels->uploaded_side();
  const bool sloped = p == 0 && reference_ == nullptr && stream_.slopes.size() > 0;
  FilteredCells cells{stream_.geometry(p, decisions_.reduction)};
  const PlaneView<Sample> out = decoded.plane(p);
  PlaneView<const Sample> prediction;
  if (reference_ != nullptr) {
    CTV_RETURN_IF_ERROR(backend_.compensate(reference_->picture.cropped(p), side, cells.geometry, out));
    prediction = out;
    cells.skips = side.skips;
    cells.changes = side.changes;
  }
  CTV_RETURN_IF_ERROR(slot.levels->await_levels());
  CTV_RETURN_IF_ERROR(transforms_[i]->inverse(slot.levels->uploaded(i), quantisers_[i], prediction,
                                              picture.dc_offset(p), picture.range(p), decisions_.reduction,
                                              out, sloped ? side.slopes : nullptr, cells));
  if (!filtered()) return {};
  return backend_.filter(decoded.cropped_plane(p), loop_filter_of(stream_, slot.parameters, p), cells,
                         other.cropped_plane(p));
}

// levels = residual + motion-compensated levels of the reference; decoded = inverse(levels). Without drift at
// every resolution.
Status FrameDecoder::decode_subbands(FrameSlot& slot, int p) {
  const auto i = static_cast<size_t>(p);
  const PictureLayout& picture = stream_.picture;
  const ChromaShift chroma = p == 0 ? ChromaShift{} : picture.chroma;
  const Level* const uploaded = slot.levels->uploaded(i);
  Level* const levels = references_.current().levels[i];
  const PlaneView<Sample> decoded = decoded_.plane(p);
  const int reduction = decisions_.reduction;
  CTV_RETURN_IF_ERROR(slot.levels->await_levels());
  if (reference_ == nullptr) {
    const size_t bytes = picture.subbands[i].num_coefficients * sizeof(Level);
    CTV_RETURN_IF_ERROR(backend_.copy(levels, uploaded, bytes));
    return transforms_[i]->inverse(levels, quantisers_[i], {}, picture.dc_offset(p), picture.range(p),
                                   reduction, decoded);
  }
  const PredictedLevels predicted{.layout = picture.subbands[i],
                                  .chroma = chroma,
                                  .grid = stream_.grid,
                                  .vectors = slot.levels->uploaded_side().vectors,
                                  .residual = uploaded,
                                  .previous = reference_->levels[i],
                                  .levels = levels};
  return transforms_[i]->inverse_predicted(backend_, predicted, quantisers_[i], picture.dc_offset(p),
                                           picture.range(p), reduction, decoded);
}

}  // namespace ctv
