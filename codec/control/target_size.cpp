// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/target_size.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "codec/control/key_gain.hpp"
#include "codec/control/steps.hpp"

namespace ctv {
namespace {

constexpr int kMaxTries = 10;
constexpr double kSlope = 1.3;  // bytes ~ step^-kSlope, until two sizes are known
// Used with bitrate.
constexpr int kSoftTries = 4;  // after these tries, any size within the buffer is accepted
// Largest shares of the buffer or of a key interval: for the first frame, for other key frames, for savings.
constexpr double kOpening = 0.45;
constexpr double kMostKey = 0.6;
constexpr double kMostSaved = 0.3;
// A predicted frame may be as large as its content needs while these shares of the buffer are left: without
// further key frames, and with them.
constexpr double kReserve = 0.45;
constexpr double kReserveForKey = 0.6;
// After a frame did not fit, sizes in this range of the largest are accepted; the search aims at the last.
constexpr double kLeast = 0.4;
constexpr double kAim = 0.8;
// The scale changes by kGain octaves when frames miss their sizes by the bytes of a buffer, and follows half
// of the way where a frame did not fit.
constexpr double kGain = 4;
constexpr double kMostMissed = 6;  // average frames
constexpr double kFollow = 0.5;
// Every eighth frame is finer. The next ones keep its quality where nothing moves, without bits. If key
// frames are frequent, they do the same.
constexpr int kFinerEvery = 8;
constexpr double kFiner = 0.67;
constexpr double kLongInterval = 4;  // distance of key frames, in buffers
constexpr double kRepay = 1;         // time to repay debt, in buffers
constexpr double kSpend = 0.5;       // time to spend savings, in buffers
constexpr double kFinestScale = 1.0 / 16;
constexpr double kPace = 4;     // time constant of the mean interval, in frames
constexpr double kFill = 0.92;  // share of the largest frame to aim at after a frame did not fit
}  // namespace

TargetSize::TargetSize(const SizeTarget& target, double fps, int key_interval)
    : fps_(fps), key_interval_(key_interval) {
  set_target(target);
}

void TargetSize::set_target(const SizeTarget& target) {
  const double before = average();
  const double sent = full() - buffer_;
  target_ = target;
  const bool changed = opened_ && before > 0 && average() > 0;
  if (changed) {
    take_over(sent, debt_);
    key_size_ *= average() / before;
    scale_ = within_steps(scale_ * std::pow(before / average(), 1 / kSlope));
  } else {
    buffer_ = full();
    debt_ = key_size_ = 0;
    since_finer_ = 0;
    scale_ = 1;
    opened_ = false;
  }
}

void TargetSize::elapse(double intervals) {
  if (intervals == interval_) return;
  const double credited = average();
  const double more = credited / interval_ * (intervals - interval_);
  // The first frame has only its duration, which may be wrong; a pause or a burst does not become the rule.
  const double usual = opened_ ? interval_ : 1;
  const double change = std::clamp(intervals, usual / 8, usual * 8) - interval_;
  interval_ += opened_ ? change / kPace : change;
  if (!opened_ || target_.bitrate == 0) return;
  buffer_ = std::min(full(), buffer_ + more);
  owe(debt_ - more);
}

void TargetSize::take_debt(const TargetSize& before) {
  if (fps_ == before.fps_) interval_ = before.interval_;
  if (target_.bitrate == 0 || !before.opened_ || before.target_.bitrate == 0) return;
  take_over(before.full() - before.buffer_, before.debt_);
}

// sent: bytes on their way at the old rate; they count up to the size of the new buffer. Debt from frames
// that no step made fit is kept.
void TargetSize::take_over(double sent, double debt) {
  buffer_ = std::clamp(full() - sent, std::min(buffer_, 0.0), full());
  owe(debt);
}

// The lack of the buffer is debt, except for kMostSaved of it. If more could be saved and then spent, the
// buffer would stay empty.
void TargetSize::owe(double debt) {
  debt_ = std::min(std::max(debt, full() - buffer_ - kMostSaved * full()), full());
}

// Steps end at the coarsest, so the scale is limited: beyond, it would have to return first.
double TargetSize::within_steps(double scale) const {
  return std::clamp(scale, kFinestScale, static_cast<double>(kCoarsestStep) / own_step_);
}

// Number of frames that pay for a key frame: until the next key frame, but at most kLongInterval buffers.
int TargetSize::run() const {
  if (key_interval_ < 2) return 0;
  return static_cast<int>(std::min<double>(key_interval_, kLongInterval * full() / average()));
}

// Average bytes of a predicted frame if key frames are as large as the last one.
double TargetSize::others() const {
  if (since_key_ + 1 >= run()) return average();
  return std::max(0.3 * average(), (average() * run() - key_size_) / (run() - 1));
}

double TargetSize::excess() const {
  return debt_ - (average() - others()) * std::max(0, run() - 1 - since_key_);
}

bool TargetSize::is_finer() const {
  const bool long_run = key_interval_ == 0 || key_interval_ >= kLongRun;
  return opened_ && long_run && type_ == FrameType::kPredicted && base_reference_ &&
         since_finer_ + 1 >= kFinerEvery;
}

double TargetSize::wanted() const {
  if (is_free()) {
    const double interval = key_interval_ == 0 ? 1e18 : average() * key_interval_;
    return std::max(average(), (opened_ ? kMostKey : kOpening) * std::min(full(), interval));
  }
  const double frames = std::max(4.0, (excess() > 0 ? kRepay : kSpend) * full() / average());
  return std::clamp(others() - excess() / frames, 0.4 * others(), 1.8 * others());
}

double TargetSize::most() const {
  return is_free() ? wanted_
                   : std::max(wanted_, buffer_ - (key_interval_ == 0 ? kReserve : kReserveForKey) * full());
}

double TargetSize::limit() const {
  double limit = target_.max_frame_bytes > 0 ? static_cast<double>(target_.max_frame_bytes) : 1e18;
  if (target_.bitrate > 0) limit = std::min(limit, std::max(buffer_, 0.25 * average()));
  return limit;
}

uint16_t TargetSize::begin(uint64_t frame, FrameType type) {
  type_ = type;
  const uint16_t own_step = source_->begin(frame, type);
  by_source_ = source_->feedback() != Feedback::kNone;
  return by_source_ ? own_step : begin_search(own_step);
}

std::optional<uint16_t> TargetSize::retry(uint16_t step, uint64_t value) {
  if (!by_source_) return search(step, static_cast<size_t>(value));
  if (const auto next = source_->retry(step, value)) return next;
  by_source_ = false;
  return begin_search(step);
}

uint16_t TargetSize::begin_search(uint16_t own_step) {
  own_step_ = own_step;
  tries_ = 0;
  too_fine_ = 0;
  fits_ = 0;
  if (target_.bitrate > 0) {
    finer_ = is_finer();
    wanted_ = std::min(wanted(), kFill * limit());
    first_scale_ = scale_ * (finer_ ? kFiner : 1);
    step_ = first_step_ = to_usual_step(own_step * first_scale_, 4);
    return step_;
  }
  // If the last frame of a type had to be coarser than its quantiser, the next one starts coarser, too. Other
  // frames have no influence, so a limit that is never reached changes nothing.
  const Last& last = last_[static_cast<size_t>(type_)];
  step_ = last.step > last.own_step && last.step > own_step ? last.step : own_step;
  return step_;
}

std::optional<uint16_t> TargetSize::search(uint16_t step, size_t bytes) {
  const auto size = static_cast<double>(bytes);
  const bool by_rate = target_.bitrate > 0;
  const double high = by_rate ? std::min(limit(), most()) : limit();
  const double aim = !by_rate ? (1 + kFill) / 2 * limit() : (is_free() ? kFill * wanted_ : kAim * high);
  const double low = !by_rate      ? kFill * limit()
                     : tries_ == 0 ? 0
                                   : (is_free() ? kFill * kFill * wanted_ : kLeast * high);
  const uint16_t finest = by_rate ? uint16_t{1} : own_step_;
  ++tries_;
  step_ = step;
  if (size <= high) {
    if (too_fine_ >= step) too_fine_ = 0;  // the vectors may change, and so may the size
    if (fits_ == 0 || step < fits_) {
      fits_ = step;
      fits_bytes_ = size;
    }
    if (size >= low || step <= finest || step - too_fine_ <= 1) return std::nullopt;
  } else {
    if (fits_ <= step) fits_ = 0;
    if (step > too_fine_) {
      too_fine_ = step;
      too_fine_bytes_ = size;
    }
    if (step == kCoarsestStep || (by_rate && tries_ >= kSoftTries && size <= limit())) return std::nullopt;
  }
  if (tries_ >= (by_rate && !is_free() ? kSoftTries : kMaxTries) && fits_ != 0) {
    if (fits_ == step) return std::nullopt;
    return fits_;
  }
  if (fits_ != 0 && fits_ - too_fine_ <= 1) return fits_;  // no step lies between them
  // Interpolates linearly in logarithms between the two nearest sizes, or extrapolates from one with kSlope,
  // to the target. Later tries bisect, so that the search ends.
  double next = step * std::pow(size / std::max(aim, 1.0), 1 / kSlope);
  if (too_fine_ != 0 && fits_ != 0) {
    const double slope = std::log(too_fine_bytes_ / std::max(fits_bytes_, 1.0)) /
                         std::log(static_cast<double>(fits_) / too_fine_);
    next = tries_ < 5 && slope > 0.05 ? too_fine_ * std::pow(too_fine_bytes_ / std::max(aim, 1.0), 1 / slope)
                                      : std::sqrt(static_cast<double>(too_fine_) * fits_);
    next = std::clamp(next, too_fine_ + 1.0, fits_ - 1.0);
  } else if (fits_ == 0) {
    next = std::max(next, tries_ > 4 ? step * 4.0 : step + 1.0);
  }
  const uint16_t chosen = std::max(to_step(next), finest);
  if (chosen == step) return std::nullopt;
  return chosen;
}

Status TargetSize::end(size_t bytes) {
  CTV_RETURN_IF_ERROR(source_->end(bytes));
  last_[static_cast<size_t>(type_)] = {step_, own_step_};
  if (target_.bitrate > 0) account(static_cast<double>(bytes));
  if (target_.max_frame_bytes > 0 && bytes > static_cast<size_t>(target_.max_frame_bytes)) {
    return {CTV_ERROR_LIMIT, "max_frame_bytes: the coarsest quantiser still needs " + std::to_string(bytes) +
                                 " bytes, " + std::to_string(target_.max_frame_bytes) + " are allowed"};
  }
  return {};
}

void TargetSize::account(double size) {
  buffer_ = std::min(full(), buffer_ - size + average());
  owe(debt_ + size - average());
  const bool key = type_ == FrameType::kKey;
  if (key) key_size_ = size;
  since_key_ = key ? 0 : since_key_ + 1;
  since_finer_ = key || finer_ ? 0 : since_finer_ + (base_reference_ ? 1 : 0);
  const bool fitted = step_ == first_step_;
  const double used = fitted ? first_scale_ : static_cast<double>(step_) / own_step_;
  if (!opened_) {
    scale_ = used;
  } else if (key && key_interval_ == 0) {  // a scene that begins
    scale_ = std::max(scale_, used);
  } else if (!is_free()) {
    if (!fitted) scale_ *= std::pow(used / first_scale_, kFollow);
    const double missed = std::min((size - wanted_) / average(), kMostMissed);
    scale_ *= std::exp2(kGain * missed * average() / full());
  }
  scale_ = within_steps(scale_);
  opened_ = true;
}

}  // namespace ctv
