// SPDX-License-Identifier: BSD-3-Clause
// Four passes: histograms, a block per chunk; codes, headers and ends of DEFLATE blocks, a block per
// component; bits of chunks, a warp each; codes of chunks, a block each. A last kernel writes the streams to
// host memory. Chunks, headers and ends share words, joined by atomic or, so streams must be 0 before: the
// last kernel clears them.
#include "cuda/entropy/run_encoder.hpp"

#include <algorithm>

#include "cuda/entropy/run_codes.cuh"
#include "cuda/entropy/run_symbols.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr uint32_t kHeadWords = (31 + kMostHeadBits) / 32 + 1;
constexpr uint32_t kTailWords = (31 + kMostTailBits) / 32 + 1;
constexpr unsigned kCopyThreads = 256;

struct Work {
  RunPlanes planes;
  const DeviceRunComponent* components;
  const uint32_t* component_of;
  unsigned long long* counts;
  DeviceRunCodes* codes;
  RunChunkBits* bits;
  uint64_t* sizes;
  uint32_t* streams;
  RunChunkBits* host_bits;
  uint64_t* host_sizes;
  uint4* host_streams;
  RunChunkCounts* chunk_counts;
  uint32_t chunks;
  uint32_t key;
};

__device__ __forceinline__ bool has_runs(const Work& work, const DeviceRunComponent& component) {
  return component.lowpass == 0 || work.key == 0;
}

/// Sum over a block of kRunThreads, returned in all threads. sums: [kRunWarps], shared.
__device__ __forceinline__ uint64_t block_sum(uint64_t v, uint64_t* sums) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(kAllLanes, v, offset);
  __syncthreads();  // all threads have read the previous sums
  if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = v;
  __syncthreads();
  uint64_t sum = 0;
  for (uint32_t w = 0; w < kRunWarps; ++w) sum += sums[w];
  return sum;
}

