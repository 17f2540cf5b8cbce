// SPDX-License-Identifier: BSD-3-Clause
// How many per cent more or fewer bits one codec needs than another at equal quality (Bjontegaard, VCEG-M33):
// the mean distance of two curves "log rate over quality" in the range of quality that both cover. The curves
// go through the measured points by monotone cubic pieces (PCHIP, Fritsch and Carlson 1980), which cannot
// swing between points as the original's single cubic can.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ctv::tools {

/// A monotone-preserving piecewise cubic through points with rising x.
class Pchip {
 public:
  /// At least two points; x strictly rising. Throws std::invalid_argument otherwise.
  Pchip(std::vector<double> x, std::vector<double> y);
  double at(double x) const;
  /// The exact integral from a to b, both inside the points' range.
  double integral(double a, double b) const;
  double begin() const { return x_.front(); }
  double end() const { return x_.back(); }

 private:
  size_t piece_of(double x) const;
  double integral_from_knot(size_t piece, double x) const;
  std::vector<double> x_, y_, slope_;
};

struct RatePoint {
  double rate = 0;     // any unit of bits, above 0
  double quality = 0;  // rises with quality, in dB
};

struct BdRate {
  double percent = 0;       // -20: a fifth fewer bits than the anchor
  double from = 0, to = 0;  // the range of quality it is about
};

/// Range of quality that is asked for; the part that both curves cover counts.
struct QualityRange {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};

/// Nothing if the curves share no range, or have fewer than two usable points; `why` then says which.
std::optional<BdRate> bd_rate(const std::vector<RatePoint>& anchor, const std::vector<RatePoint>& test,
                              const QualityRange& range = {}, std::string* why = nullptr);

/// The points a curve can go through: by quality, without those that a point of more quality undercuts in
/// rate (they are on no curve), without infinite ones.
std::vector<RatePoint> usable_points(std::vector<RatePoint> points);

}  // namespace ctv::tools
