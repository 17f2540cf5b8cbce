// SPDX-License-Identifier: BSD-3-Clause
// Blocks take pieces until none is left. The last kernel concatenates the bytes in host memory.
#include "cuda/entropy/residual_encoder.hpp"

#include <algorithm>
#include <utility>

#include "codec/model/residual_contexts.hpp"
#include "cuda/entropy/piece_coder.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr unsigned kBlocksPerProcessor = 6;
constexpr unsigned kJoinBlocks = 64;  // few, as they are placed early

struct PieceWork {
  ResidualNoted noted;
  const SymbolTable* tables;
  uint32_t macroblocks;
  uint32_t* sizes;

  __device__ uint32_t end_of_piece(uint32_t piece, uint32_t count) const {
    return piece + 1 < count ? noted.first[piece + 1] : macroblocks;
  }
  /// End of the memory of a macroblock. A piece's bytes replace its events, which need at least twice as much
  /// memory.
  __device__ uint8_t* end_of(uint32_t macroblock) const {
    return reinterpret_cast<uint8_t*>(noted.events + (size_t{macroblock} + 1) * noted.most);
  }
};

constexpr uint32_t kEach = 4;  // macroblocks of a thread, since most have few events
using MacroblockGroup = ItemGroup<kEach>;

__global__ void __launch_bounds__(kPieceThreads, kBlocksPerProcessor)
    residual_pieces_kernel(const __grid_constant__ PieceWork work) {
  pdl_begin();
  __shared__ MacroblockGroup group;
  __shared__ EventWindows windows;
  __shared__ WindowWriter::Buffer words;
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t count = *work.noted.pieces;
  for (uint32_t piece = blockIdx.x; piece < count; piece += gridDim.x) {
    if (work.noted.codes[piece] == 0) {
      if (threadIdx.x == 0) work.sizes[piece] = 0;
      continue;
    }
    const uint32_t begin = work.noted.first[piece];
    const uint32_t end = work.end_of_piece(piece, count);
    uint8_t* const bytes_end = work.end_of(end - 1);
    WindowWriter writer(words, bytes_end, lane);
    uint32_t group_end = end;
    code_events(
        writer, windows, work.tables, begin, end,
        [&](uint32_t first, uint32_t& last) {
          group_end = last;
          uint32_t counts[kEach];
#pragma unroll
          for (uint32_t k = 0; k < kEach; ++k) {
            const uint32_t away = kEach * threadIdx.x + k;
            counts[k] = away < last - first ? work.noted.counts[last - 1 - away] : 0;
          }
          last -= min_of(last - first, MacroblockGroup::kItems);
          return group.fill(counts);
        },
        [&](uint32_t i) {
          uint32_t rest = 0;
          const uint32_t own = group.find(i, rest);
          const size_t macroblock = group_end - 1 - own;
          return work.noted.events[macroblock * work.noted.most + group.count(own) - 1 - rest];
        });
    if (threadIdx.x >= kWarp) continue;
    const uint8_t* const bytes = writer.finish();
    if (lane == 0) work.sizes[piece] = static_cast<uint32_t>(bytes_end - bytes);
  }
}

struct JoinWork {
  PieceWork pieces;
  uint32_t* count;
  CodedPiece* coded;
  uint8_t* bytes;
};

__global__ void __launch_bounds__(kJoinThreads) join_residual_kernel(const __grid_constant__ JoinWork work) {
  pdl_begin();
  const PieceWork& pieces = work.pieces;
  const uint32_t count = *pieces.noted.pieces;
  if (blockIdx.x == 0 && threadIdx.x == 0) *work.count = count;
  join_pieces(
      {count, pieces.noted.first, pieces.macroblocks, pieces.sizes},
      [&](uint32_t macroblock) { return pieces.end_of(macroblock); }, work.coded, work.bytes);
}

}  // namespace

Status ResidualEncoder::initialise(Device& device, const CodingPlan& plan, const MotionGrid& cells,
                                   std::shared_ptr<EncoderMemory> memory) {
  memory_ = std::move(memory);
  const MacroblockGrid& grid = plan.macroblocks;
  macroblocks_ = static_cast<uint32_t>(grid.size());
  CTV_RETURN_IF_ERROR(notes_.initialise(device, grid, cells, memory_->events));
  CTV_RETURN_IF_ERROR(tables_.allocate(device, kResidualTables + 1));
  CTV_CUDA_TRY(device, cudaMemcpy(tables_.data(), plan.residual_tables,
                                  (kResidualTables + 1) * sizeof(SymbolTable), cudaMemcpyHostToDevice));
  const auto processors = static_cast<unsigned>(device.properties().multiProcessorCount);
  piece_blocks_ = std::min(macroblocks_, kBlocksPerProcessor * processors);
  CTV_RETURN_IF_ERROR(sizes_.allocate(device, macroblocks_));
  CTV_RETURN_IF_ERROR(count_.allocate(device, 1));
  *count_.data() = 0;
  CTV_RETURN_IF_ERROR(memory_->pieces.reserve(device, macroblocks_));
  CTV_RETURN_IF_ERROR(
      memory_->bytes.reserve(device, macroblocks_ * size_t{notes_.noted().most} * sizeof(uint16_t)));
  return finish_filling(device);
}

Status ResidualEncoder::encode(Device& device, const std::array<const Level*, 3>& levels,
                               const ConstSideInfo& side, cudaStream_t stream, const Event* noted) {
  CTV_RETURN_IF_ERROR(notes_.note(device, levels, side, stream));
  if (noted != nullptr) CTV_CUDA_TRY(device, cudaEventRecord(noted->get(), stream));
  const PieceWork pieces{notes_.noted(), tables_.data(), macroblocks_, sizes_.data()};
  // Not placed early: blocks with pieces would crowd the first free processors.
  launch_on(stream, false, residual_pieces_kernel, piece_blocks_, kPieceThreads, 0, pieces);
  CTV_RETURN_IF_ERROR(device.launched("residual_pieces_kernel"));
  const JoinWork join{pieces, count_.data(), memory_->pieces.data(), memory_->bytes.data()};
  launch_single_frame(device, stream, join_residual_kernel,
                      std::min(kJoinBlocks, (macroblocks_ + kJoined - 1) / kJoined), kJoinThreads, join);
  return device.launched("join_residual_kernel");
}

CodedTiles ResidualEncoder::coded() const {
  const std::span<const CodedPiece> pieces(memory_->pieces.data(), *count_.data());
  size_t bytes = 0;
  for (const CodedPiece& p : pieces) bytes += p.bytes;
  return {pieces, {memory_->bytes.data(), bytes}};
}

}  // namespace ctv::cuda