/// Sorts the keys (Batcher's bitonic sort), one pair per thread.
static_assert(BlockMaker::kKeys == 2 * kRunThreads);
__device__ __forceinline__ void sort_keys(uint32_t* keys) {
  for (uint32_t size = 2; size <= BlockMaker::kKeys; size *= 2) {
    for (uint32_t step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const uint32_t low = (threadIdx.x / step) * 2 * step + threadIdx.x % step;
      const uint32_t a = keys[low];
      const uint32_t b = keys[low + step];
      if (((low & size) == 0) == (a > b)) {
        keys[low] = b;
        keys[low + step] = a;
      }
    }
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kRunThreads) count_kernel(const __grid_constant__ Work work) {
  pdl_begin();
  __shared__ RunChunkLevels chunk;
  __shared__ uint32_t counts[2][256];
  const uint32_t c = work.component_of[blockIdx.x];
  const DeviceRunComponent component = work.components[c];
  counts[0][threadIdx.x] = 0;
  counts[1][threadIdx.x] = 0;
  const uint32_t count = load_chunk(component, work.planes, blockIdx.x - component.first, chunk);
  // Most heads are small values: their counts are summed before they are added. Two per word, 16 bits each.
  uint32_t small[2] = {0, 0};
  for_own_symbols(
      chunk, count, has_runs(work, component),
      [&](uint32_t head) {
        if (head < 4) {
          small[head / 2] += head % 2 != 0 ? 1U << 16 : 1U;
        } else {
          atomicAdd(&counts[0][head], 1U);
        }
      },
      [&](uint32_t tail) { atomicAdd(&counts[1][tail], 1U); });
  __syncwarp();
  for (uint32_t k = 0; k < 2; ++k) {
    const uint32_t sum = warp_sum(small[k]);
    if (threadIdx.x % kWarp == 0) {
      atomicAdd(&counts[0][2 * k], sum & 0xffffU);
      atomicAdd(&counts[0][2 * k + 1], sum >> 16);
    }
  }
  __syncthreads();
  for (uint32_t s = 0; s < 2; ++s) {
    const uint32_t n = counts[s][threadIdx.x];
    work.chunk_counts[blockIdx.x].of[s][threadIdx.x] = static_cast<uint16_t>(n);
    if (n != 0) atomicAdd(&work.counts[(size_t{c} * 2 + s) * 256 + threadIdx.x], n);
  }
}

__global__ void __launch_bounds__(kRunThreads) code_kernel(const __grid_constant__ Work work) {
  pdl_begin();
  __shared__ uint64_t sums[kRunWarps];
  __shared__ BlockMaker makers[2];
  const uint32_t t = threadIdx.x;
  DeviceRunCodes& to = work.codes[blockIdx.x];
  unsigned long long* const counts = work.counts + size_t{blockIdx.x} * 512;
  uint64_t own[2], total[2];
  for (uint32_t s = 0; s < 2; ++s) {
    own[s] = counts[s * 256 + t];
    counts[s * 256 + t] = 0;
    total[s] = block_sum(own[s], sums);
  }
  if (total[0] == 0) {  // no symbols: all levels are 0
    if (t == 0) {
      work.sizes[blockIdx.x] = 0;
      work.host_sizes[blockIdx.x] = 0;
    }
    return;
  }
  const uint32_t blocks = total[1] > 0 ? 2 : 1;
  if (t < 2) makers[t].symbols = 1;  // the end of the block
  __syncthreads();
  for (uint32_t s = 0; s < blocks; ++s) {
    BlockMaker& maker = makers[s];
    const uint32_t shift = weight_shift(total[s] + 1);
    const uint32_t key = own[s] > 0 ? weight_key(own[s], shift, t) : ~0U;
    maker.keys[t] = key;
    maker.weights[t] = own[s] > 0 ? key >> kSymbolBits : 0;
    const uint32_t end = weight_key(1, shift, kEndOfBlock);
    maker.keys[256 + t] = t == 0 ? end : ~0U;
    if (t == 0) maker.weights[kEndOfBlock] = end >> kSymbolBits;
    if (own[s] > 0) atomicAdd(&maker.symbols, 1U);
    for (uint32_t i = t; i < kDeflateSymbols; i += kRunThreads) maker.lengths[i] = 0;
    sort_keys(maker.keys);
  }
  if (t / kWarp < blocks) make_block(t / kWarp + 1 == blocks, makers[t / kWarp]);
  __syncthreads();
  uint32_t* const stream = work.streams + work.components[blockIdx.x].bytes / sizeof(uint32_t);
  uint64_t at = 0;
  for (uint32_t s = 0; s < blocks; ++s) {
    const BlockMaker& maker = makers[s];
    const uint64_t bits = block_sum(own[s] * maker.lengths[t], sums);
    to.codes[s][t] = maker.codes[t];
    for (uint32_t i = t; 32 * i < maker.header_bits; i += kRunThreads) {
      add_bits(stream, at + 32 * i, maker.header[i], min_of(32U, maker.header_bits - 32 * i));
    }
    at += maker.header_bits;
    if (t == 0) to.begin[s] = at;
    at += bits;
    const uint32_t end = maker.codes[kEndOfBlock];
    if (t == 0) add_bits(stream, at, end & 0xffffU, end >> 16);
    at += end >> 16;
  }
  if (t != 0) return;
  const uint64_t size = (at + 7) / 8;
  work.sizes[blockIdx.x] = size;
  work.host_sizes[blockIdx.x] = size;
}

/// Total bits of heads or tails with these counts, in all lanes.
__device__ __forceinline__ uint32_t bits_of(const uint16_t* counts, const uint32_t* codes) {
  uint32_t bits = 0;
  for (uint32_t i = threadIdx.x % kWarp; i < 256; i += kWarp) bits += counts[i] * (codes[i] >> 16);
  return warp_sum(bits);
}

__global__ void __launch_bounds__(kRunThreads) measure_kernel(const __grid_constant__ Work work) {
  pdl_begin();
  const uint32_t chunk = blockIdx.x * kRunWarps + threadIdx.x / kWarp;
  if (chunk >= work.chunks) return;
  const RunChunkCounts& counts = work.chunk_counts[chunk];
  const DeviceRunCodes& codes = work.codes[work.component_of[chunk]];
  const RunChunkBits bits{bits_of(counts.of[0], codes.codes[0]), bits_of(counts.of[1], codes.codes[1])};
  if (threadIdx.x % kWarp != 0) return;
  work.bits[chunk] = bits;
  work.host_bits[chunk] = bits;
}

/// Bits of the thread's own symbols: of heads, and from bit 16 on of tails. Those of a chunk fit in 16 bits.
__device__ __forceinline__ uint32_t own_bits(const RunChunkLevels& chunk, uint32_t count, bool runs,
                                             uint32_t (*codes)[256]) {
  uint32_t bits = 0;
  for_own_symbols(
      chunk, count, runs, [&](uint32_t head) { bits += codes[0][head] >> 16; },
      [&](uint32_t tail) { bits += codes[1][tail] & 0xffff0000U; });
  return bits;
}
static_assert(kMostHeadBits < 1 << 16 && kMostTailBits < 1 << 16);

__device__ __forceinline__ void load_codes(const DeviceRunCodes& from, uint32_t (*codes)[256]) {
  for (uint32_t s = 0; s < 2; ++s) codes[s][threadIdx.x] = from.codes[s][threadIdx.x];
}

/// Writes codes to words of shared memory that are 0 before.
struct CodeWriter {
  uint32_t* words;
  uint32_t at;  // in bits
  __device__ void put(uint32_t code) {
    const uint32_t shift = at % 32;
    const uint32_t bits = code & 0xffffU;
    atomicOr(&words[at / 32], bits << shift);
    if (shift + (code >> 16) > 32) atomicOr(&words[at / 32 + 1], bits >> (32 - shift));
    at += code >> 16;
  }
};

__global__ void __launch_bounds__(kRunThreads) write_kernel(const __grid_constant__ Work work) {
  pdl_begin();
  __shared__ RunChunkLevels chunk;
  __shared__ uint32_t codes[2][256];
  __shared__ uint64_t sums[kRunWarps];
  __shared__ uint32_t warp_bits[kRunWarps];
  __shared__ uint32_t heads[kHeadWords], tails[kTailWords];
  const uint32_t t = threadIdx.x;
  const RunChunkBits own_chunk = work.bits[blockIdx.x];
  if (own_chunk.heads == 0) return;
  const uint32_t c = work.component_of[blockIdx.x];
  const DeviceRunComponent component = work.components[c];
  const DeviceRunCodes& all_codes = work.codes[c];
  const bool runs = has_runs(work, component);
  load_codes(all_codes, codes);
  const uint32_t count = load_chunk(component, work.planes, blockIdx.x - component.first, chunk);

  uint64_t before[2] = {0, 0};
  for (uint32_t i = component.first + t; i < blockIdx.x; i += kRunThreads) {
    before[0] += work.bits[i].heads;
    before[1] += work.bits[i].tails;
  }
  before[0] = all_codes.begin[0] + block_sum(before[0], sums);
  before[1] = block_sum(before[1], sums);
  if (own_chunk.tails > 0) before[1] += all_codes.begin[1];
  const uint32_t shifts[2] = {static_cast<uint32_t>(before[0] & 31U), static_cast<uint32_t>(before[1] & 31U)};
  const uint32_t words[2] = {(shifts[0] + own_chunk.heads + 31) / 32,
                             own_chunk.tails > 0 ? (shifts[1] + own_chunk.tails + 31) / 32 : 0};
  for (uint32_t i = t; i < words[0]; i += kRunThreads) heads[i] = 0;
  for (uint32_t i = t; i < words[1]; i += kRunThreads) tails[i] = 0;

  const uint32_t own = own_bits(chunk, count, runs, codes);
  uint32_t through = own;
  for (uint32_t step = 1; step < kWarp; step *= 2) {
    const uint32_t other = __shfl_up_sync(kAllLanes, through, step);
    if (t % kWarp >= step) through += other;
  }
  if (t % kWarp == kWarp - 1) warp_bits[t / kWarp] = through;
  __syncthreads();
  uint32_t first = through - own;
  for (uint32_t w = 0; w < t / kWarp; ++w) first += warp_bits[w];
  CodeWriter head_writer{heads, shifts[0] + (first & 0xffffU)};
  CodeWriter tail_writer{tails, shifts[1] + (first >> 16)};
  for_own_symbols(
      chunk, count, runs, [&](uint32_t head) { head_writer.put(codes[0][head]); },
      [&](uint32_t tail) { tail_writer.put(codes[1][tail]); });
  __syncthreads();
  uint32_t* const stream = work.streams + component.bytes / 4;
  for (uint32_t s = 0; s < 2; ++s) {
    const uint32_t* const from = s == 0 ? heads : tails;
    uint32_t* const to = stream + (before[s] >> 5);
    for (uint32_t i = t; i < words[s]; i += kRunThreads) {
      if (i == 0 || i + 1 == words[s]) {
        atomicOr(&to[i], from[i]);
      } else {
        to[i] = from[i];
      }
    }
  }
}

__global__ void __launch_bounds__(kCopyThreads) copy_kernel(const __grid_constant__ Work work) {
  pdl_begin();
  const uint64_t size = (work.sizes[blockIdx.y] + sizeof(uint4) - 1) / sizeof(uint4);
  const uint64_t first = work.components[blockIdx.y].bytes / sizeof(uint4);
  uint4* const from = reinterpret_cast<uint4*>(work.streams) + first;
  uint4* const to = work.host_streams + first;
  for (uint64_t i = uint64_t{blockIdx.x} * kCopyThreads + threadIdx.x; i < size;
       i += uint64_t{gridDim.x} * kCopyThreads) {
    to[i] = from[i];
    from[i] = make_uint4(0, 0, 0, 0);
  }
}

}  // namespace

