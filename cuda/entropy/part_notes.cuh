// SPDX-License-Identifier: BSD-3-Clause
// A warp notes the symbols of a part. All levels are known, so each lane finds the symbols of a node and of
// two quads, and their positions (codec/model/tile_walk.hpp does so serially). Only the mean of numbers is
// serial.
#pragma once

#include "cuda/entropy/part_words.cuh"
#include "cuda/entropy/piece_writer.cuh"
#include "cuda/entropy/tile_notes.hpp"

namespace ctv::cuda {

constexpr uint32_t kNodes = 1 + 4 + 16;  // the root, eighths, quarters
constexpr uint32_t kSignBits = 16;       // per raw event
constexpr uint32_t kSignWords = kPartLevels / kSignBits;

/// A part in shared memory: context for its siblings, and signs.
struct alignas(16) NotedPart {
  QuadWords quads[kPlacedQuads];
  uint32_t nodes[kNodes];          // masks as nibbles
  uint32_t signs[kSignWords + 1];  // of nonzero levels, in order
};

/// Context from a quad's QuadBits, except signs.
struct alignas(16) QuadNote {
  QuadWords words;
  uint64_t gathered;  // gather_bits() of its mask, a nibble for each value of the bits
  __device__ __forceinline__ uint32_t gather(uint32_t bits) const {
    return static_cast<uint32_t>(gathered >> (4 * bits)) & 15U;
  }
};
struct NoteFormulas {
  QuadNote quads[256];  // by the lower byte
  TotalWords totals[kMostDigits];
};
constexpr NoteFormulas make_note_formulas() {
  NoteFormulas f{};
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t mask = i & 15U;
    f.quads[i].words = quad_words(mask, gather_bits(mask, i >> 4));
    for (uint32_t b = 0; b < 16; ++b) f.quads[i].gathered |= uint64_t{gather_bits(mask, b)} << (4 * b);
  }
  for (uint32_t t = 0; t < kMostDigits; ++t) f.totals[t] = total_words(t);
  return f;
}
__device__ const NoteFormulas kNoteFormulas = make_note_formulas();

/// The node of a lane: lane 0 has the root, the next lanes have eighths and quarters, the last ones none.
struct LaneNode {
  static constexpr uint32_t kFirstEighth = 1, kFirstQuarter = 5;
  uint32_t lane, side, y, x;  // side: of its scale, in nodes

  __device__ __forceinline__ explicit LaneNode(uint32_t of_lane) : lane(of_lane) {
    const uint32_t shift = (lane >= kFirstEighth ? 1U : 0U) + (lane >= kFirstQuarter ? 1U : 0U);
    const uint32_t i = (lane - (shift == 0 ? 0 : shift == 1 ? kFirstEighth : kFirstQuarter)) % 16;
    side = 1U << shift;
    y = i >> shift;
    x = i & (side - 1);
  }
  /// Selects a value by scale.
  template <typename T>
  __device__ __forceinline__ T pick(T root, T eighth, T quarter) const {
    return lane >= kFirstQuarter ? quarter : lane >= kFirstEighth ? eighth : root;
  }
  /// Mask of the node's children for which `has` is true; has(children) gives that of a node from the mask of
  /// its children. All lanes must call.
  template <typename Has>
  __device__ __forceinline__ uint32_t children(uint64_t quads, Has has) const {
    const uint32_t of_quarter = children_of(quads, 8, y, x);
    const uint32_t quarters = __ballot_sync(kAllLanes, has(of_quarter)) >> kFirstQuarter;
    const uint32_t of_eighth = children_of(quarters, 4, y % 2, x % 2);
    const uint32_t eighths = __ballot_sync(kAllLanes, has(of_eighth)) >> kFirstEighth & 15U;
    return lane < kNodes ? pick(eighths, of_eighth, of_quarter) : 0;
  }
};

/// A warp that notes a nonzero part. All lanes must call all functions together.
class PartNotes {
 public:
  /// part: zeros. quads: not 0.
  __device__ __forceinline__ PartNotes(NotedPart& part, uint64_t quads, uint32_t lane)
      : part_(part), quads_(quads), node_(lane), lane_(lane) {}

