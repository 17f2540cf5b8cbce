// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/rate_control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ctv::net {
namespace {

constexpr double kLeastRate = 50000;       // bits per second
constexpr double kHeadroom = 2.5;          // estimate over the most that is sent
constexpr int64_t kLeastLasts = 10000000;  // microseconds
constexpr int64_t kWaitWindow = 80000;     // a frame at 15 pictures per second
constexpr int64_t kDeliveryWindow = 300000;
constexpr int64_t kLeastSpan = 60000;  // of arrivals, for a rate
constexpr int kTries = 3;              // for a queue that does not become shorter
constexpr int64_t kPatience = 500000;  // for a queue to become shorter
// A rate does not rise beyond so much of what arrives: nothing is known about more.
constexpr double kEvidence = 2;
// A message about this many datagrams tells how fast they can arrive, but no faster than in this time.
constexpr size_t kBurst = 5;
constexpr int64_t kLeastBurst = 500;
constexpr double kForget = 0.99;
constexpr int kJudged = 50;  // datagrams by which losses are judged

}  // namespace

RateControl::RateControl(int64_t first, int64_t most)
    : rate_(static_cast<double>(std::min(first, most))), most_(static_cast<double>(most)) {}

int64_t RateControl::bitrate() const { return static_cast<int64_t>(std::min(rate_, most_)); }

double RateControl::limit_us() const { return std::clamp(25000 * std::sqrt(1e6 / rate_), 15000.0, 40000.0); }

void RateControl::note(int64_t now_us, std::span<const Arrival> arrivals) {
  int64_t least = INT64_MAX;
  if (arrivals.size() >= kBurst) {
    const int64_t span = std::max(arrivals.back().arrival_us - arrivals.front().arrival_us, kLeastBurst);
    double bits = 0;
    for (const Arrival& a : arrivals.subspan(1)) bits += 8.0 * static_cast<double>(a.bytes);
    peak_ = std::max(kForget * peak_, bits * 1e6 / static_cast<double>(span));
  }
  for (const Arrival& a : arrivals) {
    least = std::min(least, a.arrival_us - a.departure_us);
    delivered_.insert(std::ranges::upper_bound(delivered_, a.arrival_us, {}, &Arrival::arrival_us), a);
  }
  if (now_us - least_since_us_ > kLeastLasts) {
    least_before_us_ = std::exchange(least_us_, INT64_MAX);
    least_since_us_ = now_us;
  }
  least_us_ = std::min(least_us_, least);
  waits_.push_back({now_us, least - std::min(least_us_, least_before_us_)});
  while (waits_.size() > 2 && waits_.front().time_us < now_us - kWaitWindow) waits_.pop_front();
  wait_us_ = std::ranges::min(waits_, {}, &Wait::wait_us).wait_us;

  const int64_t newest = delivered_.back().arrival_us;
  while (delivered_.front().arrival_us < newest - kDeliveryWindow) delivered_.pop_front();
  const int64_t span = newest - delivered_.front().arrival_us;
  if (span < kLeastSpan) return;
  double bits = -8.0 * static_cast<double>(delivered_.front().bytes);
  for (const Arrival& a : delivered_) bits += 8.0 * static_cast<double>(a.bytes);
  delivery_ = bits * 1e6 / static_cast<double>(span);
}

void RateControl::give_way(int64_t now_us) {
  carried_ = std::max(delivery_ > 0 ? std::min(delivery_, rate_) : rate_ / 2, kLeastRate);
  gave_way_us_ = now_us;
  longest_us_ = wait_us_;
  in_vain_ = 0;
  starting_ = false;
  draining_ = true;
}

void RateControl::drain(int64_t now_us) {
  const int64_t since = now_us - gave_way_us_;
  const double wait = static_cast<double>(wait_us_);
  if (since < round_trip_us_ + kDeliveryWindow) {
    longest_us_ = std::max(longest_us_, wait_us_);
    // While there is a queue, what arrives fills the link. Later the other senders of the link have more of
    // it.
    if (in_vain_ == 0 && delivery_ > 0 && wait > limit_us())
      carried_ = std::max(std::min(carried_, delivery_), kLeastRate);
  }
  draining_ = wait > limit_us() / 2;
  if (draining_ && since > round_trip_us_ + kPatience) {
    const bool shorter = wait_us_ < longest_us_ * 3 / 4;
    in_vain_ = shorter ? 0 : in_vain_ + 1;
    if (in_vain_ > kTries) {  // not a queue of this sender
      least_us_ = least_before_us_ = std::min(least_us_, least_before_us_) + wait_us_;
      waits_.clear();
      wait_us_ = 0;
      draining_ = false;
    }
    gave_way_us_ = now_us - round_trip_us_ - kDeliveryWindow;
    longest_us_ = wait_us_;
  }
  const double less = carried_ * std::clamp(0.9 - wait / 400000, 0.5, 0.9) * std::pow(0.7, in_vain_);
  rate_ = draining_ ? std::min(rate_, less) : 0.93 * carried_;
}

void RateControl::rise(double seconds) {
  const double trip = std::max(static_cast<double>(round_trip_us_) / 1e6, 0.1);
  double to = rate_;
  if (starting_) {
    to *= std::exp2(seconds / (2 * trip));
  } else if (rate_ > 1.05 * carried_) {
    to *= 1 + 0.5 * seconds;
  } else {
    to += (40000 + 0.05 * rate_) * seconds;
  }
  if (delivery_ > 0) to = std::min(to, std::max(rate_, kEvidence * delivery_));
  rate_ = std::min(to, kHeadroom * most_);
}

void RateControl::note_losses(int64_t now_us, size_t arrived, int lost) {
  if (now_us < judge_after_us_) return;
  seen_ += static_cast<int>(arrived) + lost;
  lost_ += lost;
  if (seen_ < kJudged) return;
  const double loss = std::clamp(static_cast<double>(lost_) / seen_, 0.0, 1.0);
  const double usual = std::max(usual_loss_, 0.02);
  const double limit = usual_loss_ + 0.05 + 2 * std::sqrt(usual * (1 - usual) / seen_);
  seen_ = lost_ = 0;
  if (before_ > 0) {
    if (loss > usual_loss_ / 2) rate_ = std::max(rate_, before_);
    before_ = 0;
  }
  if (loss > limit) {
    before_ = rate_;
    usual_loss_ = loss;
    carried_ = std::max(std::min(delivery_ > 0 ? delivery_ : rate_, rate_ * (1 - loss)), kLeastRate);
    rate_ = std::min(rate_, 0.95 * carried_);
    starting_ = false;
    judge_after_us_ = now_us + round_trip_us_;
  } else {
    usual_loss_ += (loss - usual_loss_) / (loss < usual_loss_ ? 8 : 32);  // rises with a judgement only
  }
}

void RateControl::update(int64_t now_us, std::span<const Arrival> arrivals, int lost, int64_t round_trip_us) {
  if (round_trip_us >= 0) round_trip_us_ = round_trip_us;
  const double seconds = updated_us_ == INT64_MIN
                             ? 0
                             : static_cast<double>(std::min<int64_t>(now_us - updated_us_, 200000)) / 1e6;
  updated_us_ = now_us;
  note_losses(now_us, arrivals.size(), lost);
  if (arrivals.empty()) return;
  note(now_us, arrivals);
  if (!draining_ && static_cast<double>(wait_us_) > limit_us()) give_way(now_us);
  if (draining_) {
    drain(now_us);
  } else if (static_cast<double>(wait_us_) < limit_us() / 2) {
    rise(seconds);
  }
  rate_ = std::max(rate_, kLeastRate);
}

}  // namespace ctv::net
