// SPDX-License-Identifier: BSD-3-Clause
// Transforms a macroblock in each way that it may be coded in, chooses, and reconstructs it where its
// prediction is (codec/control/residual_decisions.hpp). A warp takes a macroblock. Levels wait in shared
// memory until the choice is made, and a lane knows the squares and bits of its own lines alone.
#include "codec/model/residual_pieces.hpp"
#include "cuda/residual/residual_kernels.hpp"
#include "cuda/residual/residual_tile.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;   // per block of threads
constexpr int kBlocks = 7;  // per SM, limited by shared memory and registers
constexpr int kFours = kMacroblockQuarters * 4;

struct WarpMemory {
  Tile samples, lines, levels[3];                           // levels: by BlockType; chroma uses the first
  uint32_t energies[kFours], errors[kFours], bits[kFours];  // by 4x4 block
  uint32_t quarter_errors[kMacroblockQuarters], quarter_bits[kMacroblockQuarters];
  QuarterChoice quarters[kMacroblockQuarters];
};

/// Sums over the lanes whose indices differ in bits kFirst up to kEnd, exclusive.
template <int kFirst, int kEnd>
__device__ __forceinline__ uint32_t sum_over(uint32_t v) {
#pragma unroll
  for (int away = kFirst; away < kEnd; away *= 2) v += __shfl_xor_sync(kAllLanes, v, away);
  return v;
}

/// Second pass of blocks of kSize, and quantisation: row `row` from column `col` on.
template <int kSize>
__device__ __forceinline__ void quantise_row(const QuantiserTables& tables, const ResidualPrices& prices,
                                             BlockType type, const Tile& lines, int row, int col,
                                             Tile& levels, uint32_t& error, uint32_t& bits) {
  int x[kSize];
  int c[kSize];
  load_row<kSize>(&lines.at[row][col], x);
  dct_forward<kSize>(x, c);
  const uint32_t* const places = tables.places[static_cast<int>(type)] + row % kSize / 2;
#pragma unroll
  for (int u = 0; u < kSize; ++u) {
    const int coefficient = round_dct<kDctForwardSecondShift>(c[u]);
    const uint32_t place = places[u / 2];
    const auto magnitude = static_cast<uint32_t>(abs_of(coefficient));
    const uint32_t level =
        quantise_residual(magnitude, rounding_offset(prices.step, place & 0xffffU), prices.reciprocal);
    const auto lost = static_cast<int32_t>(magnitude - dequantise_residual(level, prices.step));
    error += static_cast<uint32_t>(lost * lost);
    if (level != 0) bits += (place >> 16) + tables.magnitudes[min_of(level, uint32_t{kMagnitudes - 1})];
    c[u] = coefficient < 0 ? -static_cast<int>(level) : static_cast<int>(level);
  }
  store_row<kSize>(c, &levels.at[row][col]);
}

__device__ __forceinline__ BlockSums sums_of(uint32_t error, uint32_t bits) {
  return {error, bits, bits != 0};
}

__device__ __forceinline__ uint4 subtract(const uint4& source, const uint4& prediction, uint32_t kept,
                                          uint32_t (&squares)[2]) {
  int s[kOctet];
  int p[kOctet];
  unpack(source, s);
  unpack(prediction, p);
#pragma unroll
  for (int i = 0; i < kOctet; ++i) {
    s[i] = (kept >> (i / 4) & 1U) != 0 ? 0 : s[i] - p[i];
    squares[i / 4] += static_cast<uint32_t>(s[i] * s[i]);
  }
  return pack(s);
}

/// Finds the levels of luma with all transforms, and their sums.
__device__ __forceinline__ BlockSums transform_luma(const ResidualPrices& prices,
                                                    const QuantiserTables& tables, WarpMemory& own,
                                                    int lane) {
  const int line = lane % kTile;
  const int group = lane / kTile;
  forward_cols<4>(own.samples, lane, own.lines);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int col = 4 * (group + 2 * i);
    uint32_t error = 0;
    uint32_t bits = 0;
    quantise_row<4>(tables, prices, BlockType::k4x4, own.lines, line, col, own.levels[0], error, bits);
    error = sum_over<1, 4>(error);
    bits = sum_over<1, 4>(bits);
    if (lane % 4 == 0) {
      const int b = (line / 8 * 2 + col / 8) * 4 + line / 4 % 2 * 2 + col / 4 % 2;
      own.errors[b] = error;
      own.bits[b] = bits;
    }
  }
  __syncwarp();
  forward_cols<8>(own.samples, lane, own.lines);
  __syncwarp();
  uint32_t error = 0;
  uint32_t bits = 0;
  quantise_row<8>(tables, prices, BlockType::k8x8, own.lines, line, 8 * group, own.levels[1], error, bits);
  error = sum_over<1, 8>(error);
  bits = sum_over<1, 8>(bits);
  if (lane % 8 == 0) {
    const int q = line / 8 * 2 + group;
    own.quarter_errors[q] = error;
    own.quarter_bits[q] = bits;
  }
  __syncwarp();
  forward_cols<16>(own.samples, lane, own.lines);
  __syncwarp();
  error = bits = 0;
  quantise_row<16>(tables, prices, BlockType::k16x16, own.lines, line, 0, own.levels[2], error, bits);
  __syncwarp();
  return sums_of(sum_over<1, 16>(error), sum_over<1, 16>(bits));
}

