// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/frame_pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "codec/entropy/residual_tables.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/util/parallel.hpp"
#include "codec/util/threads.hpp"

namespace ctv {
namespace {

// Approximate time of a device's analysis of a frame.
constexpr auto kAnalysis = std::chrono::microseconds(500);
// Upper estimate of the time to check a packet.
constexpr auto kCheck = std::chrono::microseconds(100);

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status in_parent() { return {CTV_ERROR_STATE, "frames in flight stay in the process that called fork()"}; }

}  // namespace

FramePipeline::FramePipeline(const Stream& stream, Direction direction, int slots, int threads,
                             bool resilient)
    : stream_(stream), direction_(direction), threads_(threads), resilient_(resilient) {
  resize(slots);
}

FramePipeline::~FramePipeline() { finish(); }

void FramePipeline::finish() {
  if (workers_ != nullptr &&
      process_ != process_number()) {  // after fork(): their threads stayed in the parent
    static_cast<void>(workers_.release());
    static_cast<void>(new std::vector<FrameSlot>(std::move(slots_)));  // as a worker may have left them
  }
  workers_.reset();
  if (backend_ != nullptr) (void)guarded([this] { return backend_->synchronize(); }).ok();
}

void FramePipeline::resize(int slots) {
  finish();
  detach();
  slots_ = std::vector<FrameSlot>(static_cast<size_t>(slots));
  for (FrameSlot& slot : slots_) {
    slot.index = static_cast<int>(&slot - slots_.data());
    slot.single_frame = slots == 1;
    slot.symbols = std::make_unique<SymbolCoder>(stream_.picture, stream_.header, stream_.grid,
                                                 std::max(1, threads_ / slots), resilient_);
  }
  if (slots > 1) workers_ = std::make_unique<WorkerPool>(std::min(threads_, slots));
  process_ = process_number();
}

void FramePipeline::detach() {
  backend_ = nullptr;
  for (FrameSlot& slot : slots_) {
    slot.picture.reset();
    slot.levels.reset();
  }
}

Status FramePipeline::attach(Backend& backend) {
  backend_ = &backend;
  backend.begin_stream(static_cast<int>(slots_.size()));
  CodingPlan plan = make_coding_plan(stream_.picture, stream_.header, direction_ == Direction::kDecode);
  plan.tables = tile_tables().symbols.data();
  if (stream_.header.macroblocks()) plan.residual_tables = residual_tables();
  for (FrameSlot& slot : slots_) {
    CTV_ASSIGN_OR_RETURN(slot.picture, backend.make_picture_transfer(stream_.picture));
    CTV_ASSIGN_OR_RETURN(slot.levels, backend.make_level_transfer(stream_.picture, stream_.grid, plan));
  }
  return {};
}

void FramePipeline::expect_symbols(const FrameSlot& slot) {
  if (slot.single_frame && slot.levels->staged()) expect_loop(slot.symbols->threads(), kAnalysis);
}

// Entropy-codes what has been downloaded while the device produces the rest.
Status FramePipeline::encode(FrameSlot& slot) {
  LevelTransfer& levels = *slot.levels;
  SymbolCoder& symbols = *slot.symbols;
  slot.seconds = 0;
  const auto timed = [&](auto work) {
    const auto start = std::chrono::steady_clock::now();
    CodedFrame frame = levels.downloaded();
    frame.parameters = slot.parameters;
    work(frame);
    slot.seconds += seconds_since(start);
  };
  symbols.begin(slot.motion_coded);
  if (levels.staged()) {
    expect_symbols(slot);
    CTV_RETURN_IF_ERROR(levels.finish_side());
    timed([&](const CodedFrame& frame) { symbols.encode_motion(frame); });
    CTV_RETURN_IF_ERROR(levels.finish_levels());
    timed([&](const CodedFrame& frame) {
      symbols.encode_components(frame, [&](size_t component) { return !levels.codes(component); });
    });
  }
  CTV_RETURN_IF_ERROR(levels.finish());
  timed([&](const CodedFrame& frame) { symbols.encode(frame, slot.packet); });
  slot.motion_coded = true;
  return {};
}

void FramePipeline::bind(FrameSlot& slot, SlotTable& slots) {
  const FrameParameters& frame = slot.parameters;
  const SlotTable::Entry* reference = frame.type == FrameType::kKey ? nullptr : slots.reference_of(frame);
  const uint16_t of_reference = reference == nullptr ? uint16_t{0} : reference->check;
  slots.take(frame, seal_packet(slot.packet, slot.symbols->header(), of_reference));
}

Status FramePipeline::read_header(FrameSlot& slot, std::span<const uint8_t> unit) {
  CTV_RETURN_IF_ERROR(slot.symbols->read_header(unit));
  slot.parameters = slot.symbols->header().frame;
  return {};
}

Status FramePipeline::decode(FrameSlot& slot, std::span<const uint8_t> unit, int layers,
                             const PartLoss& loss) {
  const auto start = std::chrono::steady_clock::now();
  if (slot.single_frame && slot.levels->staged()) expect_loop(slot.symbols->threads(), kCheck);
  // A frame that was given up may still be in flight. The query takes 10 us or more, so it is done only once.
  if (!std::exchange(slot.settled, false)) CTV_RETURN_IF_ERROR(slot.levels->finish());
  CodedFrameBuffers frame = slot.levels->upload_buffers();
  frame.parameters = slot.parameters;
  CTV_RETURN_IF_ERROR(slot.symbols->decode(unit, layers, frame, loss));
  slot.missing_parts = slot.symbols->missing();
  slot.seconds = seconds_since(start);
  return {};
}

void FramePipeline::start(FrameSlot& slot, std::function<Status()> work) {
  slot.coding = {};  // also without memory for another
  slot.status = guarded([&]() -> Status {
    if (workers_ == nullptr) return work();
    if (process_ != process_number()) return in_parent();
    slot.coding = workers_->submit(std::move(work));
    slot.process = process_;
    return {};
  });
}

bool FramePipeline::ready(const FrameSlot& slot) {
  return !slot.coding.valid() || slot.process != process_number() ||
         slot.coding.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void FramePipeline::wait(FrameSlot& slot) {
  if (!slot.coding.valid()) return;
  slot.status = slot.process == process_number() ? slot.coding.get() : in_parent();
  slot.coding = {};
}

}  // namespace ctv
