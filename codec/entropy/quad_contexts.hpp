// SPDX-License-Identifier: BSD-3-Clause
// What the decoder knows before a quad comes (docs/bitstream.md, 6.5): sums of magnitudes of the quads around
// it and of those at its place in earlier bands, weighed into one number T, and T's class. All but the row's
// own part is computed for whole rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/context_bands.hpp"
#include "codec/entropy/model/quads.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr size_t kContextValues = 512;  // T is below; T + kBigWeight * 3 is, too

struct ContextClasses {
  std::array<uint8_t, kContextValues> quad{}, magnitude{};
  constexpr ContextClasses() {
    for (size_t t = 0; t < kContextValues; ++t) {
      quad[t] = static_cast<uint8_t>(quad_class(static_cast<int>(t)));
      magnitude[t] = static_cast<uint8_t>(magnitude_class(static_cast<int>(t)));
    }
  }
};
inline constexpr ContextClasses kClasses;

/// Of a band's row of quads: sums of |level|, at most kMaxQuadSum. `below` is null under the last of an odd
/// number of rows. folded: room for cols + 1 numbers.
void sum_quads(const Level* above, const Level* below, int cols, uint16_t* folded, uint8_t* sums);

class QuadContexts {
 public:
  explicit QuadContexts(std::span<const ContextBand> bands);

  /// The sums of a row of quads; quad_cols of them are written by the coder, the four beside them stay 0.
  uint8_t* row(size_t band, int y) { return sums_[band].row(y); }
  const uint8_t* row(size_t band, int y) const { return sums_[band].row(y); }

  /// T without the part of the row itself, for quad_cols quads; kPadding zeros follow. planes: the levels of
  /// all planes, for parents.
  void fill_row(size_t band, int y, std::span<const Level* const> planes, uint16_t* out) const;

  static constexpr int kPadding = 8;
  /// Quads in the longest row.
  int longest_row() const { return longest_row_; }
  /// The widest band.
  int most_cols() const { return most_cols_; }

 private:
  // Sums of a band with two rows above, two columns to the left and at least two to the right of zeros.
  struct Sums {
    size_t stride = 0;
    std::vector<uint8_t> cells;
    uint8_t* row(int y) { return cells.data() + static_cast<size_t>(y + 2) * stride + 2; }
    const uint8_t* row(int y) const { return cells.data() + static_cast<size_t>(y + 2) * stride + 2; }
  };
  void add_siblings(const ContextBand& band, int y, uint16_t* out) const;
  void add_parent(const ContextBand& band, int y, std::span<const Level* const> planes, uint16_t* out) const;

  std::span<const ContextBand> bands_;
  std::vector<Sums> sums_;
  int longest_row_ = 0;
  int most_cols_ = 0;
};

}  // namespace ctv
