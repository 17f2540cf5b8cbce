// SPDX-License-Identifier: BSD-3-Clause
// Second half of overlapped motion compensation: blends the predictions of a segment's cells. Included once
// per instruction set.
#if defined(CTV_CPU_BLEND_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_BLEND_INL_HPP
#undef CTV_CPU_BLEND_INL_HPP
#else
#define CTV_CPU_BLEND_INL_HPP
#endif

#include <type_traits>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/format/side_info.hpp"
#include "cpu/motion/interpolate-inl.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

#ifndef CTV_CPU_BLEND_ONCE
#define CTV_CPU_BLEND_ONCE
namespace ctv {

constexpr int kPiece = 1 << kLog2Cell;  // largest side in samples
constexpr int kSegment = 64;            // columns per segment
constexpr int kLanes = 32;              // lanes per vector, at most
// Row pitch of predictions: a multiple of 64 bytes; a prediction may be 16 columns too wide.
constexpr int kPitch = kSegment + 32;
constexpr int kCellsAtOnce = 16;  // whose vectors are compared at once; more may be read

// Pieces along one axis. They lie between the centres of cells. Without overlap, or if cells have at most one
// sample, pieces are the cells, or every n-th cell.
struct Axis {
  bool between;
  int count;                              // number of cells
  int size, begin;                        // in samples of the plane
  int cells;                              // cells from a piece to the next
  int32_t pairs[kPiece];                  // weights of both cells, in 32nds, as 16-bit lanes
  alignas(64) int16_t weights[kSegment];  // of the second cell of the pair, in 32nds
  alignas(64) int16_t near[kSegment];     // -1 in the first half of a piece, which lies in the first cell
  // By byte of a vector's columns, relative to its first piece: the piece, and the cell of the column.
  alignas(64) uint8_t piece_at[2 * kLanes];
  alignas(64) uint8_t cell_at[2 * kLanes];

  /// First cell of a piece. If pieces lie between cells, the second cell is the first cell of the next piece.
  int cell(int piece) const {
    return between ? clamp_to(piece - 1, 0, count - 1) : min_of(piece * cells, count - 1);
  }
};

// A row of pieces.
struct PieceRow {
  PlaneView<const Sample> reference;
  PlaneView<Sample> prediction;
  ConstSideInfo side;
  const CompensationGeometry* geometry;
  const Axis* rows;
  const Axis* cols;
  int piece;
  int top;  // first sample row, may be negative
  /// Subtracted from predictions that are blended: 16 times them, 0..2^bits - 1, fit in 16 bits.
  int bias() const { return geometry->range.shift() == 0 ? 0 : 128 << geometry->range.shift(); }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// A segment's cells, those above and those below the middle of its pieces, and their predictions.
struct Segment {
  static constexpr int kMostPieces = 32;
  static constexpr int kMostCells = kMostPieces + 1;
  static constexpr int kCopied = round_up(kMostCells, kCellsAtOnce) + 1;
  static constexpr int kFlags = round_up(kMostCells, kCellsAtOnce) + kLanes;  // 0 or 255; vectors read more
  int first, pieces;
  int left;     // column of the first sample, may be negative
  int to_next;  // distance of a piece's first and second cell; 0: pieces have one cell
  const MotionVector* vectors[2];
  MotionVector copied[2][kCopied];  // cells that are not adjacent in the grid, for example at its borders
  uint8_t alone[2][kFlags];         // predicted alone
  // Predictions, [half][odd][kPiece][kPitch]. Neighbouring runs of cells overlap by a piece, so they use
  // alternate buffers.
  alignas(64) int16_t samples[2][2][kPiece * kPitch];
  uint8_t odd[2][kFlags];  // buffer of each cell
  uint8_t known[kFlags];   // the lower cell equals the cell above it
  // Masks with a bit per cell.
  uint64_t known_bits;
  uint64_t starts[2];  // first cells of runs that are predicted together, by half

