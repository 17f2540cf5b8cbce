// SPDX-License-Identifier: BSD-3-Clause
// A warp decodes a piece. Each symbol depends on the one before, so all lanes make the same walk. They share
// the table search (piece_reader.cuh), and the steps of a part that do not depend on the symbol before
// (part_decoder.cuh). Lanes synchronise at every symbol. Between two symbols they write equal values to the
// same addresses, in any order.
#include "cuda/entropy/tile_decoder.hpp"

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstring>

#include "cuda/entropy/lowpass_levels.hpp"
#include "cuda/entropy/part_decoder.cuh"

namespace ctv::cuda {
namespace {

constexpr uint32_t kMostWarps = 16;  // per block, which shares its tables
constexpr uint32_t kFewWarps = 4;    // one per scheduler of an SM, so they do not compete
constexpr uint32_t kSkipWarps = 4;
constexpr size_t kReadBeyond = PieceReader::kReadBeyond;
constexpr size_t kTableBytes = (kTables + 1) * sizeof(SymbolTable);

struct Work {
  Level* levels[3];
  const DeviceTileSet* sets;
  const DeviceTile* tiles;
  const SymbolTable* tables;
  const uint64_t* skips;  // by tile
  UploadedPieces pieces;
  uint32_t* damaged;
};

/// Shared memory of a warp.
struct alignas(32) Walker {
  PartDecoderMemory part;
  TileNeighbours around;
};

/// Levels of a part that a lane copies: half a row.
constexpr uint32_t kLaneLevels = kPartLevels / kWarp;
static_assert(kLaneLevels == kTileSide / 2 && kLaneLevels * sizeof(Level) == sizeof(uint4));

__device__ const DecoderFormulas kDecoderFormulas = make_decoder_formulas();

__device__ __forceinline__ void write_levels(const Walker& walker, const DeviceTile& tile,
                                             const DeviceTileSet& set, Level* band, uint32_t lane) {
  const int y = tile.y + static_cast<int>(lane / 2);
  const int x = tile.x + static_cast<int>(lane % 2 * kLaneLevels);
  if (y >= set.rows) return;
  const uint4* const from = reinterpret_cast<const uint4*>(walker.part.levels) + lane;
  Level* const to = band + static_cast<size_t>(y) * static_cast<size_t>(set.cols) + x;
  if (x + static_cast<int>(kLaneLevels) <= set.cols && reinterpret_cast<uintptr_t>(to) % sizeof(uint4) == 0) {
    *reinterpret_cast<uint4*>(to) = *from;
    return;
  }
  const auto* const levels = reinterpret_cast<const Level*>(from);
  for (int i = 0; i < static_cast<int>(kLaneLevels) && x + i < set.cols; ++i) to[i] = levels[i];
}

__device__ __forceinline__ void decode_piece(const Work& work, const SymbolTable* tables,
                                             const DecoderFormulas& formulas, Walker& walker,
                                             const UploadedPiece& piece, uint32_t lane) {
  PieceReader coder(tables, work.pieces.bytes + piece.begin, piece.size, lane);
  PieceModel model{};
  start_piece(coder, model, walker.around, 0);
  PartDecoder parts(tables, formulas, model, walker.part, lane);
  parts.start_strip();
  const uint32_t end = piece.first + piece.tiles;
  // Reads the next tile early, since many tiles have only one symbol.
  DeviceTile next = work.tiles[piece.first];
  uint64_t next_skips = work.skips[piece.first];
  for (uint32_t t = piece.first; t < end; ++t) {
    const DeviceTile tile = next;
    const DeviceTileSet& set = work.sets[tile.set];
    const uint64_t skips = next_skips;
    if (t + 1 < end) {
      next = work.tiles[t + 1];
      next_skips = work.skips[t + 1];
    }
    __syncwarp();
    if (tile.row == 0) {
      if (tile.x == 0) {
        clear_by_warp(walker.around, lane);
        parts.start_strip();
      } else {
        parts.start_column();
      }
      __syncwarp();
    }
    const uint32_t mask = code_bands(coder, set.bands, tile.row, walker.around, skips, 0);
    parts.start_tile(tile.row, mask, skips);
    for (uint32_t b = 0; b < set.bands; ++b) {
      if ((mask >> b & 1U) == 0) continue;
      parts.decode(coder, tile.row, b);
      write_levels(walker, tile, set, work.levels[set.plane] + set.offsets[b], lane);
      __syncwarp();
    }
  }
  if (!coder.sound() && lane == 0) work.damaged[piece.component] = 1;
}

/// Starts an asynchronous copy to shared memory.
__device__ __forceinline__ void copy_by_block(uint4* to, const uint4* from, size_t bytes) {
  for (uint32_t i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x) {
    __pipeline_memcpy_async(to + i, from + i, sizeof(uint4));
  }
}

/// The number of blocks is the same for all frames. Blocks without pieces end at once, so pieces are packed
/// into few blocks: an SM holds the tables once, and kernels of other frames use the remaining SMs.
template <bool kTablesFit>
__global__ void __launch_bounds__((kTablesFit ? kMostWarps : kFewWarps) * kWarp, 1)
    decode_kernel(const __grid_constant__ Work work) {
  extern __shared__ uint4 memory[];
  const auto count = static_cast<uint32_t>(*work.pieces.count);
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t warp = threadIdx.x / kWarp;
  const uint32_t warps = blockDim.x / kWarp;
  const uint32_t used = min_of(max_of((count + gridDim.x - 1) / gridDim.x, kFewWarps), warps);
  if (blockIdx.x * used >= count) return;
  auto* const formulas = reinterpret_cast<DecoderFormulas*>(memory);
  auto* const walkers = reinterpret_cast<Walker*>(formulas + 1);
  copy_by_block(memory, reinterpret_cast<const uint4*>(&kDecoderFormulas), sizeof(DecoderFormulas));
  const SymbolTable* tables = work.tables;
  if constexpr (kTablesFit) {
    auto* const to = reinterpret_cast<uint4*>(walkers + warps);
    copy_by_block(to, reinterpret_cast<const uint4*>(work.tables), kTableBytes);
    tables = reinterpret_cast<const SymbolTable*>(to);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (warp >= used) return;
  for (uint32_t i = blockIdx.x * used + warp; i < count; i += used * gridDim.x) {
    decode_piece(work, tables, *formulas, walkers[warp], work.pieces.piece(i), lane);
  }
}

size_t shared_bytes(bool tables_fit, unsigned warps) {
  return sizeof(DecoderFormulas) + warps * sizeof(Walker) + (tables_fit ? kTableBytes : 0);
}

struct SkipWork {
  SkipGrid grid;
  const DeviceTileSet* sets;
  const DeviceTile* tiles;
  uint32_t count;
  uint64_t* skips;
};

__global__ void __launch_bounds__(kSkipWarps* kWarp) skips_kernel(const __grid_constant__ SkipWork work) {
  const uint32_t tile = blockIdx.x * kSkipWarps + threadIdx.x / kWarp;
  if (tile >= work.count) return;
  const uint32_t lane = threadIdx.x % kWarp;
  const DeviceTile place = work.tiles[tile];
  const uint64_t skips = find_skips_by_warp(work.grid, work.sets[place.set], place, lane);
  if (lane == 0) work.skips[tile] = skips;
}

}  // namespace

Status TileDecoder::initialise(Device& device, const CodingPlan& plan) {
  layout_ = TileLayout(plan);
  CTV_RETURN_IF_ERROR(device_layout_.initialise(device, layout_, plan.tables));
  upload_.initialise(layout_.tiles.size(), kReadBeyond);
  CTV_RETURN_IF_ERROR(skips_.allocate(device, layout_.tiles.size()));
  CTV_RETURN_IF_ERROR(damaged_.allocate(device, layout_.components.size()));
  const cudaDeviceProp& properties = device.properties();
  const size_t memory = properties.sharedMemPerBlockOptin;
  tables_fit_ = shared_bytes(true, kFewWarps) <= memory;
  warps_ = kFewWarps;
  while (tables_fit_ && warps_ < kMostWarps && shared_bytes(true, warps_ + 1) <= memory) ++warps_;
  const size_t shared = shared_bytes(tables_fit_, warps_);
  const void* const kernel = tables_fit_ ? reinterpret_cast<const void*>(decode_kernel<true>)
                                         : reinterpret_cast<const void*>(decode_kernel<false>);
  CTV_CUDA_TRY(device, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared)));
  int resident = 0;
  CTV_CUDA_TRY(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                           &resident, kernel, static_cast<int>(warps_ * kWarp), shared));
  blocks_ = static_cast<unsigned>(std::min(
      layout_.tiles.size(),
      static_cast<size_t>(max_of(resident, 1)) * static_cast<size_t>(properties.multiProcessorCount)));
  return {};
}