__device__ __forceinline__ QuarterChoice choose(const ResidualPrices& prices, const WarpMemory& own, int q) {
  BlockSums fours[4];
  uint32_t energies[4];
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    fours[b] = sums_of(own.errors[4 * q + b], own.bits[4 * q + b]);
    energies[b] = own.energies[4 * q + b];
  }
  return choose_quarter(prices, sums_of(own.quarter_errors[q], own.quarter_bits[q]), fours, energies);
}

/// Returns the estimated bits. All lanes get the modes.
__device__ __forceinline__ uint32_t encode_luma(const EncodeWork& work, const QuantiserTables& tables,
                                                int row, int col, size_t index, uint32_t skipped,
                                                WarpMemory& own, int lane, Macroblock& m) {
  const Octet octet(lane);
  const int y = row * kMacroblock + octet.row;
  const int x = col * kMacroblock + octet.half * kOctet;
  Sample* const to = work.decoded[0].row(y) + x;
  const uint4 prediction = load_octet(to);
  const bool octet_skipped = (skipped >> octet.quarter() & 1U) != 0;
  uint32_t squares[2] = {};
  *reinterpret_cast<uint4*>(&own.samples.at[octet.row][octet.half * kOctet]) =
      subtract(load_octet(work.source[0].row(y) + x), prediction, octet_skipped ? 3 : 0, squares);
#pragma unroll
  for (int i = 0; i < 2; ++i) {  // rows are two lanes apart
    squares[i] = sum_over<2, 8>(squares[i]);
    if (octet.row % 4 == 0) own.energies[4 * octet.quarter() + octet.row / 4 % 2 * 2 + i] = squares[i];
  }
  const uint32_t energy = warp_sum(octet.row % 4 == 0 ? squares[0] + squares[1] : 0);
  __syncwarp();
  if (energy <= work.quiet) return macroblock_bits(MacroblockKind::kNone);
  const ResidualPrices prices = residual_prices(luma_step(work, prediction), false);
  if (energy <= prices.quiet) return macroblock_bits(MacroblockKind::kNone);
  const BlockSums whole = transform_luma(prices, tables, own, lane);
  if (lane < kMacroblockQuarters)
    own.quarters[lane] = (skipped >> lane & 1U) != 0 ? QuarterChoice{} : choose(prices, own, lane);
  __syncwarp();
  const LumaChoice choice = choose_luma(prices, whole, own.quarters, skipped, energy);
  m.kind = static_cast<uint8_t>(choice.kind);
  if (choice.kind == MacroblockKind::kNone) return choice.bits;
  if (choice.kind == MacroblockKind::kSplit) {
#pragma unroll
    for (int q = 0; q < kMacroblockQuarters; ++q) {
      const QuarterChoice& quarter = own.quarters[q];
      m.quarters = static_cast<uint8_t>(m.quarters | static_cast<unsigned>(quarter.kind) << 2 * q);
      if (quarter.kind == QuarterKind::k4x4)
        m.blocks = static_cast<uint16_t>(m.blocks | quarter.blocks << 4 * q);
    }
  }
  auto* const levels = reinterpret_cast<uint2*>(work.levels[0] + index * kLumaLevels);
#pragma unroll
  for (int i = 0; i < kTileQuads / kWarp; ++i) {
    const int n = lane + i * kWarp;
    const QuadPlace quad = quad_of_luma(m, n);
    if (quad.coded) levels[n] = take_quad(own.levels[static_cast<int>(quad.type)], quad);
  }
  inverse_luma(m, own.levels, prices.step, lane, own.lines, own.samples);
  const bool coded =
      choice.kind == MacroblockKind::k16x16 || m.quarter(octet.quarter()) != QuarterKind::kNone;
  if (coded && !octet_skipped) add_octet(prediction, own.samples, octet, 0, work.ranges[0], to);
  __syncwarp();
  return choice.bits;
}

