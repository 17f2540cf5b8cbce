// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/libav/frame_times.h"

extern "C" {
#include <libavutil/avutil.h>
#include <libavutil/mathematics.h>
}

#include <algorithm>
#include <cstdint>

namespace ctv::tools {
namespace {

// Fine enough for any viewer; the clock of MPEG systems.
constexpr int64_t kUnitsPerSecond = 90000;

AVRational sound_rate(AVRational rate, const std::vector<int64_t>& shown, AVRational unit) {
  if (rate.num > 0 && rate.den > 0) return rate;
  const int64_t length = shown.size() > 1 ? shown.back() - shown.front() : 0;
  if (length <= 0) return {25, 1};
  AVRational mean{};
  av_reduce(&mean.num, &mean.den, static_cast<int64_t>(shown.size() - 1) * unit.den, length * unit.num,
            INT32_MAX);
  return mean.num > 0 && mean.den > 0 ? mean : AVRational{25, 1};
}

}  // namespace

FrameTimes::FrameTimes(std::vector<int64_t> shown, AVRational unit, AVRational rate) : unit_(unit) {
  std::sort(shown.begin(), shown.end());
  rate_ = sound_rate(rate, shown, unit);
  if (!shown.empty()) first_ = shown.front();
  const AVRational ticks = {1, rate_.num};
  constant_ = std::all_of(shown.begin(), shown.end(), [&](int64_t time) {
    const int64_t back = av_rescale_q(on_grid(time), ticks, unit_);
    return back >= time - first_ - 1 && back <= time - first_ + 1;
  });
  const int64_t begin = av_rescale_q(av_rescale_q(first_, unit_, ticks), ticks, unit_);
  const bool begins_between = begin < first_ - 1 || begin > first_ + 1;
  const int64_t finer = (kUnitsPerSecond + rate_.num - 1) / rate_.num;
  if ((!constant_ || begins_between) && rate_.num * finer <= INT32_MAX && rate_.den * finer <= INT32_MAX)
    rate_ = {static_cast<int>(rate_.num * finer), static_cast<int>(rate_.den * finer)};
  origin_ = av_rescale_q(first_, unit_, {1, rate_.num});
}

int64_t FrameTimes::on_grid(int64_t shown) const {
  const int64_t number = av_rescale_q(shown - first_, unit_, {rate_.den, rate_.num});
  return number * rate_.den;
}

int64_t FrameTimes::next(int64_t shown) {
  int64_t time = any_ ? after_ : origin_;
  if (shown != AV_NOPTS_VALUE)
    time = constant_ ? origin_ + on_grid(shown) : av_rescale_q(shown, unit_, {1, rate_.num});
  if (any_) time = std::max(time, last_ + 1);
  any_ = true;
  last_ = time;
  after_ = time + rate_.den;
  return time;
}

int64_t FrameTimes::duration(int64_t lasting) const {
  if (constant_ || lasting <= 0) return rate_.den;
  return std::clamp<int64_t>(av_rescale_q(lasting, unit_, {1, rate_.num}), 1, INT32_MAX);
}

}  // namespace ctv::tools
