// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/target_size.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ctv {
namespace {

constexpr int kMaxTries = 10;
constexpr double kSlope = 1.3;     // bytes ~ step^-kSlope, until two sizes are known
constexpr double kAccept = 0.015;  // relative tolerance of the wanted size
constexpr double kFill = 0.92;     // share of the largest frame to aim at after a frame did not fit
constexpr double kFinest = 1;
constexpr double kCoarsest = 65535;

uint16_t to_step(double step) {
  return static_cast<uint16_t>(std::lround(std::clamp(step, kFinest, kCoarsest)));
}

}  // namespace

TargetSize::TargetSize(const SizeTarget& target, double fps, int key_interval)
    : fps_(fps), key_interval_(key_interval) {
  set_target(target);
}

void TargetSize::set_target(const SizeTarget& target) {
  target_ = target;
  debt_ = 0;
  buffer_ = static_cast<double>(target.bitrate) / 8 * target.buffer_ms / 1000;
}

// Any two seconds hold at most one key frame more than any other two. So a key frame may be larger by 4 % of
// two seconds.
double TargetSize::nominal(FrameType type) const {
  const double ratio = std::clamp(1 + 0.06 * fps_, 1.2, 8.0);
  const double others =
      key_interval_ > 1 ? average() * key_interval_ / (key_interval_ - 1 + ratio) : average();
  return type == FrameType::kKey && key_interval_ != 1 ? ratio * others : others;
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
    const double plan = nominal(type_);
    wanted_ = std::min(std::clamp(plan - 0.2 * debt_, 0.5 * plan, 1.5 * plan), limit());
  }
  // A frame that had to be coarser than its quantiser suggests that the next of its type has to be, too.
  // Others have no influence, so a limit that never binds changes nothing.
  const Last& last = last_[static_cast<size_t>(type_)];
  const bool limited = last.step > last.own_step && last.step > own_step;
  step_ = last.step != 0 && (target_.bitrate > 0 || limited) ? last.step : own_step;
  return step_;
}

std::optional<uint16_t> TargetSize::search(uint16_t step, size_t bytes) {
  const auto size = static_cast<double>(bytes);
  const bool by_rate = target_.bitrate > 0;
  const double high = std::min(limit(), by_rate ? wanted_ * (1 + kAccept) : 1e18);
  const double low = by_rate ? std::min(wanted_ * (1 - kAccept), limit() * kFill) : limit() * kFill;
  const uint16_t finest = by_rate ? static_cast<uint16_t>(kFinest) : own_step_;
  ++tries_;
  step_ = step;
  if (size <= high) {
    if (fits_ == 0 || step < fits_) {
      fits_ = step;
      fits_bytes_ = size;
    }
    if (size >= low || step <= finest || step - too_fine_ <= 1) return std::nullopt;
  } else {
    if (step > too_fine_) {
      too_fine_ = step;
      too_fine_bytes_ = size;
    }
    if (step == kCoarsest) return std::nullopt;
  }
  if (tries_ >= kMaxTries && fits_ != 0) {
    if (fits_ == step) return std::nullopt;
    return fits_;
  }
  // Interpolates linearly between the two nearest sizes in logarithms, or extrapolates from one with the
  // usual slope, to the centre of the accepted sizes. Later tries bisect, so that the search ends.
  const double aim = 0.5 * (std::max(low, 1.0) + std::min(high, 2 * std::max(low, 1.0)));
  double next = step * std::pow(size / aim, 1 / kSlope);
  if (too_fine_ != 0 && fits_ != 0) {
    const double slope = std::log(too_fine_bytes_ / std::max(fits_bytes_, 1.0)) /
                         std::log(static_cast<double>(fits_) / too_fine_);
    next = tries_ < 5 && slope > 0.05 ? too_fine_ * std::pow(too_fine_bytes_ / aim, 1 / slope)
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
  const auto size = static_cast<double>(bytes);
  last_[static_cast<size_t>(type_)] = {step_, own_step_};
  if (target_.bitrate > 0) {
    const double full = static_cast<double>(target_.bitrate) / 8 * target_.buffer_ms / 1000;
    buffer_ = std::min(full, buffer_ - size + average());
    const bool opening = frames_ == 0 && key_interval_ == 0;  // the only key frame is not compensated
    if (!opening) debt_ = std::clamp(debt_ + size - nominal(type_), -full, full);
  }
  ++frames_;
  if (target_.max_frame_bytes > 0 && bytes > static_cast<size_t>(target_.max_frame_bytes)) {
    return {CTV_ERROR_LIMIT, "max_frame_bytes: the coarsest quantiser still needs " + std::to_string(bytes) +
                                 " bytes, " + std::to_string(target_.max_frame_bytes) + " are allowed"};
  }
  return {};
}

}  // namespace ctv
