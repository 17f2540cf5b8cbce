// SPDX-License-Identifier: BSD-3-Clause
// Decoding tables of a component of runs, made by a block of threads from code lengths. Compared with this,
// the host would take twice as long per component, and upload up to 16 KiB instead of 584 bytes.
#pragma once

#include "codec/model/run_chunk.hpp"
#include "cuda/entropy/run_codes.cuh"
#include "cuda/entropy/run_decoder.hpp"

namespace ctv::cuda {

/// Tables of heads and of tails, in shared memory.
struct BlockTables {
  static constexpr uint32_t kEntries = 1U << kMostCodeBits;
  alignas(16) uint16_t entries[2][kEntries];
  uint32_t codes[2][kDeflateSymbols];
  uint32_t counts[2][16];
};

/// Makes both tables. Codes are complete, with at most kMostCodeBits bits. No code is a prefix of another, so
/// each symbol's entry first goes to an index of its own. Then entries are copied: each further length
/// doubles the table.
template <uint32_t kThreads>
__device__ void make_tables(const UploadedCode (&uploaded)[2], bool runs, BlockTables& tables) {
  static_assert(kThreads >= 2 * kWarp);
  const uint32_t thread = threadIdx.x;
  auto* const words = reinterpret_cast<uint4*>(tables.entries);
  for (uint32_t i = thread; i < sizeof(tables.entries) / sizeof(uint4); i += kThreads)
    words[i] = {0, 0, 0, 0};
  if (thread < 2 * kWarp) {
    const uint32_t own = thread / kWarp;
    find_codes(uploaded[own].lengths, kDeflateSymbols, tables.counts[own], tables.codes[own]);
  }
  __syncthreads();
  for (uint32_t i = thread; i < 2 * kDeflateSymbols; i += kThreads) {
    const uint32_t table = i / kDeflateSymbols;
    const uint32_t symbol = i % kDeflateSymbols;
    const uint32_t code = tables.codes[table][symbol];
    if (code == 0) continue;
    const uint32_t entry = symbol << 4 | code >> 16;
    tables.entries[table][code & 0xffffU] = table == 0 ? head_entry(entry, runs) : tail_entry(entry);
  }
  if (thread == 0 && uploaded[1].bits == 0) tables.entries[1][0] = kNoTailEntry;
  __syncthreads();
  for (uint32_t step = 1; step < BlockTables::kEntries; step *= 2) {
    for (uint32_t table = 0; table < 2; ++table) {
      if (step >= 1U << uploaded[table].bits) continue;
      uint16_t* const entries = tables.entries[table];
      for (uint32_t i = thread; i < step; i += kThreads) {
        const uint16_t entry = entries[i];
        if (entry != 0 && 1U << (entry & 15U) <= step) entries[step + i] = entry;
      }
    }
    __syncthreads();
  }
}

}  // namespace ctv::cuda
