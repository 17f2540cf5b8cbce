// SPDX-License-Identifier: BSD-3-Clause
// A block divides the frame into pieces, while others find the context of each macroblock for its neighbours.
// Then a warp notes a macroblock: a lane has one or two quads, and finds the number of events before them.
#include "cuda/entropy/residual_notes.hpp"

#include "codec/model/residual_pieces.hpp"
#include "cuda/entropy/piece_coder.cuh"
#include "cuda/entropy/residual_slots.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {
namespace {

constexpr int kNoteWarps = 4;  // per block of threads
constexpr int kAreas = 4;      // areas of 4x4 samples, per side

struct CutWork {
  ResidualSource source;
  MacroblockEdges* edges;
  uint32_t* first;
  uint32_t* codes;
  uint32_t* pieces;
  uint32_t* piece_of;
};

/// All lanes must call.
__device__ void find_edges(const CutWork& work, size_t index, int lane) {
  const ResidualSource& source = work.source;
  const Macroblock m = source.macroblocks[index];
  MacroblockEdges& edges = work.edges[index];
  uint64_t nonzero = 0;
  uint32_t chroma[2] = {};
  if (m.kind != 0) {
    for (int i = 0; i < 2; ++i) {
      const QuadSlot slot = luma_slot(m, lane + i * kWarp);
      nonzero |= uint64_t{nonzero_slots(load_quad(luma_block(source, index, slot), slot))} << (i * kWarp);
    }
  }
  for (int round = 0; (m.chroma[0] | m.chroma[1]) != 0 && round < source.grid.chroma_blocks(); ++round) {
    const ChromaSlot slot = chroma_slot(source.grid, m, round, lane);
    const uint32_t slots = nonzero_slots(load_quad(chroma_block(source, index, slot), slot));
    for (int half = 0; half < 2; ++half) {
      const ChromaSlot other = chroma_slot(source.grid, m, round, half * kChromaSlots);
      chroma[other.plane] = max_of(chroma[other.plane], density_of(slots, other));
    }
  }
  if (lane < kAreas) {
    edges.luma[0][lane] = static_cast<uint8_t>(area_density(m, nonzero, lane, kAreas - 1));
  } else if (lane < 2 * kAreas) {
    edges.luma[1][lane - kAreas] = static_cast<uint8_t>(area_density(m, nonzero, kAreas - 1, lane - kAreas));
  } else if (lane == 2 * kAreas) {
    edges.kind = m.kind;
  } else if (lane < 2 * kAreas + 3) {
    const int p = lane - 2 * kAreas - 1;
    edges.chroma[p] = static_cast<uint8_t>(p == 0 ? chroma[0] : chroma[1]);
  }
}

__global__ void __launch_bounds__(kCutThreads) cut_residual_kernel(const __grid_constant__ CutWork work) {
  pdl_begin();
  const auto count = static_cast<uint32_t>(work.source.grid.size());
  if (blockIdx.x > 0) {
    const uint32_t index = (blockIdx.x - 1) * kCutWarps + threadIdx.x / kWarp;
    if (index < count) find_edges(work, index, thread_x() % kWarp);
    return;
  }
  const Macroblock* const all = work.source.macroblocks;
  if (threadIdx.x == 0) work.first[0] = work.codes[0] = 0;
  const uint32_t pieces = cut_pieces(
      count, [&](uint32_t i) { return uint32_t{all[i].cost}; },
      [](uint64_t before, uint32_t cost) { return residual_piece_of(before, cost); },
      [&](uint32_t piece, uint32_t i) {
        work.first[piece] = i;
        work.codes[piece] = 0;
      },
      [&](uint32_t i, uint32_t piece) {
        work.piece_of[i] = piece;
        if (all[i].coded()) work.codes[piece] = 1;
      });
  if (threadIdx.x == 0) *work.pieces = pieces;
}

struct NoteWork {
  ResidualSource source;
  const MacroblockEdges* edges;
  const uint32_t* first;
  const uint32_t* piece_of;
  uint32_t* events;
  uint16_t* counts;
  uint32_t most;
};

/// Coders of the walk: EventCounter counts what a lane will note; EventNotes notes it.
struct EventCounter {
  static constexpr bool kDecodes = false;
  uint32_t count = 0;
  __device__ __forceinline__ uint32_t symbol(uint32_t, uint32_t s) {
    ++count;
    return s;
  }
  __device__ __forceinline__ uint32_t raw(uint32_t, uint32_t value) {
    ++count;
    return value;
  }
};
struct EventNotes {
  static constexpr bool kDecodes = false;
  uint32_t* next;
  __device__ __forceinline__ uint32_t symbol(uint32_t table, uint32_t s) {
    *next++ = symbol_event(table, s);
    return s;
  }
  __device__ __forceinline__ uint32_t raw(uint32_t bits, uint32_t value) {
    *next++ = raw_event(bits, value);
    return value;
  }
};

/// Shared memory of a warp.
struct NoteMemory {
  uint8_t counts[8][8];                     // by quad: results of code_quad()
  uint8_t density[kAreas + 1][kAreas + 1];  // as in code_macroblock()
};

/// A macroblock's neighbours in its piece, if any.
struct Neighbours {
  const MacroblockEdges* left;
  const MacroblockEdges* above;

