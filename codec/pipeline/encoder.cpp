// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/encoder.hpp"

#include <algorithm>
#include <chrono>

#include "codec/backends.hpp"
#include "codec/config/picture_check.hpp"
#include "codec/config/presets.hpp"
#include "codec/config/run_options.hpp"

namespace ctv {
namespace {

RateTarget rate_target(const ctv_config& config) {
  return {config.bitrate, config.buffer_ms, config.max_frame_bytes};
}

}  // namespace

Result<std::unique_ptr<StreamEncoder>> StreamEncoder::open(const ctv_config& config) {
  std::unique_ptr<StreamEncoder> e(new StreamEncoder);
  e->config_ = config;
  CTV_ASSIGN_OR_RETURN(const SequenceHeader header, make_sequence_header(config));
  CTV_ASSIGN_OR_RETURN(e->base_step_, make_base_step(config.qp, config.step));
  e->stream_ = make_stream(header);
  e->header_bytes_ = write_sequence_header(header);
  e->bytes_out_ = e->header_bytes_.size();

  const int threads = thread_count(config.threads);
  std::string why;
  CTV_ASSIGN_OR_RETURN(auto backend, make_backend(config.backend, config.device, threads, why));
  Status status = e->start(std::move(backend), why);
  if (is_out_of_device_memory(status, *e->backend_)) {  // start() frees what the first try had
    CTV_ASSIGN_OR_RETURN(auto once_more, make_backend(config.backend, config.device, threads, why));
    status = e->start(std::move(once_more), why);
  }
  // A device without room for this stream is as good as none, unless it was asked for.
  if (!status.ok() && config.backend == CTV_BACKEND_AUTO && is_device_failure(status, *e->backend_)) {
    std::string cpu_why;
    CTV_ASSIGN_OR_RETURN(auto cpu, make_backend(CTV_BACKEND_CPU, 0, threads, cpu_why));
    status = e->start(std::move(cpu), status.message());
  }
  CTV_RETURN_IF_ERROR(status);

  e->rate_ = std::make_unique<RateControl>(
      rate_target(config), static_cast<double>(config.fps_num) / config.fps_den, config.key_interval);
  e->quality_ =
      std::make_unique<QualityControl>(e->stream_.picture.extent(0).area(), config.key_interval == 1);
  e->quality_->set_crf(config.crf, 0);
  const bool pipelined = config.frames_in_flight > 1;
  e->slots_.resize(static_cast<size_t>(config.frames_in_flight));
  for (Slot& slot : e->slots_) {
    slot.symbols = std::make_unique<SymbolCoder>(e->stream_.picture, header, e->stream_.grid,
                                                 std::max(1, threads / config.frames_in_flight));
  }
  if (pipelined) e->workers_ = std::make_unique<WorkerPool>(std::min(threads, config.frames_in_flight));
  return e;
}

Status StreamEncoder::start(std::unique_ptr<Backend> backend, const std::string& why) {
  frames_.reset();
  for (auto& meter : meters_) meter.reset();
  backend_ = std::move(backend);
  const Engine engine = choose_engine(config_.engine, stream_.header, *backend_);
  CTV_RETURN_IF_ERROR(backend_->check_engine(engine));
  description_ = describe(*backend_, engine, why);
  const EncoderDecisions decisions{config_.search_range, config_.rdoq != 0, engine, config_.frames_in_flight,
                                   config_.tune};
  CTV_ASSIGN_OR_RETURN(frames_, FrameEncoder::make(*backend_, stream_, decisions));
  for (auto& meter : meters_) {
    CTV_ASSIGN_OR_RETURN(meter, backend_->make_distortion_meter());
  }
  return {};
}

StreamEncoder::~StreamEncoder() {
  workers_.reset();
  if (backend_ != nullptr) (void)backend_->synchronize().ok();
}

FrameType StreamEncoder::next_type(const ctv_picture& picture) {
  if (config_.scene_cut != 0 && scenes_.is_cut(picture)) key_requested_ = true;
  const bool due = config_.key_interval > 0 && since_key_ >= config_.key_interval;
  if (sent_ == 0 || key_requested_ || due) {
    key_requested_ = false;
    since_key_ = 0;
  }
  return since_key_++ == 0 ? FrameType::kKey : FrameType::kPredicted;
}

// Key frames are what all others are predicted from: three steps of qp finer, measured 3 % better over all.
// The paper has one step.
uint16_t StreamEncoder::frame_step(FrameType type) const {
  const SequenceHeader& h = stream_.header;
  const bool finer =
      type == FrameType::kKey && h.prediction == Prediction::kPicture && config_.key_interval != 1;
  return finer ? static_cast<uint16_t>(std::max(1, (base_step_ * 181 + 128) / 256)) : base_step_;
}

Status StreamEncoder::send(const ctv_picture& picture, bool& again) {
  again = false;
  if (flushed_) return {CTV_ERROR_STATE, "send: the encoder has been flushed"};
  CTV_RETURN_IF_ERROR(check_picture_for(stream_.picture, picture, backend_->kind()));
  const int slot_index = static_cast<int>(sent_ % slots_.size());
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  if (slot.busy) {
    again = true;
    return {};
  }
  slot.parameters = {};
  slot.parameters.number = static_cast<uint32_t>(sent_);
  slot.parameters.type = next_type(picture);
  Status status = encode_frame(picture, slot_index);
  if (is_out_of_device_memory(status, *backend_)) status = encode_frame(picture, slot_index);
  if (!status.ok() && is_device_failure(status, *backend_)) {
    CTV_RETURN_IF_ERROR(fall_back(status));
    status = encode_frame(picture, slot_index);
  }
  if (!status.ok()) {
    key_requested_ = true;  // the reference is not to be trusted
    return status;
  }
  quality_->end(slot.parameters.type);
  ++sent_;
  slot.busy = true;
  if (rate_->active()) {
    slot.status = rate_->end(slot.packet.size());
    if (!slot.status.ok()) key_requested_ = true;  // this packet will not reach the decoder
  } else if (workers_ != nullptr) {
    slot.coding = workers_->submit([this, slot_index] { return code_symbols(slot_index); });
  } else {
    slot.status = code_symbols(slot_index);
  }
  return {};
}

// Chooses the frame's step and codes it; may be called again for the same frame, whose device has failed or
// lacked memory.
Status StreamEncoder::encode_frame(const ctv_picture& picture, int slot_index) {
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  FrameParameters& parameters = slot.parameters;
  CTV_RETURN_IF_ERROR(collect_distortion(sent_ + 1 - std::min(sent_ + 1, QualityControl::kDelay)));
  slot.measured = quality_->active();
  parameters.base_step =
      slot.measured ? quality_->begin(sent_, parameters.type) : frame_step(parameters.type);
  const bool by_quality = slot.measured && parameters.type == FrameType::kKey;
  if (rate_->active() && !by_quality)
    parameters.base_step = rate_->begin(parameters.type, parameters.base_step);
  slot.first_step = parameters.base_step;
  const bool once = !slot.measured && !rate_->active();
  CTV_RETURN_IF_ERROR(frames_->analyse(picture, parameters, once, slot_index));
  if (by_quality) CTV_RETURN_IF_ERROR(code_to_quality(slot_index));
  if (rate_->active()) {
    if (by_quality) {
      CTV_RETURN_IF_ERROR(frames_->slot(slot_index).levels().finish());  // the last ones are on their way
      parameters.base_step = rate_->begin(parameters.type, parameters.base_step);
    }
    CTV_RETURN_IF_ERROR(code_to_size(slot_index));
  } else if (!by_quality) {
    CTV_RETURN_IF_ERROR(frames_->code(parameters, slot_index, meter(slot)));
  }
  frames_->update_reference();
  if (slots_.size() == 1) keep_source(sent_);  // while the device works
  return {};
}

// Waits for the errors of all frames before `end`, which is at most sent_.
Status StreamEncoder::collect_distortion(uint64_t end) {
  for (; known_ < end; ++known_) {
    const Slot& slot = slots_[known_ % slots_.size()];
    if (!slot.measured) continue;
    uint64_t sum = 0;
    CTV_RETURN_IF_ERROR(meter(slot)->finish(sum));
    quality_->add(known_, slot.parameters, sum);
  }
  return {};
}

DistortionMeter* StreamEncoder::meter(const Slot& slot) const {
  return slot.measured ? meters_[slot.parameters.number % QualityControl::kDelay].get() : nullptr;
}

// Codes a key frame with one step after the other until its error is as wanted.
Status StreamEncoder::code_to_quality(int slot_index) {
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  for (;;) {
    CTV_RETURN_IF_ERROR(frames_->code(slot.parameters, slot_index, meter(slot)));
    uint64_t sum = 0;
    CTV_RETURN_IF_ERROR(meter(slot)->finish(sum));
    const auto step = quality_->again(slot.parameters.base_step, sum);
    if (!step) return {};
    CTV_RETURN_IF_ERROR(frames_->slot(slot_index).levels().finish());  // the last ones are on their way
    slot.parameters.base_step = *step;
  }
}

// Codes the frame with one step after the other until rate control is content with its size.
Status StreamEncoder::code_to_size(int slot_index) {
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  for (;;) {
    CTV_RETURN_IF_ERROR(frames_->code(slot.parameters, slot_index, meter(slot)));
    CTV_RETURN_IF_ERROR(code_symbols(slot_index));
    const auto step = rate_->again(slot.parameters.base_step, slot.packet.size());
    if (!step) return {};
    slot.parameters.base_step = *step;
  }
}

Status StreamEncoder::code_symbols(int slot_index) {
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  LevelTransfer& port = frames_->slot(slot_index).levels();
  CTV_RETURN_IF_ERROR(port.finish());
  const auto start = std::chrono::steady_clock::now();
  CodedFrame frame = port.downloaded();
  frame.parameters = slot.parameters;
  slot.symbols->encode(frame, slot.packet);
  slot.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

Status StreamEncoder::receive(ctv_unit& unit, ctv_status& outcome) {
  outcome = CTV_OK;
  if (received_ == sent_) {
    outcome = flushed_ ? CTV_END : CTV_AGAIN;
    return {};
  }
  Slot& slot = slots_[received_ % slots_.size()];
  if (slot.coding.valid()) {
    const bool must_wait = flushed_ || sent_ - received_ == slots_.size();
    if (!must_wait && slot.coding.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      outcome = CTV_AGAIN;
      return {};
    }
    slot.status = slot.coding.get();
  }
  // A frame that has gone out is not coded again, so a device that fails later must not take its error along.
  if (slot.status.ok()) slot.status = collect_distortion(received_ + 1);
  if (!slot.status.ok() && is_device_failure(slot.status, *backend_))
    CTV_RETURN_IF_ERROR(fall_back(slot.status));
  ++received_;
  slot.busy = false;
  if (slots_.size() > 1 && received_ == sent_) keep_source(received_ - 1);
  CTV_RETURN_IF_ERROR(slot.status);
  backend_->stage_times().add(Stage::kSymbols, slot.seconds);
  entries_.push_back({bytes_out_, slot.parameters.type == FrameType::kKey});
  bytes_out_ += slot.packet.size();
  if (backend_->kind() != CTV_BACKEND_CPU) {
    history_.append(slot.packet, received_ - 1, slot.parameters.type == FrameType::kKey);
    history_.trim(received_ - 1);
  }
  unit.data = slot.packet.data();
  unit.size = slot.packet.size();
  unit.frame_number = slot.parameters.number;
  unit.key_frame = slot.parameters.type == FrameType::kKey ? 1 : 0;
  unit.step = slot.parameters.base_step / 16.0;
  return {};
}

const std::vector<uint8_t>& StreamEncoder::index() {
  index_bytes_ = write_index(entries_);
  return index_bytes_;
}

Status StreamEncoder::set_quantiser(int qp, double step) {
  CTV_ASSIGN_OR_RETURN(base_step_, make_base_step(qp, step));
  return set_crf(-1);
}

Status StreamEncoder::set_crf(double crf) {
  ctv_config config = config_;
  config.crf = crf;
  CTV_RETURN_IF_ERROR(check_crf(config));
  config_.crf = crf;
  quality_->set_crf(crf, sent_);
  return {};
}

Status StreamEncoder::set_bitrate(int64_t bitrate, int64_t max_frame_bytes) {
  CTV_RETURN_IF_ERROR(check_rate(bitrate, max_frame_bytes));
  ctv_config config = config_;
  config.bitrate = bitrate;
  CTV_RETURN_IF_ERROR(check_crf(config));
  config_.bitrate = bitrate;
  config_.max_frame_bytes = max_frame_bytes;
  rate_->set_target(rate_target(config_));
  return {};
}

const StageTimes& StreamEncoder::stage_times() { return backend_->stage_times(); }

}  // namespace ctv
