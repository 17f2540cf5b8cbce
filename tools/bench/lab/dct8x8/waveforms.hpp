// SPDX-License-Identifier: BSD-3-Clause
// The DCT by definition as a matrix.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace ctv::lab {

/// W[u][x] = alpha(u) cos(pi (2x + 1) u / 16), equations 1 and 3: orthonormal rows.
inline std::array<float, 64> cosine_waveforms() {
  std::array<float, 64> waveforms{};
  for (int u = 0; u < 8; ++u)
    for (int x = 0; x < 8; ++x) {
      const double alpha = u == 0 ? std::sqrt(1.0 / 8) : std::sqrt(2.0 / 8);
      waveforms[static_cast<size_t>(u * 8 + x)] =
          static_cast<float>(alpha * std::cos(std::numbers::pi * (2 * x + 1) * u / 16));
    }
  return waveforms;
}

}  // namespace ctv::lab