  __device__ Neighbours(const NoteWork& work, uint32_t index) {
    const MacroblockPlace place(work.source.grid, index);
    const uint32_t begin = work.first[work.piece_of[index]];
    const auto height = static_cast<uint32_t>(place.height_of(work.source.grid));
    const bool has_left = place.col > 0 && index >= begin + height;
    const bool has_above = place.row > 0 && index > begin;
    left = has_left ? work.edges + (index - height) : nullptr;
    above = has_above ? work.edges + (index - 1) : nullptr;
  }
  __device__ uint32_t chroma(int plane) const {
    return (left == nullptr ? 0U : left->chroma[plane]) + (above == nullptr ? 0U : above->chroma[plane]);
  }
};

__device__ __forceinline__ void levels_of(const uint2& words, Level (&levels)[4]) {
  levels[0] = static_cast<Level>(words.x);
  levels[1] = static_cast<Level>(words.x >> 16);
  levels[2] = static_cast<Level>(words.y);
  levels[3] = static_cast<Level>(words.y >> 16);
}

/// A lane's quad with the context of its symbols.
struct NotedQuad {
  Level levels[4];
  bool coded, last;
  int u, v, side;

  __device__ __forceinline__ NotedQuad(const QuadSlot& slot, const uint2& words, uint64_t nonzero)
      : side(quads_on_side(slot.type)) {
    const int first = first_slot(nonzero, slot.begin, slot.count);
    coded = slot.coded && slot.slot >= first;
    last = slot.slot == first;
    levels_of(words, levels);
    quad_place(side, slot.quad(), u, v);
  }
  __device__ __forceinline__ void show(const QuadSlot& slot, NoteMemory& memory) const {
    uint32_t counts = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) counts += (levels[i] != 0 ? 1U : 0U) + (abs_of(levels[i]) > 1 ? 16U : 0U);
    memory.counts[slot.row + v][slot.col + u] = static_cast<uint8_t>(counts);
  }
  template <typename Coder>
  __device__ __forceinline__ void code(Coder& coder, const QuadSlot& slot, const NoteMemory& memory) {
    if (!coded) return;
    uint32_t around = 0;
    if (u + 1 < side) around += memory.counts[slot.row + v][slot.col + u + 1];
    if (v + 1 < side) around += memory.counts[slot.row + v + 1][slot.col + u];
    code_quad(coder, slot.type, frequency_class(side, u + v), last, around, levels);
  }
};

/// Writes the events of work(coder) of all lanes, lane after lane, from events[count] on.
template <typename Work>
__device__ __forceinline__ void note_round(int lane, uint32_t* events, uint32_t& count, Work work) {
  EventCounter counter;
  work(counter);
  const uint32_t through = sum_through(counter.count, static_cast<uint32_t>(lane));
  EventNotes notes{events + count + through - counter.count};
  work(notes);
  count += __shfl_sync(kAllLanes, through, kWarp - 1);
}

