// SPDX-License-Identifier: BSD-3-Clause
// Decisions of the search for slopes and for directions of bands (directional lifting). Both backends compile
// these formulas. Not normative.
//
// A whole scale is lifted with each slope. For each lifting, cells of 8x8 samples are modelled as Laplacian
// in each band: the mean magnitude of their coefficients gives entropy and squared error of the quantiser. A
// block takes the slope of least cost. Passes follow in which all blocks in parallel add the cost of
// neighbours with another slope.
//
// Then a band gets two directions, or four, if that reduces its cost: the sum over cells of 4x4 coefficients
// of each direction, by the same model.
#pragma once

#include <cstdint>

#include "codec/control/motion_decisions.hpp"
#include "codec/format/slope_grid.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr int kLog2SlopeCell = 3;       // of a cell's side, in samples of the scale's input
inline constexpr uint32_t kSlopeBit = 256;     // one bit in units of cost
inline constexpr uint32_t kSlopeBorder = 512;  // cost for each of the four neighbours that differs
inline constexpr uint32_t kSlopeMargin = 8;    // least saving of a slope, in 256ths of the block's cost
inline constexpr int kSlopePasses = 3;

/// Cost of a Laplacian coefficient with a mean magnitude of m / 1024 steps: entropy plus 9 times the squared
/// error in steps, in 256ths of a bit. Nodes: m = 0..15, then eight per octave up to 256 steps.
inline constexpr int kLaplacianNodes = 129;
struct LaplacianCost {
  uint16_t at[kLaplacianNodes];
};
inline constexpr LaplacianCost kLaplacianCost = {{
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    1,    1,    1,    1,    1,    1,
    1,    2,    2,    3,    3,    3,    4,    5,    6,    7,    9,    10,   12,   14,   16,   18,   24,
    30,   37,   45,   54,   64,   74,   85,   109,  135,  160,  186,  211,  236,  260,  283,  326,  366,
    402,  435,  466,  495,  521,  546,  591,  632,  668,  702,  732,  761,  787,  812,  857,  897,  933,
    966,  997,  1025, 1051, 1076, 1120, 1160, 1196, 1229, 1259, 1287, 1313, 1337, 1381, 1421, 1456, 1489,
    1519, 1546, 1572, 1596, 1640, 1679, 1715, 1747, 1777, 1805, 1830, 1854, 1898, 1937, 1972, 2004, 2034,
    2062, 2087, 2111, 2155, 2194, 2229, 2261, 2291, 2318, 2344, 2368, 2411, 2450, 2485, 2517, 2547, 2574,
    2600, 2624, 2667, 2706, 2742, 2774, 2803, 2831, 2856, 2880,
}};

/// 2^24 times the mean magnitude, in 1024ths of a step, of n coefficients whose magnitudes add up to 1. step:
/// sixteenths of a unit.
CTV_HOST_DEVICE uint64_t slope_scale(uint32_t n, uint32_t step) {
  return (uint64_t{1} << 38) / (uint64_t{n} * step);
}
/// Cost of the n coefficients of a cell in one band. sum: sum of their magnitudes. scale: slope_scale().
CTV_HOST_DEVICE uint32_t slope_cell_cost(const LaplacianCost& table, uint32_t sum, uint32_t n,
                                         uint64_t scale) {
  constexpr uint64_t kMost = (1 << 18) - 1;
  const auto m = static_cast<uint32_t>(min_of(sum * scale >> 24, kMost));
  const uint32_t shift = bit_length(static_cast<int>(m | 15U)) - 4;
  const uint32_t node = 8 * shift + (m >> shift);
  const uint32_t low = table.at[node];
  return n * (low + (((table.at[node + 1] - low) * (m & ((1U << shift) - 1))) >> shift));
}

/// Slopes of the left, right, upper and lower block before a pass; 0 outside.
struct SlopeNeighbours {
  int slopes[4];
};
/// The slope of a block in a pass, 0 .. kSlopePasses; pass 0 ignores the neighbours. cost_of(slope): the cost
/// of the block's cells.
template <typename CostOf>
CTV_HOST_DEVICE int decide_slope(int pass, CostOf cost_of, const SlopeNeighbours& neighbours) {
  int best = 0;
  uint32_t least = 0;
  for (int slope = 0; slope < kSlopeCount; ++slope) {
    uint32_t cost = cost_of(slope);
    if (slope != 0) cost += cost * kSlopeMargin / 256 + kSlopeBit;
    if (pass > 0) {
      for (const int n : neighbours.slopes) cost += n == slope ? 0 : kSlopeBorder;
    }
    if (slope > 0 && cost >= least) continue;
    best = slope;
    least = cost;
  }
  return best;
}

/// Whether the slopes of a scale reduce its total cost enough.
CTV_HOST_DEVICE bool slopes_pay(uint64_t without, uint64_t with) { return with + without / 256 < without; }

inline constexpr int kLog2DirectedCell = 2;  // of a cell's side, in coefficients of a direction
/// Whether twice as many directions reduce the cost enough.
CTV_HOST_DEVICE bool directions_pay(uint64_t before, uint64_t after) { return after + after / 128 < before; }
/// log2 of a band's directions. costs: of one, two and four directions.
CTV_HOST_DEVICE int decide_directions(const uint64_t* costs) {
  int n = 0;
  while (n < kDirectedDepth && directions_pay(costs[n], costs[n + 1])) ++n;
  return n;
}

}  // namespace ctv
