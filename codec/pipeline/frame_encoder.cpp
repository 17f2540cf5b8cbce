// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/frame_encoder.hpp"

#include <utility>

#include "codec/control/motion_decisions.hpp"
#include "codec/control/rdo_quantise.hpp"
#include "codec/format/picture_format.hpp"

namespace ctv {
namespace {

// Rounding offsets of key frames in 65536ths of a step, measured. With RDOQ the second applies at high
// activity, and RDOQ reduces it elsewhere. Subband prediction rounds to nearest, as in the paper.
constexpr uint32_t kOffset = 27525;     // 0.42
constexpr uint32_t kRdoOffset = 31500;  // 0.48
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
    if (stream_.header.macroblocks()) {
      CTV_ASSIGN_OR_RETURN(residual_, backend_.make_residual(stream_.macroblocks));
    } else if (!predicts_in_place()) {
      CTV_ASSIGN_OR_RETURN(prediction_, PlaneSet::make(backend_, picture, 0));
    }
    if (stream_.header.loop_filter != 0) {
      CTV_ASSIGN_OR_RETURN(spare_, PlaneSet::make(backend_, picture, 0));
    }
    CTV_ASSIGN_OR_RETURN(searched_memory_, allocate_side(backend_, stream_.grid, true, {}, 0, searched_));
  }
  for (size_t p = 0; p < static_cast<size_t>(planes()); ++p) {
    CTV_ASSIGN_OR_RETURN(transforms_[p], backend_.make_transform(picture.subbands[p], decisions.engine));
  }
  if (stream_.slopes.size() > 0) {
    CTV_ASSIGN_OR_RETURN(slopes_, backend_.make_slopes(picture.subbands[0]));
  }
  rdoq_ = decisions.rdoq && stream_.header.lossless == 0;
  offset_ = !rdoq_ ? kOffset : kRdoOffset;
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
      decisions.far_range, stream_.header.subpel,     effort,          picture.shift()};
  CTV_ASSIGN_OR_RETURN(motion_, backend_.make_motion(motion, picture.extent(0)));
  return set_slots(decisions.slots);
}

Status FrameEncoder::set_slots(int slots) {
  output_ = nullptr;
  outputs_.clear();
  outputs_.resize(static_cast<size_t>(slots));
  for (Output& output : outputs_) {
    CTV_ASSIGN_OR_RETURN(output.level_memory, allocate_levels(backend_, stream_.picture, output.levels));
    const size_t macroblocks = stream_.header.macroblocks() ? stream_.macroblocks.size() : 0;
    CTV_ASSIGN_OR_RETURN(output.side_memory, allocate_side(backend_, stream_.grid, picture_mode(),
                                                           stream_.slopes, macroblocks, output.side));
  }
  return {};
}

// Lagrange multiplier of vector bits: a bit equals a quarter of a step of SAD (half a step: 1 % more bits);
// in lossless streams a SAD of 2.
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
  read_.reset();  // invalid until the frame is finished
  if (repeated_) return {};
  const bool predicts = reference_ != nullptr && picture_mode();
  if (reads) CTV_RETURN_IF_ERROR(motion_->read_reference(reference_->picture.cropped(0)));
  if (predicts) return predict(slot);
  CTV_RETURN_IF_ERROR(slot.picture->place(source().planes()));
  if (reference_ == nullptr) return slot.levels->download_side(SideInfo{.slopes = output_->side.slopes});
  return predict_subbands(slot);
}

// A lossless stream skips only cells that equal the reference: step 0. The loop filter is on where it
// improves the prediction, which accumulates the noise of all earlier frames.
Status FrameEncoder::predict(FrameSlot& slot) {
  const PlaneSet& reference = reference_->picture;
  const MotionGrid& grid = stream_.grid;
  const SideInfo& side = output_->side;
  const uint32_t step = stream_.header.lossless != 0 ? 0 : parameters_.base_step;
  SkipPlanes compared{planes(), stream_.picture.chroma, stream_.picture.shift(), {}, reference.cropped()};
  for (int p = 0; p < planes(); ++p) compared.source[static_cast<size_t>(p)] = source_.plane(p);
  // Where possible, the search reads the source bytes, while planes are filled in parallel.
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
  if (close_) {  // all cells are predicted without overlap, as skipped cells are
    CTV_RETURN_IF_ERROR(backend_.each_plane(planes(), [&](int p) { return compensate(p, false); }));
    for (int p = 0; p < planes(); ++p) compared.reference[static_cast<size_t>(p)] = predicted().plane(p);
    CTV_RETURN_IF_ERROR(
        backend_.skip_by_ssd(compared, grid, step, side.vectors, searched_.skips, side.skips));
  } else {
    CTV_RETURN_IF_ERROR(motion_->decide_skips(compared, step, searched_.skips, {vectors, side.skips}));
    CTV_RETURN_IF_ERROR(backend_.merge_skip_vectors(compared, grid, step, vectors, side));
  }
  if (stream_.header.macroblocks())
    CTV_RETURN_IF_ERROR(backend_.skip_still_only(grid, side.vectors, side.skips));
  CTV_RETURN_IF_ERROR(slot.levels->download_side(
      SideInfo{side.vectors, side.skips, nullptr, stream_.header.loop_filter != 0 ? side.changes : nullptr,
               side.macroblocks}));
  compensated_ = close_ && !overlap;
  return {};
}

Status FrameEncoder::compensate(int p, bool overlap) {
  CompensationGeometry geometry = stream_.geometry(p, 0);
  geometry.overlap = overlap;
  return backend_.compensate(reference_->picture.cropped(p), output_->side, geometry, predicted().plane(p));
}

