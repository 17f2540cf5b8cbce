// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/encoder.hpp"

#include <tuple>
#include <utility>

#include "codec/config/capture_formats.hpp"
#include "codec/config/picture_check.hpp"
#include "codec/config/presets.hpp"
#include "codec/config/run_options.hpp"

namespace ctv {
namespace {

SizeTarget size_target(const ctv_config& config) {
  return {config.bitrate, config.buffer_ms, config.max_frame_bytes};
}

// If the size of a frame affects the next one, frames are coded one at a time. Each then uses all threads.
int frames_in_flight(const ctv_config& config) {
  return config.bitrate > 0 || config.max_frame_bytes > 0 ? 1 : config.frames_in_flight;
}

bool is_far(uint32_t step, uint32_t other) { return step > 2 * other || 2 * step < other; }

}  // namespace

Result<std::unique_ptr<StreamEncoder>> StreamEncoder::open(const ctv_config& config) {
  CTV_ASSIGN_OR_RETURN(const SequenceHeader header, make_sequence_header(config));
  CTV_ASSIGN_OR_RETURN(const uint16_t base_step, make_base_step(config.qp, config.step));
  CTV_ASSIGN_OR_RETURN(auto device, FallbackBackend::open({config.backend, config.device,
                                                           thread_count(config.threads), config.engine}));
  std::unique_ptr<StreamEncoder> e(new StreamEncoder(config, header, base_step, device));
  CTV_RETURN_IF_ERROR(e->device_.start([&e] { return e->start(); }));
  return e;
}

Status StreamEncoder::check_change(const ctv_config& config) const {
  if (flushed_) return {CTV_ERROR_STATE, "reconfigure: the encoder has been flushed"};
  if (received_ != sent_) return {CTV_ERROR_STATE, "reconfigure: packets wait to be received"};
  const std::tuple<const char*, int32_t, int32_t> kept[] = {
      {"backend", config_.backend, config.backend},
      {"device", config_.device, config.device},
      {"engine", config_.engine, config.engine},
      {"threads", config_.threads, config.threads},
      {"frames_in_flight", config_.frames_in_flight, config.frames_in_flight}};
  for (const auto& [name, before, now] : kept) {
    if (before != now) return {CTV_ERROR_ARGUMENT, std::string(name) + ": cannot change"};
  }
  return {};
}

Status StreamEncoder::reconfigure(std::unique_ptr<StreamEncoder>& encoder, const ctv_config& config) {
  CTV_RETURN_IF_ERROR(restart(encoder, config, encoder->sent_));
  encoder->index_.skip(encoder->header_bytes_.size());
  return {};
}

Status StreamEncoder::go_to(std::unique_ptr<StreamEncoder>& encoder, uint64_t number) {
  if (number == encoder->sent_ && encoder->frames_ != nullptr) return {};
  const ctv_config config = encoder->config_;
  return restart(encoder, config, number);
}

Status StreamEncoder::restart(std::unique_ptr<StreamEncoder>& encoder, const ctv_config& config,
                              uint64_t number) {
  StreamEncoder& before = *encoder;
  CTV_RETURN_IF_ERROR(before.check_change(config));
  CTV_ASSIGN_OR_RETURN(const SequenceHeader header, make_sequence_header(config));
  CTV_ASSIGN_OR_RETURN(const uint16_t base_step, make_base_step(config.qp, config.step));
  before.release();  // frees its memory first
  std::unique_ptr<StreamEncoder> e(new StreamEncoder(config, header, base_step, before.device_));
  e->first_ = e->sent_ = e->received_ = number;
  e->distortion_.go_to(number);
  e->rate_.set_crf(config.crf, e->sent_);
  e->rate_.take_debt(before.rate_);
  if (header.fps_num == before.stream_.header.fps_num) e->last_time_ = before.last_time_;
  e->index_ = std::move(before.index_);
  encoder = std::move(e);
  return encoder->device_.start([&encoder] { return encoder->start(); });
}

StreamEncoder::StreamEncoder(const ctv_config& config, const SequenceHeader& header, uint16_t base_step,
                             FallbackBackend& device)
    : config_(config),
      stream_(make_stream(header)),
      header_bytes_(write_sequence_header(header)),
      index_(header_bytes_.size()),
      key_frames_(config.key_interval, config.min_key_distance, config.scene_cut != 0),
      policy_(config.slots, config.temporal_layers),
      rate_(ConstantQuantiser(base_step, header.prediction == Prediction::kPicture
                                             ? key_gain(config.key_interval)
                                             : KeyGain{}),
            ConstantQuality(stream_.picture.extent(0).area() << 2 * stream_.picture.shift(),
                            key_gain(config.key_interval)),
            TargetSize(size_target(config), static_cast<double>(config.fps_num) / config.fps_den,
                       config.key_interval)),
      pipeline_(stream_, Direction::kEncode, frames_in_flight(config), device.threads(),
                config.error_resilient != 0) {
  device_ = std::move(device);  // now that nothing can fail any more
  rate_.set_crf(config.crf, 0);
}

void StreamEncoder::release() {
  frames_.reset();
  distortion_.detach();
  pipeline_.detach();
}

Status StreamEncoder::start() {
  release();
  CTV_ASSIGN_OR_RETURN(const Engine engine, device_.engine());
  CTV_RETURN_IF_ERROR(pipeline_.attach(*device_));
  CTV_RETURN_IF_ERROR(distortion_.attach(*device_));
  const EncoderDecisions decisions{.search_range = config_.search_range,
                                   .far_range = config_.far_range / kFarStep * kFarStep,
                                   .split = config_.block_size > 1 << kLog2Cell ? config_.split : 0,
                                   .quick = config_.split == 0,
                                   .rdoq = config_.rdoq != 0,
                                   .engine = engine,
                                   .slots = static_cast<int>(pipeline_.size())};
  CTV_ASSIGN_OR_RETURN(frames_, FrameEncoder::make(*device_, stream_, decisions));
  return {};
}

Status StreamEncoder::send(const ctv_picture& sent, const ctv_frame_options& options, bool& again) {
  again = false;
  if (flushed_) return {CTV_ERROR_STATE, "send: the encoder has been flushed"};
  CTV_RETURN_IF_ERROR(check_picture_for(stream_.picture, sent, device_->kind()));
  again = frames_ == nullptr ? sent_ != received_ : !has_room(sent_);
  if (again) return {};
  const ctv_picture picture = plain_picture(sent, plain_samples_);
  if (frames_ == nullptr) CTV_RETURN_IF_ERROR(start_again());
  if (resizes()) CTV_RETURN_IF_ERROR(resize());
  FrameSlot& slot = pipeline_.slot(sent_);
  slot.parameters = {};
  slot.parameters.type = FrameType::kPredicted;  // it may become a key frame
  slot.parameters.number = static_cast<uint32_t>(sent_);
  set_frame_time(slot.parameters, stream_.header.fps_den, {picture.timestamp, picture.duration});
  slot.opaque = picture.opaque;
  CTV_RETURN_IF_ERROR(policy_.check(options, slot.parameters));
  bool chosen = false;
  const auto encode = [&]() -> Status {
    CTV_RETURN_IF_ERROR(slot.picture->upload(picture));
    if (!std::exchange(chosen, true)) {  // overlaps with the upload of the picture
      if (options.key_frame != 0) key_frames_.force();
      if (policy_.needs_key_frame(slot.parameters.number)) key_frames_.request();
      slot.parameters.type = key_frames_.next(picture, sent_);
      policy_.choose(options, slot.parameters);
      count_time(slot.parameters);
    }
    return encode_frame(picture, slot);
  };
  const auto go_on = [&](const Status& failure) -> Status {
    CTV_RETURN_IF_ERROR(fall_back(failure));
    return picture.memory == CTV_MEMORY_HOST ? Status() : failure;
  };
  const Status status = guarded([&] { return device_.run(encode, go_on); });
  if (!status.ok()) {
    key_frames_.force();  // the references are not reliable
    return status;
  }
  take(slot);
  return {};
}

// The time since the last frame, for the rate. Once for each frame, also if it is sent again.
void StreamEncoder::count_time(const FrameParameters& parameters) {
  if (std::exchange(timed_, sent_ + 1) == sent_ + 1) return;
  const FrameTime time = frame_time(parameters, stream_.header.fps_den);
  int64_t ticks = time.duration;
  if (last_time_) {
    const auto passed = static_cast<int64_t>(static_cast<uint64_t>(time.timestamp) -
                                             static_cast<uint64_t>(last_time_->timestamp));
    ticks = passed > 0 ? passed : last_time_->duration;  // times that stand still or go back say nothing
  }
  last_time_ = time;
  rate_.elapse(static_cast<double>(ticks) / stream_.header.fps_den);
}

// Must work without memory.
void StreamEncoder::take(FrameSlot& slot) {
  policy_.coded(slot.parameters);
  distortion_.add(sent_, slot.parameters, slot.measured);
  ++sent_;
  const bool coded = rate_.feedback() == Feedback::kBytes;
  Status fits = guarded([&] { return rate_.end(coded ? slot.packet.size() : 0); });
  if (!fits.ok()) give_up(slot.parameters.number);
  if (coded) {
    slot.status = std::move(fits);
  } else if (!slot.packed) {
    start_packet(slot);
  }
}

// Frames that refer to it could not be decoded, so a key frame follows without keeping its distance to the
// last one.
void StreamEncoder::give_up(uint32_t number) {
  policy_.lost(number);
  if (policy_.needs_key_frame(static_cast<uint32_t>(sent_))) key_frames_.force();
}

bool StreamEncoder::resizes() const {
  return pipeline_.size() != static_cast<size_t>(frames_in_flight(config_));
}

// Retries after a lack of memory. All packets were received.
Status StreamEncoder::start_again() {
  distortion_.go_to(sent_);
  policy_.keep_only([](uint32_t) { return false; });
  key_frames_.force();
  pipeline_.resize(frames_in_flight(config_));
  return device_.start([this] { return start(); });
}

// All packets were received.
Status StreamEncoder::resize() {
  const auto make = [this]() -> Status {
    pipeline_.resize(frames_in_flight(config_));
    CTV_RETURN_IF_ERROR(pipeline_.attach(*device_));
    return frames_->set_slots(static_cast<int>(pipeline_.size()));
  };
  const Status status = guarded(
      [&] { return device_.run(make, [this](const Status& failure) { return fall_back(failure); }); });
  if (!status.ok()) release();  // slots without transfers are useless
  return status;
}

void StreamEncoder::start_packet(FrameSlot& slot) {
  pipeline_.start(slot, [&slot] { return FramePipeline::encode(slot); });
}

// May be called again for the same frame if its device failed or lacked memory.
Status StreamEncoder::encode_frame(const ctv_picture& picture, FrameSlot& slot) {
  FrameParameters& parameters = slot.parameters;
  if (parameters.type == FrameType::kPredicted &&
      references().find(parameters.number - parameters.reference) == nullptr) {
    parameters.type = FrameType::kKey;  // the device held its reference
    key_frames_.made(sent_);
  }
  slot.measured = rate_.measures();
  slot.packed = false;
  CTV_ASSIGN_OR_RETURN(DistortionMeter* const meter, distortion_.begin(sent_, slot.measured, rate_));
  rate_.set_base_reference(parameters.kept && parameters.temporal_id == 0);
  uint16_t weighed_with = parameters.base_step = rate_.begin(sent_, parameters.type);
  // The first try usually meets the size. So a device that works in parallel to the host reconstructs the
  // picture with each try; elsewhere that would cost time.
  const bool ahead = slot.levels->staged();
  const Feedback first = rate_.feedback();
  const bool usual = first == Feedback::kNone || (first == Feedback::kBytes && ahead);
  CTV_RETURN_IF_ERROR(frames_->analyse(picture, parameters, usual, slot, meter));
  for (;;) {
    const Feedback feedback = rate_.feedback();
    const bool reconstructs = feedback != Feedback::kBytes || ahead;
    if (reconstructs) {
      std::function<Status()> with_levels;
      if (feedback == Feedback::kNone && slot.single_frame && !slot.levels->staged()) {
        with_levels = [this, &slot] {
          start_packet(slot);
          slot.packed = true;
          return Status();
        };
      }
      CTV_RETURN_IF_ERROR(frames_->code(parameters, slot, meter, with_levels));
      if (feedback == Feedback::kNone) break;
    } else {
      CTV_RETURN_IF_ERROR(frames_->try_code(parameters, slot));
    }
    if (feedback == Feedback::kBytes) CTV_RETURN_IF_ERROR(FramePipeline::encode(slot));
    uint64_t value = slot.packet.size();
    if (feedback == Feedback::kDistortion) CTV_RETURN_IF_ERROR(meter->finish(value));
    const auto step = rate_.retry(parameters.base_step, value);
    if (!step) {
      if (!reconstructs) CTV_RETURN_IF_ERROR(frames_->reconstruct(meter));
      break;
    }
    if (feedback == Feedback::kDistortion) CTV_RETURN_IF_ERROR(slot.levels->finish());  // of this try
    parameters.base_step = *step;
    // Vectors and skips decided for a much finer or coarser step are not suitable.
    const bool weighed =
        parameters.type == FrameType::kPredicted && stream_.header.prediction == Prediction::kPicture;
    if (weighed && is_far(*step, weighed_with)) {
      weighed_with = *step;
      CTV_RETURN_IF_ERROR(frames_->analyse(picture, parameters, false, slot));
    }
  }
  frames_->update_references();
  return {};
}

Status StreamEncoder::receive(ctv_unit& unit, ctv_status& outcome) {
  outcome = CTV_OK;
  if (received_ == sent_) {
    outcome = flushed_ ? CTV_END : CTV_AGAIN;
    return {};
  }
  FrameSlot& slot = pipeline_.slot(received_);
  if (!flushed_ && has_room(sent_) && !FramePipeline::ready(slot)) {
    outcome = CTV_AGAIN;
    return {};
  }
  const bool known = slot.status.code() == CTV_ERROR_LIMIT;  // send() has requested a key frame
  const auto complete = [&]() -> Status {
    FramePipeline::wait(slot);
    CTV_RETURN_IF_ERROR(slot.status);
    return distortion_.collect(received_ + 1, rate_);
  };
  const FrameTime time = frame_time(slot.parameters, stream_.header.fps_den);
  bool key = false;
  slot.status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(device_.run(complete, [this](const Status& failure) { return fall_back(failure); }));
    key = slot.parameters.type == FrameType::kKey;  // a fallback may have changed the type
    FramePipeline::bind(slot, slots_);              // packets are in order here
    index_.add(slot.packet.size(), key, time.timestamp);
    return {};
  });
  ++received_;
  if (!slot.status.ok()) {
    if (!known) give_up(slot.parameters.number);
    return slot.status;
  }
  device_->stage_times().add(Stage::kSymbols, slot.seconds);
  unit.data = slot.packet.data();
  unit.size = slot.packet.size();
  unit.frame_number = slot.parameters.number;
  unit.key_frame = key ? 1 : 0;
  unit.reference_frame = key ? -1 : unit.frame_number - slot.parameters.reference;
  unit.temporal_id = slot.parameters.temporal_id;
  unit.keep_in = slot.parameters.kept ? slot.parameters.slot : CTV_KEEP_NOWHERE;
  unit.step = slot.parameters.base_step / 16.0;
  unit.timestamp = time.timestamp;
  unit.duration = time.duration;
  unit.opaque = slot.opaque;
  return {};
}