Status RunEncoder::initialise(Device& device, std::span<const RunComponent> plan) {
  layout_ = RunLayout(plan);
  const size_t components = layout_.components.size();
  const size_t chunks = layout_.component_of.size();
  uint32_t most = 0;
  for (const DeviceRunComponent& c : layout_.components) most = std::max(most, c.chunks);
  // A thread of the last kernel copies 16 bytes; a chunk has about 512 bytes.
  copy_blocks_ = std::clamp((most + 7) / 8, 1U, 64U);
  CTV_RETURN_IF_ERROR(components_.allocate(device, components));
  CTV_RETURN_IF_ERROR(component_of_.allocate(device, chunks));
  CTV_RETURN_IF_ERROR(counts_.allocate(device, components * 512));
  CTV_RETURN_IF_ERROR(chunk_counts_.allocate(device, chunks));
  CTV_RETURN_IF_ERROR(codes_.allocate(device, components));
  CTV_RETURN_IF_ERROR(bits_.allocate(device, chunks));
  CTV_RETURN_IF_ERROR(sizes_.allocate(device, components));
  CTV_RETURN_IF_ERROR(streams_.allocate(device, layout_.bytes / sizeof(uint4)));
  CTV_RETURN_IF_ERROR(host_bits_.allocate(device, chunks));
  CTV_RETURN_IF_ERROR(host_sizes_.allocate(device, components));
  CTV_RETURN_IF_ERROR(host_streams_.allocate(device, layout_.bytes / sizeof(uint4)));
  if (chunks == 0) return {};
  CTV_CUDA_TRY(device, cudaMemset(counts_.data(), 0, components * 512 * sizeof(unsigned long long)));
  CTV_CUDA_TRY(device, cudaMemset(streams_.data(), 0, layout_.bytes));
  CTV_CUDA_TRY(device, cudaMemset(codes_.data(), 0, components * sizeof(DeviceRunCodes)));
  CTV_CUDA_TRY(device, cudaMemcpy(components_.data(), layout_.components.data(),
                                  components * sizeof(DeviceRunComponent), cudaMemcpyHostToDevice));
  CTV_CUDA_TRY(device, cudaMemcpy(component_of_.data(), layout_.component_of.data(),
                                  chunks * sizeof(uint32_t), cudaMemcpyHostToDevice));
  return finish_filling(device);
}

