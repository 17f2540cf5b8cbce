// SPDX-License-Identifier: BSD-3-Clause
// Motion vectors to bytes: each is predicted by the median of its neighbours left, above and above right (as in H.264),
// differences are written in units of the stream's vector precision, all rows first, then all columns, as symbols of
// zero_run.hpp; DEFLATE follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/base/types.hpp"
#include "codec/frame/coded_frame.hpp"

namespace ctv {

/// vectors: [rows][cols] eighths of a luma sample, multiples of 2^(3-subpel). scratch: 2 * grid.size() levels.
/// out: zero_run_bound(2 * grid.size()) bytes. Returns the bytes written.
size_t encode_vectors(const MotionGrid& grid, int subpel, const MotionVector* vectors, std::span<Level> scratch,
                      uint8_t* out);
/// False unless the bytes hold exactly grid.size() vectors. Sums wrap to 16 bits.
bool decode_vectors(const MotionGrid& grid, int subpel, std::span<const uint8_t> bytes, std::span<Level> scratch,
                    MotionVector* vectors);

}  // namespace ctv