// Frame numbers are modulo 2^32.
Status StreamEncoder::check_sent(int64_t frame) const {
  if (frame >= 0 && frame <= UINT32_MAX && (sent_ > UINT32_MAX || static_cast<uint64_t>(frame) < sent_)) {
    return {};
  }
  return {CTV_ERROR_ARGUMENT, "frame: " + std::to_string(frame) + " has not been sent"};
}

Status StreamEncoder::acknowledge(int64_t frame) {
  CTV_RETURN_IF_ERROR(check_sent(frame));
  policy_.acknowledge(static_cast<uint32_t>(frame));
  return {};
}

Status StreamEncoder::lost(int64_t frame) {
  CTV_RETURN_IF_ERROR(check_sent(frame));
  if (sent_ > UINT32_MAX || static_cast<uint64_t>(frame) >= first_)
    policy_.lost(static_cast<uint32_t>(frame));
  return {};
}

Result<std::span<const uint8_t>> StreamEncoder::index() {
  CTV_ASSIGN_OR_RETURN(index_bytes_, index_.unit(stream_.header.fps_den));
  return std::span<const uint8_t>(index_bytes_);
}

Status StreamEncoder::set_quantiser(int qp, double step) {
  CTV_ASSIGN_OR_RETURN(const uint16_t base_step, make_base_step(qp, step));
  rate_.set_step(base_step);
  config_.qp = qp;
  config_.step = step;
  return set_crf(-1);
}

Status StreamEncoder::set_crf(double crf) {
  ctv_config config = config_;
  config.crf = crf;
  CTV_RETURN_IF_ERROR(check_crf(config));
  config_.crf = crf;
  rate_.set_crf(crf, sent_);
  return {};
}

Status StreamEncoder::set_temporal_layers(int layers) {
  ctv_config config = config_;
  config.temporal_layers = layers;
  CTV_RETURN_IF_ERROR(check_temporal_layers(config));
  config_.temporal_layers = layers;
  policy_.set_layers(layers);
  return {};
}

Status StreamEncoder::set_bitrate(int64_t bitrate, int64_t max_frame_bytes) {
  CTV_RETURN_IF_ERROR(check_rate(bitrate, max_frame_bytes));
  ctv_config config = config_;
  config.bitrate = bitrate;
  CTV_RETURN_IF_ERROR(check_crf(config));
  config_.bitrate = bitrate;
  config_.max_frame_bytes = max_frame_bytes;
  rate_.set_target(size_target(config_));
  return {};
}

}  // namespace ctv
