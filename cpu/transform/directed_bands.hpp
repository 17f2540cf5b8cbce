// SPDX-License-Identifier: BSD-3-Clause
// The finest bands HL and LH of a key frame's luma, which may have directions, on the CPU.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/format/slope_grid.hpp"
#include "cpu/transform/directional.hpp"

namespace ctv {

class DirectedBands {
 public:
  DirectedBands(const SubbandLayout& layout, int threads);

  /// Begins a transform. slopes: an array of SlopeGrid, or null.
  void begin(const int8_t* slopes);
  /// The bank that receives the samples of a band with directions; null if it has none in this transform.
  DirectionalBank* bank(int scale, int orientation) const;
  /// Forward: samples to levels, for the bands of a scale that have directions. inverse(): levels to samples.
  void forward(int scale, std::span<const SubbandQuantiser> quantisers, Level* levels);
  void inverse(int scale, std::span<const SubbandQuantiser> quantisers, const Level* levels);

 private:
  struct Band {
    size_t subband = 0;
    std::unique_ptr<DirectionalBank> bank;  // null: it never has directions
    int directions_log2 = 0;                // of this transform
  };
  /// Calls body(coefficients, index of the level, count) for each half of each row.
  template <typename Body>
  void for_halves(const Band& band, Body&& body) const;

  SubbandLayout layout_;
  int threads_;
  std::array<Band, kDirectedBands> bands_;
};

}  // namespace ctv
