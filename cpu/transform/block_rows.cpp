// SPDX-License-Identifier: BSD-3-Clause
// A block transform (Obukhov and Kharlamov 2008; H.264) of a row of blocks. Lines of a block are too short
// for SIMD vectors, and every second pass needs them transposed. So 32 blocks at a time are rearranged into N
// x N vectors of 32 values each. Both passes and the quantiser run across the blocks, which is also the order
// of the subbands. A tile stays in the first-level cache from samples to levels.
#include "cpu/transform/block_rows.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/block_rows.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kTile = 32;  // blocks

template <int kSide>
struct Tile {
  alignas(64) int32_t at[kSide][kSide][kTile];
};

// Clears samples of row r of n blocks, from block `begin` on, in skipped cells.
template <int kSide>
void ClearRow(const BlockRow& row, int r, int begin, int n, int32_t (&tile)[kSide][kTile]) {
  row.skipped->for_runs(row.first_row + r, kSide * begin, kSide * (begin + n), [&](int first, int count) {
    for (int i = first - kSide * begin; count > 0; ++i, --count) tile[i % kSide][i / kSide] = 0;
  });
}

// Row r of n blocks. The remaining blocks of the tile are set to 0.
template <int kSide>
void LoadRow(const Sample* samples, const Sample* prediction, int dc_offset, int n,
             int32_t (&row)[kSide][kTile]) {
  if (n < kTile) std::memset(row, 0, sizeof row);
  for (int c = 0; c < kSide; ++c) {
    int32_t* place = row[c];
    if (prediction == nullptr) {
      for (int b = 0; b < n; ++b) place[b] = samples[kSide * b + c] - dc_offset;
    } else {
      for (int b = 0; b < n; ++b) place[b] = samples[kSide * b + c] - prediction[kSide * b + c];
    }
  }
}

// Writes row r of n blocks of `side` samples each, from block `begin` on. samples may be the prediction.
// Blocks are joined first, so that the addition is vectorised along the row.
template <int kSide>
void StoreRow(const int32_t (&tile)[kSide][kTile], const BlockRow& row, int side, int r, int begin, int n,
              SampleRange range, Sample* samples) {
  alignas(64) Coefficient joined[kSide * kTile];
  for (int b = 0; b < n; ++b) {
    for (int c = 0; c < side; ++c) joined[side * b + c] = static_cast<Coefficient>(tile[c][b]);
  }
  const int count = side * n;
  row.skipped->clear(row.first_row + r, side * begin, side * begin + count, joined);
  if (row.prediction.data == nullptr) {
    for (int i = 0; i < count; ++i)
      samples[i] = static_cast<Sample>(clamp_to(joined[i] + row.dc_offset, range.lo, range.hi));
    return;
  }
  const Sample* const prediction = row.prediction.row(r) + side * begin;
  CTV_INDEPENDENT
  for (int i = 0; i < count; ++i)
    samples[i] = static_cast<Sample>(clamp_to(joined[i] + prediction[i], range.lo, range.hi));
}

// Applies round(line(x)) to each block, in place, to values first, first + kStep, ... Unrolled by hand;
// otherwise the compiler would vectorise the short loops.
template <int kSide, int kStep, typename Line, typename Round>
void EachLine(int32_t* first, Line line, Round round) {
  CTV_INDEPENDENT
  for (int b = 0; b < kTile; ++b) {
    int32_t x[kSide];
    int32_t y[kSide];
#pragma GCC unroll 8
    for (int i = 0; i < kSide; ++i) x[i] = first[i * kStep + b];
    line(x, y);
#pragma GCC unroll 8
    for (int i = 0; i < kSide; ++i) first[i * kStep + b] = round(y[i]);
  }
}

template <typename T, typename Round>
void EachColumn(Tile<T::kSide>& tile, bool inverse, Round round) {
  for (int c = 0; c < T::kSide; ++c) {
    if (inverse) {
      EachLine<T::kSide, T::kSide * kTile>(tile.at[0][c], T::inverse, round);
    } else {
      EachLine<T::kSide, T::kSide * kTile>(tile.at[0][c], T::forward, round);
    }
  }
}

template <typename T, typename Round>
void EachRow(Tile<T::kSide>& tile, bool inverse, Round round) {
  for (int v = 0; v < T::kSide; ++v) {
    if (inverse) {
      EachLine<T::kSide, kTile>(tile.at[v][0], T::inverse, round);
    } else {
      EachLine<T::kSide, kTile>(tile.at[v][0], T::forward, round);
    }
  }
}

// Sums 2^reduction x 2^reduction samples to residuals. Outputs never overwrite inputs that are still needed.
template <int kSide>
void Reduce(Tile<kSide>& tile, int reduction) {
  for (int r = 0; r < kSide >> reduction; ++r) {
    for (int c = 0; c < kSide >> reduction; ++c) {
      for (int b = 0; b < kTile; ++b) {
        int32_t sum = 0;
        for (int i = r << reduction; i < (r + 1) << reduction; ++i) {
          for (int j = c << reduction; j < (c + 1) << reduction; ++j) sum += tile.at[i][j][b];
        }
        tile.at[r][c][b] = block_residual(sum, reduction);
      }
    }
  }
}

