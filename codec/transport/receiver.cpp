// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/receiver.hpp"

#include <algorithm>
#include <utility>

namespace ctv::net {
namespace {

// A frame number far from all others is accepted only after this many datagrams near it (RFC 3550, appendix
// A.1), so that one forged or damaged datagram cannot end a call.
constexpr int kProbation = 4;

// Longest extension of the deadline for a frame that still arrives.
constexpr int64_t kMostPatience = 1000000;

// The spacing of datagrams at first, when nothing is known about it, and at most.
constexpr int64_t kFirstSpacing = 50000, kMostSpacing = 250000;
constexpr int64_t kForget = 256;
// The next datagram of a frame that still arrives is awaited as if the ones before it were lost.
constexpr int64_t kLostInARow = 4;

constexpr int64_t kMostBurst = 65535;  // largest value in a message

// Keeps the longest of the last times, with half more. Earlier ones lose weight with each datagram.
int64_t learn(int64_t known, int64_t sample, int64_t least) {
  return std::max({least, known - known / kForget, sample + sample / 2});
}

// Updates the bytes held when one frame changes, also if memory ends.
class Accounting {
 public:
  Accounting(const FrameAssembly& frame, size_t& sum) : frame_(frame), sum_(sum) { sum_ -= frame.held(); }
  ~Accounting() { sum_ += frame_.held(); }
  Accounting(const Accounting&) = delete;
  Accounting& operator=(const Accounting&) = delete;

