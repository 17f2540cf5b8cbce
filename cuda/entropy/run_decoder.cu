// SPDX-License-Identifier: BSD-3-Clause
// A warp decodes a chunk. A block has chunks of one component, and makes its tables in shared memory.
#include "cuda/entropy/run_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/entropy/run_chunk_reader.cuh"
#include "cuda/entropy/run_tables.cuh"
#include "cuda/entropy/upload.hpp"

namespace ctv::cuda {
namespace {

constexpr uint32_t kBlockChunks = 4;
constexpr uint32_t kBlockThreads = kBlockChunks * kWarp;
constexpr size_t kReadBeyond = 16;

constexpr size_t round_to_16(size_t n) { return (n + 15) / 16 * 16; }

struct Work {
  Level* levels[3];
  const DeviceRunComponent* components;
  const RunBlock* blocks;
  const UploadedRuns* runs;
  const UploadedChunk* chunks;
  const uint8_t* bytes;
  uint32_t* damaged;
};

/// Levels of a chunk, in up to three planes.
struct ChunkLevels {
  Level* to[3];      // level i of the chunk in each plane
  uint32_t ends[2];  // of the first two planes
  __device__ void put(uint32_t i, Level level) const {
    Level* const plane = i < ends[0] ? to[0] : (i < ends[1] ? to[1] : to[2]);
    plane[i] = level;
  }
};

__device__ __forceinline__ ChunkLevels levels_of(const Work& work, const DeviceRunComponent& component,
                                                 uint64_t first) {
  ChunkLevels levels;
  for (uint32_t r = 0; r < 3; ++r) {
    levels.to[r] = work.levels[component.planes[r]] + static_cast<int64_t>(component.offsets[r] + first);
    if (r == 2) break;
    const uint64_t end = component.ends[r] > first ? component.ends[r] - first : 0;
    levels.ends[r] = end < kRunChunk ? static_cast<uint32_t>(end) : kRunChunk;
  }
  return levels;
}

__global__ void __launch_bounds__(kBlockThreads) decode_kernel(const __grid_constant__ Work work) {
  __shared__ BlockTables tables;
  __shared__ UploadedRuns runs;
  __shared__ RunChunkBytes bytes[kBlockChunks];
  const RunBlock block = work.blocks[blockIdx.x];
  const DeviceRunComponent component = work.components[block.component];
  const auto* const from = reinterpret_cast<const uint32_t*>(&work.runs[block.component]);
  for (uint32_t i = threadIdx.x; i < sizeof(UploadedRuns) / sizeof(uint32_t); i += kBlockThreads) {
    reinterpret_cast<uint32_t*>(&runs)[i] = from[i];
  }
  __syncthreads();
  if (runs.sound != 0) make_tables<kBlockThreads>(runs.codes, runs.runs != 0, tables);
  const uint32_t own = block.first + threadIdx.x / kWarp;
  if (own >= component.chunks) return;
  const uint64_t first = uint64_t{own} * kRunChunk;
  const uint64_t left = component.ends[2] - first;
  const uint32_t count = left < kRunChunk ? static_cast<uint32_t>(left) : kRunChunk;
  const ChunkLevels levels = levels_of(work, component, first);
  const UploadedChunk chunk = work.chunks[component.first + own];
  const bool coded = runs.sound != 0 && chunk.head_bits != 0;
  if (!coded || runs.runs != 0) {  // otherwise all levels are written
    for (uint32_t i = threadIdx.x % kWarp; i < count; i += kWarp) levels.put(i, Level{0});
    __syncwarp();  // zeros must precede levels
  }
  if (!coded) return;
  const auto mask = [](uint32_t table) { return (1U << runs.codes[table].bits) - 1; };
  const RunTables both{tables.entries[0], tables.entries[1], mask(0), mask(1)};
  const StreamWords bits{reinterpret_cast<const uint64_t*>(work.bytes + runs.bytes), runs.words - 1};
  const RunChunkPlace place{chunk.heads, chunk.heads + chunk.head_bits, chunk.tails,
                            chunk.tails + chunk.tail_bits};
  if (!read_chunk(bits, both, place, runs.runs != 0, bytes[threadIdx.x / kWarp], levels, count)) {
    work.damaged[block.component] = 1;
  }
}

}  // namespace

Status RunDecoder::initialise(Device& device, std::span<const RunComponent> plan) {
  layout_ = RunLayout(plan);
  const size_t components = layout_.components.size();
  const size_t chunks = layout_.component_of.size();
  std::vector<RunBlock> blocks;
  for (size_t c = 0; c < components; ++c) {
    const uint32_t count = layout_.components[c].chunks;
    for (uint32_t i = 0; i < count; i += kBlockChunks) blocks.push_back({static_cast<uint32_t>(c), i});
  }
  blocks_ = static_cast<unsigned>(blocks.size());
  streams_.resize(components);
  for (size_t c = 0; c < components; ++c) streams_[c].reserve(layout_.components[c].chunks);
  chunks_at_ = round_to_16(components * sizeof(UploadedRuns));
  bytes_at_ = chunks_at_ + round_to_16(chunks * sizeof(UploadedChunk));
  CTV_RETURN_IF_ERROR(components_.allocate(device, components));
  CTV_RETURN_IF_ERROR(run_blocks_.allocate(device, blocks.size()));
  CTV_RETURN_IF_ERROR(damaged_.allocate(device, components));
  if (blocks_ > 0) {
    CTV_CUDA_TRY(device, cudaMemcpy(components_.data(), layout_.components.data(),
                                    components * sizeof(DeviceRunComponent), cudaMemcpyHostToDevice));
    CTV_CUDA_TRY(device, cudaMemcpy(run_blocks_.data(), blocks.data(), blocks.size() * sizeof(RunBlock),
                                    cudaMemcpyHostToDevice));
    CTV_RETURN_IF_ERROR(finish_filling(device));
  }
  return {};
}

Status RunDecoder::start(Device& device, bool key, size_t bytes) {
  const size_t fixed = bytes_at_ + layout_.components.size() * (kReadBeyond + 16);
  size_t most = 0;  // room() rejects more
  for (size_t c = 0; c < layout_.components.size(); ++c) most += most_bytes(c);
  CTV_RETURN_IF_ERROR(
      reserve_both(device, host_, device_, fixed + std::min(bytes, most), fixed + std::min(2 * bytes, most)));
  key_ = key;
  end_ = bytes_at_;
  std::fill_n(damaged_.data(), layout_.components.size(), 0U);
  for (size_t c = 0; c < layout_.components.size(); ++c) runs()[c].sound = 0;
  return {};
}

size_t RunDecoder::most_bytes(size_t component) const {
  const size_t chunks = layout_.components[component].chunks;
  return RunIndexWriter::most_bytes(chunks) + most_run_bytes(chunks);
}

uint8_t* RunDecoder::room(size_t component, size_t bytes) {
  if (bytes > most_bytes(component)) return nullptr;
  const size_t size = round_to_16(bytes) + kReadBeyond;
  const size_t at = end_;
  end_ += size;
  std::memset(host_.data() + at + bytes, 0, size - bytes);
  runs()[component].bytes = at - bytes_at_;
  runs()[component].words = size / sizeof(uint64_t);
  return host_.data() + at;
}

bool RunDecoder::put(size_t component, std::span<const uint8_t> bytes) {
  const DeviceRunComponent& c = layout_.components[component];
  if (bytes.empty()) return true;
  const bool with_runs = c.lowpass == 0 || !key_;
  RunStream& read = streams_[component];
  if (bytes.size() > most_bytes(component) || !read.read(bytes, c.chunks)) {
    damaged_.data()[component] = 1;
    return false;
  }
  const uint64_t begin = uint64_t{8} * read.begin;
  for (uint32_t i = 0; i < c.chunks; ++i) {
    const RunChunkPlace& p = read.places[i];
    chunks()[c.first + i] = {begin + p.heads, begin + p.tails, static_cast<uint32_t>(p.heads_end - p.heads),
                             static_cast<uint32_t>(p.tails_end - p.tails)};
  }
  UploadedRuns& to = runs()[component];
  for (size_t s = 0; s < read.codes.size(); ++s) {
    to.codes[s].bits = read.codes[s].bits;
    std::ranges::copy(read.codes[s].lengths, to.codes[s].lengths);
  }
  to.runs = with_runs ? 1 : 0;
  to.sound = 1;
  return true;
}

Status RunDecoder::upload(Device& device, cudaStream_t stream) {
  return upload_bytes(device, host_.data(), end_, device_.data(), stream);
}

Status RunDecoder::decode(Device& device, const std::array<Level*, 3>& levels, cudaStream_t stream) {
  if (blocks_ == 0) return {};
  const Work work{{levels[0], levels[1], levels[2]},
                  components_.data(),
                  run_blocks_.data(),
                  reinterpret_cast<const UploadedRuns*>(device_.data()),
                  reinterpret_cast<const UploadedChunk*>(device_.data() + chunks_at_),
                  device_.data() + bytes_at_,
                  damaged_.data()};
  decode_kernel<<<blocks_, kBlockThreads, 0, stream>>>(work);
  return device.launched("decode_kernel");
}

}  // namespace ctv::cuda
