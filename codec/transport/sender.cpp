// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/sender.hpp"

#include <algorithm>

#include "codec/transport/settings.hpp"

namespace ctv::net {
namespace {

constexpr size_t kMostPerGroup = size_t{kMaxBlocks} * kMaxData;
constexpr int64_t kRoundTripWeight = 8;    // weight of the smoothed time, as in TCP (RFC 6298)
constexpr double kEarlier = 1 - 1.0 / 32;  // weight of earlier frames in the share of parts

}  // namespace

void PartShare::add_frame(size_t parts, size_t all) {
  parts_ = kEarlier * parts_ + static_cast<double>(parts);
  all_ = kEarlier * all_ + static_cast<double>(all);
}

Sender::Sender(const ctv_net_sender_config& config) : config_(config) {
  ctv_net_protection_init(&protection_);
  for (ctv_net_report& report : known_) report = {-1, CTV_NET_UNKNOWN};
}

ctv_status Sender::check(const ctv_net_frame& f) const {
  CTV_NET_RETURN_IF_ERROR(check_range("frame.frame_number", f.frame_number, newest_ + 1, INT64_MAX - 65536));
  CTV_NET_RETURN_IF_ERROR(check_range("frame.reference", f.reference, -1, f.frame_number - 1));
  if (f.reference >= 0) {
    CTV_NET_RETURN_IF_ERROR(
        check_range("frame.reference", f.reference, f.frame_number - 255, f.frame_number - 1));
  }
  CTV_NET_RETURN_IF_ERROR(check_range("frame.temporal_id", f.temporal_id, 0, 7));
  CTV_NET_RETURN_IF_ERROR(check_range("frame.spatial_id", f.spatial_id, 0, 3));
  CTV_NET_RETURN_IF_ERROR(check_range("frame.discardable", f.discardable, 0, 1));
  CTV_NET_RETURN_IF_ERROR(check_range(
      "frame.part_count", static_cast<int64_t>(std::min<size_t>(f.part_count, 1000)), 1, CTV_NET_MAX_PARTS));
  if (f.parts == nullptr) return fail(CTV_ERROR_ARGUMENT, "frame.parts: is null");
  uint64_t sizes[kPriorities] = {};
  uint64_t all = 0;
  for (size_t i = 0; i < f.part_count; ++i) {
    const ctv_net_part& part = f.parts[i];
    CTV_NET_RETURN_IF_ERROR(check_range("part.priority", part.priority, 0, kPriorities - 1));
    if (part.size > 0 && part.data == nullptr) return fail(CTV_ERROR_ARGUMENT, "part.data: is null");
    if (part.size > static_cast<uint64_t>(config_.max_memory))
      return fail(CTV_ERROR_LIMIT, "part.size: above max_memory");
    sizes[part.priority] += part.size;
    all += part.size;
  }
  constexpr size_t kLargestTable = 5 * (CTV_NET_MAX_PARTS + 1);
  const size_t room = static_cast<size_t>(config_.mtu) - kHeaderSize;
  for (const uint64_t size : sizes) {
    if (size + kLargestTable > kMostPerGroup * room)
      return fail(CTV_ERROR_LIMIT, "frame: too many datagrams");
  }
  if (all + kLargestTable > static_cast<uint64_t>(config_.max_memory)) {
    return fail(CTV_ERROR_LIMIT, "frame: larger than max_memory");
  }
  return CTV_OK;
}

ctv_status Sender::push(const ctv_net_frame& frame) {
  CTV_NET_RETURN_IF_ERROR(check(frame));
  size_t table_bytes = 0;
  SentFrame cut = cut_frame(frame, config_.mtu, protection_, table_bytes);
  const auto most = static_cast<size_t>(config_.max_memory);
  if (cut.bytes > most) return fail(CTV_ERROR_LIMIT, "frame: larger than max_memory with headers and parity");
  frames_.push_back(std::move(cut));
  held_ += frames_.back().bytes;
  while (held_ > most) {
    held_ -= frames_.front().bytes;
    frames_.pop_front();
  }
  newest_ = frame.frame_number;
  statistics_.header_bytes += table_bytes;
  size_t parts = 0;
  for (size_t i = 0; i < frame.part_count; ++i) {
    statistics_.data_bytes[frame.parts[i].priority] += frame.parts[i].size;
    parts += frame.parts[i].size;
  }
  part_share_.add_frame(parts, frames_.back().bytes);
  for (const SentDatagram& d : frames_.back().datagrams) {
    if (d.parity) {
      statistics_.parity_bytes += d.bytes.size();
    } else {
      statistics_.header_bytes += kHeaderSize;
    }
  }
  return CTV_OK;
}

void Sender::give(Bytes& bytes, int64_t now_us, std::span<const uint8_t>& datagram) {
  put_16(&bytes[2], sequence_);
  departures_[sequence_ % departures_.size()] = {sequence_, now_us};
  sequence_ = (sequence_ + 1) & 0xFFFF;
  ++statistics_.datagrams;
  datagram = bytes;
}

ctv_status Sender::next(int64_t now_us, std::span<const uint8_t>& datagram) {
  for (SentFrame& frame : frames_) {
    if (frame.repeats_sent == frame.repeats.size()) continue;
    SentDatagram& d = frame.datagrams[frame.repeats[frame.repeats_sent++]];
    if (frame.repeats_sent == frame.repeats.size()) {
      frame.repeats.clear();
      frame.repeats_sent = 0;
    }
    d.waiting = false;
    d.bytes[0] |= kRepeatedBit;
    statistics_.repeated_bytes += d.bytes.size();
    part_share_.add_repeated(d.bytes.size());
    give(d.bytes, now_us, datagram);
    return CTV_OK;
  }
  for (SentFrame& frame : frames_) {
    if (frame.sent == frame.datagrams.size()) continue;
    SentDatagram& d = frame.datagrams[frame.sent++];
    if (!d.parity) {
      give(d.bytes, now_us, datagram);
      return CTV_OK;
    }
    frame.bytes -= d.bytes.size();
    held_ -= d.bytes.size();
    current_ = std::move(d.bytes);
    d.bytes.clear();
    give(current_, now_us, datagram);
    return CTV_OK;
  }
  return CTV_AGAIN;
}

// Several messages repeat a request at short intervals; it is answered once.
int Sender::repeat(int64_t now_us, const Request& request) {
  const int64_t number = unwrap(request.frame, newest_);
  const auto frame = std::ranges::lower_bound(frames_, number, {}, &SentFrame::number);
  if (frame == frames_.end() || frame->number != number) return 0;
  int repeats = 0;
  for (size_t i = 0; i < frame->sent; ++i) {
    SentDatagram& d = frame->datagrams[i];
    const bool meant = (request.priority == kAll || request.priority == d.priority) &&
                       (request.block == kAll || request.block == d.block) &&
                       (request.index == kAll || request.index == d.index);
    if (!meant || d.parity || d.waiting || d.repeated >= config_.repeats) continue;
    if (d.repeated > 0 && now_us - d.repeated_us <= round_trip_us_ / 2) continue;
    frame->repeats.push_back(i);
    d.repeated_us = now_us;
    d.waiting = true;
    ++d.repeated;
    ++repeats;
  }
  return repeats;
}

void Sender::note_round_trip(int64_t now_us, const Message& message) {
  const Departure& departure = departures_[message.sequence % departures_.size()];
  if (departure.time_us < 0 || departure.sequence != message.sequence) return;
  const int64_t sample =
      std::min(now_us - departure.time_us - static_cast<int64_t>(message.held_us), kLongestDelay);
  if (sample < 0) return;
  round_trip_us_ =
      round_trip_us_ < 0 ? sample : round_trip_us_ + (sample - round_trip_us_) / kRoundTripWeight;
}

void Sender::note_report(int64_t number, ctv_net_state state) {
  if (number < 0 || number > newest_ || number <= newest_ - static_cast<int64_t>(known_.size())) return;
  ctv_net_report& known = known_[static_cast<size_t>(number) % known_.size()];
  if (known.frame_number == number && known.state == state) return;
  known = {number, state};
  reports_[report_count_++] = known;
}

// A requested datagram may arrive too late, and then the frames that refer to its frame are lost, too. Until
// a report arrives the frame counts as lost.
void Sender::note_requests(const Message& message) {
  for (size_t i = 0; i < message.request_count && report_count_ < reports_.size(); ++i) {
    const Request& request = message.requests[i];
    const int64_t number = unwrap(request.frame, newest_);
    if (number < 0 || (request.priority != 0 && request.priority != kAll)) continue;
    if (known_[static_cast<size_t>(number) % known_.size()].frame_number != number)
      note_report(number, CTV_NET_LOST);
  }
}

void Sender::note_reports(const Message& message) {
  const int64_t newest = unwrap(message.newest, newest_);
  if (newest > newest_) return;
  for (size_t i = message.report_count; i-- > 0;) {  // oldest first
    const int64_t number = newest - static_cast<int64_t>(i);
    const ctv_net_state state = message.reports[i];
    if (state != CTV_NET_UNKNOWN) note_report(number, state);
  }
}

ctv_status Sender::feedback(int64_t now_us, std::span<const uint8_t> bytes, ctv_net_feedback& out) {
  Message message;
  CTV_NET_RETURN_IF_ERROR(read_message(bytes, message));
  note_round_trip(now_us, message);
  loss_permille_ = static_cast<int32_t>(message.loss_permille);
  burst_permille_ = static_cast<int32_t>(message.burst_permille);
  report_count_ = 0;
  note_reports(message);
  note_requests(message);
  out.reports = reports_.data();
  out.report_count = report_count_;
  out.key_frame = message.key_frame ? 1 : 0;
  out.repeats = 0;
  for (size_t i = 0; i < message.request_count; ++i) out.repeats += repeat(now_us, message.requests[i]);
  return CTV_OK;
}

void Sender::measure(ctv_net_measurement& measurement) const {
  measurement.loss_permille = loss_permille_;
  measurement.burst_permille = burst_permille_;
  measurement.round_trip_us = round_trip_us_;
  measurement.part_permille = part_share_.permille();
}

ctv_net_sender_statistics Sender::statistics() const {
  ctv_net_sender_statistics s = statistics_;
  s.held_bytes = held_;
  return s;
}

}  // namespace ctv::net