 private:
  const FrameAssembly& frame_;
  size_t& sum_;
};

}  // namespace

int64_t SequenceWindow::note(uint32_t sequence, int64_t now_us) {
  const int64_t number = any_ ? unwrap(sequence, highest_) : sequence;
  if (!any_ || number > highest_ + kWindow || number < highest_ - 8 * kWindow) {
    any_ = true;
    first_ = highest_ = number;
    written_ = written_before_ = number - 1;
    came_.reset();
  } else if (number <= highest_ - kWindow) {
    return 0;
  }
  news_ = true;
  if (number >= highest_) {
    for (int64_t i = highest_ + 1; i < number; ++i) came_.reset(static_cast<size_t>(i & (kWindow - 1)));
    highest_ = number;
    highest_us_ = now_us;
  }
  const auto place = static_cast<size_t>(number & (kWindow - 1));
  if (came_.test(place) && number < highest_) return 0;
  came_.set(place);
  times_us_[place] = now_us;
  int64_t earliest = now_us;
  for (int64_t i = number + 1; i <= highest_; ++i) {
    const auto later = static_cast<size_t>(i & (kWindow - 1));
    if (came_.test(later)) earliest = std::min(earliest, times_us_[later]);
  }
  return now_us - earliest;
}

void SequenceWindow::write(int64_t now_us, size_t most, Message& message) {
  const int64_t from = std::max({first_, written_before_ + 1, highest_ - kWindow + 1});
  for (int64_t i = highest_; i >= from && message.arrival_count < most; --i) {
    const auto place = static_cast<size_t>(i & (kWindow - 1));
    const int64_t age = std::clamp<int64_t>((now_us - times_us_[place]) / kAgeUnit, 0, kOldest);
    message.ages[message.arrival_count++] = came_.test(place) ? static_cast<uint16_t>(age) : kNotArrived;
  }
  written_before_ = std::exchange(written_, highest_);
  news_ = false;
}

SequenceWindow::Losses SequenceWindow::losses() const {
  const int64_t from = std::max(first_, highest_ - kWindow + 1);
  Losses losses{.datagrams = highest_ - kNewest - from + 1};
  if (!any_ || losses.datagrams < 32) return {};
  bool before = true;
  for (int64_t i = from; i < from + losses.datagrams; ++i) {
    const bool came = came_.test(static_cast<size_t>(i & (kWindow - 1)));
    losses.lost += came ? 0 : 1;
    losses.bursts += before && !came ? 1 : 0;
    before = came;
  }
  return losses;
}

int SequenceWindow::loss_permille() const {
  const Losses l = losses();
  return l.lost == 0 ? 0 : static_cast<int>((1000 * l.lost + l.datagrams / 2) / l.datagrams);
}

int SequenceWindow::burst_permille() const {
  const Losses l = losses();
  return l.lost == 0 ? 1000 : static_cast<int>(std::min(1000 * l.lost / l.bursts, kMostBurst));
}

Receiver::Receiver(const ctv_net_receiver_config& config)
    : config_(config), reorder_us_(config.reorder_us), spacing_us_(kFirstSpacing) {
  // A datagram limits the requests of a message.
  message_.reserve(static_cast<size_t>(config.mtu));
}

void Receiver::learn_spacing(const ctv_net_header& h, int64_t now_us, int64_t late_us) {
  reorder_us_ = learn(reorder_us_, late_us, config_.reorder_us);
  const auto sequence = static_cast<uint32_t>(h.sequence);
  if (h.frame == before_frame_ && sequence == ((before_sequence_ + 1) & 0xFFFF))
    spacing_us_ = learn(spacing_us_, std::min(now_us - before_us_, kMostSpacing), 0);
  before_frame_ = h.frame;
  before_sequence_ = sequence;
  before_us_ = now_us;
}

// Frames are sent one after the other: what was not repeated and is missing in those before was lost.
void Receiver::note_passed(int64_t number, bool last, int64_t now_us) {
  for (auto it = frames_.lower_bound(passed_); it != frames_.end() && it->first < number; ++it)
    it->second.passed_us = std::min(it->second.passed_us, now_us);
  passed_ = std::max(passed_, number);
  if (last) frames_.at(number).passed_us = now_us;
}

void Receiver::take_timing(int64_t number, const Timing& timing) {
  if (!timing.known || number <= timing_frame_) return;
  timing_frame_ = number;
  config_.deadline_us = 1000 * timing.deadline;
  config_.round_trip_us = 1000 * timing.round_trip;
  config_.repeats = static_cast<int32_t>(timing.repeats);
}

// Whether to continue at a frame number far from those that wait.
bool Receiver::jumps(int64_t number) {
  const bool near = far_count_ > 0 && number >= far_ - 8 && number <= far_ + 8;
  far_count_ = near ? far_count_ + 1 : 1;
  far_ = number;
  if (far_count_ < kProbation) return false;
  far_count_ = 0;
  go_to(number);
  return true;
}

void Receiver::go_to(int64_t number) {
  gap_ += number - next_;
  given_ = true;  // the gap will be returned first
  next_ = number;
  highest_ = number - 1;
  frames_.clear();
  held_ = 0;
  crowded_ = false;
  passed_ = timing_frame_ = INT64_MIN;
}

// A sender that has restarted counts from 0, which may look late. Unlike late datagrams, its own come without
// any of newer frames between them, and those of the next frame follow. Keeps them until then.
bool Receiver::begins_anew(const ctv_net_header& header, int64_t number, std::span<const uint8_t> datagram) {
  if (header.repeated != 0) return false;
  if (behind_.empty() || number < behind_key_) {
    behind_.clear();
    behind_bytes_ = 0;
    if (header.key_frame == 0) return false;
    behind_key_ = number;
  }
  behind_bytes_ += datagram.size() + kOverhead;
  const auto most = static_cast<uint64_t>(config_.max_memory);
  if (behind_bytes_ > std::min(most / 4, most - held_)) {
    behind_.clear();
    return false;
  }
  behind_.emplace_back(datagram.begin(), datagram.end());
  return number > behind_key_ && behind_.size() >= kProbation;
}

void Receiver::make_frames_up_to(int64_t number, int64_t now_us) {
  for (int64_t i = highest_ + 1; i <= number; ++i) {
    int64_t clock = now_us - config_.frame_interval_us * (number - i);
    if (!frames_.empty()) clock = std::max(clock, frames_.rbegin()->second.clock_us());
    frames_.emplace_hint(frames_.end(), i, FrameAssembly(std::min(clock, now_us)));
    highest_ = i;
  }
}

// Finds the frame's full number and makes room for it. False: too late, or not yet accepted.
bool Receiver::place(const ctv_net_header& header, int64_t now_us, int64_t& number) {
  number = started_ ? unwrap(static_cast<uint32_t>(header.frame), highest_) : header.frame;
  if (!started_) {
    started_ = true;
    next_ = number;
    highest_ = number - 1;
  }
  const bool begins = !given_ && number < next_ && number >= 0 && highest_ - number < config_.max_frames;
  if (begins) {
    for (; next_ > number; --next_) frames_.emplace_hint(frames_.begin(), next_ - 1, FrameAssembly(now_us));
  }
  if (number < next_) {
    if (number >= next_ - 4 * int64_t{config_.max_frames}) {
      ++statistics_.late;
      return false;
    }
    number += 65536;  // the sender has restarted
    if (!jumps(number)) return false;
  } else if (number >= next_ + config_.max_frames) {
    if (!jumps(number)) return false;
  }
  make_frames_up_to(number, now_us);
  return true;
}

ctv_status Receiver::push(int64_t now_us, std::span<const uint8_t> datagram) {
  ctv_net_header header{};
  const auto refuse = [&](const char* what) {
    ++statistics_.refused;
    return fail(CTV_ERROR_STREAM, "datagram: %s", what);
  };
  if (datagram.size() > static_cast<size_t>(config_.mtu)) return refuse("larger than mtu");
  if (const ctv_status status = read_header(datagram, header); status < 0) {
    ++statistics_.refused;
    return status;
  }
  if (header.feedback != 0) return refuse("is feedback");
  int64_t number = 0;
  if (!place(header, now_us, number)) {
    window_.note(static_cast<uint32_t>(header.sequence), now_us);
    if (number >= next_ || !begins_anew(header, number, datagram)) return CTV_OK;
    go_to(behind_key_ + 65536);
    const std::vector<Bytes> kept = std::exchange(behind_, {});
    statistics_.late -= kept.size();
    for (const Bytes& d : kept) (void)push(now_us, d);
    return CTV_OK;
  }
  behind_.clear();
  const auto payload = datagram.subspan(kHeaderSize);
  const auto most = static_cast<uint64_t>(config_.max_memory);
  if (held_ + payload.size() + kOverhead > most) {
    crowded_ = true;
    return fail(CTV_ERROR_LIMIT, "datagram: max_memory is full; take the next frame first");
  }
  FrameAssembly& frame = frames_.at(number);
  const Accounting accounting(frame, held_);
  const auto added = frame.add(header, payload, most);
  if (added == GroupAssembly::Added::kContradiction) return refuse("contradicts others of its frame");
  const int64_t late_us = window_.note(static_cast<uint32_t>(header.sequence), now_us);
  if (header.repeated == 0) {
    learn_spacing(header, now_us, late_us);
    note_passed(number, header.last != 0, now_us);
  }
  ++statistics_.datagrams;
  if (added == GroupAssembly::Added::kTaken) frame.latest_us = now_us;
  take_timing(number, frame.timing());
  if (added == GroupAssembly::Added::kDuplicate) {
    ++statistics_.duplicates;
  } else if (header.repeated != 0) {
    ++statistics_.repeated;
  }
  return CTV_OK;
}

int64_t Receiver::missing_us(const FrameAssembly& frame) const {
  if (frame.passed_us != INT64_MAX) return frame.passed_us + reorder_us_;
  return std::max(frame.clock_us(), frame.latest_us) + std::max(reorder_us_, kLostInARow * spacing_us_);
}

// No picture can be shown without a key frame, and a new one takes longer than the rest of this one.
int64_t Receiver::end_us(const FrameAssembly& frame) const {
  const int64_t deadline = frame.clock_us() + config_.deadline_us;
  if (!frame.touched()) return deadline;
  int64_t end = missing_us(frame);
  if (frame.key_frame() && frame.asks > 0)
    end = std::max(end, frame.asked_us + config_.round_trip_us + spacing_us_);
  return std::clamp(end, deadline, deadline + kMostPatience);
}

bool Receiver::ready(const FrameAssembly& frame, int64_t now_us) const {
  return crowded_ || frame.broken() || frame.whole() || now_us >= end_us(frame);
}

void Receiver::give_gap(ctv_net_frame& frame) {
  frame.frame_number = next_ - gap_;
  frame.state = CTV_NET_LOST;
  frame.lost_frames = gap_;
  statistics_.lost += static_cast<uint64_t>(gap_);
  gap_ = 0;
  changed_ = lost_ = true;
}

void Receiver::give(ctv_net_frame& out) {
  const FrameAssembly& frame = frames_.begin()->second;
  int repaired = 0;
  out.state = frame.assemble(bytes_, parts_, repaired);
  out.frame_number = next_;
  const int64_t reference = next_ - frame.header().reference;
  // -1 means a key frame, so references before frame 0 count down from -2.
  out.reference = frame.key_frame() || !frame.touched() ? -1 : reference - (reference < 0 ? 1 : 0);
  out.temporal_id = frame.header().temporal_id;
  out.spatial_id = frame.header().spatial_id;
  out.discardable = frame.header().discardable;
  out.parts = parts_.data();
  out.part_count = parts_.size();
  out.lost_frames = out.state == CTV_NET_LOST ? 1 : 0;
  out.repaired = repaired;
  out.repeated = frame.repeated();
  out.arrival_us = frame.clock_us();
  statistics_.repaired += static_cast<uint64_t>(repaired);
  ++(out.state == CTV_NET_WHOLE        ? statistics_.whole
     : out.state == CTV_NET_INCOMPLETE ? statistics_.incomplete
                                       : statistics_.lost);
  const bool lost = out.state == CTV_NET_LOST;
  recent_[static_cast<size_t>(next_) % recent_.size()] = {next_, lost ? CTV_NET_LOST : CTV_NET_UNKNOWN,
                                                          frame.key_frame()};
  changed_ = changed_ || lost;
  lost_ = lost_ || lost;
  held_ -= frame.held();
  frames_.erase(frames_.begin());
  ++next_;
  given_ = true;
  crowded_ = false;
}

ctv_status Receiver::next(int64_t now_us, ctv_net_frame& frame) {
  if (gap_ > 0) {
    give_gap(frame);
    return CTV_OK;
  }
  if (frames_.empty() || !ready(frames_.begin()->second, now_us)) return CTV_AGAIN;
  give(frame);
  return CTV_OK;
}

ctv_net_receiver_statistics Receiver::statistics() const {
  ctv_net_receiver_statistics s = statistics_;
  s.held_bytes = held_;
  s.held_frames = frames_.size();
  s.loss_permille = window_.loss_permille();
  s.burst_permille = window_.burst_permille();
  return s;
}

}  // namespace ctv::net
