// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/frame_encoder.hpp"

#include <utility>

#include "codec/control/motion_decisions.hpp"
#include "codec/control/rdo_quantise.hpp"
#include "codec/format/picture_format.hpp"

namespace ctv {
namespace {

// Rounding offsets of key and predicted frames in 65536ths of a step, measured. With RDOQ they apply in busy
// surroundings, and RDOQ lowers them elsewhere. The third pair is for SSIM. The paper rounds to the nearest.
constexpr std::array<uint32_t, 2> kOffsets = {27525, 16384};            // 0.42, 0.25
constexpr std::array<uint32_t, 2> kRdoOffsets = {31500, 24300};         // 0.48, 0.37
constexpr std::array<uint32_t, 2> kRdoOffsetsForSsim = {32768, 24904};  // 0.50, 0.38
constexpr uint32_t kNearest = 32768;

}  // namespace

Result<std::unique_ptr<FrameEncoder>> FrameEncoder::make(Backend& backend, const Stream& stream,
                                                         const EncoderDecisions& decisions) {
  std::unique_ptr<FrameEncoder> encoder(new FrameEncoder(backend, stream));
  CTV_RETURN_IF_ERROR(encoder->initialise(decisions));
  return encoder;
}

Status FrameEncoder::initialise(const EncoderDecisions& decisions) {
  const PictureLayout& picture = stream_.picture;
  CTV_ASSIGN_OR_RETURN(references_,
                       ReferenceBuffer::make(backend_, picture, {.pictures = true, .levels = !picture_mode()},
                                             stream_.header.slots));
  if (picture_mode()) {
    CTV_ASSIGN_OR_RETURN(source_, PlaneSet::make(backend_, picture, 0));
    if (!predicts_in_place()) {
      CTV_ASSIGN_OR_RETURN(prediction_, PlaneSet::make(backend_, picture, 0));
    }
    if (stream_.header.loop_filter != 0) {
      CTV_ASSIGN_OR_RETURN(spare_, PlaneSet::make(backend_, picture, 0));
    }
    CTV_ASSIGN_OR_RETURN(searched_memory_, allocate_side(backend_, stream_.grid, true, {}, searched_));
  }
  for (size_t p = 0; p < static_cast<size_t>(planes()); ++p) {
    CTV_ASSIGN_OR_RETURN(transforms_[p], backend_.make_transform(picture.subbands[p], decisions.engine));
  }
  if (stream_.slopes.size() > 0) {
    CTV_ASSIGN_OR_RETURN(slopes_, backend_.make_slopes(picture.subbands[0]));
  }
  // H.264's coefficients have no unit of their own, only its quantiser's.
  rdoq_ = decisions.rdoq && stream_.header.lossless == 0 && !stream_.header.transform.traits().own_quantiser;
  offsets_ = !rdoq_ ? kOffsets : (decisions.tune == CTV_TUNE_SSIM ? kRdoOffsetsForSsim : kRdoOffsets);
  if (rdoq_) {
    CTV_ASSIGN_OR_RETURN(coefficient_memory_, allocate_levels(backend_, picture, coefficients_));
  }
  const bool quick = decisions.quick && picture_mode();
  close_ = quick || stream_.header.lossless != 0;
  const bool thorough = decisions.split != 0 && decisions.search_range > kWidestUsualRange;
  const MotionEffort effort =
      quick ? MotionEffort::kQuick : (thorough ? MotionEffort::kThorough : MotionEffort::kUsual);
  const MotionParameters motion{
      stream_.grid,        stream_.header.log2_block, decisions.split, decisions.search_range,
      decisions.far_range, stream_.header.subpel,     effort};
  CTV_ASSIGN_OR_RETURN(motion_, backend_.make_motion(motion, picture.extent(0)));
  return set_slots(decisions.slots);
}

Status FrameEncoder::set_slots(int slots) {
  output_ = nullptr;
  outputs_.clear();
  outputs_.resize(static_cast<size_t>(slots));
  for (Output& output : outputs_) {
    CTV_ASSIGN_OR_RETURN(output.level_memory, allocate_levels(backend_, stream_.picture, output.levels));
    CTV_ASSIGN_OR_RETURN(output.side_memory,
                         allocate_side(backend_, stream_.grid, picture_mode(), stream_.slopes, output.side));
  }
  return {};
}

// A bit of a vector weighs a quarter of a step of SAD (half a step: 1 % more bits); if lossless, a SAD of 2.
uint32_t FrameEncoder::lambda(uint32_t base_step) const {
  return stream_.header.lossless != 0 ? 32 : base_step / 4;
}

FrameCalls FrameEncoder::calls_of(const ctv_picture& picture, bool usual, int slot,
                                  const DistortionMeter* meter) const {
  FrameCalls calls{parameters_.type, usual, slot, parameters_.base_step};
  calls.reference = reference_ == nullptr ? nullptr : reference_->address();
  calls.target = references_.current().address();
  calls.reads = reads_reference();
  calls.kept = parameters_.kept;
  calls.meter = meter;
  calls.format = picture.format;
  if (picture.memory == CTV_MEMORY_HOST) return calls;
  for (int p = 0; p < format_planes(picture.format); ++p) {
    calls.data[static_cast<size_t>(p)] = picture.data[p];
    calls.stride[static_cast<size_t>(p)] = picture.stride[p];
  }
  calls.stream = picture.cuda_stream;
  return calls;
}

Status FrameEncoder::analyse(const ctv_picture& picture, const FrameParameters& parameters, bool usual,
                             FrameSlot& slot, const DistortionMeter* meter) {
  output_ = &outputs_[static_cast<size_t>(slot.index)];
  transformed_ = false;
  changes_of_.reset();
  compensated_ = true;
  parameters_ = parameters;
  reference_ = nullptr;
  slot.motion_coded = false;
  if (parameters.type == FrameType::kPredicted) {
    reference_ = references_.find(reference_number());
    if (reference_ == nullptr) return {CTV_ERROR_INTERNAL, "encoder: the reference is not available"};
  }
  CTV_ASSIGN_OR_RETURN(repeated_, backend_.begin_frame(calls_of(picture, usual, slot.index, meter)));
  const bool reads = reads_reference();
  read_.reset();  // until all is done
  if (repeated_) return {};
  const bool predicts = reference_ != nullptr && picture_mode();
  if (reads) CTV_RETURN_IF_ERROR(motion_->read_reference(reference_->picture.cropped(0)));
  if (predicts) return predict(slot);
  CTV_RETURN_IF_ERROR(slot.picture->place(source().planes()));
  if (reference_ == nullptr) return slot.levels->download_side(SideInfo{.slopes = output_->side.slopes});
  return predict_subbands(slot);
}

// A lossless stream skips only what is equal: step 0. The loop filter is on where it helps the prediction,
// which has the noise of all frames before.
Status FrameEncoder::predict(FrameSlot& slot) {
  const PlaneSet& reference = reference_->picture;
  const MotionGrid& grid = stream_.grid;
  const SideInfo& side = output_->side;
  const uint32_t step = stream_.header.lossless != 0 ? 0 : parameters_.base_step;
  SkipPlanes compared{planes(), stream_.picture.chroma, {}, reference.cropped()};
  for (int p = 0; p < planes(); ++p) compared.source[static_cast<size_t>(p)] = source_.plane(p);
  // The search reads bytes as they came, where it can, and planes are made beside it.
  CTV_ASSIGN_OR_RETURN(const PlaneView<const uint8_t> luma, slot.picture->luma());
  const auto place = [&] { return slot.picture->place(source_.planes()); };
  if (luma.data == nullptr) CTV_RETURN_IF_ERROR(place());
  CTV_RETURN_IF_ERROR(motion_->read_current(luma, source_.plane(0)));
  const auto find_still = [&]() -> Status {
    if (luma.data != nullptr) CTV_RETURN_IF_ERROR(place());
    return close_ ? backend_.skip_by_ssd(compared, grid, step, nullptr, nullptr, searched_.skips)
                  : backend_.find_still(compared, grid, step, searched_.skips);
  };
  const auto prepare = [&](int) { return motion_->prepare(lambda(parameters_.base_step)); };
  CTV_RETURN_IF_ERROR(backend_.each_plane(1, prepare, std::cref(find_still)));
  CTV_RETURN_IF_ERROR(backend_.wait_beside());
  MotionVector* const vectors = close_ ? side.vectors : searched_.vectors;
  CTV_RETURN_IF_ERROR(motion_->find(searched_.skips, vectors));
  const bool overlap = stream_.header.overlap != 0;
  if (close_) {  // all cells are predicted alone, as skipped cells are
    CTV_RETURN_IF_ERROR(backend_.each_plane(planes(), [&](int p) { return compensate(p, false); }));
    for (int p = 0; p < planes(); ++p) compared.reference[static_cast<size_t>(p)] = predicted().plane(p);
    CTV_RETURN_IF_ERROR(
        backend_.skip_by_ssd(compared, grid, step, side.vectors, searched_.skips, side.skips));
  } else {
    CTV_RETURN_IF_ERROR(motion_->decide_skips(compared, step, searched_.skips, {vectors, side.skips}));
    CTV_RETURN_IF_ERROR(
        backend_.merge_skip_vectors(source_.plane(0), reference.cropped(0), grid, step, vectors, side));
  }
  CTV_RETURN_IF_ERROR(slot.levels->download_side(
      SideInfo{side.vectors, side.skips, nullptr, stream_.header.loop_filter != 0 ? side.changes : nullptr}));
  if (stream_.header.loop_filter != 0) changes_of_ = parameters_;
  compensated_ = close_ && !overlap;
  return {};
}

Status FrameEncoder::compensate(int p, bool overlap) {
  CompensationGeometry geometry = stream_.geometry(p, 0);
  geometry.overlap = overlap;
  return backend_.compensate(reference_->picture.cropped(p), output_->side, geometry, predicted().plane(p));
}

Status FrameEncoder::find_changes() {
  std::array<UnfilteredPlane, kMostPlanes> unfiltered;
  const auto count = static_cast<size_t>(planes());
  for (size_t i = 0; i < count; ++i) {
    const auto p = static_cast<int>(i);
    unfiltered[i] = {source_.cropped(p), predicted().cropped(p), loop_filter_of(*changes_of_, p),
                     stream_.geometry(p, 0)};
  }
  changes_of_.reset();
  return backend_.filter_changes(std::span(unfiltered).first(count), output_->side.skips,
                                 output_->side.changes);
}

// The paper looks at SAD alone.
Status FrameEncoder::predict_subbands(FrameSlot& slot) {
  CTV_RETURN_IF_ERROR(
      motion_->search(source().plane(0), reference_->picture.cropped(0), 0, nullptr, output_->side.vectors));
  return slot.levels->download_side(output_->side);
}

Status FrameEncoder::code(const FrameParameters& parameters, FrameSlot& slot, DistortionMeter* meter,
                          const std::function<Status()>& with_levels) {
  if (std::exchange(repeated_, false)) {
    transformed_ = rdoq_;  // for a further try
    compensated_ = keeps_prediction(parameters_.type);
  } else {
    CTV_RETURN_IF_ERROR(make_levels(parameters, slot));
    // The packet does not wait for the picture as decoded; the next frame does.
    if (picture_mode()) {
      CTV_RETURN_IF_ERROR(decode_picture(parameters.type, meter, with_levels));
    } else if (with_levels) {
      CTV_RETURN_IF_ERROR(with_levels());
    }
  }
  CTV_RETURN_IF_ERROR(backend_.end_frame());
  if (reference_ != nullptr) read_ = reads_ahead() ? parameters_.number : reference_number();
  return {};
}

Status FrameEncoder::try_code(const FrameParameters& parameters, FrameSlot& slot) {
  CTV_RETURN_IF_ERROR(make_levels(parameters, slot));
  return backend_.end_frame();
}

Status FrameEncoder::reconstruct(DistortionMeter* meter) {
  return picture_mode() ? decode_picture(parameters_.type, meter) : Status();
}

Status FrameEncoder::make_levels(const FrameParameters& parameters, FrameSlot& slot) {
  parameters_ = parameters;
  const FrameType type = parameters.type;
  const uint32_t offset = offsets_[type == FrameType::kKey ? 0 : 1];
  make_quantisers(stream_, parameters, picture_mode() ? offset : kNearest, quantisers_);
  if (rdoq_ && type == FrameType::kPredicted) {
    for (size_t p = 1; p < static_cast<size_t>(planes()); ++p)
      round_chroma(stream_.picture.subbands[p], quantisers_[p]);
  }
  CTV_RETURN_IF_ERROR(picture_mode() ? code_picture(type) : code_subbands(type));
  const std::array<const Level*, 3> levels = {output_->levels[0], output_->levels[1], output_->levels[2]};
  CTV_RETURN_IF_ERROR(slot.levels->download(levels));
  const auto nothing = [](int) { return Status(); };
  return backend_.each_plane(0, nothing, [&slot] { return slot.levels->download_changes(); });
}

void FrameEncoder::update_references() {
  if (parameters_.kept) {
    references_.keep(parameters_.number, parameters_.slot);
  } else {
    references_.discard(parameters_.number);
  }
}

PlaneView<const Sample> FrameEncoder::prediction(FrameType type, int p) const {
  return type == FrameType::kPredicted ? predicted().plane(p) : PlaneView<Sample>();
}

SkippedCells FrameEncoder::skipped(FrameType type, int p) const {
  return {stream_.geometry(p, 0), type == FrameType::kPredicted ? output_->side.skips : nullptr};
}

// picture: forward(samples, less compensated where there is one) -> levels. With a decision by rate the
// coefficients themselves are kept in between, so that another quantiser needs no other transform.
Status FrameEncoder::code_picture(FrameType type) {
  const auto transform = [&](int p) -> Status {
    if (transformed_) return {};
    const auto i = static_cast<size_t>(p);
    const std::vector<SubbandQuantiser> units(stream_.picture.subbands[i].subbands.size());
    if (slopes(type, p) != nullptr) {
      CTV_RETURN_IF_ERROR(slopes_->search(source_.plane(0), stream_.picture.dc_offset(0), quantisers_[0],
                                          output_->side.slopes));
    }
    return transforms_[i]->forward(source_.plane(p), prediction(type, p), stream_.picture.dc_offset(p),
                                   rdoq_ ? std::span(units) : std::span(quantisers_[i]),
                                   rdoq_ ? coefficients_[i] : output_->levels[i], slopes(type, p),
                                   skipped(type, p));
  };
  // A packet needs its levels earlier than changes, the next frame both.
  const bool levels_first = backend_.packets_first();
  const auto first = [&](int p) -> Status {
    if (!compensated_) CTV_RETURN_IF_ERROR(compensate(p, stream_.header.overlap != 0));
    return levels_first ? transform(p) : Status();
  };
  const auto work = [&](int p) -> Status {
    const auto i = static_cast<size_t>(p);
    if (!levels_first) CTV_RETURN_IF_ERROR(transform(p));
    if (!rdoq_) return {};
    return backend_.quantise(stream_.picture.subbands[i], quantisers_[i], type, coefficients_[i],
                             output_->levels[i]);
  };
  std::function<Status()> beside;
  if (changes_of_) beside = [this] { return find_changes(); };
  CTV_RETURN_IF_ERROR(backend_.each_plane(planes(), work, beside, std::cref(first)));
  compensated_ = true;
  transformed_ = rdoq_;
  return {};
}

// picture: inverse + compensated -> decoded, compensated alone where it is skipped; filtered elsewhere.
Status FrameEncoder::decode_picture(FrameType type, DistortionMeter* meter,
                                    const std::function<Status()>& beside) {
  const PictureLayout& picture = stream_.picture;
  const PlaneSet& result = references_.current().picture;
  const bool filtered = stream_.header.loop_filter != 0;
  const bool apart = filtered && !backend_.filters_in_place();
  const PlaneSet& decoded = apart ? spare_ : result;  // before the filter
  const PlaneSet& other = apart ? result : spare_;
  const auto decode_plane = [&](int p) -> Status {
    const auto i = static_cast<size_t>(p);
    const PlaneView<Sample> out = decoded.plane(p);
    const FilteredCells cells{skipped(type, p),
                              type == FrameType::kPredicted ? output_->side.changes : nullptr};
    CTV_RETURN_IF_ERROR(transforms_[i]->inverse(output_->levels[i], quantisers_[i], prediction(type, p),
                                                picture.dc_offset(p), picture.range(p), 0, out,
                                                slopes(type, p), cells));
    if (filtered) {
      CTV_RETURN_IF_ERROR(backend_.wait_beside());  // for changes
      CTV_RETURN_IF_ERROR(backend_.filter(decoded.cropped_plane(p), loop_filter_of(parameters_, p), cells,
                                          other.cropped_plane(p)));
    }
    if (p != 0) return {};
    if (reads_ahead()) CTV_RETURN_IF_ERROR(motion_->read_reference(result.cropped(0)));
    if (meter == nullptr) return {};
    return meter->measure(source_.cropped(0), result.cropped(0));
  };
  compensated_ = keeps_prediction(type);
  return backend_.each_plane(planes(), decode_plane, beside);
}

// subband (Katsigiannis et al., section II): forward -> levels; residual = levels - moved levels of the last
// frame.
Status FrameEncoder::code_subbands(FrameType type) {
  const std::array<Level*, 3>& levels = references_.current().levels;
  return backend_.each_plane(planes(), [&](int p) -> Status {
    const auto i = static_cast<size_t>(p);
    const SubbandLayout& layout = stream_.picture.subbands[i];
    const ChromaShift chroma = p == 0 ? ChromaShift{} : stream_.picture.chroma;
    CTV_RETURN_IF_ERROR(transforms_[i]->forward(source().plane(p), {}, stream_.picture.dc_offset(p),
                                                quantisers_[i], levels[i]));
    return type == FrameType::kPredicted
               ? backend_.subtract_subbands(layout, chroma, stream_.grid, output_->side.vectors, levels[i],
                                            reference_->levels[i], output_->levels[i])
               : backend_.copy(output_->levels[i], levels[i], layout.num_coefficients * sizeof(Level));
  });
}

}  // namespace ctv
