// SPDX-License-Identifier: BSD-3-Clause
// The receiver's messages to the sender, and their times.
#include <algorithm>

#include "codec/transport/receiver.hpp"

namespace ctv::net {
namespace {

// Until the sender knows of a lost frame, the picture freezes, and repetitions must arrive in time. A message
// may be lost, so such a message is repeated this many times.
constexpr int kAgain = 2;

// Every message requests the key frame until it arrives. Such a message is due at most once in a round trip,
// and at most once in this time.
constexpr int64_t kLeastKeyWait = 1000;

// After so much silence of the sender, requests for a key frame are as rare.
constexpr int64_t kSilence = 1000000;

// Arrivals are told after this time, also if no frame is complete: the sender's rate depends on them.
constexpr int64_t kNews = 50000;

// Key frames are requested again this often, whatever the configuration.
constexpr int kKeyRepeats = 2;

}  // namespace

void Receiver::report(int64_t number, ctv_net_state state) {
  if (number < 0 || number >= next_) return;
  Recent& recent = recent_[static_cast<size_t>(number) % recent_.size()];
  if (recent.number != number || recent.state == state) return;
  recent.state = state;
  changed_ = true;
  lost_ = lost_ || state == CTV_NET_LOST;
  if (recent.key_frame && state == CTV_NET_WHOLE) key_wanted_ = false;
}

void Receiver::request_key_frame() {
  if (!key_wanted_) key_asked_us_ = INT64_MIN;
  key_wanted_ = true;
}

int64_t Receiver::ask_again_us(const FrameAssembly& frame) const {
  if (frame.asks == 0 || frame.has_table() || frame.again == kAgain) return INT64_MAX;
  return frame.again_us + std::max<int64_t>(config_.reorder_us, 1);
}

int Receiver::repeats(const FrameAssembly& frame) const {
  return frame.touched() && frame.key_frame() ? std::max(config_.repeats, kKeyRepeats) : config_.repeats;
}

// Latest time at which a requested datagram still arrives before the deadline.
int64_t Receiver::last_ask_us(const FrameAssembly& frame) const {
  const int64_t last = frame.clock_us() + config_.deadline_us - config_.round_trip_us;
  if (!frame.touched() || !frame.key_frame()) return last;
  return std::max(last, missing_us(frame) + config_.round_trip_us + spacing_us_);
}

int64_t Receiver::ask_us(const FrameAssembly& frame) const {
  if (frame.broken() || frame.whole()) return INT64_MAX;
  const int64_t last = last_ask_us(frame);
  if (const int64_t again = ask_again_us(frame); again <= last) return again;
  if (frame.asks >= repeats(frame)) return INT64_MAX;
  int64_t time = missing_us(frame);
  if (frame.asks > 0) {
    time = frame.asked_us + config_.round_trip_us + config_.reorder_us;
    // A frame without its table is lost, so it is requested once more while that may help.
    if (!frame.has_table()) time = std::min(time, std::max(frame.asked_us, last - config_.reorder_us));
    if (time <= frame.asked_us) return INT64_MAX;
  }
  return time <= last ? time : INT64_MAX;
}

void Receiver::collect_requests(int64_t now_us, Message& message) {
  const size_t reports = message_size(kMaxReports, 0, 0);
  const auto mtu = static_cast<size_t>(config_.mtu);
  const size_t most = mtu > reports ? std::min(kMaxRequests, (mtu - reports) / kRequestSize) : 0;
  for (auto& [number, frame] : frames_) {
    if (message.request_count >= most) return;
    if (ask_us(frame) > now_us || now_us > last_ask_us(frame)) continue;
    const bool again = ask_again_us(frame) <= now_us;
    const bool answered = now_us >= frame.asked_us + config_.round_trip_us;
    const int wanted = frame.asks > 0 && !answered ? 1 : kPriorities;
    const size_t before = message.request_count;
    frame.ask(static_cast<uint16_t>(number & 0xFFFF), wanted, most, message);
    frame.again_us = now_us;
    if (again) {
      ++frame.again;
      continue;
    }
    statistics_.asked += message.request_count - before;
    ++frame.asks;
    frame.again = 0;
    frame.asked_us = now_us;
  }
}

void Receiver::collect_reports(Message& message) const {
  if (!given_) return;
  const int64_t newest = next_ - 1;
  message.newest = static_cast<uint32_t>(newest & 0xFFFF);
  const size_t room = (static_cast<size_t>(config_.mtu) - kFeedbackHeader) * 4;
  for (size_t i = 0; i < std::min(kMaxReports, room); ++i) {
    const int64_t number = newest - static_cast<int64_t>(i);
    if (number < 0) break;
    const Recent& recent = recent_[static_cast<size_t>(number) % recent_.size()];
    message.reports[i] = recent.number == number ? recent.state : CTV_NET_UNKNOWN;
    message.report_count = i + 1;
  }
}

ctv_status Receiver::feedback(int64_t now_us, std::span<const uint8_t>& out) {
  if (!window_.any()) return CTV_AGAIN;  // nothing has arrived yet
  Message message;
  collect_requests(now_us, message);
  served_us_ = now_us;
  const bool key_due = now_us >= key_due_us();
  const bool again = again_ > 0 && now_us >= again_us_;
  const bool news = window_.news() && now_us >= news_due_us();
  if (!changed_ && !key_due && !again && !news && message.request_count == 0) return CTV_AGAIN;
  again_ = lost_ ? kAgain : std::max(0, again_ - 1);
  again_us_ = now_us + std::max<int64_t>(config_.reorder_us, 1);
  collect_reports(message);
  message.key_frame = asks_for_key_frame();
  message.number = message_number_++ & 0xFFFF;
  message.sequence = window_.highest();
  message.loss_permille = static_cast<uint32_t>(window_.loss_permille());
  message.burst_permille = static_cast<uint32_t>(window_.burst_permille());
  message.time_us = static_cast<uint32_t>(now_us);
  const size_t size = message_size(message.report_count, message.request_count, 0);
  window_.write(now_us, std::min(kMaxArrivals, (static_cast<size_t>(config_.mtu) - size) / kArrivalSize),
                message);
  message_.resize(message_size(message.report_count, message.request_count, message.arrival_count));
  write_message(message, message_.data());
  out = message_;
  changed_ = lost_ = false;
  if (message.key_frame) key_asked_us_ = now_us;
  written_us_ = now_us;
  return CTV_OK;
}

int64_t Receiver::news_due_us() const { return written_us_ == INT64_MIN ? INT64_MIN : written_us_ + kNews; }

// A key frame that still arrives makes another one needless.
bool Receiver::asks_for_key_frame() const {
  return key_wanted_ && std::ranges::none_of(frames_, [](const auto& entry) {
           return entry.second.touched() && entry.second.key_frame() && !entry.second.broken();
         });
}

int64_t Receiver::key_due_us() const {
  if (!asks_for_key_frame()) return INT64_MAX;
  if (key_asked_us_ == INT64_MIN) return INT64_MIN;
  const bool silent = key_asked_us_ - window_.highest_us() > kSilence;
  return key_asked_us_ + std::max({config_.round_trip_us, kLeastKeyWait, silent ? kSilence : 0});
}

int64_t Receiver::due_us() const {
  if (gap_ > 0 || changed_) return INT64_MIN;
  int64_t due = INT64_MAX;
  if (window_.any()) due = key_due_us();
  if (window_.news()) due = std::min(due, news_due_us());
  if (again_ > 0) due = std::min(due, again_us_);
  if (!frames_.empty()) {
    const FrameAssembly& front = frames_.begin()->second;
    if (ready(front, INT64_MIN)) return INT64_MIN;
    due = std::min(due, end_us(front));
  }
  for (const auto& [number, frame] : frames_) {
    if (served_us_ <= last_ask_us(frame)) due = std::min(due, ask_us(frame));
  }
  return due;
}

}  // namespace ctv::net
