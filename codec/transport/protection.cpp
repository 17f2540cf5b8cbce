// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/protection.hpp"

#include <algorithm>

#include "codec/transport/error.hpp"

namespace ctv::net {
namespace {

constexpr int kMillion = 1000000;

}  // namespace

double failure_rate(int count, int spare, double loss, double burst) {
  if (spare >= count || loss <= 0) return 0;
  if (loss >= 1) return 1;
  const double heal = std::min(1 / burst, 1 - loss);
  const double break_down = loss * heal / (1 - loss);
  // [state][number lost so far], numbers above `spare` left out: what is left at the end did not fail.
  std::array<std::array<double, kMaxData + kMaxParity + 1>, 2> now{}, next{};
  now[0][0] = 1 - loss;
  now[1][0] = loss;
  for (int i = 0; i < count; ++i) {
    for (auto& state : next) state.fill(0);
    for (size_t lost = 0; lost <= static_cast<size_t>(std::min(i, spare)); ++lost) {
      // A datagram is sent in the present state, then the state changes.
      next[0][lost] += now[0][lost] * (1 - break_down);
      next[1][lost] += now[0][lost] * break_down;
      next[0][lost + 1] += now[1][lost] * heal;
      next[1][lost + 1] += now[1][lost] * (1 - heal);
    }
    now = next;
  }
  double good = 0;
  for (int lost = 0; lost <= spare; ++lost) {
    good += now[0][static_cast<size_t>(lost)] + now[1][static_cast<size_t>(lost)];
  }
  return std::clamp(1 - good, 0.0, 1.0);
}

int parity_count(const ctv_net_protection& p, int priority, int count) {
  const auto i = static_cast<size_t>(priority);
  const double limit = static_cast<double>(p.failures[i]) / kMillion;
  for (int m = 0; m < p.most[i]; ++m) {
    if (p.failures[i] == kMillion ||
        failure_rate(count + m, m, p.loss_permille / 1000.0, p.burst_permille / 1000.0) <= limit) {
      return m;
    }
  }
  return p.most[i];
}

ctv_status check_protection(const ctv_net_protection& p) {
  CTV_NET_RETURN_IF_ERROR(check_range("protection.loss_permille", p.loss_permille, 0, 1000));
  CTV_NET_RETURN_IF_ERROR(check_range("protection.burst_permille", p.burst_permille, 1000, 100000));
  for (int i = 0; i < CTV_NET_PRIORITIES; ++i) {
    CTV_NET_RETURN_IF_ERROR(check_range("protection.failures", p.failures[i], 0, kMillion));
    CTV_NET_RETURN_IF_ERROR(check_range("protection.most", p.most[i], 0, kMaxParity));
  }
  return CTV_OK;
}

int ParityCounts::operator()(int priority, int count) {
  int8_t& known = counts_[static_cast<size_t>(priority)][static_cast<size_t>(count)];
  if (known < 0) known = static_cast<int8_t>(parity_count(protection_, priority, count));
  return known;
}

ctv_net_protection choose_protection(int loss_permille, int burst_permille, bool repetition) {
  constexpr int kNegligible = 5;  // permille
  ctv_net_protection p;
  ctv_net_protection_init(&p);
  p.loss_permille = loss_permille;
  p.burst_permille = burst_permille;
  std::ranges::fill(p.failures, kMillion);
  if (loss_permille < kNegligible) return p;
  constexpr int kWithRepetition = 15000;  // of a million
  p.failures[0] = loss_permille * 1000 / 5;
  if (repetition) p.failures[0] = std::min(p.failures[0], kWithRepetition);
  p.most[0] = kMaxParity;
  return p;
}

}  // namespace ctv::net
