// SPDX-License-Identifier: BSD-3-Clause
// A block divides the frame into pieces. Then a warp notes a macroblock: a lane has one or two quads, and
// finds the number of events before them. The warp finds contexts in the levels of the neighbours; most
// macroblocks are not coded, and have neither levels nor contexts.
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
  uint32_t count;
  const Macroblock* macroblocks;
  uint32_t* first;
  uint32_t* codes;
  uint32_t* pieces;
  uint32_t* piece_of;
};

__global__ void __launch_bounds__(kCutThreads) cut_residual_kernel(const __grid_constant__ CutWork work) {
  pdl_begin();
  if (threadIdx.x == 0) work.first[0] = work.codes[0] = 0;
  const uint32_t pieces = cut_pieces(
      work.count, [&](uint32_t i) { return uint32_t{work.macroblocks[i].cost}; },
      [](uint64_t before, uint32_t cost) { return residual_piece_of(before, cost); },
      [&](uint32_t piece, uint32_t i) {
        work.first[piece] = i;
        work.codes[piece] = 0;
      },
      [&](uint32_t i, uint32_t piece) { work.piece_of[i] = piece; });
  if (threadIdx.x == 0) *work.pieces = pieces;
}

struct NoteWork {
  ResidualSource source;
  const uint32_t* first;
  const uint32_t* piece_of;
  uint32_t* codes;
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

/// A neighbour in the macroblock's piece; otherwise one that is not coded. Loads the modes of any neighbour,
/// so that nothing waits for the piece.
struct Neighbour {
  size_t index;
  Macroblock modes;

  __device__ __forceinline__ Neighbour(const ResidualSource& source, uint32_t own, uint32_t before)
      : index(own - min_of(own, before)), modes(source.macroblocks[index]) {}
  __device__ __forceinline__ void keep_if(bool exists) {
    if (!exists) modes = {};
  }
};
struct Neighbours {
  Neighbour left, above;

  /// height: of the strip. piece: of the macroblock.
  __device__ __forceinline__ Neighbours(const NoteWork& work, const MacroblockPlace& place, uint32_t index,
                                        uint32_t height, uint32_t piece)
      : left(work.source, index, height), above(work.source, index, 1) {
    const uint32_t begin = work.first[piece];
    left.keep_if(place.col > 0 && index >= begin + height);
    above.keep_if(place.row > 0 && index > begin);
  }
};

__device__ __forceinline__ uint32_t mode_table_of(const Neighbours& around, uint32_t skipped) {
  MacroblockEdges left{};
  MacroblockEdges above{};
  left.kind = around.left.modes.kind;
  above.kind = around.above.modes.kind;
  return mode_table(left, above, skipped);
}

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

/// Nonzero slots of luma. words: receives the lane's quads. All lanes must call.
__device__ __forceinline__ uint64_t load_luma(const ResidualSource& source, const Macroblock& m, size_t index,
                                              int lane, uint2 (&words)[2]) {
  words[0] = words[1] = {0, 0};
  if (m.kind == 0) return 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const QuadSlot slot = luma_slot(m, lane + i * kWarp);
    words[i] = load_quad(luma_block(source, index, slot), slot);
  }
  return nonzero_slots(words[0]) | uint64_t{nonzero_slots(words[1])} << kWarp;
}
/// Adds a neighbour's densities of chroma. All lanes must call.
__device__ __forceinline__ void add_chroma(const ResidualSource& source, const Neighbour& of, int lane,
                                           uint32_t (&densities)[2]) {
  uint32_t most[2] = {};
  for (int round = 0; (of.modes.chroma[0] | of.modes.chroma[1]) != 0 && round < source.grid.chroma_blocks();
       ++round) {
    const ChromaSlot slot = chroma_slot(source.grid, of.modes, round, lane);
    const uint32_t slots = nonzero_slots(load_quad(chroma_block(source, of.index, slot), slot));
    for (int half = 0; half < 2; ++half) {
      const ChromaSlot other = chroma_slot(source.grid, of.modes, round, half * kChromaSlots);
      const uint32_t density = density_of(slots, other);
      most[0] = max_of(most[0], other.plane == 0 ? density : 0);
      most[1] = max_of(most[1], other.plane == 0 ? 0 : density);
    }
  }
  densities[0] += most[0];
  densities[1] += most[1];
}

