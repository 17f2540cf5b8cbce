// SPDX-License-Identifier: BSD-3-Clause
// A warp decodes a piece (residual_piece.cuh). Macroblocks with symbols are found in advance, since most of a
// static picture has none.
#include "cuda/entropy/residual_decoder.hpp"

#include <algorithm>

#include "codec/format/packet.hpp"
#include "cuda/entropy/residual_notes.hpp"
#include "cuda/entropy/residual_piece.cuh"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // per block, which shares its tables
constexpr unsigned kBlocksPerProcessor = 2;
constexpr int kThreads = kWarps * kWarp;
constexpr uint32_t kAllTables = kResidualTables + 1;
constexpr size_t kReadBeyond = 1;
constexpr size_t kUsualBytes = 16;  // of a macroblock: half a bit per sample of luma
using Memory = ResidualMemory<kWarps>;

struct DecodeWork {
  MacroblockGrid grid;
  MotionGrid cells;
  const uint8_t* skips;
  uint8_t* skipped;
  Macroblock* macroblocks;
  Level* levels[3];
  const SymbolTable* tables;
  UploadedPieces pieces;
  uint32_t* damaged;
  uint32_t most_words;  // of a macroblock
};

/// Runs before the pieces: marks all macroblocks as not coded.
__global__ void __launch_bounds__(kThreads) skipped_kernel(const __grid_constant__ DecodeWork work) {
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= work.grid.size()) return;
  const MacroblockPlace place(work.grid, i);
  const uint32_t skipped = skipped_quarters(work.cells, work.skips, place.strip + place.row, place.col);
  work.skipped[i] = static_cast<uint8_t>(skipped);
  work.macroblocks[i] = Macroblock{};
}

/// Number of ones from bit 0 on.
__device__ __forceinline__ int count_of_ones(uint32_t v) {
  return v == kAllLanes ? kWarp : __ffs(static_cast<int>(~v)) - 1;
}

__device__ __forceinline__ void decode_piece(const DecodeWork& work, const Memory& memory, uint16_t* words,
                                             const UploadedPiece& piece, int lane) {
  const MacroblockGrid& grid = work.grid;
  IntervalReader coder(work.pieces.bytes + piece.begin, piece.size, words, lane);
  ResidualPieceDecoder decoder(memory, grid, coder, lane);
  const uint32_t end = piece.first + piece.tiles;
  const uint32_t whole_strip = static_cast<uint32_t>(kStripMacroblocks * grid.cols);
  uint32_t last = piece.first;  // last decoded macroblock
  uint32_t last_strip = last / whole_strip;
  int last_row = 0;
  constexpr uint32_t kScans = 4;  // macroblocks that a lane looks at together
  for (uint32_t begin = piece.first; begin < end; begin += kScans * kWarp) {
    uint8_t masks[kScans];
#pragma unroll
    for (uint32_t k = 0; k < kScans; ++k) {
      const uint32_t own = begin + k * kWarp + static_cast<uint32_t>(lane);
      masks[k] = own < end ? work.skipped[own] : kAllSkipped;
    }
    uint32_t packed = 0;
#pragma unroll
    for (uint32_t k = 0; k < kScans; ++k) packed |= uint32_t{masks[k]} << (8 * k);
#pragma unroll 1
    for (uint32_t k = 0; k < kScans; ++k) {
      const uint32_t first = begin + k * kWarp;
      const uint32_t own = first + static_cast<uint32_t>(lane);
      const uint32_t skipped = packed >> (8 * k) & kAllSkipped;
      uint32_t left = __ballot_sync(kAllLanes, skipped != kAllSkipped);
      if (left == 0) continue;
      const uint32_t own_strip = own / whole_strip;
      const auto rest = static_cast<uint32_t>(grid.rows) - kStripMacroblocks * own_strip;
      const uint32_t own_height = rest == 0 ? 1 : min_of(static_cast<uint32_t>(kStripMacroblocks), rest);
      // In one word, since all lanes get it: the strip, its height, the row in it, the mask.
      const uint32_t place =
          own_strip << 12 | own_height << 8 | own % whole_strip % own_height << 4 | skipped;
      const uint32_t plain = __ballot_sync(kAllLanes, skipped == 0);
      while (left != 0) {
        const int from = __ffs(static_cast<int>(left)) - 1;
        uint32_t i = first + static_cast<uint32_t>(from);
        const uint32_t its = __shfl_sync(kAllLanes, place, from);
        const auto height = static_cast<int>(its >> 8 & 15U);
        auto row = static_cast<int>(its >> 4 & 15U);
        if (its >> 12 != last_strip) {
          decoder.clear();
        } else if (i > last) {
          decoder.pass(last_row, static_cast<int>(i - last - 1), height);
        }
        last_strip = its >> 12;
        bool codes = true;
        if ((its & 15U) == 0) {
          coder.provide(kWarp, lane);
          const auto of_strip = static_cast<int>(whole_strip * (last_strip + 1) - i);
          const int count = min_of(count_of_ones(plain >> from), of_strip);
          const int done = decoder.decode_uncoded(count, height, row);
          i += static_cast<uint32_t>(done);
          codes = done < count;
        }
        if (codes) {
          Level* const levels[3] = {work.levels[0] + size_t{i} * kLumaLevels,
                                    work.levels[1] + size_t{i} * grid.levels(1),
                                    work.levels[2] + size_t{i} * grid.levels(2)};
          coder.provide(work.most_words, lane);
          const Macroblock m = decoder.decode(row, its & 15U, levels);
          if (lane == 0) work.macroblocks[i] = m;
          last = i;
          last_row = row;
        } else {
          last = i - 1;
          last_row = (row == 0 ? height : row) - 1;
        }
        const uint32_t behind = last + 1 - first;
        left = behind < kWarp ? left >> behind << behind : 0;
      }
    }
  }
  if (!coder.sound() && lane == 0) work.damaged[piece.component] = 1;
}

