// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/decoder.hpp"

#include <algorithm>

#include "codec/config/decoder_config.hpp"
#include "codec/config/run_options.hpp"
#include "codec/format/units.hpp"

namespace ctv {
namespace {

// Heap of a stream, and of each frame in flight, that does not grow with the picture.
constexpr uint64_t kUncounted = 1 << 20, kUncountedOfFrame = 1 << 18;

}  // namespace

StreamDecoder::StreamDecoder(const ctv_decoder_config& config, FallbackBackend device)
    : config_(config),
      budget_(config.limits.max_memory,
              kUncounted + static_cast<uint64_t>(config.frames_in_flight) * kUncountedOfFrame),
      device_(std::move(device)) {}

Result<std::unique_ptr<StreamDecoder>> StreamDecoder::open(const ctv_decoder_config& config) {
  CTV_RETURN_IF_ERROR(check_decoder_config(config));
  CTV_ASSIGN_OR_RETURN(auto device,
                       FallbackBackend::open({config.backend, config.device, thread_count(config.threads),
                                              config.engine, config.memory == CTV_MEMORY_HOST}));
  if (config.memory == CTV_MEMORY_CUDA && device->kind() != CTV_BACKEND_CUDA) {
    return {CTV_ERROR_DEVICE,
            "decoder config.memory: device memory needs the CUDA backend, this is " + device.description()};
  }
  if (config.engine == CTV_ENGINE_FFT) CTV_RETURN_IF_ERROR(device->check_engine(Engine::kFft));
  return std::unique_ptr<StreamDecoder>(new StreamDecoder(config, std::move(device)));
}

Status StreamDecoder::send(const ctv_unit& u, std::span<const uint8_t> missing, bool& again) {
  again = unit_waits_ = false;
  if (flushed_) return {CTV_ERROR_STATE, "send: the decoder has been flushed"};
  const bool lost = !missing.empty() && missing[0] != 0;
  const std::span<const uint8_t> unit(u.data, lost ? 0 : u.size);
  const Result<UnitPrefix> prefix = read_prefix(unit);
  const bool packet = lost || (prefix.ok() && prefix->kind == UnitKind::kPacket);
  const Status sound = packet ? check_packet_size(config_, unit.size()) : prefix.status();
  if (sound.ok()) {
    if (packet) return take_packet(u, missing, again);
    const bool known = frames_ != nullptr && std::ranges::equal(unit, header_bytes_);
    if (known || prefix->kind == UnitKind::kIndex) return {};
  }
  // Headers and errors take effect after the pictures of earlier packets.
  submit_ready(true);
  again = unit_waits_ = given_ != taken_;
  if (again) return {};
  CTV_RETURN_IF_ERROR(sound);
  return take_header(unit);
}

void StreamDecoder::end_stream() {
  frames_.reset();
  pipeline_.reset();
  header_bytes_.clear();
  taken_ = submitted_ = given_ = 0;
}

Status StreamDecoder::take_header(std::span<const uint8_t> unit) {
  CTV_ASSIGN_OR_RETURN(const SequenceHeader header, read_sequence_header(unit));
  end_stream();
  stream_ = make_stream(header);
  CTV_RETURN_IF_ERROR(check_stream_for(config_, header));
  Status made = guarded([&]() -> Status {
    const BudgetScope scope(&budget_);
    pipeline_ = std::make_unique<FramePipeline>(stream_, Direction::kDecode, config_.frames_in_flight,
                                                device_.threads());
    CTV_RETURN_IF_ERROR(device_.start([this] { return start(); }));
    header_bytes_.assign(unit.begin(), unit.end());
    return {};
  });
  if (!made.ok()) end_stream();  // and frees its memory
  return made;
}

Status StreamDecoder::start() {
  const BudgetScope scope(&budget_);
  frames_.reset();
  pipeline_->detach();
  CTV_ASSIGN_OR_RETURN(const Engine engine, device_.engine());
  CTV_RETURN_IF_ERROR(pipeline_->attach(*device_));
  const DecoderDecisions decisions{config_.reduction, config_.format, config_.memory, engine,
                                   config_.conceal != 0};
  CTV_ASSIGN_OR_RETURN(frames_, FrameDecoder::make(*device_, stream_, decisions));
  return {};
}

Status StreamDecoder::take_packet(const ctv_unit& u, std::span<const uint8_t> missing, bool& again) {
  if (header_bytes_.empty()) return {CTV_ERROR_STATE, "packet: no sequence header came before it"};
  const bool lost = !missing.empty() && missing[0] != 0;
  if (lost && config_.conceal == 0) return {CTV_ERROR_STREAM, "packet: part 0 is missing"};
  if (full() || frames_ == nullptr) submit_ready(true);
  if (frames_ == nullptr) unit_waits_ = given_ != taken_;
  again = full() || unit_waits_;
  if (again) return {};
  // A fallback ran out of memory. Try again.
  if (frames_ == nullptr) CTV_RETURN_IF_ERROR(device_.start([this] { return start(); }));
  FrameSlot& slot = pipeline_->slot(taken_);
  slot.status = {};
  slot.opaque = u.opaque;
  slot.missing.assign(missing.begin(), missing.end());
  slot.header_read = slot.repeated = false;
  slot.lost = lost;
  slot.number = u.frame_number;
  slot.time = {u.timestamp, u.duration};
  const std::span<const uint8_t> unit(u.data, slot.lost ? 0 : u.size);
  if (pipeline_->concurrent()) {
    slot.packet.assign(unit.begin(), unit.end());
    if (!slot.lost) pipeline_->start(slot, [this, &slot] { return decode_symbols(slot, slot.packet); });
  } else {
    if (!slot.lost) slot.status = decode_symbols(slot, unit);
    CTV_RETURN_IF_ERROR(conclude(slot, unit));
    if (slot.repeated) return {};
    ++submitted_;
  }
  ++taken_;
  return {};
}

Status StreamDecoder::decode_symbols(FrameSlot& slot, std::span<const uint8_t> unit) {
  slot.header_read = slot.repeated = false;
  CTV_RETURN_IF_ERROR(FramePipeline::read_header(slot, unit));
  slot.header_read = true;
  if (!pipeline_->concurrent()) {  // otherwise the reference may still be in flight
    CTV_RETURN_IF_ERROR(find_reference(slot));
    if (slot.repeated) return {};
  }
  CTV_RETURN_IF_ERROR(FramePipeline::decode(slot, unit, frames_->layers(), loss(slot)));
  // The caller's thread has other frames to submit and must not wait for levels from a worker.
  return pipeline_->concurrent() ? slot.symbols->finish_decoding() : Status();
}

Status StreamDecoder::find_reference(FrameSlot& slot) {
  slot.repeated = frames_->repeats(slot.parameters);
  return slot.repeated ? Status() : frames_->check_reference(slot.parameters);
}

Status StreamDecoder::conclude(FrameSlot& slot, std::span<const uint8_t> unit) {
  if (frames_ == nullptr) return {CTV_ERROR_STATE, "packet: the decoder has failed"};
  if (!slot.lost) {
    // A missing reference is reported before damage of the payload.
    if (slot.header_read) CTV_RETURN_IF_ERROR(find_reference(slot));
    if (slot.repeated) return {};
    slot.status = submit(slot, unit);
    const bool damaged = slot.status.code() == CTV_ERROR_STREAM;
    if (!damaged || config_.conceal == 0 || !frames_->can_repeat()) {
      CTV_RETURN_IF_ERROR(slot.status);
    } else {
      slot.lost = true;
      slot.number = last_number_;
      slot.time = last_time_;
    }
  }
  if (slot.lost) CTV_RETURN_IF_ERROR(submit(slot, unit));
  slot.status = {};
  last_number_ = slot.number;
  last_time_ = slot.time;
  return {};
}

// Called in frame order, on the caller's thread.
Status StreamDecoder::submit(FrameSlot& slot, std::span<const uint8_t> unit) {
  if (slot.lost) {
    return device_.run([&] { return frames_->repeat(slot); },
                       [this](const Status& failure) { return fall_back(failure); });
  }
  if (slot.status.ok()) device_->stage_times().add(Stage::kSymbols, slot.seconds);
  const auto go_on = [&](const Status& failure) -> Status {
    CTV_RETURN_IF_ERROR(fall_back(failure));
    slot.status = decode_symbols(slot, unit);
    return slot.status;
  };
  const auto decode = [&]() -> Status {
    CTV_RETURN_IF_ERROR(slot.status);  // from decoding the symbols, perhaps on a device
    return frames_->decode(slot);
  };
  CTV_RETURN_IF_ERROR(device_.run(decode, go_on));
  slot.number = slot.parameters.number;
  slot.time = frame_time(slot.parameters, stream_.header.fps_den);
  return {};
}

void StreamDecoder::submit_ready(bool wait) {
  const auto drop_repeated = [this] {
    while (given_ < submitted_ && pipeline_->slot(given_).repeated) ++given_;
  };
  for (; submitted_ < taken_; ++submitted_) {
    drop_repeated();
    FrameSlot& slot = pipeline_->slot(submitted_);
    if (!(wait && submitted_ == given_) && !FramePipeline::ready(slot)) break;
    FramePipeline::wait(slot);
    slot.status = guarded([&] { return conclude(slot, slot.packet); });
  }
  drop_repeated();
}

Status StreamDecoder::receive(ctv_picture& picture, ctv_status& outcome) {
  outcome = CTV_OK;
  submit_ready(flushed_ || unit_waits_ || full());
  if (given_ == submitted_) {
    outcome = flushed_ && given_ == taken_ ? CTV_END : CTV_AGAIN;
    return {};
  }
  const Status given = guarded([&] { return give(pipeline_->slot(given_), picture); });
  ++given_;
  return given;
}

Status StreamDecoder::give(FrameSlot& slot, ctv_picture& picture) {
  CTV_RETURN_IF_ERROR(slot.status);
  if (frames_ == nullptr) return {CTV_ERROR_STATE, "receive: the decoder has failed"};
  FramePipeline::expect_symbols(slot);  // the next packet arrives after this picture
  const auto finish = [&]() -> Status {
    CTV_RETURN_IF_ERROR(slot.status);  // from a fallback that has lost the picture
    return slot.picture->finish(picture);
  };
  CTV_RETURN_IF_ERROR(device_.run(finish, [this](const Status& failure) { return fall_back(failure); }));
  slot.settled = !slot.lost && picture.memory == CTV_MEMORY_HOST;
  picture.timestamp = slot.time.timestamp;
  picture.duration = slot.time.duration;
  picture.opaque = slot.opaque;
  picture.frame_number = slot.number;
  picture.key_frame = !slot.lost && slot.parameters.type == FrameType::kKey ? 1 : 0;
  picture.damaged = slot.damage;
  picture.missing_parts = slot.missing_parts;
  return {};
}

// The CPU continues with the next key frame: the references were lost with the device, and so were pictures
// not yet returned.
Status StreamDecoder::fall_back(const Status& failure) {
  for (uint64_t frame = submitted_; frame < taken_; ++frame) {
    const FrameSlot& slot = pipeline_->slot(frame);
    if (slot.coding.valid()) slot.coding.wait();
  }
  for (uint64_t frame = given_; frame < submitted_; ++frame) {
    FrameSlot& slot = pipeline_->slot(frame);
    if (slot.status.ok()) slot.status = {CTV_ERROR_REFERENCE, "picture lost"};  // allocates nothing
  }
  CTV_RETURN_IF_ERROR(device_.replace(failure, [this] { return start(); }));
  // Symbols that were decoded into the device's transfers must be decoded again into those of the CPU.
  for (uint64_t frame = submitted_; frame < taken_; ++frame) {
    FrameSlot& slot = pipeline_->slot(frame);
    if (!slot.coding.valid()) continue;
    pipeline_->start(slot, [this, &slot] { return decode_symbols(slot, slot.packet); });
  }
  return {};
}

std::vector<uint32_t> StreamDecoder::held() const {
  std::vector<uint32_t> numbers;
  if (frames_ == nullptr) return numbers;
  for (int slot = 0; slot < stream_.header.slots; ++slot) {
    const Reference* reference = references().in_slot(slot);
    if (reference != nullptr && !reference->damaged) numbers.push_back(reference->number);
  }
  return numbers;
}

Status StreamDecoder::reset() {
  for (; submitted_ < taken_; ++submitted_) FramePipeline::wait(pipeline_->slot(submitted_));
  given_ = taken_;
  if (frames_ != nullptr) frames_->clear_references();
  flushed_ = false;
  return device_->synchronize();
}

}  // namespace ctv
