// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/sender.hpp"

#include <algorithm>

#include "codec/transport/settings.hpp"

namespace ctv::net {
namespace {

constexpr size_t kMostPerGroup = size_t{kMaxBlocks} * kMaxData;
constexpr int64_t kRoundTripWeight = 8;    // weight of the smoothed time, as in TCP (RFC 6298)
constexpr double kEarlier = 1 - 1.0 / 32;  // weight of earlier frames in the share of parts
constexpr int64_t kFirstRoundTrip = 100000;
// Parity and repetition take at most this much per byte of parts, so that the parts are at least the 40 %
// that ctv_net_settings_choose() expects.
constexpr double kMostOverhead = 1.5;
constexpr double kSpareTime = 0.25;  // seconds at the present rate for which it may be saved
constexpr double kUnlimited = 1e12;
// Datagrams of this time, about a frame, leave at once, others at the pace.
constexpr int64_t kBurst = 30000;
constexpr int64_t kProbeInterval = 1000000;  // while the receiver is silent
constexpr int kLaterArrivals = 3;            // as in TCP (RFC 5681)
constexpr int64_t kKeyPatience = 250000;     // in addition to two round trips

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

void PartShare::add_frame(size_t parts, size_t all) {
  parts_ = kEarlier * parts_ + static_cast<double>(parts);
  all_ = kEarlier * all_ + static_cast<double>(all);
}

Sender::Sender(const ctv_net_sender_config& config)
    : config_(config), rate_(std::max<int64_t>(1, config.bitrate), config.max_bitrate) {
  ctv_net_settings_init(&settings_);
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

Timing Sender::timing() const {
  if (settings_.deadline_us < 0) return {};
  const int64_t round_trip = round_trip_us_ < 0 ? kFirstRoundTrip : round_trip_us_;
  return {true, divide_up(round_trip, 1000), divide_up(settings_.deadline_us, 1000), settings_.repeats};
}

ctv_status Sender::push(const ctv_net_frame& frame) {
  CTV_NET_RETURN_IF_ERROR(check(frame));
  const bool key = frame.reference < 0;
  size_t table_bytes = 0, parts = 0, parity = 0;
  for (size_t i = 0; i < frame.part_count; ++i) parts += frame.parts[i].size;
  const double more = kMostOverhead * static_cast<double>(parts);
  const double spare =
      controlled()
          ? std::min(spare_ + more, std::max(more, kSpareTime / 8 * static_cast<double>(rate_.bitrate())))
          : kUnlimited;
  SentFrame cut = cut_frame(frame, config_.mtu, key ? settings_.key_protection : settings_.protection,
                            timing(), static_cast<size_t>(spare), table_bytes);
  const auto most = static_cast<size_t>(config_.max_memory);
  if (cut.bytes > most) return fail(CTV_ERROR_LIMIT, "frame: larger than max_memory with headers and parity");
  frames_.push_back(std::move(cut));
  held_ += frames_.back().bytes;
  waiting_ += frames_.back().bytes;
  while (held_ > most) drop_oldest();
  newest_ = frame.frame_number;
  if (key) key_number_ = newest_, key_sent_us_ = INT64_MIN;
  statistics_.header_bytes += table_bytes;
  for (size_t i = 0; i < frame.part_count; ++i)
    statistics_.data_bytes[frame.parts[i].priority] += frame.parts[i].size;
  part_share_.add_frame(parts, frames_.back().bytes);
  for (const SentDatagram& d : frames_.back().datagrams) {
    if (d.parity) {
      parity += d.bytes.size();
    } else {
      statistics_.header_bytes += kHeaderSize;
    }
  }
  statistics_.parity_bytes += parity;
  spare_ = std::max(0.0, spare - static_cast<double>(parity));
  return CTV_OK;
}

void Sender::drop_oldest() {
  const SentFrame& frame = frames_.front();
  for (size_t i = frame.sent; i < frame.datagrams.size(); ++i) waiting_ -= frame.datagrams[i].bytes.size();
  for (size_t i = frame.repeats_sent; i < frame.repeats.size(); ++i)
    waiting_ -= frame.datagrams[frame.repeats[i]].bytes.size();
  held_ -= frame.bytes;
  frames_.pop_front();
}

void Sender::give(Bytes& bytes, int64_t now_us, std::span<const uint8_t>& datagram) {
  put_16(&bytes[2], sequence_);
  departures_[sequence_ % departures_.size()] = {sequence_, now_us, static_cast<uint32_t>(bytes.size())};
  sequence_ = (sequence_ + 1) & 0xFFFF;
  ++statistics_.datagrams;
  if (unanswered_us_ < 0) unanswered_us_ = now_us;
  if (controlled()) {
    paid_us_ = std::max(paid_us_, static_cast<double>(now_us)) +
               8e6 * static_cast<double>(bytes.size()) / rate_.pace();
    latest_ = bytes;
  }
  datagram = bytes;
}

bool Sender::dark(int64_t now_us) const {
  return controlled() && unanswered_us_ >= 0 && now_us - unanswered_us_ > silence_us(round_trip_us_);
}

// Nothing that waits is of use when the receiver is back. Its answer to a repetition says that it is.
ctv_status Sender::probe(int64_t now_us, std::span<const uint8_t>& datagram) {
  for (SentFrame& frame : frames_) {
    frame.sent = frame.datagrams.size();
    frame.repeats.clear();
    frame.repeats_sent = 0;
  }
  waiting_ = 0;
  if (latest_.empty() || (probed_us_ != INT64_MIN && now_us - probed_us_ < kProbeInterval)) return CTV_AGAIN;
  probed_us_ = now_us;
  latest_[0] |= kRepeatedBit;
  current_ = latest_;
  statistics_.repeated_bytes += current_.size();
  give(current_, now_us, datagram);
  return CTV_OK;
}

int64_t Sender::due_us() const {
  if (controlled() && unanswered_us_ >= 0 && waiting_ == 0) {
    const int64_t silent = unanswered_us_ + silence_us(round_trip_us_) + 1;
    return probed_us_ == INT64_MIN ? silent : std::max(silent, probed_us_ + kProbeInterval);
  }
  if (waiting_ == 0) return INT64_MAX;
  return controlled() ? static_cast<int64_t>(std::ceil(paid_us_)) - kBurst : INT64_MIN;
}

ctv_status Sender::next(int64_t now_us, std::span<const uint8_t>& datagram) {
  if (dark(now_us)) return probe(now_us, datagram);
  if (controlled() && paid_us_ - static_cast<double>(now_us) > static_cast<double>(kBurst)) return CTV_AGAIN;
  for (SentFrame& frame : frames_) {
    if (frame.repeats_sent == frame.repeats.size()) continue;
    SentDatagram& d = frame.datagrams[frame.repeats[frame.repeats_sent++]];
    if (frame.repeats_sent == frame.repeats.size()) {
      frame.repeats.clear();
      frame.repeats_sent = 0;
    }
    d.waiting = false;
    d.bytes[0] |= kRepeatedBit;
    waiting_ -= d.bytes.size();
    statistics_.repeated_bytes += d.bytes.size();
    part_share_.add_repeated(d.bytes.size());
    give(d.bytes, now_us, datagram);
    return CTV_OK;
  }
  for (SentFrame& frame : frames_) {
    if (frame.sent == frame.datagrams.size()) continue;
    SentDatagram& d = frame.datagrams[frame.sent++];
    waiting_ -= d.bytes.size();
    if (frame.number == key_number_ && frame.sent == frame.datagrams.size())
      key_sequence_ = sequence_, key_sent_us_ = now_us;
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
    if (controlled() && static_cast<double>(d.bytes.size()) > spare_) continue;
    if (controlled()) spare_ -= static_cast<double>(d.bytes.size());
    waiting_ += d.bytes.size();
    frame->repeats.push_back(i);
    d.repeated_us = now_us;
    d.waiting = true;
    ++d.repeated;
    ++repeats;
  }
  return repeats;
}

void Sender::note_round_trip(int64_t now_us, const Message& message) {
  if (message.arrival_count == 0 || message.ages[0] >= kOldest) return;
  const Departure& departure = departures_[message.sequence % departures_.size()];
  if (departure.time_us < 0 || departure.sequence != message.sequence) return;
  const int64_t sample = std::min(now_us - departure.time_us - kAgeUnit * message.ages[0], kLongestDelay);
  if (sample < 0) return;
  round_trip_us_ =
      round_trip_us_ < 0 ? sample : round_trip_us_ + (sample - round_trip_us_) / kRoundTripWeight;
}

// A datagram is lost if several that were sent later have arrived, but it has not.
void Sender::note_arrivals(int64_t now_us, const Message& message) {
  const auto step = static_cast<int32_t>(message.time_us - static_cast<uint32_t>(receiver_us_));
  receiver_us_ += step;
  std::array<Arrival, kMaxArrivals> arrivals;
  size_t count = 0;
  int lost = 0, later = 0;
  for (size_t i = 0; i < message.arrival_count; ++i) {
    const uint32_t sequence = (message.sequence - static_cast<uint32_t>(i)) & 0xFFFF;
    Departure& d = departures_[sequence % departures_.size()];
    if (d.time_us < 0 || d.sequence != sequence) continue;
    const uint16_t age = message.ages[i];
    if (age != kNotArrived) {
      ++later;
      if (d.fate == Departure::Fate::kLost) --lost;
      if (d.fate != Departure::Fate::kArrived && age != kOldest)
        arrivals[count++] = {d.time_us, receiver_us_ - kAgeUnit * age, d.bytes};
      d.fate = Departure::Fate::kArrived;
    } else if (later >= kLaterArrivals && d.fate == Departure::Fate::kUnknown) {
      d.fate = Departure::Fate::kLost;
      ++lost;
    }
  }
  std::reverse(arrivals.begin(), arrivals.begin() + static_cast<ptrdiff_t>(count));
  rate_.update(now_us, std::span(arrivals).first(count), lost, round_trip_us_);
}

// A request that was written before the last key frame can have arrived asks for that one.
bool Sender::grants_key_frame(int64_t now_us, const Message& message) {
  const int64_t trip = round_trip_us_ < 0 ? kFirstRoundTrip : round_trip_us_;
  if (granted_us_ != INT64_MIN && now_us - granted_us_ < trip) return false;
  if (key_number_ >= 0) {
    const bool waits = key_sent_us_ == INT64_MIN && !frames_.empty() &&
                       frames_.front().number <= key_number_ && waiting_ > 0;
    const auto behind = static_cast<int16_t>(static_cast<uint16_t>(message.sequence - key_sequence_));
    const bool travels =
        key_sent_us_ != INT64_MIN && behind < 0 && now_us - key_sent_us_ < 2 * trip + kKeyPatience;
    if (waits || travels) return false;
  }
  granted_us_ = now_us;
  return true;
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
  unanswered_us_ = -1;
  probed_us_ = INT64_MIN;
  note_round_trip(now_us, message);
  note_arrivals(now_us, message);
  loss_permille_ = static_cast<int32_t>(message.loss_permille);
  burst_permille_ = static_cast<int32_t>(message.burst_permille);
  report_count_ = 0;
  note_reports(message);
  note_requests(message);
  out.reports = reports_.data();
  out.report_count = report_count_;
  out.key_frame = message.key_frame && grants_key_frame(now_us, message) ? 1 : 0;
  out.repeats = 0;
  for (size_t i = 0; i < message.request_count; ++i) out.repeats += repeat(now_us, message.requests[i]);
  return CTV_OK;
}

void Sender::measure(int64_t now_us, ctv_net_measurement& measurement) const {
  if (controlled()) {
    measurement.bitrate = rate_.bitrate();
    const double busy = std::max(0.0, paid_us_ - static_cast<double>(now_us) - static_cast<double>(kBurst));
    measurement.waiting_us = static_cast<int64_t>(busy + 8e6 * static_cast<double>(waiting_) / rate_.pace());
    measurement.silent_us = unanswered_us_ < 0 ? 0 : std::max<int64_t>(0, now_us - unanswered_us_);
  }
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