template <typename T>
void Forward(const BlockRow& row, PlaneView<const Sample> samples, Level* const* levels, Coefficient* dc) {
  constexpr int kSide = T::kSide;
  Tile<kSide> tile;
  for (int begin = 0; begin < row.blocks; begin += kTile) {
    const int n = std::min(kTile, row.blocks - begin);
    for (int r = 0; r < kSide; ++r) {
      const Sample* p = row.prediction.data == nullptr ? nullptr : row.prediction.row(r) + kSide * begin;
      LoadRow<kSide>(samples.row(r) + kSide * begin, p, row.dc_offset, n, tile.at[r]);
      ClearRow<kSide>(row, r, begin, n, tile.at[r]);
    }
    EachColumn<T>(tile, false, [](int32_t y) { return T::forward_first(y); });
    EachRow<T>(tile, false, [](int32_t y) { return T::forward_second(y); });
    for (int i = 0; i < kSide * kSide; ++i) {
      const int32_t* place = tile.at[i / kSide][i % kSide];
      if (i == 0 && dc != nullptr) {
        for (int b = 0; b < n; ++b) dc[begin + b] = static_cast<Coefficient>(place[b]);
        continue;
      }
      const BlockQuantiser q = row.quantisers[i];
      Level* out = levels[i] + begin;
      for (int b = 0; b < n; ++b) out[b] = block_quantise(place[b], q);
    }
  }
}

template <typename T>
void Inverse(const BlockRow& row, const Level* const* levels, const Coefficient* dc, SampleRange range,
             int reduction, PlaneView<Sample> samples) {
  constexpr int kSide = T::kSide;
  const int side = kSide >> reduction;
  Tile<kSide> tile;
  for (int begin = 0; begin < row.blocks; begin += kTile) {
    const int n = std::min(kTile, row.blocks - begin);
    for (int i = 0; i < kSide * kSide; ++i) {
      int32_t* place = tile.at[i / kSide][i % kSide];
      const bool scaled = i == 0 && dc != nullptr;
      if (n < kTile || (levels[i] == nullptr && !scaled)) std::fill_n(place, kTile, 0);
      if (scaled) {
        for (int b = 0; b < n; ++b) place[b] = dc[begin + b];
      } else if (levels[i] != nullptr) {
        const BlockQuantiser q = row.quantisers[i];
        const Level* in = levels[i] + begin;
        for (int b = 0; b < n; ++b) place[b] = T::dequantise(in[b], q);
      }
    }
    EachRow<T>(tile, true, [](int32_t y) { return T::inverse_first(y); });
    if (reduction == 0) {
      EachColumn<T>(tile, true, [](int32_t y) { return block_residual(T::inverse_second(y), 0); });
    } else {
      EachColumn<T>(tile, true, [](int32_t y) { return T::inverse_second(y); });
      Reduce<kSide>(tile, reduction);
    }
    for (int r = 0; r < side; ++r)
      StoreRow<kSide>(tile.at[r], row, side, r, begin, n, range, samples.row(r) + side * begin);
  }
}

void ForwardBlockRow(TransformKind kind, const BlockRow& row, PlaneView<const Sample> samples,
                     Level* const* levels, Coefficient* dc) {
  switch (kind) {
    case TransformKind::kH264_4x4:
      return Forward<H264Block4x4>(row, samples, levels, dc);
    case TransformKind::kH264_8x8:
      return Forward<H264Block8x8>(row, samples, levels, dc);
    default:
      return Forward<Dct8x8>(row, samples, levels, dc);
  }
}

void InverseBlockRow(TransformKind kind, const BlockRow& row, const Level* const* levels,
                     const Coefficient* dc, SampleRange range, int reduction, PlaneView<Sample> samples) {
  switch (kind) {
    case TransformKind::kH264_4x4:
      return Inverse<H264Block4x4>(row, levels, dc, range, reduction, samples);
    case TransformKind::kH264_8x8:
      return Inverse<H264Block8x8>(row, levels, dc, range, reduction, samples);
    default:
      return Inverse<Dct8x8>(row, levels, dc, range, reduction, samples);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(ForwardBlockRow);
HWY_EXPORT(InverseBlockRow);

void forward_block_row(TransformKind kind, const BlockRow& row, PlaneView<const Sample> samples,
                       const std::array<Level*, kMaxBlockArea>& levels, Coefficient* dc) {
  HWY_DYNAMIC_DISPATCH(ForwardBlockRow)(kind, row, samples, levels.data(), dc);
}

void inverse_block_row(TransformKind kind, const BlockRow& row,
                       const std::array<const Level*, kMaxBlockArea>& levels, const Coefficient* dc,
                       SampleRange range, int reduction, PlaneView<Sample> samples) {
  HWY_DYNAMIC_DISPATCH(InverseBlockRow)(kind, row, levels.data(), dc, range, reduction, samples);
}

}  // namespace ctv
#endif