__global__ void __launch_bounds__(kThreads, kBlocksPerProcessor)
    decode_pieces_kernel(const __grid_constant__ DecodeWork work) {
  extern __shared__ uint4 shared[];
  Memory& memory = *reinterpret_cast<Memory*>(shared);
  const auto count = static_cast<uint32_t>(*work.pieces.count);
  if (blockIdx.x >= count) return;
  load_tables(work.tables, thread_x(), kThreads, memory);
  __syncthreads();
  const auto warp = threadIdx.x / kWarp;
  for (uint32_t i = warp * gridDim.x + blockIdx.x; i < count; i += kWarps * gridDim.x)
    decode_piece(work, memory, memory.words[warp], work.pieces.piece(i), thread_x() % kWarp);
}

}  // namespace

Status ResidualDecoder::initialise(Device& device, const CodingPlan& plan, const MotionGrid& cells) {
  grid_ = plan.macroblocks;
  cells_ = cells;
  single_frame_ = device.single_frame();
  most_bytes_ = sizeof(uint16_t) * most_events(grid_);
  upload_.initialise(grid_.size(), kReadBeyond);
  CTV_RETURN_IF_ERROR(tables_.allocate(device, kAllTables));
  CTV_CUDA_TRY(device, cudaMemcpy(tables_.data(), plan.residual_tables, kAllTables * sizeof(SymbolTable),
                                  cudaMemcpyHostToDevice));
  CTV_RETURN_IF_ERROR(skipped_.allocate(device, grid_.size()));
  CTV_RETURN_IF_ERROR(damaged_.allocate(device, kMostRegions));
  blocks_ = std::min(static_cast<unsigned>(grid_.size()),
                     kBlocksPerProcessor * static_cast<unsigned>(device.properties().multiProcessorCount));
  CTV_CUDA_TRY(device, cudaFuncSetAttribute(decode_pieces_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(sizeof(Memory))));
  return finish_filling(device);
}

Status ResidualDecoder::start(Device& device, size_t bytes) {
  std::fill_n(damaged_.data(), damaged_.size(), 0U);
  // One byte of padding per region. put() rejects more bytes than all levels can have. The first frame gets
  // room for larger ones, since new memory stops the device.
  return upload_.start(device, std::max(bytes, kUsualBytes * grid_.size()), kMostRegions,
                       most_bytes_ * grid_.size());
}

Status ResidualDecoder::upload(Device& device, cudaStream_t stream) {
  return single_frame_ ? Status() : upload_.upload(device, stream);
}

bool ResidualDecoder::put(size_t region, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces) {
  if (bytes.empty() || pieces.empty()) return true;
  const TilePiece& last = pieces.back();
  const size_t size = last.begin + last.size - pieces.front().begin;
  if (size > most_bytes_ * (last.first + last.tiles - pieces.front().first)) {
    damaged_.data()[region] = 1;
    return false;
  }
  upload_.put(region, 0, bytes, pieces);
  return true;
}

Status ResidualDecoder::decode(Device& device, const std::array<Level*, 3>& levels, Macroblock* macroblocks,
                               const uint8_t* skips, cudaStream_t stream) {
  const DecodeWork work{grid_,           cells_,
                        skips,           skipped_.data(),
                        macroblocks,     {levels[0], levels[1], levels[2]},
                        tables_.data(),  pieces(),
                        damaged_.data(), most_events(grid_)};
  skipped_kernel<<<blocks_for(static_cast<int>(grid_.size()), kThreads), kThreads, 0, stream>>>(work);
  CTV_RETURN_IF_ERROR(device.launched("skipped_kernel"));
  decode_pieces_kernel<<<blocks_, kThreads, sizeof(Memory), stream>>>(work);
  return device.launched("decode_pieces_kernel");
}

}  // namespace ctv::cuda