  /// Stores the part's context for others. two: QuadBits of two adjacent quads. beside: those along the
  /// border, above in lanes 0 .. 7, left in lanes 8 .. 15.
  __device__ __forceinline__ void start(uint32_t two, uint32_t beside) {
    const QuadNote first = kNoteFormulas.quads[two & 255U];
    const QuadNote second = kNoteFormulas.quads[two >> 16 & 255U];
    QuadWords* const own = part_.quads + place_of_quad(2 * lane_);
    own[0] = first.words;
    own[1] = second.words;
    large_ = first.gather(two >> 4 & 15U) | second.gather(two >> 20 & 15U) << 4;
    signs_ = first.gather(two >> 8 & 15U) | second.gather(two >> 24 & 15U) << bits_of_mask(two & 15U);
    const uint32_t i = lane_ % kTileQuads;
    if (lane_ < 16) {
      part_.quads[lane_ < 8 ? 2 + i : (i + 1) * kQuadStride + 1] = kNoteFormulas.quads[beside & 255U].words;
    }
    sides_ = __ballot_sync(kAllLanes, lane_ < 16 && beside != 0);
    mask_ = node_.children(quads_, [](uint32_t children) { return children != 0; });
    if (lane_ < kNodes) part_.nodes[lane_] = nibbles_of_bits(mask_);
  }
  /// Notes the symbols, after start() of all siblings. numbers: [kPartLevels], shared memory. level: returns
  /// the level at a place. Returns the number of events.
  template <typename LevelAt>
  __device__ __forceinline__ uint32_t note(const NotedPart& nearest, const NotedPart& next, uint32_t siblings,
                                           uint64_t skips, const PieceModel& model, uint16_t* numbers,
                                           const LevelAt& level, uint32_t* events) const {
    uint32_t* to = note_nodes(nearest, next, siblings, skips, events);
    const uint32_t place = place_of_quad(2 * lane_);
    QuadWords own[2] = {part_.quads[place], part_.quads[place + 1]};
    note_quads(nearest, next, siblings, model, own, to);
    to += 2 * count_bits(quads_);
    const QuadPair pair(own, lane_);
    put_signs(pair.levels_before);
    constexpr uint32_t kNoSigns[2] = {};
    pair.note_numbers(own, kNoSigns, lane_, numbers);
    __syncwarp();
    to = note_signs(pair.levels(), to);
    to = note_numbers(numbers, pair.numbers(), model, level, to);
    return static_cast<uint32_t>(to - events);
  }

 private:
  __device__ __forceinline__ uint32_t* note_nodes(const NotedPart& nearest, const NotedPart& next,
                                                  uint32_t siblings, uint64_t skips, uint32_t* to) const {
    const uint32_t here = __ballot_sync(kAllLanes, mask_ != 0);
    uint32_t skipped = 0;
    if (skips != 0) {
      skipped = full_bytes(node_.children(skips, [](uint32_t children) { return children == 15; }));
    }
    const uint32_t side = node_.side;
    const uint32_t y = node_.y;
    const uint32_t x = node_.x;
    // Masks of nonzero children along the border: above, then left.
    const uint32_t of_eighths = pairs_of_8(sides_ & 255U) | pairs_of_8(sides_ >> 8) << 4;
    const uint32_t sides = node_.pick(pairs_of_8(of_eighths), of_eighths, sides_);
    const uint32_t above = sides >> (2 * x) & 3U;
    const uint32_t left = sides >> (2 * side + 2 * y) & 3U;
    if (mask_ != 0) {
      uint32_t hints = hints_beside(x + 1 < side ? here >> (lane_ + 1) & 1U : 0,
                                    y + 1 < side ? here >> (lane_ + side) & 1U : 0);
      hints +=
          x == 0 ? (left & 1U) + (left >> 1) * 0x100U : part_.nodes[lane_ - 1] >> kRightShift & kRightHints;
      hints += y == 0 ? (above & 1U) + (above >> 1) * 0x10U
                      : part_.nodes[lane_ - side] >> kBelowShift & kBelowHints;
      if (siblings != 0) hints += nearest.nodes[lane_] + next.nodes[lane_];
      const NodeTables tables =
          node_.pick(node_tables<1>(siblings), node_tables<2>(siblings), node_tables<4>(siblings));
      to[__popc(static_cast<int>(here & ((1U << lane_) - 1)))] =
          symbol_event(table_of_mask(tables, hints, skipped), mask_);
    }
    return to + __popc(static_cast<int>(here));
  }

