// SPDX-License-Identifier: BSD-3-Clause
#include "ctcat/stream_joiner.h"

#include <ctv/ctv.h>

#include <algorithm>
#include <utility>

#include "cli/exit.h"
#include "cli/messages.h"
#include "cli/text.h"

namespace ctv::tools {

void StreamJoiner::fail(const std::string& what) const { throw Failure(Exit::kStream, name_ + ": " + what); }

void StreamJoiner::begin(const std::string& name) {
  name_ = name;
  begins_ = true;
  headed_ = false;
  last_came_.reset();
  checks_.fill({});
}

void StreamJoiner::header(std::span<const uint8_t> unit) {
  const bool first = !std::exchange(headed_, true);
  if (!header_.empty()) {
    const bool equal = std::equal(unit.begin(), unit.end(), header_.begin(), header_.end());
    if (!equal && !first)
      fail("its header changes " +
           (last_came_ ? "behind frame " + std::to_string(*last_came_)
                       : std::string("in front of its first frame")) +
           "; only streams of equal parameters can be joined");
    if (!equal)
      fail("its header is not that of " + first_name_ + "; only streams of equal parameters can be joined");
    return;
  }
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  if (ctv_stream_info_parse(unit.data(), unit.size(), &info) != CTV_OK) fail(ctv_last_error());
  first_name_ = name_;
  header_.assign(unit.begin(), unit.end());
  layout_ = {static_cast<size_t>(info.components),
             info.prediction == CTV_PREDICTION_PICTURE && info.lossless == 0, info.slots};
  fps_den_ = static_cast<uint32_t>(info.fps_den);
  index_ = IndexBuilder(header_.size());
  out_.write(unit);
}

void StreamJoiner::read(std::span<const uint8_t> unit) {
  if (header_.empty()) fail("a packet before any header");
  const Status status = read_packet_header(unit, layout_, packet_);
  if (!status.ok()) fail(text("frame %llu: ", static_cast<unsigned long long>(frames())) + status.message());
  if (packet_.unit_size != unit.size()) fail("a packet that is not whole");
  last_came_ = packet_.frame.number;
}

bool StreamJoiner::is_key(std::span<const uint8_t> unit) {
  read(unit);
  return packet_.frame.type == FrameType::kKey;
}

void StreamJoiner::packet(std::span<const uint8_t> unit) {
  const bool key = is_key(unit);
  const size_t came_header = packet_.size;
  FrameParameters& frame = packet_.frame;
  const FrameTime came_time = frame_time(frame, fps_den_);
  const uint64_t came = frame.number;
  if (begins_ && !key) fail("it does not begin with a key frame");
  if (begins_) {
    number_shift_ = next_number_ - came;
    time_shift_ = next_time_ - static_cast<uint64_t>(came_time.timestamp);
  }
  begins_ = false;

  uint16_t reference_check = 0;
  if (!key) {
    const uint64_t number = came - frame.reference;
    const Checks& reference = checks_of(number);
    if (reference.number != number)
      fail(text("frame %llu refers to a frame that is not in front of it",
                static_cast<unsigned long long>(frames())));
    if (reference.came != frame.reference_check)
      fail(text("frame %llu refers to another frame than the one in front of it",
                static_cast<unsigned long long>(frames())));
    reference_check = reference.went;
  }
  const uint64_t number = came + number_shift_;
  if (number > UINT32_MAX) fail("more frames than a stream can number");
  frame.number = static_cast<uint32_t>(number);
  const FrameTime time = {static_cast<int64_t>(static_cast<uint64_t>(came_time.timestamp) + time_shift_),
                          came_time.duration};
  set_frame_time(frame, fps_den_, time);

  Checks checks = {came, frame.check, 0};
  write_packet_header(packet_, layout_.regions, bytes_);
  const auto rest = unit.subspan(came_header);
  bytes_.insert(bytes_.end(), rest.begin(), rest.end());
  checks.went = seal_packet(bytes_, packet_, reference_check);
  checks_of(came) = checks;
  next_number_ = number + 1;
  next_time_ = static_cast<uint64_t>(time.timestamp) + static_cast<uint64_t>(time.duration);
  out_.write(std::span<const uint8_t>(bytes_));
  index_.add(bytes_.size(), key, time.timestamp);
}

void StreamJoiner::finish() {
  const Result<std::vector<uint8_t>> index = index_.unit(fps_den_);
  if (index.ok()) {
    out_.write(std::span<const uint8_t>(*index));
  } else {
    warn(index.status().message() + ", so none is written");
  }
}

}  // namespace ctv::tools
