// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation where blocks may be split and cells have 8 or 16 samples and more: a block of threads
// takes 16x16 samples of a cell between the middles of four neighbouring blocks (or several smaller cells),
// fetches what a vector points at into shared memory, filters it along rows and then along columns (8 + 8
// products), and adds it with its weights; equal vectors are followed once. Where a block of the region is
// split, the region is cut in pieces of a quarter of a cell's side, in which four vectors hold again.
#include "cuda/motion/compensate.hpp"

#include "cuda/motion/compensate_overlap.cuh"
#include "cuda/motion/interpolate.cuh"

namespace ctv::cuda {
namespace {

constexpr int kTaps = kInterpolationTaps;
constexpr int kRegion = 16;

// Shared memory of a region in pieces of kRows x kCols samples, at most 16 each.
template <int kRows, int kCols>
struct Pieces {
  static constexpr int kCount = (kRegion / kRows) * (kRegion / kCols);
  static constexpr int kPatchRows = kRows + kTaps - 1;
  static constexpr int kPatchCols = kCols + kTaps - 1;
  struct Piece {
    int16_t patch[kPatchRows][kPatchCols + 1];
    int16_t line[kPatchRows][kCols];  // along rows, 64ths
  };
  Piece piece[kCount];
};

// The prediction of a thread's sample of the region that begins at (begin_row, begin_col); `overlap` has the
// same vectors in all of a piece. All threads call alike.
template <int kRows, int kCols>
__device__ __forceinline__ int predict_pieces(const PlaneView<const Sample>& reference,
                                              const VectorGeometry& g, int begin_row, int begin_col,
                                              Overlap overlap, Pieces<kRows, kCols>& pieces) {
  using Layout = Pieces<kRows, kCols>;
  const int piece_row = static_cast<int>(threadIdx.y) / kRows;
  const int piece_col = static_cast<int>(threadIdx.x) / kCols;
  auto& patch = pieces.piece[piece_row * (kRegion / kCols) + piece_col].patch;
  auto& line = pieces.piece[piece_row * (kRegion / kCols) + piece_col].line;
  const int y = static_cast<int>(threadIdx.y) % kRows;
  const int x = static_cast<int>(threadIdx.x) % kCols;
  const int thread = y * kCols + x;
  const int top = begin_row + piece_row * kRows;
  const int left = begin_col + piece_col * kCols;
  auto& v = overlap.v;
  auto& weights = overlap.weights;
  // A vector seen before lends its weight to the first; which ones are first is the same in the whole piece.
  bool first[4] = {true, true, true, true};
#pragma unroll
  for (int i = 1; i < 4; ++i) {
#pragma unroll
    for (int j = i - 1; j >= 0; --j) {
      if (first[i] && same_vector(v[i], v[j]) && first[j]) {
        weights[j] += weights[i];
        first[i] = false;
      }
    }
  }

  int sum = 512;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (Layout::kCount == 1 && !first[i]) continue;  // all threads alike
    const Displacement dy = displacement(v[i].y, g.row_shift);
    const Displacement dx = displacement(v[i].x, g.col_shift);
    const bool fractional = (dy.eighth | dx.eighth) != 0;
    if (first[i]) {
      for (int k = thread; k < Layout::kPatchRows * Layout::kPatchCols; k += kRows * kCols) {
        const int row =
            clamp_to(top + dy.whole + k / Layout::kPatchCols - kInterpolationBefore, 0, reference.rows - 1);
        const int col =
            clamp_to(left + dx.whole + k % Layout::kPatchCols - kInterpolationBefore, 0, reference.cols - 1);
        patch[k / Layout::kPatchCols][k % Layout::kPatchCols] = reference.row(row)[col];
      }
    }
    __syncthreads();
    if (first[i] && fractional) {
      const PackedTaps row_taps = packed_taps(dx.eighth);
      for (int k = thread; k < Layout::kPatchRows * kCols; k += kRows * kCols) {
        const int16_t* s = &patch[k / kCols][k % kCols];
        int value = 0;
#pragma unroll
        for (int t = 0; t < kTaps; ++t) value += tap_weight(row_taps, t) * s[t];
        line[k / kCols][k % kCols] = static_cast<int16_t>(value);
      }
    }
    __syncthreads();
    if (first[i]) {
      int value = patch[y + kInterpolationBefore][x + kInterpolationBefore];
      if (fractional) {
        const PackedTaps col_taps = packed_taps(dy.eighth);
        value = 0;
#pragma unroll
        for (int t = 0; t < kTaps; ++t) value += tap_weight(col_taps, t) * line[y + t][x];
        value = round_interpolated(value);
      }
      sum += weights[i] * value;
    }
    __syncthreads();
  }
  return sum >> 10;
}

// kRows, kCols: of the pieces in which the vectors of whole blocks are the same, at most 16. begin: where the
// first region begins.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kRegion* kRegion)
    compensate_split_kernel(PlaneView<const Sample> reference, const MotionVector* vectors, VectorGeometry g,
                            int begin_row, int begin_col, PlaneView<Sample> prediction) {
  using Whole = Pieces<kRows, kCols>;
  using Quarters = Pieces<kRows / 4, kCols / 4>;
  union Shared {
    Whole whole;
    Quarters quarters;
  };
  __shared__ Shared shared;
  const int top = begin_row + static_cast<int>(blockIdx.y) * kRegion;
  const int left = begin_col + static_cast<int>(blockIdx.x) * kRegion;
  const int r = top + static_cast<int>(threadIdx.y);
  const int c = left + static_cast<int>(threadIdx.x);
  const bool split = split_at(vectors, g, r, c);
  const Overlap overlap = overlap_at(vectors, g, !split, r, c);
  int sample = 0;
  if (__syncthreads_or(split ? 1 : 0) != 0) {
    sample = predict_pieces(reference, g, top, left, overlap, shared.quarters);
  } else {
    sample = predict_pieces(reference, g, top, left, overlap, shared.whole);
  }
  if (r >= 0 && c >= 0 && r < prediction.rows && c < prediction.cols) {
    prediction.row(r)[c] = static_cast<Sample>(sample);
  }
}

}  // namespace

Status compensate_split(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const VectorGeometry g = vector_geometry(geometry);
  const int cell_rows = 2 << (g.log2_block - g.row_shift);
  const int cell_cols = 2 << (g.log2_block - g.col_shift);
  // Cells begin in the middle of blocks.
  const int begin_row = -cell_rows / 2;
  const int begin_col = -cell_cols / 2;
  const auto launch = [&]<int kRows, int kCols>() {
    const dim3 blocks(blocks_for(prediction.cols - begin_col, kRegion),
                      blocks_for(prediction.rows - begin_row, kRegion));
    compensate_split_kernel<kRows, kCols><<<blocks, dim3(kRegion, kRegion), 0, device.stream()>>>(
        reference, vectors, g, begin_row, begin_col, prediction);
  };
  if (cell_rows >= 16) {
    cell_cols >= 16 ? launch.template operator()<16, 16>() : launch.template operator()<16, 8>();
  } else {
    cell_cols >= 16 ? launch.template operator()<8, 16>() : launch.template operator()<8, 8>();
  }
  return device.launched("compensate_split_kernel");
}

}  // namespace ctv::cuda
