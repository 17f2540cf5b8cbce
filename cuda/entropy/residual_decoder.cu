// SPDX-License-Identifier: BSD-3-Clause
// A warp decodes a piece. Each symbol depends on the one before, so all lanes make the same walk and share
// the table search (piece_reader.cuh). Lanes synchronise at every symbol and write equal values to the frame.
// Macroblocks with symbols are found in advance, since most of a static picture has none.
#include "cuda/entropy/residual_decoder.hpp"

#include <algorithm>

#include "codec/format/packet.hpp"
#include "codec/model/residual_walk.hpp"
#include "cuda/entropy/piece_reader.cuh"
#include "cuda/entropy/residual_notes.hpp"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // per block, which shares its tables
constexpr unsigned kBlocksPerProcessor = 2;
constexpr int kThreads = kWarps * kWarp;
constexpr uint32_t kAllTables = kResidualTables + 1;

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
};

/// A coder of the walk. All lanes must call.
struct WarpReader {
  static constexpr bool kDecodes = true;
  PieceReader reader;
  int lane;

  __device__ __forceinline__ uint32_t symbol(uint32_t table, uint32_t s) { return reader.symbol(table, s); }
  __device__ __forceinline__ uint32_t raw(uint32_t bits, uint32_t) { return reader.raw(bits); }
  __device__ __forceinline__ void clear(Level* levels, int count) {
    for (int i = 4 * lane; i < count; i += 4 * kWarp) *reinterpret_cast<uint2*>(levels + i) = {0, 0};
  }
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

/// Updates the neighbours for the macroblock at `place` from those of the previous one with symbols; the
/// `between` macroblocks are skipped.
__device__ __forceinline__ void go_on(ResidualNeighbours& around, const MacroblockPlace& before,
                                      const MacroblockPlace& place, uint32_t between, int height) {
  if (place.strip != before.strip) {
    around.clear();
    return;
  }
  const int count = static_cast<int>(min_of(between, static_cast<uint32_t>(height)));
  for (int i = 1; i <= count; ++i) pass_macroblock(around, place.row - i + (place.row < i ? height : 0));
}

__device__ __forceinline__ void decode_piece(const DecodeWork& work, const SymbolTable* tables,
                                             const UploadedPiece& piece, int lane) {
  const MacroblockGrid& grid = work.grid;
  WarpReader coder{
      PieceReader(tables, work.pieces.bytes + piece.begin, piece.size, static_cast<uint32_t>(lane)), lane};
  ResidualNeighbours around;
  around.clear();
  const uint32_t end = piece.first + piece.tiles;
  uint32_t last = piece.first;  // last decoded macroblock
  MacroblockPlace last_place(grid, last);
  for (uint32_t first = piece.first; first < end; first += kWarp) {
    const uint32_t own = first + static_cast<uint32_t>(lane);
    const uint32_t skipped = own < end ? work.skipped[own] : kAllSkipped;
    for (uint32_t left = __ballot_sync(kAllLanes, skipped != kAllSkipped); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const uint32_t i = first + static_cast<uint32_t>(from);
      const MacroblockPlace place(grid, i);
      if (i > last) go_on(around, last_place, place, i - last - 1, place.height_of(grid));
      last = i;
      last_place = place;
      Level* const levels[3] = {work.levels[0] + size_t{i} * kLumaLevels,
                                work.levels[1] + size_t{i} * grid.levels(1),
                                work.levels[2] + size_t{i} * grid.levels(2)};
      Macroblock m{};
      code_macroblock(coder, grid, around, place.row, __shfl_sync(kAllLanes, skipped, from), m, levels);
      work.macroblocks[i] = m;
    }
  }
  if (!coder.reader.sound() && lane == 0) work.damaged[piece.component] = 1;
}

__global__ void __launch_bounds__(kThreads, kBlocksPerProcessor)
    decode_pieces_kernel(const __grid_constant__ DecodeWork work) {
  __shared__ SymbolTable tables[kAllTables];
  const auto count = static_cast<uint32_t>(*work.pieces.count);
  if (blockIdx.x >= count) return;
  static_assert(sizeof tables % sizeof(uint4) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof tables / sizeof(uint4); i += kThreads)
    reinterpret_cast<uint4*>(tables)[i] = reinterpret_cast<const uint4*>(work.tables)[i];
  __syncthreads();
  const auto warp = threadIdx.x / kWarp;
  for (uint32_t i = warp * gridDim.x + blockIdx.x; i < count; i += kWarps * gridDim.x)
    decode_piece(work, tables, work.pieces.piece(i), thread_x() % kWarp);
}

}  // namespace

Status ResidualDecoder::initialise(Device& device, const CodingPlan& plan, const MotionGrid& cells) {
  grid_ = plan.macroblocks;
  cells_ = cells;
  most_bytes_ = sizeof(uint16_t) * most_events(grid_);
  upload_.initialise(grid_.size(), PieceReader::kReadBeyond);
  CTV_RETURN_IF_ERROR(tables_.allocate(device, kAllTables));
  CTV_CUDA_TRY(device, cudaMemcpy(tables_.data(), plan.residual_tables, kAllTables * sizeof(SymbolTable),
                                  cudaMemcpyHostToDevice));
  CTV_RETURN_IF_ERROR(skipped_.allocate(device, grid_.size()));
  CTV_RETURN_IF_ERROR(damaged_.allocate(device, kMostRegions));
  blocks_ = std::min(static_cast<unsigned>(grid_.size()),
                     kBlocksPerProcessor * static_cast<unsigned>(device.properties().multiProcessorCount));
  return finish_filling(device);
}

Status ResidualDecoder::start(Device& device, size_t bytes) {
  std::fill_n(damaged_.data(), damaged_.size(), 0U);
  // One byte of padding per region. put() rejects more bytes than all levels can have.
  return upload_.start(device, bytes, kMostRegions, most_bytes_ * grid_.size());
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
  const DecodeWork work{grid_,          cells_,
                        skips,          skipped_.data(),
                        macroblocks,    {levels[0], levels[1], levels[2]},
                        tables_.data(), upload_.uploaded(),
                        damaged_.data()};
  skipped_kernel<<<blocks_for(static_cast<int>(grid_.size()), kThreads), kThreads, 0, stream>>>(work);
  CTV_RETURN_IF_ERROR(device.launched("skipped_kernel"));
  decode_pieces_kernel<<<blocks_, kThreads, 0, stream>>>(work);
  return device.launched("decode_pieces_kernel");
}

}  // namespace ctv::cuda
