// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bd_rate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ctv::tools {
namespace {

/// One-sided slope at an end of the curve (three-point formula), kept from overshooting.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  if (d0 * d1 <= 0 && std::abs(slope) > 3 * std::abs(d0)) return 3 * d0;
  return slope;
}

}  // namespace

Pchip::Pchip(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
  const size_t n = x_.size();
  if (n < 2 || y_.size() != n) throw std::invalid_argument("a curve needs two points");
  std::vector<double> h(n - 1), d(n - 1);
  for (size_t i = 0; i + 1 < n; ++i) {
    h[i] = x_[i + 1] - x_[i];
    if (!(h[i] > 0)) throw std::invalid_argument("a curve's points must rise");
    d[i] = (y_[i + 1] - y_[i]) / h[i];
  }
  slope_.assign(n, d[0]);
  if (n == 2) return;
  slope_.front() = end_slope(h[0], h[1], d[0], d[1]);
  slope_.back() = end_slope(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  for (size_t i = 1; i + 1 < n; ++i) {
    // Weighted harmonic mean of the neighbours' slopes; flat where they turn.
    const double a = 2 * h[i] + h[i - 1], b = h[i] + 2 * h[i - 1];
    slope_[i] = d[i - 1] * d[i] <= 0 ? 0 : (a + b) / (a / d[i - 1] + b / d[i]);
  }
}

size_t Pchip::piece_of(double x) const {
  const auto after = std::upper_bound(x_.begin(), x_.end(), x);
  const auto piece = std::max<std::ptrdiff_t>(0, after - x_.begin() - 1);
  return std::min(static_cast<size_t>(piece), x_.size() - 2);
}

double Pchip::at(double x) const {
  const size_t i = piece_of(x);
  const double h = x_[i + 1] - x_[i], t = (x - x_[i]) / h, t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * y_[i] + (t3 - 2 * t2 + t) * h * slope_[i] + (3 * t2 - 2 * t3) * y_[i + 1] +
         (t3 - t2) * h * slope_[i + 1];
}

double Pchip::integral_from_knot(size_t i, double x) const {
  const double h = x_[i + 1] - x_[i], t = (x - x_[i]) / h;
  const double t2 = t * t, t3 = t2 * t, t4 = t3 * t;
  return h * ((t4 / 2 - t3 + t) * y_[i] + (t4 / 4 - 2 * t3 / 3 + t2 / 2) * h * slope_[i] +
              (t3 - t4 / 2) * y_[i + 1] + (t4 / 4 - t3 / 3) * h * slope_[i + 1]);
}

double Pchip::integral(double a, double b) const {
  const size_t first = piece_of(a), last = piece_of(b);
  double sum = integral_from_knot(last, b) - integral_from_knot(first, a);
  for (size_t i = first; i < last; ++i) sum += integral_from_knot(i, x_[i + 1]);
  return sum;
}

std::vector<RatePoint> usable_points(std::vector<RatePoint> points) {
  std::erase_if(points, [](const RatePoint& p) {
    return !std::isfinite(p.quality) || !std::isfinite(p.rate) || p.rate <= 0;
  });
  std::sort(points.begin(), points.end(), [](const RatePoint& a, const RatePoint& b) {
    return a.quality != b.quality ? a.quality < b.quality : a.rate > b.rate;
  });
  std::vector<RatePoint> kept;
  for (const RatePoint& p : points) {
    while (!kept.empty() && kept.back().rate >= p.rate) kept.pop_back();
    kept.push_back(p);
  }
  // Equal quality at more bits: the cheaper one counts.
  std::vector<RatePoint> rising;
  for (const RatePoint& p : kept)
    if (rising.empty() || p.quality > rising.back().quality) rising.push_back(p);
  return rising;
}

std::optional<BdRate> bd_rate(const std::vector<RatePoint>& anchor, const std::vector<RatePoint>& test,
                              const QualityRange& range, std::string* why) {
  const auto tell = [why](const char* reason) {
    if (why != nullptr) *why = reason;
    return std::optional<BdRate>();
  };
  const std::vector<RatePoint> a = usable_points(anchor), b = usable_points(test);
  if (a.size() < 2 || b.size() < 2) return tell("fewer than two points");
  const auto curve = [](const std::vector<RatePoint>& points) {
    std::vector<double> x, y;
    for (const RatePoint& p : points) x.push_back(p.quality), y.push_back(std::log(p.rate));
    return Pchip(x, y);
  };
  const Pchip of_anchor = curve(a), of_test = curve(b);
  BdRate result;
  result.from = std::max({of_anchor.begin(), of_test.begin(), range.from});
  result.to = std::min({of_anchor.end(), of_test.end(), range.to});
  if (!(result.to > result.from)) return tell("the curves share no range of quality");
  const double distance =
      of_test.integral(result.from, result.to) - of_anchor.integral(result.from, result.to);
  result.percent = 100 * (std::exp(distance / (result.to - result.from)) - 1);
  return result;
}

}  // namespace ctv::tools