  __device__ __forceinline__ void note_quads(const NotedPart& nearest, const NotedPart& next,
                                             uint32_t siblings, const PieceModel& model, QuadWords (&own)[2],
                                             uint32_t* to) const {
    // Byte offsets within tables are twice the symbol offsets.
    constexpr uint32_t kSymbolBytes = sizeof(SymbolTable) / kTableSymbols;
    const uint32_t masks = kQuadTables + (siblings != 0 ? 1 : 0);
    to += 2 * quads_before(quads_, 2 * lane_);
#pragma unroll
    for (uint32_t q = 0; q < 2; ++q) {
      const uint32_t mask = bits_of_nibbles(own[q].mask);
      if (mask == 0) continue;
      const KnownNode known = know_quad(quads_, 2 * lane_ + q, nearest.quads, next.quads, siblings);
      const QuadsBefore before(part_.quads + known.place(), known);
      const TotalWords total = kNoteFormulas.totals[before.sum];
      to[0] = symbol_event(masks + digits_of_quad(before.hints) * 2 * kPlaneClasses, mask) +
              total.plane / kSymbolBytes;
      to[1] = symbol_event(kLargeTables + model.model_tables + (bits_of_mask(mask) - 1) * kLargeContexts,
                           large_ >> (4 * q) & 15U) +
              ((total.sum & 0xffffU) + known.other) / kSymbolBytes;
      to += 2;
      own[q].sums |= total.sum & 0xc0000000U;
    }
  }

  /// Packs signs in words.
  __device__ __forceinline__ void put_signs(uint32_t levels_before) const {
    if (signs_ == 0) return;
    const uint32_t window = signs_ << (levels_before % kSignBits);
    uint32_t* const words = part_.signs + levels_before / kSignBits;
    atomicOr(words, window & 0xffffU);
    atomicOr(words + 1, window >> 16);
  }
  __device__ __forceinline__ uint32_t* note_signs(uint32_t levels, uint32_t* to) const {
    const uint32_t count = (levels + kSignBits - 1) / kSignBits;
    if (lane_ < count) {
      to[lane_] = raw_event(min_of(levels - kSignBits * lane_, kSignBits), part_.signs[lane_]);
    }
    return to + count;
  }

  /// Notes magnitudes of large levels.
  template <typename LevelAt>
  __device__ __forceinline__ uint32_t* note_numbers(const uint16_t* numbers, uint32_t count,
                                                    const PieceModel& model, const LevelAt& level,
                                                    uint32_t* to) const {
    uint32_t recent = model.first_recent;
    for (uint32_t first = 0; first < count; first += kWarp) {
      const uint32_t round = min_of(count - first, uint32_t{kWarp});
      // Lanes after the last number repeat it.
      const uint32_t what = numbers[first + min_of(lane_, round - 1)];
      const uint32_t number = static_cast<uint32_t>(abs_of(level(what & 255U))) - 2;
      uint32_t own_recent = recent;
      for (uint32_t i = 0; i < round; ++i) {
        if (lane_ == i) own_recent = recent;
        recent = next_recent(recent, __shfl_sync(kAllLanes, number, static_cast<int>(i)));
      }
      const uint32_t symbol = number_symbol(number);
      const bool there = lane_ < round;
      const uint32_t wide = __ballot_sync(kAllLanes, there && symbol >= 8);
      if (there) {
        uint32_t* const own = to + lane_ + __popc(static_cast<int>(wide & ((1U << lane_) - 1)));
        own[0] = symbol_event(kNumberTables + model.model_tables + recent_class(own_recent) * kNumberClasses +
                                  (what >> 8 & 15U),
                              symbol);
        if (symbol >= 8) own[1] = raw_event(number_bits(symbol), number - number_base(symbol));
      }
      to += round + static_cast<uint32_t>(__popc(static_cast<int>(wide)));
    }
    return to;
  }

  NotedPart& part_;
  uint64_t quads_;
  LaneNode node_;
  uint32_t lane_;
  uint32_t large_;  // of two quads, as coded, four bits each
  uint32_t signs_;  // of their nonzero levels, in order
  uint32_t sides_;  // nonzero quads along the border: above, then left
  uint32_t mask_;   // of the node
};

}  // namespace ctv::cuda
