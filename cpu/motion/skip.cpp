// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp), a unit of 2x2 cells after the other:
// squared errors of the predictions with the zero vector and with the cell's own, and Hadamard transforms of
// the difference to the latter.
#include "cpu/motion/skip.hpp"

#include <algorithm>

#include "codec/control/skip_decisions.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/skip.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/predict-inl.hpp"

#ifndef CTV_CPU_SKIP_ONCE
#define CTV_CPU_SKIP_ONCE
namespace ctv {

struct SkipRow {
  const SkipPlanes* planes;
  const MotionGrid* grid;
  const SkipPrices* prices;
  const MotionVector* searched;
  SideInfo side;
  int row;  // first row of cells
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kCell = 1 << kLog2Cell;

// Differences of kSize x kSize samples to their prediction, [kSize][kSize].
template <int kSize>
struct Difference {
  alignas(64) int16_t values[kSize * kSize];

  // source: [kSize][kCell]; prediction: the same.
  void set(const int16_t* source, const int16_t* prediction) {
    for (int r = 0; r < kSize; ++r) {
      CTV_KEEP_LOOP
      for (int c = 0; c < kSize; ++c)
        values[r * kSize + c] = static_cast<int16_t>(source[r * kCell + c] - prediction[r * kCell + c]);
    }
  }
  uint64_t squares() const {
    uint32_t sum = 0;
    CTV_KEEP_LOOP
    for (int i = 0; i < kSize * kSize; ++i) sum += static_cast<uint32_t>(values[i] * values[i]);
    return sum;
  }
};

// Butterflies over the rows, then the transpose.
template <int kSize>
void HalfHadamard(const int16_t* in, int16_t* __restrict out) {
  alignas(64) int16_t a[kSize * kSize];
  alignas(64) int16_t b[kSize * kSize];
  const int16_t* from = in;
  int16_t* to = a;
  for (int step = 1; step < kSize; step *= 2) {
    for (int r = 0; r < kSize; r += 2 * step) {
      for (int k = r; k < r + step; ++k) {
        CTV_KEEP_LOOP
        for (int c = 0; c < kSize; ++c) {
          const int16_t x = from[k * kSize + c];
          const int16_t y = from[(k + step) * kSize + c];
          to[k * kSize + c] = static_cast<int16_t>(x + y);
          to[(k + step) * kSize + c] = static_cast<int16_t>(x - y);
        }
      }
    }
    from = to;
    to = to == a ? b : a;
  }
  for (int r = 0; r < kSize; ++r) {
    for (int c = 0; c < kSize; ++c) out[c * kSize + r] = from[r * kSize + c];
  }
}

template <int kSize>
void AddSums(const Difference<kSize>& difference, const SkipPrices& prices, SkipSums& sums) {
  alignas(64) int16_t half[kSize * kSize];
  alignas(64) int16_t h[kSize * kSize];
  HalfHadamard<kSize>(difference.values, half);
  HalfHadamard<kSize>(half, h);
  uint32_t lost = 0;
  uint32_t coded = 0;
  uint32_t octaves = 0;
  CTV_KEEP_LOOP
  for (int i = 0; i < kSize * kSize; ++i) {
    const int magnitude = abs_of(int{h[i]}) * (kCell / kSize);
    const bool kept = magnitude > prices.dead;
    lost += kept ? 0U : static_cast<uint32_t>(magnitude * magnitude);
    coded += kept ? 1U : 0U;
    for (int k = 0; k < kSkipOctaves; ++k) octaves += magnitude > prices.first << k ? 1U : 0U;
  }
  sums.lost += lost;
  sums.coded += coded;
  sums.octaves += octaves;
}

// One cell of one plane.
template <int kSize>
void AddTiles(const int16_t* source, const int16_t* zero, const int16_t* own, int rows, int cols,
              const SkipPrices& prices, SkipCosts& costs, SkipSums& sums) {
  for (int r = 0; r < rows; r += kSize) {
    for (int c = 0; c < cols; c += kSize) {
      const int at = r * kCell + c;
      Difference<kSize> difference;
      difference.set(source + at, own + at);
      const uint64_t squares = 64 * difference.squares();
      costs.own += squares;
      AddSums(difference, prices, sums);
      if (zero == own) {
        costs.zero += squares;
      } else {
        difference.set(source + at, zero + at);
        costs.zero += 64 * difference.squares();
      }
    }
  }
}

SkipCosts CostsOfCell(const SkipRow& s, int row, int col, MotionVector v) {
  SkipCosts costs;
  SkipSums sums;
  for (int p = 0; p < s.planes->planes; ++p) {
    const auto i = static_cast<size_t>(p);
    const ChromaShift shift = p == 0 ? ChromaShift{} : s.planes->chroma;
    const int rows = kCell >> shift.y;
    const int cols = kCell >> shift.x;
    const int y = row * rows;
    const int x = col * cols;
    alignas(64) int16_t source[kCell * kCell];
    alignas(64) int16_t zero[kCell * kCell];
    alignas(64) int16_t own[kCell * kCell];
    Predict<kCell>(s.planes->source[i], {}, {}, y, x, rows, source);  // a copy that repeats the edges
    Predict<kCell>(s.planes->reference[i], shift, {}, y, x, rows, zero);
    const bool moves = !(v == MotionVector{});
    if (moves) Predict<kCell>(s.planes->reference[i], shift, v, y, x, rows, own);
    const int16_t* predicted = moves ? own : zero;
    switch (std::min(rows, cols)) {
      case 8:
        AddTiles<8>(source, zero, predicted, rows, cols, *s.prices, costs, sums);
        break;
      case 4:
        AddTiles<4>(source, zero, predicted, rows, cols, *s.prices, costs, sums);
        break;
      default:
        AddTiles<2>(source, zero, predicted, rows, cols, *s.prices, costs, sums);
    }
  }
  costs.code = coded_cost(*s.prices, sums);
  return costs;
}

void DecideRow(const SkipRow& s) {
  const MotionGrid& g = *s.grid;
  for (int col = 0; col < g.cols; col += kSkipUnit) {
    const MotionVector* first = s.searched + ptrdiff_t{s.row} * g.cols + col;
    SkipCosts costs[kSkipCells];
    SkipChoice choices[kSkipCells];
    for (int k = 0; k < kSkipCells; ++k) {
      const int r = s.row + k / kSkipUnit;
      const int c = col + k % kSkipUnit;
      if (r < g.rows && c < g.cols)
        costs[k] = CostsOfCell(s, r, c, s.searched[ptrdiff_t{r} * g.cols + c]);
    }
    const MotionVector left = col > 0 ? first[-1] : MotionVector{};
    const MotionVector above = s.row > 0 ? first[-g.cols] : MotionVector{};
    choose_skips(*s.prices, costs, !(*first == left) && !(*first == above), choices);
    for (int k = 0; k < kSkipCells; ++k) {
      const int r = s.row + k / kSkipUnit;
      const int c = col + k % kSkipUnit;
      if (r >= g.rows || c >= g.cols) continue;
      const ptrdiff_t cell = ptrdiff_t{r} * g.cols + c;
      s.side.vectors[cell] = choices[k] == SkipChoice::kZero ? MotionVector{} : s.searched[cell];
      s.side.skips[cell] = choices[k] == SkipChoice::kCode ? 0 : 1;
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(DecideRow);

void decide_skips(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  const MotionVector* searched, const SideInfo& side) {
  if (base_step == 0) {
    std::copy_n(searched, grid.size(), side.vectors);
    std::fill_n(side.skips, grid.size(), uint8_t{0});
    return;
  }
  const SkipPrices prices = skip_prices(base_step);
  parallel_for(threads, ceil_div(grid.rows, kSkipUnit), [&](int i) {
    const SkipRow row{&planes, &grid, &prices, searched, side, i * kSkipUnit};
    HWY_DYNAMIC_DISPATCH(DecideRow)(row);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE
