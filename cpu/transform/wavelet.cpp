// SPDX-License-Identifier: BSD-3-Clause
// Separable reversible wavelets 5/3 and 9/7 by lifting (Sweldens 1996; Calderbank et al. 1998): two
// lifting steps per row and column, four for the 9/7. A pass over the rows and another over the columns would
// read and write the picture twice each. Here rows stream through a ring of few row pairs. Each row is lifted
// horizontally when it enters, and vertically as soon as its neighbours are available. So a scale reads its
// input and writes its output once. Blocks of a row that are 0 are left out: lifting keeps them 0. So are
// those that the inverse needs for nothing that is wanted. Threads process ranges of rows and compute the few
// rows around their range twice.
#include "cpu/transform/wavelet.hpp"

#include <algorithm>
#include <array>

#include "codec/dsp/lifting.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/transform/lift_5_3.hpp"
#include "cpu/transform/wanted_blocks.hpp"
#include "cpu/transform/wavelet_ring.hpp"

namespace ctv {
namespace {

constexpr int kGrain = 1 << 15;  // fewest samples worth a thread

}  // namespace

Wavelet::Wavelet(Pyramid kind, Extent picture, int threads)
    : kind_(kind),
      threads_(std::max(1, threads)),
      piece_size_(static_cast<size_t>((2 * kRing + 1) * 2 * half_stride(picture.cols / 2))),
      buffer_(piece_size_ * static_cast<size_t>(threads_)) {}

Wavelet::Ring Wavelet::ring(int piece, Extent picture, BlockMask* masks) const {
  return {buffer_.data() + static_cast<size_t>(piece) * piece_size_,
          masks,
          picture,
          picture.cols / 2,
          half_stride(picture.cols / 2),
          {}};
}

template <typename Body>
void Wavelet::for_pieces(Extent picture, Body&& body) const {
  const int pairs = picture.rows / 2;
  const int pieces = std::clamp(picture.rows * picture.cols / kGrain, 1, std::min(threads_, pairs));
  parallel_for(threads_, pieces, [&](int i) { body(i, pairs * i / pieces, pairs * (i + 1) / pieces); });
}

void Wavelet::forward(Extent picture, WaveletRows& rows, SlopeView slopes) {
  for_pieces(picture, [&](int i, int begin, int end) {
    BlockMask masks[2 * kRing] = {};
    const Ring r = ring(i, picture, masks);
    if (slopes.data != nullptr) return forward_piece_along(r, begin, end, slopes, rows);
    if (kind_ == Pyramid::kWavelet5_3) return forward_piece_5_3(r, begin, end, rows);
    return forward_piece_9_7(r, begin, end, rows);
  });
}

void Wavelet::inverse(Extent picture, WaveletRows& rows, SlopeView slopes,
                      std::span<const BlockMask> wanted) {
  for_pieces(picture, [&](int i, int begin, int end) {
    BlockMask masks[2 * kRing] = {};
    Ring r = ring(i, picture, masks);
    r.wanted = wanted;
    if (slopes.data != nullptr) return inverse_piece_along(r, begin, end, slopes, rows);
    if (kind_ == Pyramid::kWavelet5_3) return inverse_piece_5_3(r, begin, end, rows);
    return inverse_piece_9_7(r, begin, end, rows);
  });
}

void Wavelet::forward_piece_5_3(const Ring& ring, int begin, int end, WaveletRows& rows) {
  const int pairs = ring.pairs();
  const auto load = [&](int r) {
    Coefficient* s = ring.low(ring.at(r));
    Coefficient* t = ring.high(ring.at(r));
    ring.mask(r) = without_gaps(rows.read_picture(r, s, t));
    ring.mirror_even(s);
    ring.mirror_odd(t);
    lift_5_3(false, s, t, ring.half, ring.mask(r));
  };
  int loaded = std::max(begin - 1, 0);
  for (int k = loaded; k < end; ++k) {
    for (; loaded < std::min(k + 2, pairs); ++loaded) {
      load(2 * loaded);
      load(2 * loaded + 1);
    }
    lift_rows_5_3(ring, false, 2 * k + 1, true, k >= begin);
    if (k >= begin) write_bands(ring, k, rows);
  }
}

void Wavelet::inverse_piece_5_3(const Ring& ring, int begin, int end, WaveletRows& rows) {
  const int pairs = ring.pairs();
  const auto finish = [&](int r) {
    Coefficient* s = ring.low(ring.at(r));
    Coefficient* t = ring.high(ring.at(r));
    const BlockMask mask = without_gaps(with_neighbours(ring.mask(r)));
    ring.mirror_even(s);
    ring.mirror_odd(t);
    lift_5_3(true, s, t, ring.half, mask);
    rows.write_picture(r, s, t, mask);
  };
  int fetched = std::max(begin - 1, 0);
  for (int k = begin - 1; k < end; ++k) {
    for (; fetched < std::min(k + 2, pairs); ++fetched) read_bands(ring, fetched, rows, kAllBlocks);
    lift_rows_5_3(ring, true, 2 * k + 2, k + 1 < pairs, k >= begin);
    if (k < begin) continue;
    finish(2 * k);
    finish(2 * k + 1);
  }
}

void Wavelet::forward_piece_9_7(const Ring& ring, int begin, int end, WaveletRows& rows) const {
  const auto load = [&](int r) {
    Coefficient* s = ring.low(ring.at(r));
    Coefficient* t = ring.high(ring.at(r));
    const BlockMask mask = ring.mask(r) = without_gaps(rows.read_picture(r, s, t));
    lift_9_7_row(false, s, t, ring.half, mask);
  };
  const auto lift = [&](int k) {
    if (k - 3 >= begin && k < ring.pairs()) return lift_rows_9_7(ring, false, 2 * k);
    forward_steps_9_7(k, begin,
                      [&](int step, int pair, int first) { lift_row_9_7(ring, step, false, pair, first); });
  };
  forward_cascade_9_7(begin, end, ring.pairs(), load, lift, [&](int i) { write_bands(ring, i, rows); });
}

// Inverse: step 4 is due on even row k, step 3 on odd row k - 1, step 2 on even row k - 1, step 1 on odd row
// k - 2. Then no step needs pair k - 2 unchanged, and the horizontal steps work in place.
void Wavelet::inverse_piece_9_7(const Ring& ring, int begin, int end, WaveletRows& rows) const {
  const int pairs = ring.pairs();
  const auto finish = [&](int r) {
    Coefficient* s = ring.low(ring.at(r));
    Coefficient* t = ring.high(ring.at(r));
    const BlockMask mask = without_gaps(with_neighbours(ring.mask(r)) & ring.wanted_of(r));
    lift_9_7_row(true, s, t, ring.half, mask);
    rows.write_picture(r, s, t, mask);
  };
  const int first = std::max(begin - kReach97, 0);
  BlockMask after = wanted_lowpass(ring.wanted, first);
  for (int k = first; k < end + kReach97; ++k) {
    const BlockMask wanted = after;
    after = wanted_lowpass(ring.wanted, k + 1);
    if (k < pairs) read_bands(ring, k, rows, wanted | after);
    if (k - 2 >= begin && k < pairs) {
      lift_rows_9_7(ring, true, 2 * k + 1, wanted);
    } else {
      lift_row_9_7(ring, 4, true, k, begin - 1, wanted);
      lift_row_9_7(ring, 3, true, k - 1, begin - 1, wanted);
      lift_row_9_7(ring, 2, true, k - 1, begin, wanted);
      lift_row_9_7(ring, 1, true, k - 2, begin, wanted);
    }
    if (k - 2 < begin) continue;
    finish(2 * (k - 2));
    finish(2 * (k - 2) + 1);
  }
}

// The steps of the 5/3, the first on row r, the second on the row before.
void Wavelet::lift_rows_5_3(const Ring& ring, bool inverse, int r, bool first, bool second) {
  const BlockMask beside = second ? ring.mask(r - 2) : 0;
  if (first) ring.mask(r) |= ring.mask(r - 1) | ring.mask(r + 1);
  if (second) ring.mask(r - 1) |= beside | ring.mask(r);
  const BlockMask all = without_gaps(beside | ring.mask(r - 1) | ring.mask(r));
  if (all == 0) return;
  ring.for_halves([&](int i, int n) {
    const std::array<Coefficient*, 4> rows = {second ? ring.at(r - 2) + i : nullptr, ring.at(r - 1) + i,
                                              ring.at(r) + i, first ? ring.at(r + 1) + i : nullptr};
    lift_5_3_rows(inverse, rows, n, all);
  });
}

// All steps of the 9/7, the first on the row above row r. None may be at the border of the picture.
void Wavelet::lift_rows_9_7(const Ring& ring, bool inverse, int r, BlockMask wanted) {
  std::array<Coefficient*, 6> rows{};
  std::array<BlockMask*, 6> masks{};
  BlockMask all = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int slot = (r - static_cast<int>(i)) & (2 * kRing - 1);
    rows[i] = ring.low(ring.slot(slot));
    masks[i] = &ring.masks[slot];
    all |= *masks[i];
  }
  all = without_gaps(all & wanted);
  if (all == 0) return;
  for (size_t i = 1; i < 5; ++i) *masks[i] |= *masks[i - 1] | *masks[i + 1];
  lift_9_7_rows(inverse, rows, ring.half, ring.stride, all);
}

