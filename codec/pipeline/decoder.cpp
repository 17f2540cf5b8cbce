// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/decoder.hpp"

#include <algorithm>
#include <chrono>

#include "codec/backends.hpp"
#include "codec/config/picture_check.hpp"
#include "codec/config/run_options.hpp"
#include "codec/format/units.hpp"
#include "codec/util/log.hpp"

namespace ctv {
namespace {

Status limit(const char* what, uint64_t needed, uint64_t allowed) {
  return {CTV_ERROR_LIMIT, std::string(what) + ": " + std::to_string(needed) + " needed, " +
                               std::to_string(allowed) + " allowed"};
}

Status check_config(const ctv_decoder_config& c) {
  const auto bad = [](const char* field) {
    return Status(CTV_ERROR_ARGUMENT, std::string("decoder config.") + field + ": out of range");
  };
  if (c.reduction < 0 || c.reduction > kMaxScales) return bad("reduction");
  if (c.format != CTV_FORMAT_NONE && format_planes(c.format) == 0) return bad("format");
  if (c.threads < 0 || c.threads > 256) return bad("threads");
  if (c.backend < CTV_BACKEND_AUTO || c.backend > CTV_BACKEND_CUDA) return bad("backend");
  if (c.engine < CTV_ENGINE_AUTO || c.engine > CTV_ENGINE_FFT) return bad("engine");
  if (c.frames_in_flight < 1 || c.frames_in_flight > 16) return bad("frames_in_flight");
  if (c.memory != CTV_MEMORY_HOST && c.memory != CTV_MEMORY_CUDA) return bad("memory");
  return {};
}

}  // namespace

Result<std::unique_ptr<StreamDecoder>> StreamDecoder::open(const ctv_decoder_config& config) {
  CTV_RETURN_IF_ERROR(check_config(config));
  std::unique_ptr<StreamDecoder> d(new StreamDecoder);
  d->config_ = config;
  d->threads_ = thread_count(config.threads);
  CTV_ASSIGN_OR_RETURN(d->backend_, make_backend(config.backend, config.device, d->threads_, d->why_));
  if (config.memory == CTV_MEMORY_CUDA && d->backend_->kind() != CTV_BACKEND_CUDA) {
    return {CTV_ERROR_DEVICE, "decoder config.memory: device memory needs the CUDA backend"};
  }
  if (config.engine == CTV_ENGINE_FFT) CTV_RETURN_IF_ERROR(d->backend_->check_engine(Engine::kFft));
  d->description_ =
      describe(*d->backend_, config.engine == CTV_ENGINE_FFT ? Engine::kFft : Engine::kDirect, d->why_);
  if (config.frames_in_flight > 1) {
    d->workers_ = std::make_unique<WorkerPool>(std::min(d->threads_, config.frames_in_flight));
  }
  return d;
}

StreamDecoder::~StreamDecoder() {
  workers_.reset();
  if (backend_ != nullptr) (void)backend_->synchronize().ok();
}

Status StreamDecoder::send(std::span<const uint8_t> unit, bool& again) {
  again = false;
  if (flushed_) return {CTV_ERROR_STATE, "send: the decoder has been flushed"};
  CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
  if (prefix.kind == UnitKind::kIndex) return {};
  if (prefix.kind == UnitKind::kPacket) return take_packet(unit, again);
  if (std::ranges::equal(unit, header_bytes_)) return {};
  header_waits_ = given_ != taken_;  // pictures of the old stream first
  if (header_waits_) {
    again = true;
    return {};
  }
  return take_header(unit);
}

Status StreamDecoder::take_header(std::span<const uint8_t> unit) {
  CTV_ASSIGN_OR_RETURN(const SequenceHeader header, read_sequence_header(unit));
  const uint64_t pixels = uint64_t{header.width} * header.height;
  const ctv_limits& limits = config_.limits;
  if (pixels > limits.max_pixels) return limit("pixels", pixels, limits.max_pixels);
  const uint64_t memory = decoder_memory(header, config_.frames_in_flight);
  if (memory > limits.max_memory) return limit("memory in bytes", memory, limits.max_memory);
  if (config_.reduction > header.transform.scales) {
    return {CTV_ERROR_ARGUMENT, "decoder config.reduction: the stream has " +
                                    std::to_string(header.transform.scales) + " levels"};
  }
  frames_.reset();
  slots_.clear();
  header_bytes_.clear();
  taken_ = submitted_ = given_ = 0;
  history_.clear();

  stream_ = make_stream(header);
  Status status = start();
  if (is_out_of_device_memory(status, *backend_)) status = start();
  // A device without room for this stream is as good as none, unless it was asked for.
  if (!status.ok() && config_.backend == CTV_BACKEND_AUTO && config_.memory == CTV_MEMORY_HOST &&
      is_device_failure(status, *backend_)) {
    why_ = status.message();
    std::string cpu_why;
    CTV_ASSIGN_OR_RETURN(backend_, make_backend(CTV_BACKEND_CPU, 0, threads_, cpu_why));
    status = start();
  }
  CTV_RETURN_IF_ERROR(status);
  slots_.resize(static_cast<size_t>(config_.frames_in_flight));
  for (Slot& slot : slots_) {
    slot.symbols = std::make_unique<SymbolCoder>(stream_.picture, header, stream_.grid,
                                                 std::max(1, threads_ / config_.frames_in_flight));
  }
  header_bytes_.assign(unit.begin(), unit.end());
  return {};
}

Status StreamDecoder::start() {
  const Engine engine = choose_engine(config_.engine, stream_.header, *backend_);
  description_ = describe(*backend_, engine, why_);
  const DecoderDecisions decisions{config_.reduction, config_.format, config_.memory, engine,
                                   config_.frames_in_flight};
  CTV_ASSIGN_OR_RETURN(frames_, FrameDecoder::make(*backend_, stream_, decisions));
  return {};
}

Status StreamDecoder::take_packet(std::span<const uint8_t> unit, bool& again) {
  if (frames_ == nullptr) return {CTV_ERROR_STATE, "packet: no sequence header came before it"};
  if (unit.size() > config_.limits.max_packet_size) {
    return limit("packet size in bytes", unit.size(), config_.limits.max_packet_size);
  }
  if (taken_ - given_ == slots_.size()) {
    again = true;
    return {};
  }
  const int slot_index = static_cast<int>(taken_ % slots_.size());
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  slot.status = {};
  if (workers_ == nullptr) {
    CTV_RETURN_IF_ERROR(decode_symbols(slot, unit, slot_index));
    CTV_RETURN_IF_ERROR(submit(unit, slot_index));
    ++taken_;
    ++submitted_;
    return {};
  }
  slot.unit.assign(unit.begin(), unit.end());
  slot.coding =
      workers_->submit([this, &slot, slot_index] { return decode_symbols(slot, slot.unit, slot_index); });
  ++taken_;
  return {};
}

Status StreamDecoder::decode_symbols(Slot& slot, std::span<const uint8_t> unit, int slot_index) {
  const auto start = std::chrono::steady_clock::now();
  CTV_RETURN_IF_ERROR(slot.symbols->read_header(unit));
  slot.parameters = slot.symbols->header().frame;
  const int layers = stream_.picture.subbands[0].layers - config_.reduction;
  if (workers_ == nullptr) CTV_RETURN_IF_ERROR(frames_->check_reference(slot.parameters));
  CodedFrameBuffers frame = frames_->coded(slot_index);
  frame.parameters = slot.parameters;
  CTV_RETURN_IF_ERROR(slot.symbols->decode(unit, layers, frame));
  slot.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

// In the order of the frames, on the caller's thread.
Status StreamDecoder::submit(std::span<const uint8_t> unit, int slot_index) {
  Slot& slot = slots_[static_cast<size_t>(slot_index)];
  Status status = frames_->decode(slot.parameters, slot_index);
  if (is_out_of_device_memory(status, *backend_)) status = frames_->decode(slot.parameters, slot_index);
  if (!status.ok() && is_device_failure(status, *backend_)) {
    CTV_RETURN_IF_ERROR(fall_back(status));
    status = decode_symbols(slot, unit, slot_index);
    if (status.ok()) status = frames_->decode(slot.parameters, slot_index);
  }
  if (status.ok() && backend_->kind() != CTV_BACKEND_CPU) {
    history_.append(unit, submitted_, slot.parameters.type == FrameType::kKey);
    history_.trim(given_);
  }
  backend_->stage_times().add(Stage::kSymbols, slot.seconds);
  return status;
}

Status StreamDecoder::receive(ctv_picture& picture, ctv_status& outcome) {
  outcome = CTV_OK;
  // Hand every frame whose symbols are ready to the backend; wait only for the oldest, and only when there is
  // no room.
  while (submitted_ < taken_) {
    Slot& slot = slot_at(submitted_);
    const bool must_wait =
        submitted_ == given_ && (flushed_ || header_waits_ || taken_ - given_ == slots_.size());
    if (!must_wait && slot.coding.wait_for(std::chrono::seconds(0)) != std::future_status::ready) break;
    slot.status = slot.coding.get();
    if (slot.status.ok()) slot.status = submit(slot.unit, static_cast<int>(submitted_ % slots_.size()));
    ++submitted_;
  }
  if (given_ == submitted_) {
    outcome = flushed_ && given_ == taken_ ? CTV_END : CTV_AGAIN;
    return {};
  }
  Slot& slot = slot_at(given_);
  const int slot_index = static_cast<int>(given_ % slots_.size());
  ++given_;
  CTV_RETURN_IF_ERROR(slot.status);
  Status status = frames_->finish(slot_index, picture);
  if (!status.ok() && is_device_failure(status, *backend_)) {
    CTV_RETURN_IF_ERROR(fall_back(status));
    status = frames_->finish(slot_index, picture);
  }
  CTV_RETURN_IF_ERROR(status);
  picture.frame_number = slot.parameters.number;
  picture.key_frame = slot.parameters.type == FrameType::kKey ? 1 : 0;
  return {};
}

// The CPU decodes again what the device had not finished, from the packets since the last key frame, and goes
// on.
Status StreamDecoder::fall_back(const Status& failure) {
  if (config_.memory == CTV_MEMORY_CUDA) return failure;
  log_message(CTV_LOG_WARNING, failure.message() + ": the CPU takes over");
  for (uint64_t frame = submitted_; frame < taken_; ++frame) {
    if (slot_at(frame).coding.valid()) slot_at(frame).coding.wait();
  }
  std::string why;
  CTV_ASSIGN_OR_RETURN(auto cpu, make_backend(CTV_BACKEND_CPU, 0, threads_, why));
  frames_.reset();
  backend_ = std::move(cpu);
  config_.engine = CTV_ENGINE_AUTO;
  why_ = failure.message();
  description_ = describe(*backend_, Engine::kDirect, why_);
  const DecoderDecisions decisions{config_.reduction, config_.format, config_.memory, Engine::kDirect,
                                   config_.frames_in_flight};
  CTV_ASSIGN_OR_RETURN(frames_, FrameDecoder::make(*backend_, stream_, decisions));
  if (history_.whole()) {
    CTV_RETURN_IF_ERROR(replay(*frames_, stream_, history_, slots_.size(), threads_));
  }
  history_.clear();
  // Symbols that were decoded into the device's ports are decoded again into the CPU's.
  for (uint64_t frame = submitted_; frame < taken_; ++frame) {
    Slot& slot = slot_at(frame);
    if (!slot.coding.valid()) continue;
    const int slot_index = static_cast<int>(frame % slots_.size());
    slot.coding =
        workers_->submit([this, &slot, slot_index] { return decode_symbols(slot, slot.unit, slot_index); });
  }
  return {};
}

Status StreamDecoder::reset() {
  for (; submitted_ < taken_; ++submitted_) {
    if (slot_at(submitted_).coding.valid()) slot_at(submitted_).coding.wait();
  }
  given_ = taken_;
  if (frames_ != nullptr) frames_->clear_references();
  history_.clear();
  flushed_ = false;
  return backend_->synchronize();
}

}  // namespace ctv
