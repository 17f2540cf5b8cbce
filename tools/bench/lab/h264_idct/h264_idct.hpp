// SPDX-License-Identifier: BSD-3-Clause
// The inverse transforms of H.264 for a whole frame, as in Wang, Alvarez-Mesa, Chi and Juurlink, "An
// Optimized Parallel IDCT on Graphics Processing Units" (2013): coefficients lie macroblock by macroblock,
// most blocks are zero, and what is measured is what squeezing those out (compaction) and one buffer for each
// block size (separation) buys.
//
// Ranges: the magnitudes of a block's coefficients sum up to at most kMaxBlockSum, so that everything between
// coefficient and residual fits 16 bits, as it does in the streams of conforming encoders (ITU-T
// H.264, 8.5.12 and 8.5.13); all implementations are equal then.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/lab/h264.hpp"

namespace ctv::lab {

/// A coefficient counts at most 1.5 times for each direction of an 8x8 block; what halves and quarters drop,
/// and the 32 that rounds, stay below 128.
inline constexpr int kMaxBlockSum = (32767 - 128) * 4 / 9;
/// 16 luma blocks of 4x4 and four of each chroma plane.
inline constexpr int kBlocks4 = 24;
inline constexpr int kMacroblockSamples = kBlocks4 * 16;

struct MacroblockFrame {
  /// [macroblock][384]: luma as sixteen 4x4 or four 8x8 blocks, then chroma as eight 4x4; rows within a
  /// block.
  std::vector<int16_t> coefficients;
  /// [macroblock]: bit b: 4x4 block b is not zero (an 8x8 block has four equal bits); k8x8.
  std::vector<uint32_t> flags;
  static constexpr uint32_t k8x8 = uint32_t{1} << 31;
};

/// The blocks that are not zero, in the frame's order: [count][4][4] and [count][8][8].
using Blocks = std::array<std::vector<int16_t>, 2>;

/// Shares of blocks that are not zero, and of macroblocks with 8x8 luma.
struct Densities {
  double blocks4 = 0, blocks8 = 0, macroblocks8 = 0;
};

/// Blocks drawn one by one with these shares; a block that is not zero has 1 to 6 low coefficients. The same
/// for a seed on every machine.
MacroblockFrame make_macroblocks(int columns, int rows, const Densities& densities, uint32_t seed);
/// The blocks that `flags` names.
Blocks compact(const MacroblockFrame& frame);

CTV_HOST_DEVICE void inverse_line(const int32_t (&y)[4], int32_t (&x)[4]) { inverse_h264_4(y, x); }
CTV_HOST_DEVICE void inverse_line(const int32_t (&y)[8], int32_t (&x)[8]) { inverse_h264_8(y, x); }
/// After both directions, 64ths of a sample.
CTV_HOST_DEVICE int16_t rounded_residual(int32_t sum) { return static_cast<int16_t>((sum + 32) >> 6); }

/// Residuals of `count` blocks of size x size (4 or 8); both [count][size][size], and not the same.
void idct_scalar(int size, const int16_t* blocks, int count, int16_t* residuals);
/// Several blocks at once with the widest instructions up to 32 bytes that the processor has; scalar without
/// Highway.
void idct_simd(int size, const int16_t* blocks, int count, int16_t* residuals);
/// idct_simd() on many threads.
void idct_parallel(int size, const int16_t* blocks, int count, int16_t* residuals, int threads);

/// The steps of section 2.3, each with all before it.
enum class IdctStep {
  kCompacted,    // listing 1: groups of 96 threads, a line of a block each, a barrier between the directions
  kNoBarrier,    // a block's lines lie in one warp, so the warp's own synchronisation suffices
  kLargeGroup,   // groups of 192
  kGranularity,  // four lines a thread for 4x4, two for 8x8
  kCoalesced     // residuals turned back in padded shared memory and written as rows
};
inline constexpr IdctStep kIdctSteps[] = {IdctStep::kCompacted, IdctStep::kNoBarrier, IdctStep::kLargeGroup,
                                          IdctStep::kGranularity, IdctStep::kCoalesced};

}  // namespace ctv::lab