Status RunEncoder::encode(Device& device, const std::array<const Level*, 3>& levels, bool key,
                          cudaStream_t stream) {
  const auto chunks = static_cast<unsigned>(layout_.component_of.size());
  const auto components = static_cast<unsigned>(layout_.components.size());
  if (chunks == 0) return {};
  const Work work{{{levels[0], levels[1], levels[2]}},
                  components_.data(),
                  component_of_.data(),
                  counts_.data(),
                  codes_.data(),
                  bits_.data(),
                  sizes_.data(),
                  reinterpret_cast<uint32_t*>(streams_.data()),
                  host_bits_.data(),
                  host_sizes_.data(),
                  host_streams_.data(),
                  chunk_counts_.data(),
                  chunks,
                  key ? 1U : 0U};
  launch_single_frame(device, stream, count_kernel, chunks, kRunThreads, work);
  CTV_RETURN_IF_ERROR(device.launched("count_kernel"));
  launch_single_frame(device, stream, code_kernel, components, kRunThreads, work);
  CTV_RETURN_IF_ERROR(device.launched("code_kernel"));
  launch_single_frame(device, stream, measure_kernel, (chunks + kRunWarps - 1) / kRunWarps, kRunThreads,
                      work);
  CTV_RETURN_IF_ERROR(device.launched("measure_kernel"));
  launch_single_frame(device, stream, write_kernel, chunks, kRunThreads, work);
  CTV_RETURN_IF_ERROR(device.launched("write_kernel"));
  launch_single_frame(device, stream, copy_kernel, dim3(copy_blocks_, components), kCopyThreads, work);
  return device.launched("copy_kernel");
}

CodedRuns RunEncoder::coded(size_t component) const {
  const DeviceRunComponent& c = layout_.components[component];
  if (c.chunks == 0 || host_sizes_.data()[component] == 0) return {};
  return {{host_bits_.data() + c.first, c.chunks},
          {reinterpret_cast<const uint8_t*>(host_streams_.data()) + c.bytes,
           static_cast<size_t>(host_sizes_.data()[component])}};
}

}  // namespace ctv::cuda