  int cells() const { return pieces + to_next; }
  uint64_t cell_bits() const { return (uint64_t{1} << cells()) - 1; }
  bool all_known() const { return known_bits == cell_bits(); }
  bool one_vector() const { return starts[0] == 1 && all_known(); }
};

// Blends the predictions of a segment: rows first (16ths, exact, as weights are even), then columns. Quarters
// that are predicted alone take their own cell. Masks select each column's predictions, since branches would
// be unpredictable. Columns are processed in whole vectors. out: [rows][pitch]
#if CTV_VECTORS
template <int kMost>
void BlendLanes(const PieceRow& c, const Segment& s, int16_t* out, ptrdiff_t pitch) {
  const hn::CappedTag<int16_t, kMost> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Repartition<uint8_t, decltype(d16)> d8;
  const auto half = hn::Set(d32, 256);
  const auto right = hn::ShiftRight<1>(hn::Load(d16, c.cols->weights));
  const auto near = hn::MaskFromVec(hn::Load(d16, c.cols->near));
  const auto bias = static_cast<int16_t>(c.bias());
  const auto lo = hn::Set(d16, static_cast<int16_t>(c.geometry->range.lo));
  const auto hi = hn::Set(d16, static_cast<int16_t>(c.geometry->range.hi));
  const auto store = [&](hn::Vec<decltype(d16)> v, int16_t* to) HWY_ATTR {
    if (bias != 0) v = hn::Add(v, hn::Set(d16, bias));
    hn::StoreU(hn::Clamp(v, lo, hi), d16, to);
  };
  for (int x = 0; x < s.pieces * c.cols->size; x += static_cast<int>(hn::Lanes(d16))) {
    const int first = x / c.cols->size;
    const auto mask = [&](const uint8_t* flags, const uint8_t* places) HWY_ATTR {
      const auto bytes = LookUp(hn::LoadDup128(d8, flags + first), hn::Load(d8, places));
      return hn::MaskFromVec(hn::BitCast(d16, bytes));
    };
    const auto odd0 = mask(s.odd[0], c.cols->piece_at);
    const auto odd1 = mask(s.odd[0] + s.to_next, c.cols->piece_at);
    const auto load = [&](int h, int odd, int r)
                          HWY_ATTR { return hn::Load(d16, s.samples[h][odd] + r * kPitch + x); };
    const int middle = max_of(1, c.rows->size / 2);
    if (s.all_known()) {  // both rows of cells have the same predictions
      for (int r = 0; r < c.rows->size; ++r) {
        const auto alone = mask(s.alone[r < middle ? 0 : 1], c.cols->cell_at);
        const auto above0 = load(0, 0, r);
        const auto above1 = load(0, 1, r);
        const auto p0 = hn::IfThenElse(odd0, above1, above0);
        const auto p1 = hn::IfThenElse(odd1, above1, above0);
        // The product alone may exceed 16 bits; the sum does not, since it lies between 16 p0 and 16 p1.
        const auto sum = hn::Add(hn::ShiftLeft<4>(p0), hn::Mul(right, hn::Sub(p1, p0)));
        const auto blended = hn::ShiftRight<4>(hn::Add(sum, hn::Set(d16, 8)));
        store(hn::IfThenElse(alone, hn::IfThenElse(near, p0, p1), blended), out + r * pitch + x);
      }
      continue;
    }
    const auto odd2 = mask(s.odd[1], c.cols->piece_at);
    const auto odd3 = mask(s.odd[1] + s.to_next, c.cols->piece_at);
    const auto known0 = mask(s.known, c.cols->piece_at);
    const auto known1 = mask(s.known + s.to_next, c.cols->piece_at);
    const auto blend = [&](int begin, int end, auto lower_half) HWY_ATTR {
      constexpr int kLower = decltype(lower_half)::value;
      const auto alone = mask(s.alone[kLower], c.cols->cell_at);
      for (int r = begin; r < end; ++r) {
        const auto above0 = load(0, 0, r);
        const auto above1 = load(0, 1, r);
        const auto below0 = load(1, 0, r);
        const auto below1 = load(1, 1, r);
        const auto p0 = hn::IfThenElse(odd0, above1, above0);
        const auto p1 = hn::IfThenElse(odd1, above1, above0);
        const auto p2 = hn::IfThenElse(known0, p0, hn::IfThenElse(odd2, below1, below0));
        const auto p3 = hn::IfThenElse(known1, p1, hn::IfThenElse(odd3, below1, below0));
        const auto upper = hn::Add(hn::ShiftLeft<4>(p0), hn::Mul(right, hn::Sub(p1, p0)));
        const auto lower = hn::Add(hn::ShiftLeft<4>(p2), hn::Mul(right, hn::Sub(p3, p2)));
        auto sums = half;
        auto more = half;
        RowPair<decltype(d16)>(upper, lower).add(c.rows->pairs[r], sums, more);
        const auto blended = hn::ReorderDemote2To(d16, hn::ShiftRight<9>(sums), hn::ShiftRight<9>(more));
        const auto own = hn::IfThenElse(near, kLower == 0 ? p0 : p2, kLower == 0 ? p1 : p3);
        store(hn::IfThenElse(alone, own, blended), out + r * pitch + x);
      }
    };
    blend(0, middle, std::integral_constant<int, 0>());
    blend(middle, c.rows->size, std::integral_constant<int, 1>());
  }
}
// Selects lanes so that a vector's pieces and cells fit in a lookup table.
inline void Blend(const PieceRow& c, const Segment& s, int16_t* out, ptrdiff_t pitch) {
  if (c.cols->size >= kLanes / 8) return BlendLanes<kLanes>(c, s, out, pitch);
  BlendLanes<kLanes / 2>(c, s, out, pitch);
}
#else
inline void Blend(const PieceRow& c, const Segment& s, int16_t* __restrict out, ptrdiff_t pitch) {
  // Computes the masks of all columns first, so that the compiler vectorises the loop below.
  int16_t odd[2][2][kSegment], known[2][kSegment], alone[2][kSegment];
  const int cols = s.pieces * c.cols->size;
  const auto mask = [](uint8_t flag) { return static_cast<int16_t>(-(flag & 1)); };
  for (int x = 0; x < cols; ++x) {
    const int first = x / c.cols->size;
    const int own = first + (c.cols->near[x] != 0 ? 0 : s.to_next);
    for (int i = 0; i < 2; ++i) {
      const int cell = first + i * s.to_next;
      odd[0][i][x] = mask(s.odd[0][cell]);
      odd[1][i][x] = mask(s.odd[1][cell]);
      known[i][x] = mask(s.known[cell]);
      alone[i][x] = mask(s.alone[i][own]);
    }
  }
  const auto select = [](int16_t m, int16_t yes, int16_t no) {
    return static_cast<int16_t>((yes & m) | (no & ~m));
  };
  const auto bias = static_cast<int16_t>(c.bias());
  const auto lo = static_cast<int16_t>(c.geometry->range.lo);
  const auto hi = static_cast<int16_t>(c.geometry->range.hi);
  for (int r = 0; r < c.rows->size; ++r) {
    const bool above = r < max_of(1, c.rows->size / 2);
    CTV_KEEP_LOOP
    for (int x = 0; x < cols; ++x) {
      const int i = r * kPitch + x;
      const int16_t p0 = select(odd[0][0][x], s.samples[0][1][i], s.samples[0][0][i]);
      const int16_t p1 = select(odd[0][1][x], s.samples[0][1][i], s.samples[0][0][i]);
      const int16_t p2 =
          select(known[0][x], p0, select(odd[1][0][x], s.samples[1][1][i], s.samples[1][0][i]));
      const int16_t p3 =
          select(known[1][x], p1, select(odd[1][1][x], s.samples[1][1][i], s.samples[1][0][i]));
      const int right = c.cols->weights[x] / 2;
      const auto upper = static_cast<int16_t>(16 * p0 + right * (p1 - p0));
      const auto lower = static_cast<int16_t>(16 * p2 + right * (p3 - p2));
      const auto blended =
          static_cast<int16_t>((32 * upper + c.rows->weights[r] * (lower - upper) + 256) >> 9);
      const int16_t own = select(c.cols->near[x], above ? p0 : p2, above ? p1 : p3);
      const int16_t predicted = select(alone[above ? 0 : 1][x], own, blended);
      out[r * pitch + x] = clamp_to(static_cast<int16_t>(predicted + bias), lo, hi);
    }
  }
}
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