/// Codes the symbols before the levels of a luma slot.
template <typename Coder>
__device__ __forceinline__ void code_luma_heads(Coder& coder, const Macroblock& m, const Neighbours& around,
                                                uint32_t skipped, const QuadSlot& slot, uint64_t nonzero,
                                                const NoteMemory& memory) {
  if (slot.slot == 0) coder.symbol(mode_table_of(around, skipped), mode_of(m));
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
  const QuadSlot slots[2] = {luma_slot(m, lane), luma_slot(m, lane + kWarp)};
  uint2 words[2];
  uint2 unused[2];
  const uint64_t nonzero = load_luma(work.source, m, index, lane, words);
  const uint64_t of_left = load_luma(work.source, around.left.modes, around.left.index, lane, unused);
  const uint64_t of_above = load_luma(work.source, around.above.modes, around.above.index, lane, unused);
#pragma unroll
  for (int i = 0; i < 2; ++i) NotedQuad(slots[i], words[i], nonzero).show(slots[i], memory);
  // Densities of areas; row 0 and column 0: of the neighbours.
  const int i = lane % kAreas;
  if (lane < kAreas * kAreas) {
    memory.density[lane / kAreas + 1][i + 1] =
        static_cast<uint8_t>(area_density(m, nonzero, lane / kAreas, i));
  } else if (lane < kAreas * (kAreas + 1)) {
    memory.density[i + 1][0] = static_cast<uint8_t>(area_density(around.left.modes, of_left, i, kAreas - 1));
  } else if (lane < kAreas * (kAreas + 2)) {
    memory.density[0][i + 1] =
        static_cast<uint8_t>(area_density(around.above.modes, of_above, kAreas - 1, i));
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
  uint32_t densities[2] = {};  // of both neighbours
  add_chroma(work.source, around.left, lane, densities);
  add_chroma(work.source, around.above, lane, densities);
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
          code_last(coder, BlockType::kChroma, slot.plane == 0 ? densities[0] : densities[1],
                    last_of(nonzero, slot));
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
  const Macroblock m = work.source.macroblocks[index];
  const uint32_t piece = work.piece_of[index];
  const Neighbours around(work, place, index, static_cast<uint32_t>(place.height_of(work.source.grid)),
                          piece);
  if (lane == 0 && m.coded()) work.codes[piece] = 1;
  uint32_t count = 0;
  if (skipped != kAllSkipped) {
    uint32_t* const events = work.events + size_t{index} * work.most;
    if (!m.coded()) {
      if (lane == 0) *events = symbol_event(mode_table_of(around, skipped), mode_of(m));
      count = 1;
    } else {
      note_luma(work, index, m, around, skipped, memory[warp], lane, events, count);
      if ((m.chroma[0] | m.chroma[1]) != 0)
        note_chroma(work, index, m, around, memory[warp], lane, events, count);
    }
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
  for (DeviceArray<uint32_t>* array : {&first_, &codes_, &piece_of_})
    CTV_RETURN_IF_ERROR(array->allocate(device, grid.size()));
  CTV_RETURN_IF_ERROR(pieces_.allocate(device, 1));
  CTV_RETURN_IF_ERROR(events_->reserve(device, grid.size() * most_));
  return counts_.allocate(device, grid.size());
}

Status ResidualNotes::note(Device& device, const std::array<const Level*, 3>& levels,
                           const ConstSideInfo& side, cudaStream_t stream) {
  const ResidualSource source{grid_, cells_, side.skips, side.macroblocks, {levels[0], levels[1], levels[2]}};
  const CutWork cut{static_cast<uint32_t>(grid_.size()),
                    side.macroblocks,
                    first_.data(),
                    codes_.data(),
                    pieces_.data(),
                    piece_of_.data()};
  launch_single_frame(device, stream, cut_residual_kernel, 1, kCutThreads, cut);
  CTV_RETURN_IF_ERROR(device.launched("cut_residual_kernel"));
  const NoteWork note{source,         first_.data(), piece_of_.data(), codes_.data(), events_->data(),
                      counts_.data(), most_};
  launch_single_frame(device, stream, note_residual_kernel,
                      blocks_for(static_cast<int>(grid_.size()), kNoteWarps), kNoteWarps * kWarp, note);
  return device.launched("note_residual_kernel");
}

}  // namespace ctv::cuda
