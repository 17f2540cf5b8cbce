// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/protection.hpp"

#include <algorithm>
#include <cmath>

#include "codec/transport/error.hpp"

namespace ctv::net {
namespace {

constexpr int kMillion = 1000000;
constexpr double kRounding = 1e-9;  // tolerance for a computed rate

// Probability of leaving the losing state. Losses rarer in a row than independent ones are taken as
// independent.
double heal_rate(double loss, double burst) { return std::min(1 / burst, 1 - loss); }

}  // namespace

double failure_rate(int count, int spare, double loss, double burst) {
  if (spare >= count || loss <= 0) return 0;
  if (loss >= 1) return 1;
  const double heal = heal_rate(loss, burst);
  const double break_down = loss * heal / (1 - loss);
  // [state][number lost]. Numbers above `spare` are dropped, so the remaining probability is that of success.
  std::array<std::array<double, kMaxData + kMaxParity + 1>, 2> now{}, next{};
  now[0][0] = 1 - loss;
  now[1][0] = loss;
  for (int i = 0; i < count; ++i) {
    for (auto& state : next) state.fill(0);
    for (size_t lost = 0; lost <= static_cast<size_t>(std::min(i, spare)); ++lost) {
      // The present state decides the loss of this datagram, then the state changes.
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

// The correlation of the states of two consecutive datagrams is `memory`, and memory^n for a distance of n
// datagrams.
double burst_at_distance(double loss, double burst, double distance) {
  if (loss >= 1) return burst;
  const double memory = 1 - heal_rate(loss, burst) / (1 - loss);
  return 1 / ((1 - loss) * (1 - std::pow(memory, distance)));
}

int parity_count(const ctv_net_protection& p, int priority, int count, int others) {
  const auto i = static_cast<size_t>(priority);
  const double loss = p.loss_permille / 1000.0;
  const double limit = static_cast<double>(p.failures[i]) / kMillion;
  for (int m = 0; m < p.most[i]; ++m) {
    if (p.failures[i] == kMillion) return m;
    const double distance = static_cast<double>(count + m + others) / (count + m);
    const double burst = burst_at_distance(loss, p.burst_permille / 1000.0, distance);
    if (failure_rate(count + m, m, loss, burst) <= limit + kRounding) return m;
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

ctv_net_protection choose_protection(int loss_permille, int burst_permille) {
  constexpr int kNegligible = 2;  // permille
  ctv_net_protection p;
  ctv_net_protection_init(&p);
  p.loss_permille = loss_permille;
  p.burst_permille = burst_permille;
  std::ranges::fill(p.failures, kMillion);
  if (loss_permille < kNegligible) return p;
  constexpr int kLeast = 500;  // failures in a million
  constexpr int kMost = 25000;
  const int64_t twice = int64_t{loss_permille} * loss_permille * burst_permille / 1000;
  p.failures[0] = static_cast<int32_t>(std::clamp<int64_t>(twice, kLeast, kMost));
  p.most[0] = kMaxParity;
  return p;
}

}  // namespace ctv::net