/// Codes the symbols before the levels of a luma slot.
template <typename Coder>
__device__ __forceinline__ void code_luma_heads(Coder& coder, const Macroblock& m, const Neighbours& around,
                                                uint32_t skipped, const QuadSlot& slot, uint64_t nonzero,
                                                const NoteMemory& memory) {
  if (slot.slot == 0) {
    MacroblockEdges left{};
    MacroblockEdges above{};
    if (around.left != nullptr) left.kind = around.left->kind;
    if (around.above != nullptr) above.kind = around.above->kind;
    coder.symbol(mode_table(left, above, skipped), mode_of(m));
  }
  const int q = slot.slot / 16;
  if (m.kind == static_cast<uint8_t>(MacroblockKind::kSplit) && slot.slot % 16 == 0 &&
      (skipped >> q & 1U) == 0) {
    uint32_t before = 0;
    for (int i = 0; i < q; ++i) {
      if ((skipped >> i & 1U) == 0) before = next_quarter(before, static_cast<uint32_t>(m.quarter(i)));
    }
    coder.symbol(kQuarterTable + before, static_cast<uint32_t>(m.quarter(q)));
    const int r = q / 2 * 2;
    const int c = q % 2 * 2;
    if (m.quarter(q) == QuarterKind::k4x4)
      coder.symbol(blocks_table(q, memory.density[r + 1][c], memory.density[r][c + 1]),
                   m.blocks >> 4 * q & 15U);
  }
  if (!slot.coded || slot.slot != slot.begin) return;
  const int r = slot.row / 2;
  const int c = slot.col / 2;
  uint32_t left = 0;
  uint32_t above = 0;
  for (int i = 1; i <= quads_on_side(slot.type) / 2; ++i) {
    left = max_of(left, uint32_t{memory.density[r + i][c]});
    above = max_of(above, uint32_t{memory.density[r][c + i]});
  }
  code_last(coder, slot.type, left + above, last_of(nonzero, slot));
}

__device__ __forceinline__ void note_luma(const NoteWork& work, uint32_t index, const Macroblock& m,
                                          const Neighbours& around, uint32_t skipped, NoteMemory& memory,
                                          int lane, uint32_t* events, uint32_t& count) {
  QuadSlot slots[2];
  uint2 words[2];
  uint64_t nonzero = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    slots[i] = luma_slot(m, lane + i * kWarp);
    words[i] = load_quad(luma_block(work.source, index, slots[i]), slots[i]);
    nonzero |= uint64_t{nonzero_slots(words[i])} << (i * kWarp);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) NotedQuad(slots[i], words[i], nonzero).show(slots[i], memory);
  // Densities of areas; row 0 and column 0: of the neighbours.
  const int i = lane % kAreas;
  if (lane < kAreas * kAreas) {
    memory.density[lane / kAreas + 1][i + 1] =
        static_cast<uint8_t>(area_density(m, nonzero, lane / kAreas, i));
  } else if (lane < kAreas * (kAreas + 1)) {
    memory.density[i + 1][0] = around.left == nullptr ? uint8_t{0} : around.left->luma[0][i];
  } else if (lane < kAreas * (kAreas + 2)) {
    memory.density[0][i + 1] = around.above == nullptr ? uint8_t{0} : around.above->luma[1][i];
  }
  __syncwarp();
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    const QuadSlot slot = k == 0 ? slots[0] : slots[1];
    NotedQuad quad(slot, k == 0 ? words[0] : words[1], nonzero);
    note_round(lane, events, count, [&](auto& coder) {
      code_luma_heads(coder, m, around, skipped, slot, nonzero, memory);
      quad.code(coder, slot, memory);
    });
    if (m.kind == 0) break;  // only the mode is coded
  }
  __syncwarp();
}

