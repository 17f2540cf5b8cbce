// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/settings.hpp"

#include <algorithm>

#include "codec/transport/error.hpp"
#include "codec/transport/protection.hpp"

namespace ctv::net {
namespace {

// Time to detect a loss and to queue a repetition, in addition to the round trip.
constexpr int64_t kNotice = 10000;
// Assumed spread of arrivals of one frame's datagrams.
constexpr int64_t kSpread = 5000;
// Least loss assumed for key frames. The first is sent before any loss is known, and the call cannot start
// without it.
constexpr int kKeyFrameLoss = 100, kKeyFrameBurst = 3000;
// If repetitions arrive in time, parity of predicted frames may fail kFailuresRepaired times as often.
// kMostRepaired / burst^2 in a million is the limit, because a burst may also hit repetitions. Both are
// divided by the number of frames that freeze after a failure.
constexpr double kFailuresRepaired = 10;
constexpr double kMostRepaired = 600000;
// Without repetition a lost region of levels costs its area until feedback has returned. From this loss on
// parity for levels is better, if blocks may fail this often in a million, or as often as three datagrams: a
// failed one costs a few regions.
constexpr int kLevelsLoss = 30;
constexpr int kLevelsFail = 200000;
constexpr int32_t kLeastParts = 400;  // of a thousand bytes
// Bits of a frame that vectors alone take. With fewer bits a frame, a lower frame rate looks better.
constexpr double kLeastFrame = 4800;
constexpr int kMostSkipped = 4;
// A picture that would wait longer in the sender is not coded; neither is any while the receiver is silent.
constexpr int64_t kMostWaiting = 150000;
constexpr double kFastEnough = 20;  // frames per second, of which a server may drop three of four

}  // namespace

ctv_status check_measurement(const ctv_net_measurement& m) {
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.bitrate", m.bitrate, 1, 1000000000000));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.loss_permille", m.loss_permille, 0, 1000));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.burst_permille", m.burst_permille, 1000, 100000));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.round_trip_us", m.round_trip_us, -1, kLongestDelay));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.playout_us", m.playout_us, 0, kLongestDelay));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.fps_num", m.fps_num, 1, INT32_MAX));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.fps_den", m.fps_den, 1, INT32_MAX));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.forwarded", m.forwarded, 0, 1));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.waiting_us", m.waiting_us, 0, INT64_MAX));
  CTV_NET_RETURN_IF_ERROR(check_range("measurement.silent_us", m.silent_us, 0, INT64_MAX));
  return check_range("measurement.part_permille", m.part_permille, 0, 1000);
}

ctv_net_settings choose_settings(const ctv_net_measurement& m) {
  ctv_net_settings s;
  ctv_net_settings_init(&s);
  s.protection = choose_protection(m.loss_permille, m.burst_permille);
  s.key_protection =
      choose_protection(std::max(m.loss_permille, kKeyFrameLoss), std::max(m.burst_permille, kKeyFrameBurst));
  s.repeats = m.round_trip_us >= 0 && m.round_trip_us + kNotice <= m.playout_us ? 2 : 0;
  if (s.repeats == 0 && m.loss_permille >= kLevelsLoss) {
    s.protection.most[1] = kMaxParity;
    s.protection.failures[1] = std::min(std::max(kLevelsFail, 3000 * m.loss_permille), 1000000);
  }
  if (s.repeats > 0 && s.protection.most[0] > 0) {
    const int32_t usual = s.protection.failures[0];
    const double burst = m.burst_permille / 1000.0;
    const double frozen = 1 + static_cast<double>(m.round_trip_us) / 1e6 * m.fps_num / m.fps_den;
    const double wanted = std::min(usual * kFailuresRepaired, kMostRepaired / (burst * burst)) / frozen;
    s.protection.failures[0] = std::max(usual, static_cast<int32_t>(wanted));
  }
  s.deadline_us = std::max(m.playout_us, kSpread);
  const double bits = static_cast<double>(m.bitrate) * std::max(m.part_permille, kLeastParts) / 1000;
  const double fps = static_cast<double>(m.fps_num) / m.fps_den;
  s.pause = m.waiting_us > kMostWaiting || m.silent_us > silence_us(m.round_trip_us) ? 1 : 0;
  s.bitrate = std::max<int64_t>(1, static_cast<int64_t>(bits));
  s.frame_interval = 1;
  while (s.frame_interval < kMostSkipped && bits / fps * s.frame_interval < kLeastFrame) ++s.frame_interval;
  s.temporal_layers = m.forwarded == 0 ? 1 : fps / s.frame_interval >= kFastEnough ? 3 : 2;
  return s;
}

}  // namespace ctv::net
