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

/// A level times 2^kResidualLevelShift, and a fraction. place: of QuantiserTables.
__device__ __forceinline__ uint32_t scaled_level(const ResidualPrices& prices, uint32_t place,
                                                 uint32_t magnitude) {
  return scaled_residual(magnitude, rounding_offset(prices.step, place & 0xffffU), prices.reciprocal);
}

/// The transforms of all blocks of kSize in the tile of samples of 8 + shift bits.
template <int kSize>
__device__ __forceinline__ void forward(const Tile& samples, int shift, int lane, Tile& coefficients) {
  forward_cols<kSize>(samples, shift, lane, coefficients);
  __syncwarp();
  forward_rows<kSize>(lane, coefficients);
  __syncwarp();
}

/// Sums over the halves of a lane's octet.
struct OctetSums {
  uint32_t error[2] = {}, bits[2] = {};
  __device__ __forceinline__ uint32_t whole_error() const { return error[0] + error[1]; }
  __device__ __forceinline__ uint32_t whole_bits() const { return bits[0] + bits[1]; }
};
/// Quantises blocks of `size`, a power of two. If all levels of the warp are 0, which is frequent, it neither
/// writes them nor adds an error, which does not matter then. All lanes must call.
__device__ __forceinline__ OctetSums quantise(const QuantiserTables& tables, const ResidualPrices& prices,
                                              BlockType type, int size, const Tile& coefficients,
                                              const Octet& octet, Tile& levels) {
  OctetSums sums;
  int c[kOctet];
  load_row<kOctet>(&coefficients.at[octet.row][octet.half * kOctet], c);
  // The octet's first quad in its block, and the quads that follow.
  const uint32_t* const at = tables.places[static_cast<int>(type)] + (octet.row & (size - 1)) / 2 +
                             (octet.half * kOctet & (size - 1)) / 2;
  uint32_t places[kOctet / 2];
  uint32_t all = 0;
#pragma unroll
  for (int u = 0; u < kOctet; ++u) {
    if (u % 2 == 0) places[u / 2] = at[u / 2 & (size / 2 - 1)];
    all |= scaled_level(prices, places[u / 2], static_cast<uint32_t>(abs_of(c[u])));
  }
  if (__any_sync(kAllLanes, all >> kResidualLevelShift != 0) == 0) return sums;
#pragma unroll
  for (int u = 0; u < kOctet; ++u) {
    const uint32_t place = places[u / 2];
    const auto magnitude = static_cast<uint32_t>(abs_of(c[u]));
    const uint32_t level = scaled_level(prices, place, magnitude) >> kResidualLevelShift;
    const auto lost = static_cast<int32_t>(magnitude - dequantise_residual(level, prices.step));
    sums.error[u / 4] += static_cast<uint32_t>(lost * lost);
    if (level != 0)
      sums.bits[u / 4] += (place >> 16) + tables.magnitudes[min_of(level, uint32_t{kMagnitudes - 1})];
    c[u] = c[u] < 0 ? -static_cast<int>(level) : static_cast<int>(level);
  }
  store_row<kOctet>(c, &levels.at[octet.row][octet.half * kOctet]);
  return sums;
}

/// Number of the 4x4 block in the left half of the octet.
__device__ __forceinline__ int first_four(const Octet& octet) {
  return 4 * octet.quarter() + octet.row / 4 % 2 * 2;
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
  const Octet octet(lane);
  BlockSums whole;
#pragma unroll 1  // one copy of the quantiser: code has to stay in the instruction cache
  for (int type = 0; type < 3; ++type) {
    if (type == 0) {
      forward<4>(own.samples, prices.shift, lane, own.lines);
    } else if (type == 1) {
      forward<8>(own.samples, prices.shift, lane, own.lines);
    } else {
      forward<16>(own.samples, prices.shift, lane, own.lines);
    }
    const OctetSums sums =
        quantise(tables, prices, static_cast<BlockType>(type), 4 << type, own.lines, octet, own.levels[type]);
    if (type == 0) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {  // rows are two lanes apart
        const uint32_t error = sum_over<2, 8>(sums.error[i]);
        const uint32_t bits = sum_over<2, 8>(sums.bits[i]);
        if (octet.row % 4 != 0) continue;
        own.errors[first_four(octet) + i] = error;
        own.bits[first_four(octet) + i] = bits;
      }
    } else if (type == 1) {
      const uint32_t error = sum_over<2, 16>(sums.whole_error());
      const uint32_t bits = sum_over<2, 16>(sums.whole_bits());
      if (octet.row % kQuarterSide == 0) {
        own.quarter_errors[octet.quarter()] = error;
        own.quarter_bits[octet.quarter()] = bits;
      }
    } else {
      whole = sums_of(warp_sum(sums.whole_error()), warp_sum(sums.whole_bits()));
    }
    __syncwarp();  // before the next transform
  }
  return whole;
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
    if (octet.row % 4 == 0) own.energies[first_four(octet) + i] = squares[i];
  }
  const uint32_t energy = warp_sum(octet.row % 4 == 0 ? squares[0] + squares[1] : 0);
  __syncwarp();
  if (energy <= work.quiet) return macroblock_bits(MacroblockKind::kNone);
  const ResidualPrices prices = residual_prices(luma_step(work, prediction), false, work.shift);
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
  inverse_luma(m, own.levels, prices.step, prices.shift, lane, own.lines, own.samples);
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
    const uint32_t energy = sum_over<2, 16>(squares[0] + squares[1]);  // eight lanes have a block
    const bool quiet = energy <= prices.quiet;
    __syncwarp();
    if (__all_sync(kAllLanes, quiet) != 0) continue;
    forward<8>(own.samples, prices.shift, lane, own.lines);
    const OctetSums sums =
        quantise(tables, prices, BlockType::kChroma, kQuarterSide, own.lines, octet, own.levels[0]);
    const BlockChoice choice = choose_block(
        prices, BlockType::kChroma,
        sums_of(sum_over<2, 16>(sums.whole_error()), sum_over<2, 16>(sums.whole_bits())), energy);
    const uint32_t lanes = __ballot_sync(kAllLanes, !quiet && choice.coded && octet.row % kQuarterSide == 0);
    const uint32_t coded = (lanes & 1U) | (lanes >> 15 & 2U) | (lanes << 1 & 4U) | (lanes >> 14 & 8U);
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
    inverse_chroma(coded, own.levels[0], prices.step, prices.shift, lane, own.lines, own.samples);
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