Status FrameEncoder::find_changes() {
  std::array<UnfilteredPlane, kMostPlanes> planes;
  const auto count = static_cast<size_t>(stream_.picture.planes);
  for (size_t i = 0; i < count; ++i) {
    const auto p = static_cast<int>(i);
    planes[i] = {source_.cropped(p), unfiltered().cropped(p), loop_filter_of(stream_, parameters_, p),
                 stream_.geometry(p, 0)};
  }
  return backend_.filter_changes(std::span(planes).first(count), output_->side.skips, output_->side.changes);
}

// As in the paper, the search minimises SAD only.
Status FrameEncoder::predict_subbands(FrameSlot& slot) {
  CTV_RETURN_IF_ERROR(
      motion_->search(source().plane(0), reference_->picture.cropped(0), 0, nullptr, output_->side.vectors));
  return slot.levels->download_side(output_->side);
}

Status FrameEncoder::code(const FrameParameters& parameters, FrameSlot& slot, DistortionMeter* meter,
                          const std::function<Status()>& with_levels) {
  if (std::exchange(repeated_, false)) {
    transformed_ = rdoq_;  // for another try
    compensated_ = keeps_prediction(parameters_.type);
  } else {
    CTV_RETURN_IF_ERROR(make_levels(parameters, slot));
    // The packet does not wait for the decoded picture; the next frame does.
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
  if (has_macroblocks(type)) {
    CTV_RETURN_IF_ERROR(code_macroblocks());
    CTV_RETURN_IF_ERROR(slot.levels->download({output_->levels[0], output_->levels[1], output_->levels[2]}));
    if (stream_.header.loop_filter != 0) CTV_RETURN_IF_ERROR(find_changes());
    return slot.levels->download_changes();
  }
  make_quantisers(stream_, parameters, picture_mode() ? offset_ : kNearest, quantisers_);
  CTV_RETURN_IF_ERROR(picture_mode() ? code_picture(type) : code_subbands(type));
  const std::array<const Level*, 3> levels = {output_->levels[0], output_->levels[1], output_->levels[2]};
  return slot.levels->download(levels);
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

// Picture prediction: levels = quantise(forward(samples - prediction)). RDOQ keeps the coefficients, so that
// a try with another quantiser needs no transform.
Status FrameEncoder::code_picture(FrameType type) {
  const auto transform = [&](int p) -> Status {
    if (transformed_) return {};
    if (!compensated_) CTV_RETURN_IF_ERROR(compensate(p, stream_.header.overlap != 0));
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
  const auto work = [&](int p) -> Status {
    const auto i = static_cast<size_t>(p);
    CTV_RETURN_IF_ERROR(transform(p));
    if (!rdoq_) return {};
    return backend_.quantise(stream_.picture.subbands[i], quantisers_[i], coefficients_[i],
                             output_->levels[i]);
  };
  CTV_RETURN_IF_ERROR(backend_.each_plane(planes(), work));
  compensated_ = true;
  transformed_ = rdoq_;
  return {};
}

// Prediction, transform, quantisation and reconstruction, which replaces the prediction.
Status FrameEncoder::code_macroblocks() {
  const bool overlap = stream_.header.overlap != 0;
  if (!compensated_)
    CTV_RETURN_IF_ERROR(backend_.each_plane(planes(), [&](int p) { return compensate(p, overlap); }));
  compensated_ = false;
  return residual_->encode(residual_frame(stream_, parameters_, output_->side.skips), source_.const_planes(),
                           unfiltered().planes(), {output_->side.macroblocks, output_->levels});
}

// Picture prediction: decoded = filter(prediction + inverse(levels)), without residual and filter in skipped
// cells.
Status FrameEncoder::decode_picture(FrameType type, DistortionMeter* meter,
                                    const std::function<Status()>& beside) {
  const PictureLayout& picture = stream_.picture;
  const PlaneSet& result = references_.current().picture;
  const bool filtered = stream_.header.loop_filter != 0;
  const PlaneSet& decoded = unfiltered();
  const PlaneSet& other = filters_apart() ? result : spare_;
  const auto decode_plane = [&](int p) -> Status {
    const auto i = static_cast<size_t>(p);
    const PlaneView<Sample> out = decoded.plane(p);
    const FilteredCells cells{skipped(type, p),
                              type == FrameType::kPredicted ? output_->side.changes : nullptr};
    if (!has_macroblocks(type)) {
      CTV_RETURN_IF_ERROR(transforms_[i]->inverse(output_->levels[i], quantisers_[i], prediction(type, p),
                                                  picture.dc_offset(p), picture.range(p), 0, out,
                                                  slopes(type, p), cells));
    }
    if (filtered) {
      CTV_RETURN_IF_ERROR(backend_.filter(decoded.cropped_plane(p), loop_filter_of(stream_, parameters_, p),
                                          cells, other.cropped_plane(p)));
    }
    if (p != 0) return {};
    if (reads_ahead()) CTV_RETURN_IF_ERROR(motion_->read_reference(result.cropped(0)));
    if (meter == nullptr) return {};
    return meter->measure(source_.cropped(0), result.cropped(0));
  };
  compensated_ = keeps_prediction(type);
  return backend_.each_plane(planes(), decode_plane, beside);
}

// Subband prediction (Katsigiannis et al., section II): levels = forward(samples); residual = levels -
// motion-compensated levels of the last frame.
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