// One step of the 9/7, unless the pair is before `first` or outside the picture.
void Wavelet::lift_row_9_7(const Ring& ring, int step, bool inverse, int pair, int first, BlockMask wanted) {
  if (pair < std::max(first, 0) || pair >= ring.pairs()) return;
  const int r = 2 * pair + step % 2;
  const int above = ring.slot_at(r - 1);
  const int below = ring.slot_at(r + 1);
  const BlockMask reached = without_gaps((ring.masks[above] | ring.masks[below]) & wanted);
  if (reached == 0) return;
  ring.mask(r) |= reached;
  Coefficient* const to = ring.at(r);
  ring.for_halves([&](int i, int n) {
    lift_9_7(step, inverse, to + i, ring.slot(above) + i, ring.slot(below) + i, n, reached);
  });
}

void Wavelet::read_bands(const Ring& ring, int k, WaveletRows& rows, BlockMask wanted) {
  for (int odd = 0; odd < 2; ++odd) {
    Coefficient* const row = ring.at(2 * k + odd);
    ring.mask(2 * k + odd) = without_gaps(rows.read_band(2 * odd, k, ring.low(row), wanted) |
                                          rows.read_band(2 * odd + 1, k, ring.high(row), wanted));
  }
}

void Wavelet::write_bands(const Ring& ring, int k, WaveletRows& rows) {
  for (int odd = 0; odd < 2; ++odd) {
    Coefficient* const row = ring.at(2 * k + odd);
    rows.write_band(2 * odd, k, ring.low(row), ring.mask(2 * k + odd));
    rows.write_band(2 * odd + 1, k, ring.high(row), ring.mask(2 * k + odd));
  }
}

}  // namespace ctv