Status TileDecoder::start(Device& device, size_t bytes) {
  // One byte of padding per component. put() rejects more bytes than all levels can have.
  CTV_RETURN_IF_ERROR(upload_.start(device, bytes, layout_.components.size(), layout_.bytes));
  predicted_ = 0;
  std::fill_n(damaged_.data(), layout_.components.size(), 0U);
  return {};
}

bool TileDecoder::put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
                      bool predicted) {
  if (bytes.empty() || pieces.empty()) return true;
  const size_t first = pieces.front().begin;
  const size_t size = pieces.back().begin + pieces.back().size - first;
  if (size > layout_.most_bytes(component)) {
    damaged_.data()[component] = 1;
    return false;
  }
  upload_.put(component, layout_.components[component].first, bytes, pieces);
  for (size_t i = 0; predicted && i < layout_.lowpass.size(); ++i) {
    if (layout_.sets[layout_.lowpass[i]].component == component) predicted_ |= 1U << i;
  }
  return true;
}

Status TileDecoder::upload(Device& device, cudaStream_t stream) { return upload_.upload(device, stream); }

Status TileDecoder::decode(Device& device, const std::array<Level*, 3>& levels, const SkipGrid& skips,
                           cudaStream_t stream) {
  if (blocks_ == 0) return {};
  const auto tiles = static_cast<unsigned>(layout_.tiles.size());
  const SkipWork skip_work{skips, device_layout_.sets.data(), device_layout_.tiles.data(), tiles,
                           skips_.data()};
  skips_kernel<<<(tiles + kSkipWarps - 1) / kSkipWarps, kSkipWarps * kWarp, 0, stream>>>(skip_work);
  CTV_RETURN_IF_ERROR(device.launched("skips_kernel"));
  const Work work{{levels[0], levels[1], levels[2]},
                  device_layout_.sets.data(),
                  device_layout_.tiles.data(),
                  device_layout_.tables.data(),
                  skips_.data(),
                  upload_.uploaded(),
                  damaged_.data()};
  if (tables_fit_) {
    decode_kernel<true><<<blocks_, warps_ * kWarp, shared_bytes(true, warps_), stream>>>(work);
  } else {
    decode_kernel<false><<<blocks_, warps_ * kWarp, shared_bytes(false, warps_), stream>>>(work);
  }
  CTV_RETURN_IF_ERROR(device.launched("decode_kernel"));
  return add_predictions(device, device_layout_, levels, predicted_, stream);
}

}  // namespace ctv::cuda
