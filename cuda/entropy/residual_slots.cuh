// SPDX-License-Identifier: BSD-3-Clause
// Slots: the quads of a macroblock in coding order, so that a warp processes them in parallel: 64 of luma, 32
// of chroma per round.
#pragma once

#include "codec/model/residual_walk.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr int kLumaSlots = 64;
constexpr int kChromaSlots = 16;  // per block

/// A frame's residual in device memory.
struct ResidualSource {
  MacroblockGrid grid;
  MotionGrid cells;
  const uint8_t* skips;
  const Macroblock* macroblocks;
  const Level* levels[3];
};

struct QuadSlot {
  bool coded;  // the block is coded
  BlockType type;
  int begin, count;  // slots of the block, last quad first
  int slot;
  int row, col;  // first quad of the block, in the macroblock

  __device__ __forceinline__ int quad() const { return begin + count - 1 - slot; }  // number in the block
};
__device__ __forceinline__ QuadSlot luma_slot(const Macroblock& m, int s) {
  if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16))
    return {true, BlockType::k16x16, 0, kLumaSlots, s, 0, 0};
  const int q = s / 16;
  const int row = q / 2 * 4;
  const int col = q % 2 * 4;
  const QuarterKind kind = m.kind == 0 ? QuarterKind::kNone : m.quarter(q);
  if (kind == QuarterKind::k8x8) return {true, BlockType::k8x8, 16 * q, 16, s, row, col};
  const int b = s % 16 / 4;
  const bool coded = kind == QuarterKind::k4x4 && (m.blocks >> (4 * q + b) & 1) != 0;
  return {coded, BlockType::k4x4, 16 * q + 4 * b, 4, s, row + b / 2 * 2, col + b % 2 * 2};
}

/// Chroma: the block of a lane in a round, and its slot in the round. Blocks of U come first.
struct ChromaSlot : QuadSlot {
  int plane, block;  // plane: 0 or 1
};
__device__ __forceinline__ ChromaSlot chroma_slot(const MacroblockGrid& grid, const Macroblock& m, int round,
                                                  int lane) {
  const int half = lane / kChromaSlots;
  const int number = 2 * round + half;
  const int plane = number / grid.chroma_blocks();
  const int block = number % grid.chroma_blocks();
  return {{(m.chroma[plane] >> block & 1) != 0, BlockType::kChroma, kChromaSlots * half, kChromaSlots, lane,
           0, 4 * half},
          plane,
          block};
}

/// A quad's levels; 0 if it is not coded.
__device__ __forceinline__ uint2 load_quad(const Level* block_levels, const QuadSlot& slot) {
  return slot.coded ? reinterpret_cast<const uint2*>(block_levels)[slot.quad()] : uint2{0, 0};
}
__device__ __forceinline__ const Level* luma_block(const ResidualSource& source, size_t index,
                                                   const QuadSlot& slot) {
  return source.levels[0] + index * kLumaLevels + 4 * slot.begin;  // levels of a block are in this order, too
}
__device__ __forceinline__ const Level* chroma_block(const ResidualSource& source, size_t index,
                                                     const ChromaSlot& slot) {
  return source.levels[slot.plane + 1] + index * source.grid.levels(1) +
         kChromaBlockLevels * static_cast<size_t>(slot.block);
}

/// First nonzero slot of a coded block. nonzero: mask of slots.
__device__ __forceinline__ int first_slot(uint64_t nonzero, int begin, int count) {
  const uint64_t own = nonzero >> begin & (count == kLumaSlots ? ~uint64_t{0} : (uint64_t{1} << count) - 1);
  return own == 0 ? begin + count - 1 : begin + __ffsll(static_cast<long long>(own)) - 1;
}
__device__ __forceinline__ uint32_t last_of(uint64_t nonzero, const QuadSlot& block) {
  return static_cast<uint32_t>(block.begin + block.count - 1 - first_slot(nonzero, block.begin, block.count));
}
/// Density of the block with a slot; 0 if it is not coded.
__device__ __forceinline__ uint32_t density_of(uint64_t nonzero, const QuadSlot& slot) {
  return slot.coded ? block_density(slot.type, last_of(nonzero, slot)) : 0;
}
/// Density of luma's 4x4 area in row r and column c.
__device__ __forceinline__ uint32_t area_density(const Macroblock& m, uint64_t nonzero, int r, int c) {
  const int q = r / 2 * 2 + c / 2;
  const int b = r % 2 * 2 + c % 2;
  return density_of(nonzero, luma_slot(m, 16 * q + 4 * b));
}
/// Mask of nonzero slots, from the lanes' words. All lanes must call.
__device__ __forceinline__ uint32_t nonzero_slots(const uint2& words) {
  return __ballot_sync(kAllLanes, (words.x | words.y) != 0);
}

}  // namespace ctv::cuda
