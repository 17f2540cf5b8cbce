// SPDX-License-Identifier: BSD-3-Clause
// A block transform (Obukhov and Kharlamov 2008; H.264) over a row of blocks. Within a block, lines are too
// short for vectors and every second pass wants them transposed; so 32 blocks at a time are split into their
// N x N places, 32 values each, and both passes run across the blocks, as many lines at once as a vector
// holds, and so does the quantiser, whose subbands want the values in just this order. A tile stays in the
// first cache from samples to levels.
#include "cpu/block_rows.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/block_rows.cpp"
#include "cpu/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kTile = 32;  // blocks

template <int kSide>
struct Tile {
  alignas(64) int32_t at[kSide][kSide][kTile];
};

// Row r of n blocks. Blocks of the tile behind them are 0.
template <int kSide>
void LoadRow(const Sample* samples, const Sample* prediction, int middle, int n,
             int32_t (&row)[kSide][kTile]) {
  if (n < kTile) std::memset(row, 0, sizeof row);
  for (int c = 0; c < kSide; ++c) {
    int32_t* place = row[c];
    if (prediction == nullptr) {
      for (int b = 0; b < n; ++b) place[b] = samples[kSide * b + c] - middle;
    } else {
      for (int b = 0; b < n; ++b) place[b] = samples[kSide * b + c] - prediction[kSide * b + c];
    }
  }
}

// samples may be prediction.
template <int kSide>
void StoreRow(const int32_t (&row)[kSide][kTile], int side, const Sample* prediction, int middle,
              SampleRange range, int n, Sample* samples) {
  for (int c = 0; c < side; ++c) {
    const int32_t* place = row[c];
    for (int b = 0; b < n; ++b) {
      const int p = prediction == nullptr ? middle : prediction[side * b + c];
      samples[side * b + c] = static_cast<Sample>(clamp_to(place[b] + p, range.lo, range.hi));
    }
  }
}

// line(x, y) on the values of each block at places first, first + step, ...
template <int kSide, typename Line>
void EachLine(int32_t* first, ptrdiff_t step, Line line) {
  for (int b = 0; b < kTile; ++b) {
    int32_t x[kSide];
    int32_t y[kSide];
    for (int i = 0; i < kSide; ++i) x[i] = first[i * step + b];
    line(x, y);
    for (int i = 0; i < kSide; ++i) first[i * step + b] = y[i];
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
      LoadRow<kSide>(samples.row(r) + kSide * begin, p, row.middle, n, tile.at[r]);
    }
    for (int c = 0; c < kSide; ++c) {
      EachLine<kSide>(tile.at[0][c], kSide * kTile, [](const int32_t(&x)[kSide], int32_t(&y)[kSide]) {
        T::forward(x, y);
        for (int i = 0; i < kSide; ++i) y[i] = T::forward_first(y[i]);
      });
    }
    for (int v = 0; v < kSide; ++v) {
      EachLine<kSide>(tile.at[v][0], kTile, [](const int32_t(&x)[kSide], int32_t(&y)[kSide]) {
        T::forward(x, y);
        for (int i = 0; i < kSide; ++i) y[i] = T::forward_second(y[i]);
      });
    }
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
    for (int v = 0; v < kSide; ++v) {
      EachLine<kSide>(tile.at[v][0], kTile, [](const int32_t(&x)[kSide], int32_t(&y)[kSide]) {
        T::inverse(x, y);
        for (int i = 0; i < kSide; ++i) y[i] = T::inverse_first(y[i]);
      });
    }
    for (int c = 0; c < kSide; ++c) {
      EachLine<kSide>(tile.at[0][c], kSide * kTile, [](const int32_t(&x)[kSide], int32_t(&y)[kSide]) {
        T::inverse(x, y);
        for (int i = 0; i < kSide; ++i) y[i] = T::inverse_second(y[i]);
      });
    }
    for (int r = 0; r < side; ++r) {
      for (int c = 0; c < side; ++c) {  // at or before the places that are summed up
        int32_t* place = tile.at[r][c];
        for (int b = 0; b < kTile; ++b) {
          int32_t sum = 0;
          for (int i = r << reduction; i < (r + 1) << reduction; ++i) {
            for (int j = c << reduction; j < (c + 1) << reduction; ++j) sum += tile.at[i][j][b];
          }
          place[b] = block_residual(sum, reduction);
        }
      }
      const Sample* p = row.prediction.data == nullptr ? nullptr : row.prediction.row(r) + side * begin;
      StoreRow<kSide>(tile.at[r], side, p, row.middle, range, n, samples.row(r) + side * begin);
    }
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