__device__ __forceinline__ uint32_t encode_chroma(const EncodeWork& work, const QuantiserTables& tables,
                                                  int row, int col, size_t index, uint32_t skipped,
                                                  WarpMemory& own, int lane, Macroblock& m) {
  const MacroblockGrid& grid = work.grid;
  const ResidualPrices& prices = work.chroma;
  const Octet octet(lane);
  const int line = lane % kTile;
  const int first_col = lane / kTile * kQuarterSide;
  const int count = grid.chroma_blocks();
  uint32_t bits = 2 * kNoChromaBits * static_cast<uint32_t>(count);
  for (int first = 0; first < count; first += 2) {
    const ChromaOctet place(grid, row, col, skipped, first, octet);
    const bool inside = place.block < count;
    const PlaneView<Sample>& plane = work.decoded[place.plane];
    const PlaneView<const Sample>& source = work.source[place.plane];
    Sample* to = nullptr;
    uint4 prediction{};
    uint4 residual{};
    uint32_t squares[2] = {};
    if (inside) {
      to = plane.row(place.row) + place.col;
      prediction = load_octet(to);
      residual = subtract(load_octet(source.row(place.row) + place.col), prediction, place.skipped, squares);
    }
    *reinterpret_cast<uint4*>(&own.samples.at[octet.row][octet.half * kOctet]) = residual;
    // Eight lanes have a row each of a block; then eight other lanes have a line each.
    const uint32_t of_octets = sum_over<2, 16>(squares[0] + squares[1]);
    const uint32_t energy =
        __shfl_sync(kAllLanes, of_octets, line / kQuarterSide * 16 + first_col / kQuarterSide);
    const bool quiet = energy <= prices.quiet;
    __syncwarp();
    if (__all_sync(kAllLanes, quiet) != 0) continue;
    forward_cols<8>(own.samples, lane, own.lines);
    __syncwarp();
    uint32_t error = 0;
    uint32_t level_bits = 0;
    quantise_row<8>(tables, prices, BlockType::kChroma, own.lines, line, first_col, own.levels[0], error,
                    level_bits);
    const BlockChoice choice = choose_block(
        prices, BlockType::kChroma, sums_of(sum_over<1, 8>(error), sum_over<1, 8>(level_bits)), energy);
    const uint32_t lanes = __ballot_sync(kAllLanes, !quiet && choice.coded && lane % 8 == 0);
    const uint32_t coded = (lanes & 1U) | (lanes >> 7 & 2U) | (lanes >> 14 & 4U) | (lanes >> 21 & 8U);
    if (coded == 0) continue;
    bits += warp_sum((lanes >> lane & 1U) != 0 ? choice.bits : 0);
#pragma unroll
    for (uint32_t p = 0; p < 2; ++p)
      m.chroma[p] = static_cast<uint8_t>(m.chroma[p] | (coded >> 2 * p & 3U) << first);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kTileQuads / kWarp; ++i) {
      const ChromaQuad quad(lane + i * kWarp);
      if ((coded & quad.bit()) == 0) continue;
      *quad.levels(work, index, first) = take_quad(own.levels[0], quad.place());
    }
    inverse_chroma(coded, own.levels[0], prices.step, lane, own.lines, own.samples);
    if ((coded & chroma_bit(octet.row, octet.half * kOctet)) != 0)
      add_octet(prediction, own.samples, octet, place.skipped, work.ranges[place.plane], to);
    __syncwarp();
  }
  return bits;
}

__global__ void __launch_bounds__(kWarps* kWarp, kBlocks)
    encode_residual_kernel(const __grid_constant__ EncodeWork work) {
  pdl_begin();
  __shared__ QuantiserTables tables;
  __shared__ WarpMemory memory[kWarps];
  const int warp = thread_x() / kWarp;
  const int lane = thread_x() % kWarp;
  const int row = static_cast<int>(blockIdx.y);
  const int col = static_cast<int>(blockIdx.x) * kWarps + warp;
  const bool inside = col < work.grid.cols;
  const uint32_t skipped = inside ? skipped_quarters(work.cells, work.skips, row, col) : kAllSkipped;
  const size_t index = work.grid.index(row, col);
  Macroblock m{};
  m.cost = kSkippedMacroblockCost;
  if (inside && lane == 0 && skipped == kAllSkipped) work.macroblocks[index] = m;
  if (__syncthreads_or(skipped != kAllSkipped ? 1 : 0) == 0) return;
  for (uint32_t i = threadIdx.x; i < sizeof tables / sizeof(uint32_t); i += kWarps * kWarp)
    reinterpret_cast<uint32_t*>(&tables)[i] = reinterpret_cast<const uint32_t*>(&work.tables)[i];
  __syncthreads();
  if (skipped == kAllSkipped) return;
  uint32_t bits = encode_luma(work, tables, row, col, index, skipped, memory[warp], lane, m);
  bits += encode_chroma(work, tables, row, col, index, skipped, memory[warp], lane, m);
  m.cost = macroblock_cost(m.coded(), bits);
  if (lane == 0) work.macroblocks[index] = m;
}

}  // namespace

Status encode_residual(Device& device, const EncodeWork& work) {
  const dim3 blocks(blocks_for(work.grid.cols, kWarps), static_cast<unsigned>(work.grid.rows));
  launch_kernel(device, encode_residual_kernel, blocks, kWarps * kWarp, 0, work);
  return device.launched("encode_residual_kernel");
}

}  // namespace ctv::cuda
