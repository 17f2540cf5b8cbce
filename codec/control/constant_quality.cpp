// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/constant_quality.hpp"

#include <algorithm>
#include <cmath>

#include "codec/control/steps.hpp"

namespace ctv {
namespace {

constexpr double kSlope = 5;     // approximate gain in dB of halving the step
constexpr double kAccept = 0.1;  // tolerance in dB of a key frame's target
constexpr int kMaxTries = 3;
constexpr size_t kLatest = 2;     // predicted frames use the mean of this many latest measurements
constexpr double kMaxChange = 2;  // largest change by one frame, in octaves
// Limit, in octaves, of the steps of predicted frames above the key-frame step of equal quality. Static
// content drives the step up; the limit prevents coarse frames when motion starts.
constexpr double kMostGap = 0.75;
constexpr double kUsualGap = -0.15;  // used before the gap is measured
// Range of the search, in octaves, around the step whose uniform error has the target PSNR.
constexpr double kFinest = -3;
constexpr double kCoarsest = 3;

// log2 of the step, in sixteenths, whose uniformly distributed error, s^2 / 12, gives the PSNR.
double log_step_of(double psnr) {
  return std::log2(16 * 255 * std::sqrt(12.0)) - psnr / (20 * std::log10(2.0));
}

double possible(double log_step, double target) {
  const double usual = log_step_of(target);
  return std::clamp(log_step, usual + kFinest, usual + kCoarsest);
}

uint16_t key_step(double log_step, double target) { return to_step(std::exp2(possible(log_step, target))); }
uint16_t predicted_step(double log_step, double target) {
  return to_usual_step(std::exp2(possible(log_step, target)), 5);
}

}  // namespace

void ConstantQuality::set_crf(double crf, uint64_t next) {
  if (!active()) {
    first_ = next;
    key_.reset();
    findings_.clear();
    gap_ = key_gain_ / kSlope + kUsualGap;
  }
  crf_ = crf;
}

double ConstantQuality::psnr(uint64_t sum) const {
  return 10 * std::log10(255.0 * 255.0 * samples_ / static_cast<double>(std::max<uint64_t>(sum, 1)));
}

// log2 of the step that would have met the target.
double ConstantQuality::ideal(const Finding& finding, double target) const {
  return possible(finding.log_step + std::clamp((finding.psnr - target) / kSlope, -kMaxChange, kMaxChange),
                  target);
}

double ConstantQuality::most_gap() const { return key_gain_ / kSlope + kMostGap; }

std::optional<double> ConstantQuality::of_predicted(uint64_t frame) const {
  double sum = 0;
  size_t count = 0;
  for (auto f = findings_.rbegin(); f != findings_.rend() && count < kLatest; ++f) {
    if (f->frame + kDelay > frame) continue;
    sum += ideal(*f, target(crf_));
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

uint16_t ConstantQuality::begin(uint64_t frame, FrameType type) {
  type_ = type;
  if (type == FrameType::kKey) {
    const double goal = key_target();
    if (key_) {
      const auto predicted = of_predicted(frame);
      if (predicted) gap_ = std::min(*predicted - ideal(*key_, goal), most_gap());
    }
    frame_ = frame;
    tries_ = 0;
    return key_step(key_ ? ideal(*key_, goal) : log_step_of(goal), goal);
  }
  const double goal = target(crf_);
  if (!key_) return predicted_step(of_predicted(frame).value_or(log_step_of(goal)), goal);
  const double key = ideal(*key_, key_target());
  const double step = of_predicted(frame).value_or(key + gap_);
  return predicted_step(std::min(step, key + most_gap()), goal);
}

std::optional<uint16_t> ConstantQuality::retry(uint16_t step, uint64_t sum) {
  const double goal = key_target();
  const Finding now{frame_, std::log2(static_cast<double>(step)), psnr(sum)};
  double slope = kSlope;
  if (tries_ > 0 && now.log_step != last_try_.log_step) {
    slope =
        std::clamp((last_try_.psnr - now.psnr) / (now.log_step - last_try_.log_step), kSlope / 3, 2 * kSlope);
  }
  last_try_ = now;
  ++tries_;
  const double change = std::clamp((now.psnr - goal) / slope, -kMaxChange, kMaxChange);
  const uint16_t next = key_step(now.log_step + change, goal);
  if (std::abs(now.psnr - goal) > kAccept && tries_ < kMaxTries && next != step) return next;
  return std::nullopt;
}

Status ConstantQuality::end(size_t /*bytes*/) {
  if (type_ != FrameType::kKey) return {};
  key_ = last_try_;
  findings_.clear();
  return {};
}

void ConstantQuality::add(uint64_t frame, const FrameParameters& parameters, uint64_t sum) {
  if (parameters.type == FrameType::kKey || frame < first_ || (key_ && frame < key_->frame)) return;
  findings_.push_back({frame, std::log2(static_cast<double>(parameters.base_step)), psnr(sum)});
  if (findings_.size() > kLatest + kDelay) findings_.pop_front();
}

}  // namespace ctv