__device__ __forceinline__ void note_chroma(const NoteWork& work, uint32_t index, const Macroblock& m,
                                            const Neighbours& around, NoteMemory& memory, int lane,
                                            uint32_t* events, uint32_t& count) {
  const MacroblockGrid& grid = work.source.grid;
#pragma unroll 1
  for (int round = 0; round < grid.chroma_blocks(); ++round) {
    const ChromaSlot slot = chroma_slot(grid, m, round, lane);
    const uint2 words = load_quad(chroma_block(work.source, index, slot), slot);
    const uint32_t nonzero = nonzero_slots(words);
    NotedQuad quad(slot, words, nonzero);
    quad.show(slot, memory);
    __syncwarp();
    note_round(lane, events, count, [&](auto& coder) {
      if (slot.slot == slot.begin) {
        if (slot.block == 0 && grid.chroma_blocks() > 1 && m.chroma[slot.plane] != 0)
          coder.symbol(kChromaTable + static_cast<uint32_t>(slot.plane), m.chroma[slot.plane]);
        if (slot.coded)
          code_last(coder, BlockType::kChroma, around.chroma(slot.plane), last_of(nonzero, slot));
      }
      quad.code(coder, slot, memory);
    });
    __syncwarp();
  }
}

__global__ void __launch_bounds__(kNoteWarps* kWarp)
    note_residual_kernel(const __grid_constant__ NoteWork work) {
  pdl_begin();
  __shared__ NoteMemory memory[kNoteWarps];
  const int warp = thread_x() / kWarp;
  const int lane = thread_x() % kWarp;
  const uint32_t index = blockIdx.x * kNoteWarps + static_cast<uint32_t>(warp);
  if (index >= work.source.grid.size()) return;
  const MacroblockPlace place(work.source.grid, index);
  const uint32_t skipped =
      skipped_quarters(work.source.cells, work.source.skips, place.strip + place.row, place.col);
  uint32_t count = 0;
  if (skipped != kAllSkipped) {
    const Macroblock m = work.source.macroblocks[index];
    const Neighbours around(work, index);
    uint32_t* const events = work.events + size_t{index} * work.most;
    note_luma(work, index, m, around, skipped, memory[warp], lane, events, count);
    if ((m.chroma[0] | m.chroma[1]) != 0)
      note_chroma(work, index, m, around, memory[warp], lane, events, count);
  }
  if (lane == 0) work.counts[index] = static_cast<uint16_t>(count);
}

}  // namespace

Status ResidualNotes::initialise(Device& device, const MacroblockGrid& grid, const MotionGrid& cells,
                                 DeviceArray<uint32_t>& events) {
  events_ = &events;
  grid_ = grid;
  cells_ = cells;
  most_ = most_events(grid);
  CTV_RETURN_IF_ERROR(edges_.allocate(device, grid.size()));
  for (DeviceArray<uint32_t>* array : {&first_, &codes_, &piece_of_})
    CTV_RETURN_IF_ERROR(array->allocate(device, grid.size()));
  CTV_RETURN_IF_ERROR(pieces_.allocate(device, 1));
  CTV_RETURN_IF_ERROR(events_->reserve(device, grid.size() * most_));
  return counts_.allocate(device, grid.size());
}

Status ResidualNotes::note(Device& device, const std::array<const Level*, 3>& levels,
                           const ConstSideInfo& side, cudaStream_t stream) {
  const ResidualSource source{grid_, cells_, side.skips, side.macroblocks, {levels[0], levels[1], levels[2]}};
  const auto count = static_cast<int>(grid_.size());
  const CutWork cut{source, edges_.data(), first_.data(), codes_.data(), pieces_.data(), piece_of_.data()};
  launch_single_frame(device, stream, cut_residual_kernel, 1 + blocks_for(count, kCutWarps), kCutThreads,
                      cut);
  CTV_RETURN_IF_ERROR(device.launched("cut_residual_kernel"));
  const NoteWork note{source,          edges_.data(),  first_.data(), piece_of_.data(),
                      events_->data(), counts_.data(), most_};
  launch_single_frame(device, stream, note_residual_kernel, blocks_for(count, kNoteWarps), kNoteWarps * kWarp,
                      note);
  return device.launched("note_residual_kernel");
}

}  // namespace ctv::cuda
