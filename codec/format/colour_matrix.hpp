// SPDX-License-Identifier: BSD-3-Clause
// The conversion between R'G'B' and Y'CbCr for a stream's header.
#pragma once

#include <optional>

#include "codec/dsp/ycbcr.hpp"
#include "codec/format/headers.hpp"

namespace ctv {

/// Returns nothing if H.273's matrix is not linear in R'G'B' or not Y'CbCr. Defaults of unspecified fields,
/// as in players: BT.709 from 720 rows on, BT.601 below; limited range.
inline std::optional<YcbcrMatrix> colour_matrix(const SequenceHeader& header) {
  struct Row {
    int matrix;
    double kr, kb;
  };
  constexpr Row kRows[] = {{1, 0.2126, 0.0722}, {4, 0.30, 0.11},   {5, 0.299, 0.114},
                           {6, 0.299, 0.114},   {7, 0.212, 0.087}, {9, 0.2627, 0.0593}};
  constexpr int kIdentity = 0;
  constexpr int kUnspecified = 2;
  int matrix = header.description.matrix;
  const bool of_rgb =
      header.source == CTV_FORMAT_RGB8 && matrix == kIdentity;  // RGB sources have no Y'CbCr matrix
  if (matrix == kUnspecified || of_rgb) matrix = header.height >= 720 ? 1 : 6;
  for (const Row& row : kRows) {
    if (row.matrix == matrix)
      return make_ycbcr_matrix(row.kr, row.kb, header.description.range == CTV_RANGE_FULL);
  }
  return std::nullopt;
}

}  // namespace ctv
